"""Pages with tables of many forms, drawn by seed, each with the rows and the number of header rows that are right."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field

import pymupdf

from quire.models.cdom.table import Table
from quire.models.cdom.tree import BlockType, Tree

Rows = list[list[str | None]]

_WORDS = (
    "valve boiler plate record pressure pipe water rule sign wall keeper district storage harbour anchor buoy crane "
    "ledger survey meeting paper value budget office region library tower garden market bridge season"
)
WORDS = _WORDS.split()
FONTS = (("helv", "hebo"), ("tiro", "tibo"), ("helv", "hebo"), ("figo", "figbo"))
FIGURES = ("1,204", "88", "7,450", "16", "951", "310", "45", "9,120", "780", "2", "64.5", "12.75")


@dataclass
class MadePage:
    """A page with the texts of its tables, row by row; an empty place of a merged cell is `None`."""

    data: bytes = b""
    tables: list[list[list[str | None]]] = field(default_factory=list)
    headers: list[int] = field(default_factory=list)
    headings: list[str] = field(default_factory=list)


class Sheet:
    """A page that is drawn on, with one font, one size and one distance of lines."""

    def __init__(self, rng: random.Random) -> None:
        self.document = pymupdf.open()
        self.page = self.document.new_page(width=595, height=842)
        self.rng = rng
        self.font, self.bold = FONTS[rng.randrange(3)]
        self.size = rng.choice((8.0, 9.0, 9.5, 10.0, 11.0))
        self.pitch = round(self.size * rng.choice((1.15, 1.2, 1.25, 1.3)), 1)

    def put(self, x: float, y: float, text: str, *, bold: bool = False, size: float = 0.0, align: str = "left") -> None:
        """Write a text whose left end, middle or right end is at `x`."""
        font, size = self.bold if bold else self.font, size or self.size
        width = pymupdf.get_text_length(text, font, size)
        x -= {"left": 0.0, "middle": width / 2, "right": width}[align]
        self.page.insert_text((x, y), text, fontsize=size, fontname=font)

    def wrap(self, text: str, width: float, *, bold: bool = False) -> list[str]:
        """Return the text in lines that are at most `width` points wide."""
        lines = [""]
        for word in text.split():
            longer = f"{lines[-1]} {word}".strip()
            if pymupdf.get_text_length(longer, self.bold if bold else self.font, self.size) > width and lines[-1]:
                lines.append(word)
            else:
                lines[-1] = longer
        return lines

    def rule(self, x0: float, y0: float, x1: float, y1: float, width: float = 0.6) -> None:
        self.page.draw_line((x0, y0), (x1, y1), width=width)

    def shade(self, x0: float, y0: float, x1: float, y1: float) -> None:
        self.page.draw_rect((x0, y0, x1, y1), color=None, fill=(0.85, 0.88, 0.93), width=0)

    def prose(self, y: float, count: int) -> float:
        """Write a paragraph of that many words; return where the next line stands."""
        for line in self.wrap(sentence(self.rng, count), 480):
            self.put(55, y, line)
            y += self.pitch
        return y

    def save(self) -> bytes:
        return bytes(self.document.tobytes())


def sentence(rng: random.Random, count: int) -> str:
    """Return that many words with a capital letter and a full stop."""
    words = [rng.choice(("the", "a", "of", "in", "that", *WORDS)) for _ in range(count)]
    return " ".join(["Check", *words[1:]]) + "."


def label(rng: random.Random, count: int) -> str:
    return " ".join(rng.choice(WORDS) for _ in range(count)).capitalize()


def draw_requirements(rng: random.Random) -> MadePage:
    """Lists of requirements without rules: a number, a text of several lines, marks in some columns, a code."""
    sheet, made = Sheet(rng), MadePage()
    y = 70.0
    marks = rng.choice((2, 3))
    is_numbered = rng.random() < 0.5
    lefts = [60.0, rng.choice((92.0, 105.0)), *(400.0 + 26 * index for index in range(marks)), 490.0]
    gap = sheet.size * rng.choice((0.6, 0.9, 1.2))
    stacks = rng.randint(1, 3)
    for stack in range(stacks):
        kind = rng.choice(("heading", "prose", "both")) if stack or rng.random() < 0.7 else ""
        if kind in ("heading", "both"):
            title = f"{stack + 4}.{rng.randint(1, 9)} {label(rng, 3)}"
            sheet.put(55, y, title, size=sheet.size * 1.35, bold=rng.random() < 0.5)
            made.headings.append(title)
            y += 2.0 * sheet.size
        if kind in ("prose", "both"):
            y = sheet.prose(y, rng.randint(24, 40)) + 0.6 * sheet.size
        head = ["#", "Description", *"ABCD"[:marks], "Code"]
        is_bold = rng.random() < 0.5
        for x, text in zip(lefts, head, strict=True):
            sheet.put(x, y, text, bold=is_bold)
        y += sheet.pitch + gap
        rows = [head]
        for number in range(rng.randint(2, 4)):
            text = sentence(rng, rng.choice((14, 22, 26, 34)))
            cells = [rng.choice(("", "x")) for _ in range(marks)]
            cells[-1] = "x"
            code = "" if rng.random() < 0.3 else str(rng.randint(10, 400))
            rows.append([f"{stack + 1}.{number + 1}", text, *cells, code])
            for x, value in zip(lefts, rows[-1], strict=True):
                if x != lefts[1]:
                    sheet.put(x, y, value, bold=is_numbered and x == lefts[0])
            for line in sheet.wrap(text, 385 - lefts[1]):
                sheet.put(lefts[1], y, line)
                y += sheet.pitch
            y += gap
        made.tables.append(rows)
        made.headers.append(1)
        y += 1.2 * sheet.size
    if rng.random() < 0.5:
        sheet.put(60, 812, "Boiler rules 4.0")
        sheet.put(520, 812, "16")
    made.data = sheet.save()
    return made


def draw_two_heads(rng: random.Random) -> MadePage:
    """Statements with two header rows: names over units, a group over some columns, or both."""
    sheet, made = Sheet(rng), MadePage()
    y = 80.0
    is_group = rng.random() < 0.5
    count = rng.choice((2, 3, 4))
    step = 260 / count
    rights = [260 + step * (index + 1) for index in range(count)]
    style = rng.choice(("rules", "grid", "band", "under", "plain"))
    top = y - sheet.pitch
    if is_group:
        size = rng.choice((count, count - 1)) if count > 2 else count
        names = [label(rng, 2)]
        middle = (rights[count - size] - step + rights[-1]) / 2
        sheet.put(middle, y, names[0], bold=True, align="middle")
        first: list[str | None] = [""] * (1 + count - size) + [names[0]] + [None] * (size - 1)
        if style in ("rules", "under") and rng.random() < 0.6:
            sheet.rule(rights[count - size] - step + 8, y + 3, rights[-1], y + 3)
        y += sheet.pitch * 1.2
    else:
        words = [label(rng, 2) for _ in range(count)]
        lines = [sheet.wrap(text, step - 14, bold=True) for text in words]
        for index, parts in enumerate(lines):
            for number, part in enumerate(parts):
                sheet.put(
                    rights[index], y + sheet.pitch * (number + max(map(len, lines)) - len(parts)), part, bold=True,
                    align="right",
                )  # fmt: skip
        first = ["", *words]
        y += sheet.pitch * max(map(len, lines))
    second = [label(rng, 1), *(rng.choice(("2021", "2022", "Note", "USD", "EUR '000", "Credit", "Debit", "Count", "%"))
                               for _ in range(count))]  # fmt: skip
    if not is_group:
        second = [rng.choice(("", "Note")), *[rng.choice(("USD", "EUR", "%", "in 1,000"))] * count]
    is_bold = rng.random() < 0.6
    sheet.put(60, y, second[0], bold=is_bold)
    for right, text in zip(rights, second[1:], strict=True):
        sheet.put(right, y, text, bold=is_bold, align="right")
    head_end = y + 0.4 * sheet.size
    ends = [head_end]
    rows: list[list[str | None]] = [first, list(second)]
    y += sheet.pitch * 1.3
    for _ in range(rng.randint(4, 9)):
        rows.append([label(rng, rng.choice((1, 2, 3))), *(rng.choice(FIGURES) for _ in range(count))])
        sheet.put(60, y, str(rows[-1][0]))
        for right, value in zip(rights, rows[-1][1:], strict=True):
            sheet.put(right, y, str(value), align="right")
        ends.append(y + 0.4 * sheet.size)
        y += sheet.pitch * 1.25
    _draw_style(sheet, style, [55, *(right - step + 6 for right in rights), rights[-1] + 5], top, ends, is_group)
    made.tables, made.headers = [rows], [2]
    made.data = sheet.save()
    return made


def _draw_style(sheet: Sheet, style: str, xs: list[float], top: float, ends: list[float], is_group: bool) -> None:
    if style in ("rules", "under"):
        for y in (top, ends[0], ends[-1])[style == "under" :]:
            sheet.rule(xs[0], y, xs[-1], y)
    elif style == "band":
        sheet.page.draw_rect((xs[0], top, xs[-1], ends[0]), color=None, fill=(0.85, 0.88, 0.93), overlay=False)
        for y in ends[1:]:
            sheet.rule(xs[0], y, xs[-1], y, 0.3)
    elif style == "grid":
        head = [top, top + 1.25 * sheet.pitch] if is_group else [top]
        for y in (*head, *ends):
            sheet.rule(xs[0], y, xs[-1], y)
        for x in xs:
            inner = is_group and x not in (xs[0], xs[1], xs[-1])
            sheet.rule(x, head[-1] if inner else top, x, ends[-1])


def draw_sparse(rng: random.Random) -> MadePage:
    """Columns in which most cells are empty: neighbouring rows fill different columns."""
    sheet, made = Sheet(rng), MadePage()
    count = rng.choice((3, 4, 5))
    lefts = [60 + 470 / count * index for index in range(count)]
    head = [label(rng, 1) for _ in range(count)]
    y, pitch = 80.0, sheet.size * rng.choice((1.4, 1.6, 1.8))
    for x, text in zip(lefts, head, strict=True):
        sheet.put(x, y, text, bold=True)
    rows: list[list[str]] = [head]
    for _ in range(rng.randint(5, 9)):
        y += pitch
        filled = set(rng.sample(range(count), rng.choice((1, 1, 2))))
        if rows[-1] is not head and all(rows[-1][index] == "" for index in filled) and len(filled) == 1:
            filled |= {rng.randrange(count)}
        rows.append([label(rng, 1) if index in filled else "" for index in range(count)])
        for x, text in zip(lefts, rows[-1], strict=True):
            sheet.put(x, y, text)
    made.tables, made.headers = [list(map(list, rows))], [1]
    made.data = sheet.save()
    return made


def draw_touching(rng: random.Random) -> MadePage:
    """Numbers that end at one right edge where the texts of the next column begin; a pair, and a text apart, or two."""
    sheet, made = Sheet(rng), MadePage()
    pairs = rng.choice((1, 2, 2))
    rights = [150.0, 340.0][:pairs]
    gap = sheet.size * rng.choice((0.16, 0.2, 0.25))
    y, pitch = 80.0, sheet.size * rng.choice((1.3, 1.5, 1.7))
    head: list[str | None] = [text for _ in rights for text in ("Count", label(rng, 1))]
    rows = [[*head, *["Kind"][: pairs == 1]]]
    for _ in range(rng.randint(4, 8)):
        rows.append([text for _ in rights for text in (rng.choice(FIGURES), label(rng, 1))])
        rows[-1] += [label(rng, 1)][: pairs == 1]
    for number, row in enumerate(rows):
        for index, right in enumerate(rights):
            sheet.put(right, y, str(row[2 * index]), bold=not number, align="right")
            sheet.put(right + gap, y, str(row[2 * index + 1]), bold=not number)
        if pairs == 1:
            sheet.put(300, y, str(row[2]), bold=not number)
        y += pitch
    made.tables, made.headers = [rows], [1]
    made.data = sheet.save()
    return made


def draw_between(rng: random.Random) -> MadePage:
    """Invoice lines: the values of a line are printed at the middle of its two or three lines of text."""
    sheet, made = Sheet(rng), MadePage()
    y = 90.0
    rights = [330.0, 390.0, 460.0, 535.0]
    head: list[str | None] = ["No.", "Description", "Unit", "Quantity", "Price", "Value"]
    for x, text in zip((60.0, 90.0, *rights), head, strict=True):
        sheet.put(x, y, str(text), bold=True, align="left" if x < 100 else "right")
    rows = [head]
    is_ruled = rng.random() < 0.3
    if is_ruled:
        sheet.rule(55, y + 5, 540, y + 5)
    y += 1.9 * sheet.pitch
    gap = sheet.pitch * rng.choice((0.5, 0.8, 1.2))
    for number in range(rng.randint(3, 6)):
        lines = sheet.wrap(f"(LD {rng.randint(1000, 9999)}) {sentence(rng, rng.choice((8, 9, 10)))}"[:-1], 200)
        values = [rng.choice(("pcs", "set", "kg")), str(rng.randint(1, 40)), "19.00", "57.00"]
        rows.append([str(number + 32), " ".join(lines), *values])
        for index, line in enumerate(lines):
            sheet.put(90, y + index * sheet.pitch, line)
        middle = y + sheet.pitch * (len(lines) - 1) / 2
        for x, text in zip((60.0, *rights), (rows[-1][0], *values), strict=True):
            sheet.put(x, middle, str(text), align="left" if x < 100 else "right")
        y += sheet.pitch * len(lines) + gap
    if is_ruled:
        sheet.rule(55, y - 0.5 * sheet.pitch, 540, y - 0.5 * sheet.pitch)
    made.tables, made.headers = [rows], [1]
    made.data = sheet.save()
    return made


def draw_head_beside(rng: random.Random) -> MadePage:
    """A header that is wider than its narrow numbers and begins left of them."""
    sheet, made = Sheet(rng), MadePage()
    y = 90.0
    head: list[str | None] = [rng.choice(("Lesson", "Number", "Section", "Article")), "Content"]
    left = 150.0
    width = pymupdf.get_text_length(str(head[0]), sheet.bold, sheet.size)
    right, second = left + width + rng.choice((0, 2, 5)), left + width + rng.choice((12, 18))
    is_bold = rng.random() < 0.4
    sheet.rule(left - 5, y - 12, 440, y - 12)
    sheet.rule(left - 5, y + 5, 440, y + 5)
    sheet.put(left, y, str(head[0]), bold=is_bold)
    sheet.put(second, y, str(head[1]), bold=is_bold)
    rows = [head]
    y += 1.4 * sheet.pitch
    for number in range(rng.randint(5, 12)):
        rows.append([f"{number + 1:02d}", label(rng, rng.choice((1, 2, 3, 4)))])
        sheet.put(right, y, str(rows[-1][0]), align="right")
        sheet.put(second, y, str(rows[-1][1]))
        y += sheet.pitch
    sheet.rule(left - 5, y - 8, 440, y - 8)
    made.tables, made.headers = [rows], [1]
    made.data = sheet.save()
    return made


def draw_head_above(rng: random.Random) -> MadePage:
    """A grid whose header stands above its first rule: bold, shaded, or upended in cells of its own."""
    sheet, made = Sheet(rng), MadePage()
    count = rng.choice((3, 4, 5))
    xs = [60 + 460 / count * index for index in range(count + 1)]
    kind = rng.choice(("bold", "bold", "shaded", "upended"))
    head: list[str | None] = [label(rng, rng.choice((1, 2))) for _ in range(count)]
    y = 90.0
    if kind == "upended":
        y = 170.0
        sheet.rule(xs[0], 90, xs[-1], 90)
        for index, text in enumerate(head):
            sheet.page.insert_text(
                (xs[index] + 20, y - 6), str(text), fontsize=sheet.size, fontname=sheet.bold, rotate=90
            )
    else:
        if kind == "shaded":
            sheet.shade(xs[0], y - 1.5 * sheet.size, xs[-1], y)
        for x, text in zip(xs[:-1], head, strict=True):
            sheet.put(x + 4, y - 0.4 * sheet.size, str(text), bold=True)
    rows = [head]
    top, height = y, 1.7 * sheet.size
    for _ in range(rng.randint(4, 8)):
        sheet.rule(xs[0], y, xs[-1], y)
        rows.append([label(rng, 1), *(rng.choice(FIGURES) for _ in range(count - 1))])
        for x, text in zip(xs[:-1], rows[-1], strict=True):
            sheet.put(x + 4, y + 1.2 * sheet.size, str(text))
        y += height
    sheet.rule(xs[0], y, xs[-1], y)
    for x in xs:
        sheet.rule(x, 90 if kind == "upended" else top, x, y)
    made.tables, made.headers = [rows], [1]
    made.data = sheet.save()
    return made


def draw_wide_cell(rng: random.Random) -> MadePage:
    """Rows whose first cell goes on below a short first line, as wide as its column allows."""
    sheet, made = Sheet(rng), MadePage()
    y = 90.0
    head: list[str | None] = ["Proposal", "Board vote", "Page"]
    lefts = [60.0, 400.0, 480.0]
    for x, text in zip(lefts, head, strict=True):
        sheet.put(x, y, str(text), bold=True)
    sheet.rule(55, y + 6, 540, y + 6)
    rows = [head]
    y += 8 + 1.4 * sheet.size
    for _ in range(rng.randint(2, 4)):
        title = f"{rng.randint(2, 9)} {label(rng, 3)}"
        text = sentence(rng, rng.choice((30, 45, 60)))
        vote, page = rng.choice(("AGAINST", "FOR", "NONE")), str(rng.randint(10, 99))
        rows.append([f"{title} {text}", vote, page])
        for x, value in zip(lefts, (title, vote, page), strict=True):
            sheet.put(x, y, value, bold=x < 450)
        for line in sheet.wrap(text, 320):
            y += sheet.pitch
            sheet.put(lefts[0], y, line)
        y += 0.7 * sheet.size
        sheet.rule(55, y, 540, y, 0.4)
        y += 1.3 * sheet.size
    made.tables, made.headers = [rows], [1]
    made.data = sheet.save()
    return made


def draw_stacked_values(rng: random.Random) -> MadePage:
    """Rows of rules whose cells hold as many lines each: every line is a row of its own, the first cell shared."""
    sheet, made = Sheet(rng), MadePage()
    xs = [60.0, 160.0, 330.0, 430.0, 530.0][: rng.choice((4, 5))]
    y = 80.0
    head: list[str | None] = [*["Plan", "Owner", "Charge", "Limit"][: len(xs) - 1]]
    rows = [head]
    ys = [y]
    for x, text in zip(xs[:-1], head, strict=True):
        sheet.put(x + 4, y + 1.2 * sheet.size, str(text), bold=True)
    y += 1.8 * sheet.size
    ys.append(y)
    for _ in range(rng.randint(2, 4)):
        count = rng.choice((2, 3, 3, 4))
        name = label(rng, 1)
        for line in range(count):
            values = [label(rng, 1), *(rng.choice(FIGURES) for _ in range(len(xs) - 3))]
            rows.append([name if not line else None, *values])
            for x, text in zip(xs[1:], values, strict=False):
                sheet.put(x + 4, y + 1.2 * sheet.size + line * sheet.pitch, text)
        sheet.put(xs[0] + 4, y + 1.2 * sheet.size, name)
        y += count * sheet.pitch + 0.8 * sheet.size
        ys.append(y)
    for level in ys:
        sheet.rule(xs[0], level, xs[-1], level)
    for x in xs:
        sheet.rule(x, ys[0], x, ys[-1])
    made.tables, made.headers = [rows], [1]
    made.data = sheet.save()
    return made


MAKERS: dict[str, Callable[[random.Random], MadePage]] = {
    "requirements": draw_requirements,
    "two_heads": draw_two_heads,
    "sparse": draw_sparse,
    "touching": draw_touching,
    "between": draw_between,
    "head_beside": draw_head_beside,
    "head_above": draw_head_above,
    "wide_cell": draw_wide_cell,
    "stacked_values": draw_stacked_values,
}


def count_right(
    kind: str, maker: Callable[[random.Random], MadePage], count: int, read: Callable[[bytes], Tree]
) -> tuple[int, list[int]]:
    """Return how many pages of one kind are right, and the seeds of the others."""
    wrong: list[int] = []
    for seed in range(count):
        made = maker(random.Random(f"{kind} {seed}"))
        if not is_right(made, read(made.data)):
            wrong.append(seed)
    return count - len(wrong), wrong


def is_right(made: MadePage, tree: Tree) -> bool:
    """Return whether a tree has exactly the tables of a page, and its headings."""
    tables = [block.table for block in tree.blocks if block.type is BlockType.TABLE and block.table is not None]
    found = [records_of(*read_table(table)) for table in tables]
    wanted = [records_of(rows, heads) for rows, heads in zip(made.tables, made.headers, strict=True)]
    headings = [block.text for block in tree.blocks if block.type in (BlockType.HEADING, BlockType.TITLE)]
    return found == wanted and all(heading in headings for heading in made.headings)


def read_table(table: Table) -> tuple[Rows, int]:
    """Return the texts of a table by rows, with `None` where a merged cell goes on, and its header rows."""
    rows: Rows = [[""] * table.cols for _ in range(table.rows)]
    heads = {cell.row + part for cell in table.cells if cell.header for part in range(cell.row_span)}
    for cell in table.cells:
        for row in range(cell.row, cell.row + cell.row_span):
            for col in range(cell.col, cell.col + cell.col_span):
                rows[row][col] = cell.text if (row, col) == (cell.row, cell.col) else None
                if col > cell.col and row > cell.row:
                    rows[row][col] = ""
    return rows, next((row for row in range(table.rows) if row not in heads), table.rows)


def records_of(rows: Rows, heads: int) -> list[list[str]]:
    """Return the names of the columns, groups first, and the rows below them; a merged cell fills all its places."""
    filled: list[list[str]] = []
    for row in rows[:heads]:
        filled.append([])
        for col, text in enumerate(row):
            filled[-1].append(filled[-1][-1] if text is None and col else text or "")
    names = [" ".join(dict.fromkeys(row[col] for row in filled if row[col])) for col in range(len(rows[0]))]
    body: list[list[str]] = []
    for row in rows[heads:]:
        above = body[-1] if body else [""] * len(row)
        body.append([above[col] if text is None else text for col, text in enumerate(row)])
    return [names, *body]
