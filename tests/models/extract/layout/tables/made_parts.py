"""Tables drawn by seed whose rules are hard to see: cells under a scaled matrix, and parts on two pages."""

import random
from collections.abc import Callable

from quire.models.cdom.tree import Tree
from quire.models.export.tables.cut_rows import join_cut_rows
from tests.models.extract.layout.tables.made_tables import FIGURES, MadePage, Sheet, label, read_table, sentence

Lines = list[list[str]]


def draw_scaled_cells(rng: random.Random) -> MadePage:
    """Tables of cells that are rectangles under a matrix: filled and framed, framed twice, or with a thick head."""
    sheet, made = Sheet(rng), MadePage()
    scale, width = rng.choice((0.05, 0.1, 0.12, 0.24)), rng.choice((0.5, 0.75, 1.0))
    kind = rng.choice(("frame", "fill", "twice", "thick", "offset"))
    drawn = [f"q {scale} 0 0 {scale} 0 0 cm 0.9 0.9 0.95 rg"]
    y = 70.0
    for _ in range(rng.choice((1, 2, 3))):
        y = sheet.prose(y, rng.randint(20, 40)) + 1.5 * sheet.size
        count = rng.choice((2, 2, 3, 4))
        xs = _place_columns(rng, count, 470)
        rows: list[list[str | None]] = []
        for number in range(rng.choice((2, 2, 3, 4))):
            cells = [label(rng, 2) if not number else sentence(rng, rng.choice((3, 5, 9, 16))) for _ in range(count)]
            lines = [sheet.wrap(text, xs[i + 1] - xs[i] - 12, bold=not number) for i, text in enumerate(cells)]
            height = max(map(len, lines)) * sheet.pitch + 8
            moved = rng.choice((0.6, 1.0)) if kind == "offset" and number else 0.0
            for index, texts in enumerate(lines):
                for line, text in enumerate(texts):
                    sheet.put(xs[index] + 5, y + 4 + 0.8 * sheet.size + line * sheet.pitch, text, bold=not number)
                left, right = xs[index] + moved, xs[index + 1] + moved
                box = " ".join(f"{value / scale:.2f}" for value in (left, 842 - y - height, right - left, height))
                thick = width * (2 if kind == "thick" and not number else 1) / scale
                operator = "B" if kind == "fill" and not number else "S"
                drawn += [f"{thick:.2f} w {box} re {operator}"] * (2 if kind == "twice" else 1)
            rows.append(list(cells))
            y += height
        made.tables.append(rows)
        made.headers.append(1)
        y += 2 * sheet.size
    stream = sheet.page.get_contents()[0]
    data = "\n".join([*drawn, "Q\n"]).encode() + sheet.document.xref_stream(stream)
    sheet.document.update_stream(stream, data)
    made.data = sheet.save()
    return made


def _place_columns(rng: random.Random, count: int, width: float) -> list[float]:
    weights = [rng.uniform(1, 2.2) for _ in range(count)]
    return [60 + width * sum(weights[:index]) / sum(weights) for index in range(count + 1)]


def draw_two_pages(rng: random.Random) -> MadePage:
    """A grid over two pages: the margins moved, one row or an empty column on a page, or a row that the break cuts."""
    sheet, made = Sheet(rng), MadePage()
    kind = rng.choice(("moved", "one row", "only head", "cut row", "empty column"))
    count = rng.choice((2, 3, 4))
    xs = _place_columns(rng, count, 420)
    rows = [[label(rng, 2) for _ in range(count)]]
    rows += [_make_row(rng, count) for _ in range(0 if kind == "only head" else rng.randint(3, 7))]
    upper = [_wrap(sheet, row, xs, bold=not number) for number, row in enumerate(rows)]
    rest = [_make_row(rng, count) for _ in range(1 if kind == "one row" else rng.randint(2, 6))]
    if kind == "empty column":
        rest = [[*row[:-1], ""] for row in rest]
    lower = [_wrap(sheet, row, xs) for row in rest]
    if kind == "cut row":
        rows.append([label(rng, 1), *("88",) * (count - 2), sentence(rng, 40)])
        *first, texts = _wrap(sheet, rows[-1], xs)
        upper.append([*first, texts[: len(texts) // 2]])
        lower.insert(0, [[] for _ in first] + [texts[len(texts) // 2 :]])
    sheet.put(75, 40, "Boiler rules 4.0", size=8)
    sheet.prose(80, 60)
    _draw_rows(sheet, upper, xs, 780 - sum(map(sheet_height(sheet), upper)), bold=True)
    sheet.page = sheet.document.new_page(width=595, height=842)
    moved = rng.choice((-30.0, 24.0)) if kind == "moved" else 0.0
    sheet.put(75 + moved, 40, "Boiler rules 4.0", size=8)
    y = _draw_rows(sheet, lower, [x + moved for x in xs], 62.0, bold=False)
    sheet.prose(y + 2.5 * sheet.pitch, 40)
    made.tables, made.headers, made.data = [[list(row) for row in (*rows, *rest)]], [1], sheet.save()
    return made


def _make_row(rng: random.Random, count: int) -> list[str]:
    return [label(rng, 2), *(rng.choice(FIGURES) for _ in range(count - 2)), sentence(rng, rng.choice((4, 9, 16)))]


def _wrap(sheet: Sheet, row: list[str], xs: list[float], *, bold: bool = False) -> Lines:
    return [sheet.wrap(text, xs[i + 1] - xs[i] - 8, bold=bold) if text else [] for i, text in enumerate(row)]


def sheet_height(sheet: Sheet) -> Callable[[Lines], float]:
    """Return what gives the height of a row."""
    return lambda lines: max(1, *map(len, lines)) * sheet.pitch + 6


def _draw_rows(sheet: Sheet, rows: list[Lines], xs: list[float], y: float, *, bold: bool) -> float:
    top = y
    sheet.rule(xs[0], y, xs[-1], y)
    for number, lines in enumerate(rows):
        for x, texts in zip(xs, lines, strict=False):
            for line, text in enumerate(texts):
                sheet.put(x + 3, y + 3 + 0.8 * sheet.size + line * sheet.pitch, text, bold=bold and not number)
        y += sheet_height(sheet)(lines)
        sheet.rule(xs[0], y, xs[-1], y)
    for x in xs:
        sheet.rule(x, top, x, y)
    return y


def count_joined(count: int, read: Callable[[bytes], Tree]) -> int:
    """Return how many tables over two pages are one table with the right texts, with cut rows joined."""
    right = 0
    for seed in range(count):
        made = draw_two_pages(random.Random(f"pages {seed}"))
        tables = [join_cut_rows(block.table) for block in read(made.data).blocks if block.table is not None]
        found = [[["".join(str(text or "").split()) for text in row] for row in read_table(one)[0]] for one in tables]
        right += found == [[["".join(str(text).split()) for text in row] for row in made.tables[0]]]
    return right
