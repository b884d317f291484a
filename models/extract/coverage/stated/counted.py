"""An open document whose pages carry a statement: the characters of the file's parts against its blocks.

Compared as multisets over the whole file, because such formats have no places; what has no page of its own (lost,
reformatted) stands with the first page that is read.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from types import MappingProxyType
from typing import Final, Protocol, cast

from models.cdom.coverage import CharacterCount, ExcludedPlace, LostPlace, PageCoverage, Unseen
from models.cdom.flags import HIDDEN_TEXT
from models.cdom.geometry import Bbox
from models.cdom.original import Embedded, Format
from models.cdom.ports import PageImage
from models.cdom.table import Table
from models.extract.contract import DocumentFacts, OpenDocument, PageContent, PageRead
from models.extract.coverage.stated.text import (
    REFORMATTED,
    StatedText,
    part_common,
    part_signs,
    take_common,
    tally,
    visible_characters,
)
from models.extract.coverage.total import count_written
from models.extract.formats.common.parse_cache import forget

State = Callable[[], StatedText | None]
_NOTHING: Final[Mapping[str, int]] = MappingProxyType({})


class WrittenBlock(Protocol):
    """What the statement reads of a block, of whichever reader."""

    @property
    def text(self) -> str: ...

    @property
    def table(self) -> Table | None: ...

    @property
    def flags(self) -> Sequence[str]: ...


class FlowingDocument(OpenDocument, Protocol):
    """An open file whose blocks are all known."""

    def written(self) -> Iterable[Sequence[WrittenBlock]]:
        """The blocks of each page of the file, also of those that are not to be read."""
        ...


class CountedDocument:
    """The document of a reader, with a statement about each of its pages. `state` gives null where nobody can count."""

    def __init__(self, document: FlowingDocument, state: State) -> None:
        self._document, self._state = document, state
        self._stated: list[PageCoverage] | None = None

    @property
    def facts(self) -> DocumentFacts:
        return self._document.facts

    @property
    def embedded(self) -> tuple[Embedded, ...]:
        """Files inside this one, in order."""
        found: tuple[Embedded, ...] = getattr(self._document, "embedded", ())
        return found

    def read_page(self, number: int) -> PageRead:
        """As the reader reads it; see `OpenDocument`."""
        read = self._document.read_page(number)
        if self._stated is None:
            self._stated = self._account()
        content = read.content
        stated = self._stated[number - 1] if number <= len(self._stated) else None
        return replace(read, content=replace(content, coverage=stated, written=count_written(content.blocks)))

    def render_page(self, number: int, dpi: int, area: Bbox | None = None) -> PageImage:
        return self._document.render_page(number, dpi, area)

    def render_assets(self, content: PageContent) -> dict[str, bytes]:
        return self._document.render_assets(content)

    def close(self) -> None:
        self._document.close()

    def _account(self) -> list[PageCoverage]:
        """One statement a page; none at all where nobody can count."""
        stated = self._state()
        if stated is None:
            return []
        pages = [list(blocks) for blocks in self._document.written()]
        return account_flow(stated, pages, first=min(self.facts.page_numbers, default=1))


def account_flow(stated: StatedText, pages: Sequence[Sequence[WrittenBlock]], *, first: int) -> list[PageCoverage]:
    """The statement of every page. `first` is the page with which stands what has none."""
    seen, unseen = zip(*map(_texts_of, pages), strict=True) if pages else ((), ())
    said, hidden_text = [_join(texts) for texts in seen], [_join(texts) for texts in unseen]
    rest = stated.excluded.copy()
    wanted = _join(stated.text)
    if not any(hidden_text) and wanted == (said[0] if len(said) == 1 else "".join(said)):
        if stated.formed:
            rest[REFORMATTED] += len(_join(stated.formed))
        for reason, texts in stated.other.items():
            rest[reason] += len(_join(texts))
        placed, hidden, lost = [len(text) for text in said], [0] * len(said), 0
    else:
        placed, hidden, lost = _match(stated, wanted, said, hidden_text, rest)
    return [
        _state_page(number, placed[at], hidden[at], rest if number == first else _NOTHING,
                    lost if number == first else 0)
        for at, number in enumerate(range(1, len(pages) + 1))
    ]  # fmt: skip


def _match(
    stated: StatedText, wanted: str, said: Sequence[str], hidden_text: Sequence[str], rest: Counter[str]
) -> tuple[list[int], list[int], int]:
    """Characters placed and hidden by page, and how many are lost; what else is left goes to `rest`."""
    pages = [tally(text) for text in said] if sum(map(bool, said)) > 1 else []
    wanted, whole = (wanted, "") if pages else _part_said(stated, wanted, "".join(said))
    parts = [tally(wanted)]
    reasons = [REFORMATTED, *stated.other]
    parts += [tally(_join(texts)) for texts in (stated.formed, *stated.other.values())]
    left = _add(parts) if pages else Counter[str]()
    found = _add(pages) if pages else tally(whole)
    for part in parts:
        take_common(part, found)
    placed = _spread(said, pages, left, found.total())
    hidden = [_take(parts, text) for text in hidden_text]
    for reason, part in zip(reasons, parts[1:], strict=True):
        rest[reason] += part.total()
    return placed, hidden, parts[0].total()


def _add(tallies: Iterable[Counter[str]]) -> Counter[str]:
    """All of them in one."""
    total: Counter[str] = Counter()
    for one in tallies:
        total.update(one)
    return total


def _part_said(stated: StatedText, wanted: str, whole: str) -> tuple[str, str]:
    """What must be there and what is, without what both have in the same order."""
    if stated.signs_apart:
        letters, signs = part_signs(whole)
        if letters == wanted:
            return "", signs
    return part_common(wanted, whole)


def _take(parts: Sequence[Counter[str]], text: str) -> int:
    """Characters of the parts that the text has, taken out of the parts."""
    if not text:
        return 0
    found = tally(text)
    return sum(take_common(part, found) for part in parts)


def _spread(said: Sequence[str], pages: Sequence[Counter[str]], stated: Counter[str], invented: int) -> list[int]:
    """Characters of each page that the file has, when the pages have so many more than it."""
    if not pages or not invented:
        return [len(text) - invented if text else 0 for text in said]
    return [take_common(page, stated) for page in pages]


def _join(texts: Sequence[str]) -> str:
    return visible_characters("".join(texts)) if texts else ""


def _texts_of(blocks: Sequence[WrittenBlock]) -> tuple[list[str], list[str]]:
    """What the blocks say, and what hidden ones do."""
    texts: list[str] = []
    hidden: list[str] = []
    for block in blocks:
        said = hidden if HIDDEN_TEXT in block.flags else texts
        said.append(block.text)
        if block.table is not None:
            said += [cell.text for cell in block.table.cells]
    return texts, hidden


def _state_page(number: int, placed: int, hidden: int, rest: Mapping[str, int], lost: int) -> PageCoverage:
    if not rest and not hidden and not lost:
        return PageCoverage(number=number, characters=CharacterCount(painted=placed, placed=placed))
    reasons = sorted({*rest, Unseen.INVISIBLE.value} if hidden else rest)
    counts = {reason: rest.get(reason, 0) + (hidden if reason == Unseen.INVISIBLE.value else 0) for reason in reasons}
    excluded = {reason: count for reason, count in counts.items() if count}
    painted = placed + sum(excluded.values()) + lost
    return PageCoverage(
        number=number,
        characters=CharacterCount(painted=painted, placed=placed, excluded=excluded, lost=lost),
        excluded=tuple([ExcludedPlace(reason=reason, characters=count) for reason, count in excluded.items()]),
        lost=(LostPlace(characters=lost),) if lost else (),
    )


_HERE = "models.extract.coverage.stated"
COUNTERS: dict[Format, str] = {
    Format.DOCX: f"{_HERE}.office:state_docx",
    Format.PPTX: f"{_HERE}.office:state_pptx",
    Format.XLSX: f"{_HERE}.office:state_xlsx",
    **dict.fromkeys((Format.ODT, Format.ODS, Format.ODP), f"{_HERE}.opendocument:state_odf"),
    Format.RTF: f"{_HERE}.rich_text:state_rtf",
    Format.EPUB: f"{_HERE}.markup:state_epub",
    Format.HTML: f"{_HERE}.markup:state_html",
    Format.MHTML: f"{_HERE}.mail:state_mhtml",
    Format.EML: f"{_HERE}.mail:state_eml",
    Format.CSV: f"{_HERE}.plain:state_csv",
    Format.DOC: f"{_HERE}.binary:state_doc",
    Format.XLS: f"{_HERE}.binary:state_xls",
    Format.XLSB: f"{_HERE}.binary:state_xlsb",
    Format.MSG: f"{_HERE}.binary:state_msg",
    Format.JATS: f"{_HERE}.articles:state_jats",
    Format.ASCIIDOC: f"{_HERE}.articles:state_asciidoc",
    Format.MARKDOWN: f"{_HERE}.plain:state_markdown",
    Format.TXT: f"{_HERE}.plain:state_text",
    Format.ZIP: f"{_HERE}.archives:state_zip",
    Format.MBOX: f"{_HERE}.archives:state_mbox",
}
"""Format → "module:function"; the function takes the bytes and raises `ExtractError` where they cannot be judged."""


def with_statement(document: FlowingDocument, format_: Format, data: bytes) -> CountedDocument:
    """The document, its pages counted when the first of them is read."""
    return CountedDocument(document, lambda: _state(format_, data))


def _state(format_: Format, data: bytes) -> StatedText | None:
    module, name = COUNTERS[format_].split(":")
    try:
        return cast(StatedText, getattr(import_module(module), name)(data))
    except ImportError:
        raise  # in a child, where nothing can be imported any more: a fault of ours
    except Exception:  # parsers made for good files raise anything on others: nobody can judge this one
        return None
    finally:
        forget()
