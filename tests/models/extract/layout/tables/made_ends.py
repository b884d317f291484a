"""Pages with further tables, drawn by seed: heads of several levels, tables in a stack, invoices."""

import random
from collections.abc import Callable

from quire.models.cdom.tree import Tree
from tests.models.extract.layout.tables.made_tables import FIGURES, MadePage, Sheet, label, read_table

Groups = list[list[tuple[int, int, str]]]
Row = list[str | None]


def draw_levels(rng: random.Random) -> MadePage:
    """Heads of two or three levels: groups over names; ruled, underlined, shaded, bold only, or above a grid."""
    sheet, made = Sheet(rng), MadePage()
    style = rng.choice(("grid", "under", "band", "bold", "above"))
    sizes = [rng.choice((2, 3)) for _ in range(rng.choice((2, 3)))]
    groups: Groups = [[(sum(sizes[:at]), sum(sizes[: at + 1]), label(rng, 1)) for at in range(len(sizes))]]
    count, half = sum(sizes), sum(sizes[:-1])
    if style not in ("bold", "above") and rng.random() < 0.6:
        groups.insert(0, [(0, half, label(rng, 2)), (half, count, label(rng, 1))])
    step = 390 / count
    xs = [60.0, *(150 + step * index for index in range(count + 1))]
    sheet.size = min(sheet.size, 9.0)
    pitch, y = 1.6 * sheet.size, 90.0
    rows: list[Row] = []
    for level in groups:
        row: Row = [""]
        rows.append(row)
        for begin, end, text in level:
            row += [text, *[None] * (end - begin - 1)]
            sheet.put((xs[begin + 1] + xs[end + 1]) / 2, y, text, bold=True, align="middle")
            if style in ("under", "above"):
                sheet.rule(xs[begin + 1] + 6, y + 0.4 * sheet.size, xs[end + 1] - 6, y + 0.4 * sheet.size, 0.4)
        y += pitch
    rows.append([label(rng, 1), *(rng.choice(("Small", "Long", "Other", "Total", "Net")) for _ in range(count))])
    head_end = y + 0.4 * sheet.size
    is_bold = style == "bold" or rng.random() < 0.5
    for number in range(rng.randint(5, 10)):
        if number:
            rows.append([label(rng, 1), *(rng.choice(FIGURES) for _ in range(count))])
        for index, cell in enumerate(rows[-1]):
            place = xs[index + 1] - 3 if index else xs[0] + 3
            sheet.put(place, y, str(cell), bold=is_bold and not number, align="right" if index else "left")
        y += pitch
    _draw_levels(sheet, style, groups, xs, [head_end + pitch * index for index in range(-len(groups) - 1, 0)],
                 [head_end + pitch * index for index in range(len(rows) - len(groups))])  # fmt: skip
    made.tables, made.headers, made.data = [rows], [len(groups) + 1], sheet.save()
    return made


def _draw_levels(
    sheet: Sheet, style: str, groups: Groups, xs: list[float], heads: list[float], ends: list[float]
) -> None:
    if style == "band":
        sheet.page.draw_rect((xs[0], heads[0], xs[-1], ends[0]), color=None, fill=(0.85, 0.88, 0.93), overlay=False)
    flat = {"grid": [heads[0], *ends], "above": [heads[-1], *ends], "under": [heads[0], ends[0], ends[-1]]}
    for y in flat.get(style, ()):
        sheet.rule(xs[0], y, xs[-1], y)
    if style not in ("grid", "above"):
        return
    for y in heads[1:] if style == "grid" else ():
        sheet.rule(xs[1], y, xs[-1], y)
    for index, x in enumerate(xs):
        crossed = sum(any(low < index - 1 < high for low, high, _ in level) for level in groups)
        sheet.rule(x, heads[-1] if style == "above" else heads[crossed], x, ends[-1])


def draw_stack(rng: random.Random) -> MadePage:
    """Two or three tables under each other with a wide gap, a heading or a repeated head between them."""
    sheet, made = Sheet(rng), MadePage()
    y, count = 80.0, rng.choice((3, 4))
    xs = [60 + 480 / count * index for index in range(count)]
    head: Row = [label(rng, 1) for _ in range(count)]
    between, style = rng.choice(("gap", "heading", "head")), rng.choice(("plain", "head", "rows"))
    for _ in range(rng.choice((2, 3))):
        names = head if between == "head" else [label(rng, 1) for _ in range(count)]
        if between == "heading":
            made.headings.append(label(rng, 3))
            sheet.put(60, y, made.headings[-1], bold=True, size=1.2 * sheet.size)
            y += 2.2 * sheet.size
        rows: list[Row] = [list(names)]
        for number in range(rng.randint(4, 7)):
            if number:
                rows.append([label(rng, 1), *(rng.choice(FIGURES) for _ in range(count - 1))])
            for x, text in zip(xs, rows[-1], strict=True):
                sheet.put(x, y, str(text), bold=not number)
            if style == "rows" or (style == "head" and not number):
                sheet.rule(55, y + 0.45 * sheet.size, 545, y + 0.45 * sheet.size, 0.4)
            y += 1.5 * sheet.size
        made.tables.append(rows)
        made.headers.append(1)
        y += {"gap": 3.0, "heading": 1.6, "head": 1.2}[between] * sheet.size
    made.data = sheet.save()
    return made


LABELS = (("Invoice number:", "R-4711"), ("Date:", "12.03.2024"), ("Customer:", "88120"), ("Delivery:", "10.03.2024"))


def draw_invoice(rng: random.Random) -> MadePage:
    """An invoice: address, labels with values, lines of one to three lines of text, sums, the page's foot."""
    sheet, made = Sheet(rng), MadePage()
    size = sheet.size = min(sheet.size, 9.5)
    sheet.pitch = 1.2 * size
    for index, text in enumerate(("Boiler works", "Harbour street 12", "20457 Hamburg")):
        sheet.put(60, 120 + index * sheet.pitch, text)
    for index, (name, value) in enumerate(LABELS[: rng.choice((3, 4))]):
        sheet.put(350, 110 + index * sheet.pitch, name)
        sheet.put(450, 110 + index * sheet.pitch, value)
    rows = [["Pos.", "Description", "Qty", "Unit", "Price", "Amount"]]
    places = ((60, "left"), (95, "left"), (330, "right"), (375, "right"), (440, "right"), (540, "right"))
    style, y = rng.choice(("plain", "head", "fill", "rows")), 250.0
    gap = size * rng.choice((0.3, 0.6, 0.9))
    if style == "fill":
        sheet.shade(55, y - 1.2 * size, 545, y + 0.5 * size)
    for number in range(rng.randint(3, 7)):
        lines = [
            label(rng, rng.choice((2, 3, 4))),
            *rng.sample(("EAN: 4012345678901", "Art. no. TB 100"), rng.choice((0, 1, 2))),
        ]
        if number:
            amount = f"{rng.randint(100, 999)}.00"
            rows.append(
                [str(number), " ".join(lines), str(rng.randint(1, 40)), rng.choice(("pcs", "kg")), "19.50", amount]
            )
        for (x, align), text in zip(places, rows[-1], strict=True):
            for index, line in enumerate(lines if number and x == 95 else [text]):
                sheet.put(x, y + index * sheet.pitch, line, bold=not number, align=align)
        y += len(lines) * sheet.pitch + gap if number else 1.9 * size
        if style == "rows" or (style == "head" and not number):
            sheet.rule(55, y - 0.9 * size - 0.3 * gap, 545, y - 0.9 * size - 0.3 * gap, 0.3)
    _draw_foot(sheet, rng, y)
    made.tables, made.headers, made.data = [[list(row) for row in rows]], [1], sheet.save()
    return made


def _draw_foot(sheet: Sheet, rng: random.Random, y: float) -> None:
    """Write the sums right below the lines, and the maker at the foot of the page."""
    for name in ("Net amount", "VAT 19 %", "Total"):
        y += 1.3 * sheet.pitch
        sheet.put(380, y, name)
        sheet.put(540, y, f"{rng.randint(1000, 9999)}.00", align="right")
    for x, text in zip((60, 230, 430), ("Boiler works Ltd", "IBAN DE02 1203 0000", "Tax no. 22/815"), strict=True):
        sheet.put(x, 785, text, size=7)


def count_invoices(count: int, read: Callable[[bytes], Tree]) -> int:
    """Return how many invoices have each line in one row, each label next to its value, and the foot outside tables."""
    right = 0
    for seed in range(count):
        made = draw_invoice(random.Random(seed))
        tree = read(made.data)
        tables = [read_table(block.table)[0] for block in tree.blocks if block.table is not None]
        rows = [row for table in tables for row in table]
        texts = [block.text for block in tree.blocks] + [" ".join(filter(None, row)) for row in rows]
        has_lines = all(
            [text or "" for text in line] in [[text or "" for text in row] for row in rows]
            for line in made.tables[0][1:]
        )
        has_labels = all(any(f"{name} {value}" in text for text in texts) for name, value in LABELS[:3])
        right += has_lines and has_labels and not any("IBAN" in str(row) for row in rows)
    return right


FURTHER: dict[str, Callable[[random.Random], MadePage]] = {"levels": draw_levels, "stack": draw_stack}
