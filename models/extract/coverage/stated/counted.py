"""An open document whose pages carry a coverage statement: the characters of the file's parts against its blocks.

Both are compared as multisets over the whole file, because such formats have no positions. Counts that belong to no
page (lost, reformatted) are part of the statement of the first page that is read.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final, Protocol, cast

from quire.models.cdom.coverage import CharacterCount, ExcludedPlace, LostPlace, PageCoverage, Unseen
from quire.models.cdom.flags import HIDDEN_TEXT
from quire.models.cdom.geometry import Bbox
from quire.models.cdom.original import Embedded, Format
from quire.models.cdom.ports import PageImage
from quire.models.cdom.table import Table
from quire.models.cdom.tree import DAMAGED
from quire.models.extract.contract import DocumentFacts, OpenDocument, PageContent, PageRead
from quire.models.extract.coverage.stated.endings import is_cut_off
from quire.models.extract.coverage.stated.text import (
    REFORMATTED,
    StatedText,
    part_common,
    part_signs,
    take_common,
    tally,
    visible_characters,
)
from quire.models.extract.coverage.total import count_written
from quire.models.extract.formats.common.installed import COUNTERS as INSTALLED_COUNTERS
from quire.models.extract.formats.common.installed import find_installed, load
from quire.models.extract.formats.common.parse_cache import forget

State = Callable[[], StatedText | None]
OCR_OFF: Final = ", ocr off"
"""End of the reason of a page with text in a picture that no recogniser reads."""
LEFT_PICTURES: Final = "areas-not-read"
"""Warning of a page with more pictures than are recognised."""
_PLAIN: Final = str.maketrans(
    "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼₀₁₂₃₄₅₆₇₈₉₊₋₌ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ−–", "0123456789+-=0123456789+-=abcdefghijklmnoprstuvwxyz--"
)
"""Superscript and subscript characters → the characters that a file may have in their place."""
_NOTHING: Final[Mapping[str, int]] = MappingProxyType({})


class WrittenBlock(Protocol):
    """The parts of a reader's block that the statement reads."""

    @property
    def text(self) -> str:
        """Text of the block."""
        ...

    @property
    def table(self) -> Table | None:
        """Table of the block, if it is one."""
        ...

    @property
    def flags(self) -> Sequence[str]:
        """Flags of the block."""
        ...


class FlowingDocument(OpenDocument, Protocol):
    """An open file whose blocks are all known."""

    @property
    def is_uncounted(self) -> bool:
        """Whether counting the file's text is left out."""
        ...

    def written(self) -> Iterable[Sequence[WrittenBlock]]:
        """Return the blocks of each page of the file, including pages that are not to be read."""
        ...


class CountedDocument:
    """A reader's document that adds a coverage statement to each page. `state` returns None for uncountable files.

    `is_cut_off`: the end of the file is missing.
    """

    def __init__(self, document: FlowingDocument, state: State, *, is_cut_off: bool = False) -> None:
        self._document, self._state = document, state
        facts = document.facts
        self._facts = replace(facts, warnings=(*facts.warnings, DAMAGED)) if is_cut_off else facts
        self._stated: list[PageCoverage] | None = None

    @property
    def facts(self) -> DocumentFacts:
        """Facts of the document."""
        return self._facts

    @property
    def embedded(self) -> tuple[Embedded, ...]:
        """Files inside this one, in order."""
        files: tuple[Embedded, ...] = getattr(self._document, "embedded", ())
        return files

    def read_page(self, number: int) -> PageRead:
        """Return the reader's page with its statement; see `OpenDocument`."""
        read = self._document.read_page(number)
        if self._stated is None:
            self._stated = self._account()
        content = read.content
        stated = self._stated[number - 1] if number <= len(self._stated) else None
        if stated is not None and (content.reason.endswith(OCR_OFF) or LEFT_PICTURES in content.warnings):
            stated = replace(stated, judged=False)
        return replace(read, content=replace(content, coverage=stated, written=count_written(content.blocks)))

    def render_page(self, number: int, dpi: int, area: Bbox | None = None) -> PageImage:
        """Draw a page; see `OpenDocument`."""
        return self._document.render_page(number, dpi, area)

    def render_assets(self, content: PageContent) -> dict[str, bytes]:
        """Return the bytes of the page's pictures; see `OpenDocument`."""
        return self._document.render_assets(content)

    def close(self) -> None:
        """Close the document."""
        self._document.close()

    def _account(self) -> list[PageCoverage]:
        """Return one statement per page; none when the file cannot be counted."""
        stated = None if self._document.is_uncounted else self._state()
        if stated is None:
            return []
        pages = [list(blocks) for blocks in self._document.written()]
        return account_flow(stated, pages, first=min(self.facts.page_numbers, default=1))


def account_flow(stated: StatedText, pages: Sequence[Sequence[WrittenBlock]], *, first: int) -> list[PageCoverage]:
    """Return the statement of every page; `first` is the page that gets the counts that belong to no page."""
    seen, unseen = zip(*map(_texts_of, pages), strict=True) if pages else ((), ())
    written, hidden_text = [_join(texts) for texts in seen], [_join(texts) for texts in unseen]
    excluded = stated.excluded.copy()
    required = _join(stated.text)
    if not any(hidden_text) and required == (written[0] if len(written) == 1 else "".join(written)):
        if stated.formed:
            excluded[REFORMATTED] += len(_join(stated.formed))
        for reason, texts in stated.other.items():
            excluded[reason] += len(_join(texts))
        placed, hidden, lost = [len(text) for text in written], [0] * len(written), 0
    else:
        placed, hidden, lost = _match(stated, required, written, hidden_text, excluded)
    return [
        _state_page(number, placed[i], hidden[i], excluded if number == first else _NOTHING,
                    lost if number == first else 0)
        for i, number in enumerate(range(1, len(pages) + 1))
    ]  # fmt: skip


def _match(
    stated: StatedText, required: str, written: Sequence[str], hidden_text: Sequence[str], excluded: Counter[str]
) -> tuple[list[int], list[int], int]:
    """Return the characters placed and hidden by page, and how many are lost; add the other counts to `excluded`."""
    pages = [tally(text) for text in written] if sum(map(bool, written)) > 1 else []
    required, unmatched = (required, "") if pages else _drop_common(stated, required, "".join(written))
    parts = [tally(required)]
    reasons = [REFORMATTED, *stated.other]
    parts += [tally(_join(texts)) for texts in (stated.formed, *stated.other.values())]
    left = _add(parts) if pages else Counter[str]()
    remaining = _add(pages) if pages else tally(unmatched)
    for part in parts:
        take_common(part, remaining)
    placed = _spread(written, pages, left, remaining.total())
    hidden = [_take(parts, text) for text in hidden_text]
    for reason, part in zip(reasons, parts[1:], strict=True):
        excluded[reason] += part.total()
    return placed, hidden, parts[0].total()


def _add(tallies: Iterable[Counter[str]]) -> Counter[str]:
    """Add up the tallies."""
    total: Counter[str] = Counter()
    for counts in tallies:
        total.update(counts)
    return total


def _drop_common(stated: StatedText, required: str, written: str) -> tuple[str, str]:
    """Return the required and the written text without the parts that both have in the same order."""
    if stated.signs_apart:
        letters, signs = part_signs(written)
        if letters == required:
            return "", signs
    return part_common(required, written)


def _take(parts: Sequence[Counter[str]], text: str) -> int:
    """Take the characters of the text out of the parts and return how many were there."""
    if not text:
        return 0
    remaining = tally(text)
    return sum(take_common(part, remaining) for part in parts)


def _spread(written: Sequence[str], pages: Sequence[Counter[str]], stated: Counter[str], invented: int) -> list[int]:
    """Return the characters of each page that the file has, when the pages together have `invented` more."""
    if not pages or not invented:
        return [len(text) - invented if text else 0 for text in written]
    return [take_common(page, stated) for page in pages]


def _join(texts: Sequence[str]) -> str:
    return visible_characters("".join(texts)).translate(_PLAIN) if texts else ""


def _texts_of(blocks: Sequence[WrittenBlock]) -> tuple[list[str], list[str]]:
    """Return the texts of visible and of hidden blocks."""
    texts: list[str] = []
    hidden: list[str] = []
    for block in blocks:
        target = hidden if HIDDEN_TEXT in block.flags else texts
        target.append(block.text)
        if block.table is not None:
            target += [cell.text for cell in block.table.cells]
    return texts, hidden


def _state_page(number: int, placed: int, hidden: int, others: Mapping[str, int], lost: int) -> PageCoverage:
    if not others and not hidden and not lost:
        return PageCoverage(number=number, characters=CharacterCount(painted=placed, placed=placed))
    reasons = sorted({*others, Unseen.INVISIBLE.value} if hidden else others)
    counts = {reason: others.get(reason, 0) + (hidden if reason == Unseen.INVISIBLE.value else 0) for reason in reasons}
    excluded = {reason: count for reason, count in counts.items() if count}
    painted = placed + sum(excluded.values()) + lost
    return PageCoverage(
        number=number,
        characters=CharacterCount(painted=painted, placed=placed, excluded=excluded, lost=lost),
        excluded=tuple([ExcludedPlace(reason=reason, characters=count) for reason, count in excluded.items()]),
        lost=(LostPlace(characters=lost),) if lost else (),
    )


_HERE = "quire.models.extract.coverage.stated"
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
    Format.JATS: f"{_HERE}.articles:state_jats",
    Format.MARKDOWN: f"{_HERE}.plain:state_markdown",
    Format.TXT: f"{_HERE}.plain:state_text",
    Format.ZIP: f"{_HERE}.archives:state_zip",
    Format.TAR: f"{_HERE}.archives:state_tar",
    Format.MBOX: f"{_HERE}.archives:state_mbox",
}
"""Format → "module:function"; the function takes the bytes and raises `ExtractError` when they cannot be counted.

Formats of packages have theirs as entry points.
"""


def with_statement(document: FlowingDocument, format_: Format, data: bytes) -> CountedDocument:
    """Return the document with statements, which are counted when its first page is read."""
    return CountedDocument(document, lambda: _state(format_, data), is_cut_off=is_cut_off(data, format_))


def _state(format_: Format, data: bytes) -> StatedText | None:
    target = COUNTERS.get(format_) or find_installed(INSTALLED_COUNTERS).get(format_.value)
    try:
        return cast(StatedText, load(target)(data)) if target is not None else None
    except ImportError:
        raise  # our own fault: a sandboxed child can no longer import modules
    except Exception:  # parsers raise any exception on broken files, which cannot be counted
        return None
    finally:
        forget()
