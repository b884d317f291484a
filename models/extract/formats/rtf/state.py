"""State at one position of an RTF file: formatting, properties of the paragraph, and the target of the text."""

from dataclasses import dataclass, field

from quire.models.extract.formats.flow.blocks import Flat, InlineMarkup, StyledRun


@dataclass(slots=True)
class RtfState:
    """The state of a group; `target` is where its text goes: body, list, link, note, picture or nowhere."""

    target: str = "body"
    bold: bool = False
    italic: bool = False
    hidden: bool = False
    strike: bool = False
    raised: int = 0
    """1 = superscript, -1 = subscript."""
    deleted: bool = False
    href: str | None = None
    font: int = 0
    blanks_after_unicode: int = 1
    nested_row: bool = False
    """Whether the row of a nested table is described, which follows its cells."""

    outer: "RtfParagraph | None" = None
    """The paragraph around the text box that contains this group; it continues after the box."""

    def style(self) -> InlineMarkup:
        """Return the inline formatting."""
        return InlineMarkup(
            bold=self.bold, italic=self.italic, hidden=self.hidden, href=self.href, strike=self.strike,
            superscript=self.raised > 0, subscript=self.raised < 0,
        )  # fmt: skip


@dataclass(slots=True)
class RtfParagraph:
    """The paragraph being read; measures are twentieths of a point, `level` is that of its list, from 0."""

    runs: list[StyledRun] = field(default_factory=list)
    style: int = 0
    outline: int | None = None
    list_id: int = 0
    level: int = 0
    label: str = ""
    left: int = 0
    first: int = 0
    in_table: bool = False
    old_list: bool = False
    r"""Whether the list is one of Word 6 (`\pntext`), which need not state the label of each item."""
    nesting: int = 0
    """Nesting depth of the table around it; 0 and 1 = not nested."""

    def reset(self) -> None:
        """Apply `pard`: reset the properties and keep the text."""
        self.style = self.list_id = self.level = self.left = self.first = self.nesting = 0
        self.outline, self.in_table, self.old_list = None, False, False


@dataclass(slots=True)
class RtfRow:
    """The row of a table being read: texts of its cells, and how each cell is merged (h, v, or not)."""

    cells: list[Flat] = field(default_factory=list)
    merges: list[str] = field(default_factory=list)
    header: bool = False
    pending: str = ""
