"""One page: its columns, and the passes run on them. `pipeline.passes` says which pass writes which column."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from quire.models.cdom.coverage import PageCoverage
from quire.models.cdom.geometry import Bbox
from quire.models.cdom.original import OcrMode, ReadOptions
from quire.models.cdom.ports import DetectedPage, PixelPage
from quire.models.cdom.tree import BlockType, Route
from quire.models.extract.contract import PageBlock, PageContent, PageRead, ReadArea
from quire.models.extract.formats.pdf.text.symbols import ShownSymbols
from quire.models.extract.formats.pdf.text.undecoded import DecodedGlyphs
from quire.models.extract.layout.figures.charts import FoundCharts
from quire.models.extract.layout.figures.displays import DisplayedFormula
from quire.models.extract.layout.figures.floats import Floats
from quire.models.extract.layout.figures.panels import Row
from quire.models.extract.layout.figures.pictures import ChartText, Picture
from quire.models.extract.layout.lines.marks import Line, PageMarks, PrintedField
from quire.models.extract.layout.lines.turned import PageTurn
from quire.models.extract.layout.page import TurnedText, write_lines
from quire.models.extract.layout.tables.scoring.find import FoundTable
from quire.models.extract.layout.tags.follow import TypedGroup
from quire.models.extract.layout.tags.trust import TagPlan
from quire.models.extract.layout.text.kinds import PageLook
from quire.models.extract.pipeline.passes import CONTENT_PASSES, LAYOUT, LAYOUT_PASSES, PLAN_PASSES, PRINT_PASSES
from quire.models.extract.pipeline.plan import PagePlan
from quire.models.extract.steps import Steps

_OPTIONS, _NO_MARKS = ReadOptions(), PageMarks(0.0, 0.0, [])
_PLAN, _LOOK = PagePlan(Route.FAST, "text-layer"), PageLook(0.0, 0.0, 0.0, 0.0)
_COVERAGE, _CONTENT = PageCoverage(number=1, judged=False), PageContent(number=1)
"""Values before the passes that write them; none is changed in place."""


@dataclass(slots=True)
class PageColumns:
    """One page while it is read. The first columns are stated by the caller, the others have a pass that writes them.

    Attributes:
        page: The engine's page; None where only a second engine knows its words.
        layers: Layers of the file that are off.
        tagged: Whether the file has a structure tree.
        detected: What a layout detector saw on the page.
        text_page: The engine's text page, whose characters passes correct.
        spans: Its blocks, lines and spans.
        marks: What is printed on the page, at its place.
        upright: The same, turned and mirrored so that it is read from left to right, without line numbers.
        lines: Lines outside tables, pictures, formulas and fields.
        groups: Lines of a paragraph each, in reading order; a float has one line.
        kinds: The type of each group.
        chances: Index of a group → the probability that it is a heading.
        typed: Groups with their types, in the order of the blocks.
    """

    options: ReadOptions = _OPTIONS
    number: int = 1
    page: Any = None
    layers: tuple[int, ...] = ()
    tagged: bool = False
    referee: Any = None
    detected: DetectedPage | None = None

    text_page: Any = None
    stored: dict[int, Any] = field(default_factory=dict)
    images: dict[int, Bbox] = field(default_factory=dict)
    draw: Callable[[], Any] | None = None
    frame: Any = None
    spans: list[dict[str, Any]] = field(default_factory=list)
    dropped: list[Any] = field(default_factory=list)
    has_new_sizes: bool = False
    shown: ShownSymbols = field(default_factory=ShownSymbols)
    decoded: DecodedGlyphs = field(default_factory=DecodedGlyphs)
    wrong_fonts: frozenset[str] = frozenset()
    sight: Any = None
    is_annotated: bool = False
    marks: PageMarks = field(default_factory=lambda: _NO_MARKS)
    plan: PagePlan = _PLAN

    upright: PageMarks = field(default_factory=lambda: _NO_MARKS)
    turned: TurnedText | None = None
    mirror: PageTurn | None = None
    tag_plan: TagPlan | None = None
    line_numbers: list[Line] = field(default_factory=list)
    body: float = 0.0
    lines: list[Line] = field(default_factory=list)
    slanted: list[Line] = field(default_factory=list)
    stated_tables: list[FoundTable] = field(default_factory=list)
    turned_tables: list[FoundTable] = field(default_factory=list)
    parts: tuple[PageBlock, ...] = ()
    tables: list[FoundTable] = field(default_factory=list)
    fields: list[PrintedField] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    charts: FoundCharts = field(default_factory=FoundCharts)
    cards: list[Row] = field(default_factory=list)
    chart_texts: list[ChartText] = field(default_factory=list)
    icons: list[Bbox] = field(default_factory=list)
    formulas: list[DisplayedFormula] = field(default_factory=list)
    floats: Floats = field(default_factory=Floats)
    ordered: list[Line] = field(default_factory=list)
    is_contents: bool = False
    groups: list[list[Line]] = field(default_factory=list)
    look: PageLook = _LOOK
    running: dict[int, BlockType] = field(default_factory=dict)
    kinds: list[BlockType] = field(default_factory=list)
    chances: dict[int, float] = field(default_factory=dict)
    typed: list[TypedGroup] = field(default_factory=list)
    blocks: list[PageBlock] = field(default_factory=list)

    areas: tuple[ReadArea, ...] = ()
    picture_areas: tuple[ReadArea, ...] = ()
    coverage: PageCoverage = _COVERAGE
    content: PageContent = _CONTENT
    pixels: PixelPage | None = None
    doubted: PixelPage | None = None


def layout_page(marks: PageMarks, steps: Steps | None = None) -> PageColumns:
    """Return a page whose `blocks` are those of the marks in reading order; every line is in exactly one of them."""
    page = PageColumns(number=marks.number, marks=marks)
    lay_out(page, steps or Steps())
    return page


def lay_out(page: PageColumns, steps: Steps) -> None:
    """Run the passes of the layout; where they cannot run, each line of the page is a paragraph."""
    if LAYOUT in steps.left_out:
        page.blocks = write_lines(page.marks)
    else:
        steps.run_passes(LAYOUT_PASSES, page)


def read_printed(page: PageColumns, steps: Steps) -> PageRead:
    """Return the content of a page of a PDF, with its pixels when the plan sends it to a recogniser."""
    steps.run_passes(PRINT_PASSES, page)
    return read_marks(page, steps)


def read_marks(page: PageColumns, steps: Steps) -> PageRead:
    """Return the content of a page whose marks are known."""
    if "drawing" in steps.left_out:
        page.options = replace(page.options, ocr=OcrMode.NEVER)
    page.coverage = PageCoverage(number=page.number, judged=False)
    steps.run_passes(PLAN_PASSES, page)
    lay_out(page, steps)
    steps.run_passes(CONTENT_PASSES, page)
    return PageRead(content=page.content, pixels=page.pixels, doubted=page.doubted)
