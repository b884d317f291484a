"""Pages of a Word file as far as they are stated: sections in, page drafts out.

Or one flat page, where breaks mean nothing.
"""

from dataclasses import dataclass, field
from typing import Final, Protocol

from models.cdom.errors import TooManyPages
from models.extract.formats.common.xml import Element, R, W, is_on, number, val
from models.extract.formats.flow.blocks import FlowPage

_TWIPS: Final = 20.0
"""Twentieths of a point, the format's unit of length, to a point."""
_LETTER: Final = (612.0, 792.0)
"""Points: the page of a document that states none, as the format says."""
MAX_STATED_PAGES: Final = 100_000
"""Page breaks that are counted: more pages than a document may have."""


@dataclass(frozen=True, slots=True)
class Section:
    """`headers` and `footers` map default, first and even to relationship ids (inherited ones included)."""

    width: float = _LETTER[0]
    height: float = _LETTER[1]
    new_page: bool = True
    title_page: bool = False
    headers: dict[str, str] = field(default_factory=dict)
    footers: dict[str, str] = field(default_factory=dict)


def read_sections(body: Element) -> list[Section]:
    """Sections in document order, always at least one."""
    sections: list[Section] = []
    for node in body.iter(W + "sectPr"):
        parent = node.getparent()
        if parent is None or parent.tag not in (W + "pPr", W + "body"):
            continue
        before = sections[-1] if sections else Section()
        sections.append(_read_section(node, before))
    return sections or [Section()]


def _read_section(node: Element, before: Section) -> Section:
    size = node.find(W + "pgSz")
    width = number(size.get(W + "w")) / _TWIPS if size is not None else before.width
    height = number(size.get(W + "h")) / _TWIPS if size is not None else before.height
    fits = 0 < width < 100_000 and 0 < height < 100_000
    return Section(
        width=width if fits else _LETTER[0],
        height=height if fits else _LETTER[1],
        new_page=val(node.find(W + "type")) not in ("continuous", "nextColumn"),
        title_page=bool(is_on(node.find(W + "titlePg"))),
        headers=before.headers | _references(node, "headerReference"),
        footers=before.footers | _references(node, "footerReference"),
    )


def _references(node: Element, name: str) -> dict[str, str]:
    return {ref.get(W + "type", "default"): ref.get(R + "id", "") for ref in node.findall(W + name)}


class PageSink(Protocol):
    """Where blocks go: the page that is being filled, and what a stated break does."""

    @property
    def current(self) -> FlowPage: ...

    def turn(self) -> None: ...

    def end_section(self) -> None: ...


class FlatPage:
    """One page that never ends: cells, notes, text boxes, headers."""

    def __init__(self, page: FlowPage | None = None) -> None:
        self.current: FlowPage = page or FlowPage(0.0, 0.0)

    def turn(self) -> None:
        """A break means nothing here."""

    def end_section(self) -> None:
        """Nor does the end of a section."""


class StatedPages:
    """The pages of the body. `first_pages` holds the index of the page on which each section begins."""

    def __init__(self, sections: list[Section]) -> None:
        self._sections = sections
        self._at = 0
        self.pages: list[FlowPage] = [FlowPage(sections[0].width, sections[0].height)]
        self.first_pages: list[int] = [0]

    @property
    def current(self) -> FlowPage:
        return self.pages[-1]

    def turn(self) -> None:
        """A page break. Raises `TooManyPages` past any sensible count."""
        if len(self.pages) >= MAX_STATED_PAGES:
            raise TooManyPages()
        section = self._sections[self._at]
        self.pages.append(FlowPage(section.width, section.height))

    def end_section(self) -> None:
        """The next section begins, on a new page unless it says otherwise."""
        if self._at + 1 >= len(self._sections):
            return
        self._at += 1
        if self._sections[self._at].new_page:
            self.turn()
        self.first_pages.append(len(self.pages) - 1)
