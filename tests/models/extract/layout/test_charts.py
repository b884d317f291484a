"""Vector charts of generated PDFs: tables, cells, text around them, charts that stay unread, bad input."""

import math
from dataclasses import replace
from functools import cache
from itertools import product

import pymupdf
import pytest

from quire.library import read
from quire.models.cdom.tree import Block, BlockType, FlagSpan, PiiScan, Tree
from quire.models.derive.chunks.chunks import chunk_tree
from quire.models.export.html import tree_to_html
from quire.models.export.markdown import tree_to_markdown
from quire.models.export.tables.cells import list_cells
from quire.models.extract.layout.charts.marks import ChartMark, Drawn, Label, MarkKind
from quire.models.extract.layout.charts.numbers import read_number, write_value
from quire.models.extract.layout.charts.read import read_charts
from quire.models.extract.layout.figures.charts import CHART_UNREAD
from quire.models.neural.embed.tokenizer import load_tokenizer
from quire.models.pii.redact import redact_tree
from quire.models.redaction.planning.plan import plan_redaction
from quire.models.redaction.redact import redact_original
from tests.golden.pages import read_page
from tests.models.extract.layout.chart_makers import (
    HEIGHT,
    KINDS,
    STYLES,
    WIDTH,
    Color,
    PdfCanvas,
    Style,
    draw,
    make_pdf,
    make_spec,
)
from tests.models.extract.layout.chart_scores import count_right

_STYLE = {style.name: style for style in STYLES}
_VARIANTS = [
    (KINDS[(number * 5 + shift) % len(KINDS)], style) for number, style in enumerate(STYLES) for shift in (0, 6)
]
_LEAST = 0.93


@cache
def _read(kind: str, style: str, seed: int = 1) -> Tree:
    return read_page(make_pdf(make_spec(kind, seed), _STYLE[style]), 1)


def _chart_of(tree: Tree) -> Block:
    (chart,) = [block for block in tree.blocks if block.picture is not None and block.table is not None]
    return chart


def test_values_of_forty_makers_and_kinds_are_read() -> None:
    right = total = 0
    for kind, style in _VARIANTS:
        tree = _read(kind, style.name)
        tables = [block.table for block in tree.blocks if block.picture is not None and block.table is not None]
        counts = count_right(make_spec(kind, 1), tables)
        right, total = right + counts[0], total + counts[1]
    assert right >= _LEAST * total, f"{right} of {total}"


@pytest.mark.parametrize("angle", [90, 180, 270])
def test_charts_of_pages_with_a_rotation_are_read_as_without(angle: int) -> None:
    for kind, style in _VARIANTS[::2]:
        source, spec = pymupdf.open(stream=make_pdf(make_spec(kind, 1), style)), make_spec(kind, 1)
        width, height = source[0].rect.width, source[0].rect.height
        turned = pymupdf.open()
        page = (
            turned.new_page(width=height, height=width) if angle != 180 else turned.new_page(width=width, height=height)
        )
        page.show_pdf_page(page.rect, source, 0, rotate=angle)
        page.set_rotation(angle)

        tables = [block.table for block in read_page(turned.tobytes(), 1).blocks if block.picture and block.table]

        wanted = [block.table for block in _read(kind, style.name).blocks if block.picture and block.table]
        assert count_right(spec, tables) == count_right(spec, wanted), (kind, style.name)


class _GradientCanvas(PdfCanvas):
    """Draws bars as pictures, as Word does with gradients."""

    def rect(self, x0: float, y0: float, x1: float, y1: float, color: Color, radius: float) -> None:
        rows = max(2, round(y1 - y0))
        shades = bytes(round(255 * part * (1 - 0.4 * row / rows)) for row in range(rows) for part in color)
        picture = pymupdf.Pixmap(pymupdf.csRGB, 1, rows, shades, False)
        self.page.insert_image(pymupdf.Rect(x0, y0, x1, y1), pixmap=picture, keep_proportion=False)


def _draw_gradients(kind: str, style: Style) -> bytes:
    document = pymupdf.open()
    page = document.new_page(width=WIDTH, height=HEIGHT)
    draw(make_spec(kind, 1), style, _GradientCanvas(page, style.font))
    return bytes(document.tobytes())


def test_bars_that_are_pictures_are_read_if_they_are_one_series() -> None:
    for style in STYLES:
        tree = read_page(_draw_gradients("bar", style), 1)
        tables = [block.table for block in tree.blocks if block.picture and block.table]
        right, total = count_right(make_spec("bar", 1), tables)
        assert right == total, style.name


def test_stacked_and_grouped_bars_that_are_pictures_stay_unread() -> None:
    for kind, style in product(("grouped", "stacked"), STYLES):
        if not style.is_polygon:
            tree = read_page(_draw_gradients(kind, style), 1)
            assert [block for block in tree.blocks if block.picture and block.table] == [], (kind, style.name)


def test_bar_that_is_cut_at_the_plot_leaves_the_chart_unread() -> None:
    for seed in range(1, 8):
        spec = make_spec("log", seed)  # the numbers above 100 of this style are not aligned with the others
        tables = [block.table for block in _read("log", "free-office", seed).blocks if block.picture and block.table]
        values = [float(cell.text) for table in tables for cell in table.cells if cell.row and cell.col]
        assert values in ([], pytest.approx(spec.series["Actual"], rel=0.04))


def test_no_character_of_a_chart_is_lost() -> None:
    for kind, style in _VARIANTS:
        coverage = _read(kind, style.name).coverage
        assert coverage is not None
        assert not coverage.characters.lost, (kind, style.name)


def test_same_bytes_give_the_same_chart() -> None:
    data = make_pdf(make_spec("grouped", 1), _STYLE["office"])

    assert read_page(data, 1) == read_page(data, 1)


def test_printed_value_replaces_the_measured_one() -> None:
    chart = _chart_of(_read("bar", "office-values"))

    assert chart.table is not None
    values = [cell for cell in chart.table.cells if cell.row and cell.col]
    assert {cell.origin for cell in values} == {"printed"}


def test_measured_cell_has_the_box_of_its_bar_and_few_digits() -> None:
    spec, chart = make_spec("bar", 1), _chart_of(_read("bar", "script"))

    assert chart.table is not None
    assert chart.picture is not None
    assert chart.picture.precision is not None
    cells = [cell for cell in chart.table.cells if cell.row and cell.col]
    heights = [cell.bbox[3] - cell.bbox[1] for cell in cells if cell.bbox is not None]
    (values,) = spec.series.values()
    assert [height / heights[0] for height in heights] == pytest.approx([v / values[0] for v in values], rel=0.02)
    assert {cell.origin for cell in cells} == {"measured"}
    decimals = max(0, math.ceil(-math.log10(chart.picture.precision)))
    assert all(len(cell.text.partition(".")[2]) <= decimals for cell in cells)


def test_axis_states_its_title_range_and_scale() -> None:
    chart = _chart_of(_read("log", "script"))

    assert chart.picture is not None
    (axis,) = chart.picture.axes
    assert (axis.low, axis.high, axis.scale, axis.side) == (1.0, 100000.0, "log", "left")


def test_markdown_has_title_and_table_but_no_numbers_of_the_axis() -> None:
    text = tree_to_markdown(_read("grouped", "office"))

    title, table = text.index("Units shipped by region"), text.index("| --- |")
    assert title < table
    assert all(line.startswith("|") for line in text[table:].split("\n") if line.strip())


def test_number_that_contradicts_the_axis_leaves_the_chart_unread() -> None:
    spec = make_spec("bar", 1)
    page = pymupdf.open(stream=make_pdf(spec, _STYLE["office-values"]))
    wrong = pymupdf.open()
    sheet = wrong.new_page(width=page[0].rect.width, height=page[0].rect.height)
    sheet.show_pdf_page(sheet.rect, pymupdf.open(stream=make_pdf(spec, replace(_STYLE["office"], has_values=False))))
    for name, place in zip(spec.names, range(70, 470, 60), strict=False):
        sheet.insert_text((place, 150), f"{len(name) * 1000}", fontsize=7)

    tree = read_page(wrong.tobytes(), 1)

    assert [block.picture.kind for block in tree.blocks if block.picture is not None] == ["chart"]
    assert all(block.table is None for block in tree.blocks)
    assert CHART_UNREAD in {warning.code for warning in tree.warnings}


def test_shaded_rows_of_a_table_are_no_chart() -> None:
    document = pymupdf.open()
    page = document.new_page(width=400, height=300)
    for row in range(8):
        if row % 2:
            page.draw_rect(pymupdf.Rect(40, 40 + 20 * row, 360, 60 + 20 * row), fill=(0.9, 0.9, 0.95), color=None)
        for col, text in enumerate((f"Row {row}", f"{row * 10}", f"{row * 7 + 3}")):
            page.insert_text((50 + 110 * col, 54 + 20 * row), text, fontsize=9)

    assert all(block.picture is None for block in read_page(document.tobytes(), 1).blocks)


def test_masked_value_removes_the_numbers_and_titles_of_its_chart() -> None:
    tree = _read("bar", "office-values")
    chart = _chart_of(tree)
    assert chart.table is not None
    number = next(index for index, cell in enumerate(chart.table.cells) if cell.origin == "printed")
    span = FlagSpan(flag="pii:name", start=0, end=len(chart.table.cells[number].text), cell=number)
    flagged = replace(chart, flags=("pii:name",), flag_spans=(span,))
    blocks = tuple(flagged if block is chart else block for block in tree.blocks)
    scanned = replace(tree, blocks=blocks, pii=PiiScan(engine="test", version="1", complete=True))

    plan, redacted = plan_redaction(scanned, {}), _chart_of(redact_tree(scanned, {}))

    assert [place.bbox for place in plan.places if place.everything] == [chart.bbox]
    assert redacted.picture is not None
    assert redacted.picture.title == ""
    assert redacted.picture.axes == ()
    assert redacted.table is not None
    assert {cell.bbox for cell in redacted.table.cells} == {None}
    assert redacted.table.cells[number].text == "[REDACTED:name]"


def test_pictures_with_a_table_are_not_searched_for_text_by_recognition() -> None:
    tree = _read("pie", "office")

    assert _chart_of(tree).type is BlockType.PICTURE
    assert _chart_of(tree).text == ""


@pytest.mark.parametrize(
    ("text", "value"),
    [("1,200", 1200), ("12,5", 12.5), ("−3.4", -3.4), ("20M", 20e6), ("15 %", 15), ("(7)", -7), ("1 200", 1200),
     ("$4.5bn", 4.5e9), ("2e3", 2000), (".5", 0.5)],
)  # fmt: skip
def test_read_number_knows_how_axes_print_numbers(text: str, value: float) -> None:
    number = read_number(text)

    assert number is not None
    assert number.value == pytest.approx(value)


@pytest.mark.parametrize("text", ["", "Q1", "1.2.3", "12-14", "three", "1,2,3", "5--"])
def test_read_number_refuses_other_texts(text: str) -> None:
    assert read_number(text) is None


def test_write_value_gives_the_digits_of_the_precision() -> None:
    assert [write_value(1234.5678, precision) for precision in (0.001, 0.04, 0.7, 30)] == [
        "1234.568", "1234.57", "1234.6", "1235",
    ]  # fmt: skip


def _column(values: list[str]) -> list[Label]:
    return [Label(text, 20, 100 - 20 * i, 30, 106 - 20 * i, 8, 0, (0, 0, 0)) for i, text in enumerate(values)]


def test_axis_of_equal_numbers_is_no_axis() -> None:
    bars = [ChartMark(MarkKind.BAR, 40 + 20 * i, 50 + i, 50 + 20 * i, 103, (0.2, 0.3, 0.7)) for i in range(5)]

    assert read_charts(Drawn(bars, _column(["5", "5", "5", "5"]))) == []


def test_marks_without_place_and_many_marks_are_bounded() -> None:
    lost = ChartMark(MarkKind.BAR, math.nan, 10, 20, math.nan, (0, 0, 0))
    dots = [ChartMark(MarkKind.DOT, i % 300, i // 300, i % 300 + 2, i // 300 + 2, (0, 0.5, 0)) for i in range(20000)]

    assert read_charts(Drawn([lost], _column(["0", "10", "20", "30"]))) == []
    assert len(read_charts(Drawn(dots, _column(["0", "10", "20", "30"])))) <= 1


def test_masked_label_returns_in_no_part_of_the_redacted_file() -> None:
    kinds, styles = ("bar", "grouped", "stacked", "hbar", "pie"), ("office-values", "office-bare", "report", "percent")
    for kind, style in product(kinds, styles):
        data = make_pdf(make_spec(kind, 1), _STYLE[style])
        tree = _read(kind, style)
        chart = _chart_of(tree)
        assert chart.table is not None
        number, cell = next((at, cell) for at, cell in enumerate(chart.table.cells) if cell.origin == "printed")
        span = FlagSpan(flag="pii:phone", start=0, end=len(cell.text), cell=number)
        flagged = replace(chart, flags=("pii:phone",), flag_spans=(span,))
        blocks = tuple(flagged if block is chart else block for block in tree.blocks)
        scanned = replace(tree, blocks=blocks, pii=PiiScan(engine="test", version="1", complete=True))

        clean = redact_original(data, scanned, {}, lambda copy: read_page(copy, 1))

        again, (page,) = read_page(clean, 1), pymupdf.open(stream=clean)
        texts = [block.text for block in again.blocks]
        texts += [cell.text for block in again.blocks if block.table for cell in block.table.cells]
        values = [value for text in texts for word in text.split() if (value := read_number(word))]
        masked = read_number(cell.text)
        assert masked is not None
        assert not [value for value in values if math.isclose(value.value, masked.value, rel_tol=0.02)], (kind, style)
        assert cell.text not in page.get_text(), (kind, style)
        assert cell.text not in tree_to_markdown(again), (kind, style)


def test_table_of_a_chart_is_in_chunks_html_cells_and_tables() -> None:
    data = make_pdf(make_spec("grouped", 1), _STYLE["office"])
    tree = _read("grouped", "office")
    table = _chart_of(tree).table
    assert table is not None
    values = [cell.text for cell in table.cells if cell.origin == "measured"]
    assert len(values) >= 6

    html, cells = tree_to_html(tree), [cell.text for cell in list_cells(tree)]
    passages = " ".join(chunk.text for chunk in chunk_tree(tree, load_tokenizer()))

    assert [value for value in values if value not in passages] == []
    assert [value for value in values if f">{value}<" not in html] == []
    assert [value for value in values if value not in cells] == []
    (read_table,) = read(data).tables
    assert [value for value in values if value not in read_table.to_csv()] == []
