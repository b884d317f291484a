"""Pages of a Word file as far as they are stated: sections in, page drafts out.

Stories other than the body get one flat page, on which breaks have no effect.
"""

from dataclasses import dataclass, field
from typing import Final, Protocol

from quire.models.cdom.errors import TooManyPages
from quire.models.extract.formats.common.xml import Element, R, W, is_on, number, val
from quire.models.extract.formats.flow.blocks import FlowPage

_TWIPS: Final = 20.0
"""Twips (the format's unit of length) per point."""
_LETTER: Final = (612.0, 792.0)
"""Points: the default page size of the format."""
MAX_STATED_PAGES: Final = 100_000
"""Page breaks that are counted: more pages than a document may have."""


@dataclass(frozen=True, slots=True)
class Section:
    """A section; `headers` and `footers` map default, first and even to relationship ids, with inherited ones."""

    width: float = _LETTER[0]
    height: float = _LETTER[1]
    new_page: bool = True
    title_page: bool = False
    headers: dict[str, str] = field(default_factory=dict)
    footers: dict[str, str] = field(default_factory=dict)


def read_sections(body: Element) -> list[Section]:
    """Return the sections in document order, at least one."""
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
    """Target of blocks: the page that is being filled, and the effect of a stated break."""

    @property
    def current(self) -> FlowPage:
        """The page that is being filled."""
        ...

    def turn(self) -> None:
        """Start a new page."""
        ...

    def end_section(self) -> None:
        """End the section."""
        ...


class FlatPage:
    """One endless page, for cells, notes, text boxes and headers."""

    def __init__(self, page: FlowPage | None = None) -> None:
        self.current: FlowPage = page or FlowPage(0.0, 0.0)

    def turn(self) -> None:
        """Ignore a page break."""

    def end_section(self) -> None:
        """Ignore the end of a section."""


class StatedPages:
    """The pages of the body; `first_pages` holds the index of the first page of each section."""

    def __init__(self, sections: list[Section]) -> None:
        self._sections = sections
        self._index = 0
        self.pages: list[FlowPage] = [FlowPage(sections[0].width, sections[0].height)]
        self.first_pages: list[int] = [0]

    @property
    def current(self) -> FlowPage:
        """The page that is being filled."""
        return self.pages[-1]

    def turn(self) -> None:
        """Start a new page.

        Raises:
            TooManyPages: The file has more than `MAX_STATED_PAGES` page breaks.
        """
        if len(self.pages) >= MAX_STATED_PAGES:
            raise TooManyPages()
        section = self._sections[self._index]
        self.pages.append(FlowPage(section.width, section.height))

    def end_section(self) -> None:
        """Begin the next section, on a new page unless it is stated to be continuous."""
        if self._index + 1 >= len(self._sections):
            return
        self._index += 1
        if self._sections[self._index].new_page:
            self.turn()
        self.first_pages.append(len(self.pages) - 1)
