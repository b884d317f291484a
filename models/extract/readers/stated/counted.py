"""An open document whose pages carry a statement: the characters of the file's parts against its blocks.

Compared as multisets over the whole file, because such formats have no places; what has no page of its own (lost,
reformatted) stands with the first page that is read.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Protocol

from models.cdom.coverage import CharacterCount, ExcludedPlace, LostPlace, PageCoverage, Unseen
from models.cdom.flags import HIDDEN_TEXT
from models.cdom.geometry import Bbox
from models.cdom.original import Embedded
from models.cdom.ports import PageImage
from models.cdom.table import Table
from models.extract.coverage.total import count_written
from models.extract.readers.contract import DocumentFacts, OpenDocument, PageContent, PageRead
from models.extract.readers.stated.text import (
    REFORMATTED,
    CharacterTally,
    StatedText,
    part_common,
    visible_characters,
)

State = Callable[[], StatedText | None]


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
    if not any(hidden_text) and _join(stated.text) == "".join(said):
        rest[REFORMATTED] += len(_join(stated.formed))
        for reason, texts in stated.other.items():
            rest[reason] += len(_join(texts))
        placed, hidden, lost = [len(text) for text in said], [0] * len(said), 0
    else:
        placed, hidden, lost = _match(stated, said, hidden_text, rest)
    return [
        _state_page(number, placed[at], hidden[at], rest if number == first else Counter(),
                    lost if number == first else 0)
        for at, number in enumerate(range(1, len(pages) + 1))
    ]  # fmt: skip


def _match(
    stated: StatedText, said: Sequence[str], hidden_text: Sequence[str], rest: Counter[str]
) -> tuple[list[int], list[int], int]:
    """Characters placed and hidden by page, and how many are lost; what else is left goes to `rest`."""
    wanted, whole = part_common(_join(stated.text), "".join(said))
    parts = [CharacterTally(wanted)]
    others = {reason: CharacterTally(_join(texts)) for reason, texts in stated.other.items()}
    formed = CharacterTally(_join(stated.formed))
    parts += [*others.values(), formed]
    found = CharacterTally(whole)
    for part in parts:
        part.take(found)
    placed = _spread(stated, said, found.total())
    hidden = [_take(parts, text) for text in hidden_text]
    rest[REFORMATTED] += formed.total()
    for reason, left in others.items():
        rest[reason] += left.total()
    return placed, hidden, parts[0].total()


def _take(parts: Sequence[CharacterTally], text: str) -> int:
    """Characters of the parts that the text has, taken out of the parts."""
    if not text:
        return 0
    found = CharacterTally(text)
    return sum(part.take(found) for part in parts)


def _spread(stated: StatedText, said: Sequence[str], invented: int) -> list[int]:
    """Characters of each page that the file has, when the pages have so many more than it."""
    if not invented:
        return [len(text) for text in said]
    if sum(map(bool, said)) == 1:
        return [len(text) - invented if text else 0 for text in said]
    left = CharacterTally("".join(_join(texts) for texts in (stated.text, *stated.other.values(), stated.formed)))
    return [left.take(CharacterTally(text)) if text else 0 for text in said]


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


def _state_page(number: int, placed: int, hidden: int, rest: Counter[str], lost: int) -> PageCoverage:
    reasons = sorted({*rest, Unseen.INVISIBLE.value} if hidden else rest)
    counts = {reason: rest[reason] + (hidden if reason == Unseen.INVISIBLE.value else 0) for reason in reasons}
    excluded = {reason: count for reason, count in counts.items() if count}
    painted = placed + sum(excluded.values()) + lost
    return PageCoverage(
        number=number,
        characters=CharacterCount(painted=painted, placed=placed, excluded=excluded, lost=lost),
        excluded=tuple([ExcludedPlace(reason=reason, characters=count) for reason, count in excluded.items()]),
        lost=(LostPlace(characters=lost),) if lost else (),
    )
