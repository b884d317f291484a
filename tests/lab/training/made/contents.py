"""Content of synthetic tables as cells: requirements, lists, forms, invoices, statistics."""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from tests.lab.training.made.texts import Texts


@dataclass(slots=True)
class MadeCell:
    """A cell: place, spans, text (a line feed parts paragraphs), alignment (`l`, `c`, `r`), and whether it is bold."""

    row: int
    col: int
    text: str
    align: str = "l"
    rows: int = 1
    cols: int = 1
    bold: bool = False


@dataclass(slots=True)
class MadeTable:
    """Cells of a table, with its number of head rows and how wide its columns want to be (0: as their texts)."""

    cells: list[MadeCell]
    head: int = 1
    widths: list[float] = field(default_factory=list)
    """Shares of the width; empty where columns are as wide as their texts ask."""
    group_rules: bool = False
    """A short rule under each head over several columns."""

    @property
    def rows(self) -> int:
        return max(cell.row + cell.rows for cell in self.cells)

    @property
    def cols(self) -> int:
        return max(cell.col + cell.cols for cell in self.cells)


_HEADS = {
    "key": ("#", "No.", "ID", "Ref", "Item", "Nr."),
    "name": ("Name", "Title", "Term", "Field", "Option", "Type", "Topic"),
    "text": ("Description", "Meaning", "Requirement", "Comment", "Definition", "Notes"),
    "tick": ("L1", "L2", "A", "B", "Req.", "Opt."),
    "number": ("Level", "Count", "Qty", "Value", "%", "Score", "Total"),
    "date": ("Date", "Year", "Due", "Since"),
}
_SHARES = {"key": 7, "tick": 6, "number": 9, "date": 12, "label": 16, "name": 15, "short": 14, "text": 46}
_KEYS = ("{a}.{b}.{n}", "{a}.{n}", "{n}", "R{a}{n:02}", "{n}.", "A-{n}")


def make_records(texts: Texts, form: Random) -> MadeTable:
    """Rows of one form: keys, names, texts of several lines, ticks, figures. `form` decides the form alone."""
    count = form.randint(2, 6)
    kinds = [form.choice(["key", "label", "label", "key", "name"])]
    kinds += ["text"] * (form.choice([0, 1, 1, 1, 2]) if count < 5 else 1)
    kinds = kinds[:count]
    while len(kinds) < count:
        kinds.append(form.choice(["tick", "tick", "number", "number", "short", "short", "name", "date"]))
    if form.random() < 0.3:
        form.shuffle(kinds)
    long = form.choice([30, 60, 90, 140, 220, 330])
    height = form.randint(2, 4) if long > 200 else form.randint(2, 9)
    fill = form.choice([0.4, 0.7, 0.95, 1.0])
    key, tick = form.choice(_KEYS), form.choice(["x", "X", "*", "\u00b7", "Y", "yes"])
    aligns = [_align_of(kind, form) for kind in kinds]
    cells: list[MadeCell] = []
    head = 0
    if form.random() < 0.92:
        head = 1
        names = [_name_column(kind, form, texts) for kind in kinds]
        if form.random() < 0.12:
            names[0] = ""
        centred = form.random() < 0.2
        cells += [MadeCell(0, col, name, "c" if centred else aligns[col], bold=True) for col, name in enumerate(names)]
    first, second = form.randint(1, 9), texts.random.randint(1, 9)
    makers = _make_fillers(texts, long, tick, fill)
    for number in range(1, height + 1):
        for col, kind in enumerate(kinds):
            text = key.format(a=first, b=second, n=number) if kind == "key" else makers[kind]()
            cells.append(MadeCell(head + number - 1, col, text, aligns[col]))
    table = MadeTable(cells, head)
    if form.random() < 0.6:
        table.widths = [_SHARES[kind] * form.uniform(0.8, 1.3) for kind in kinds]
    if form.random() < 0.1 and height > 3 and count > 2:
        _merge_first_column(table, texts)
    elif form.random() < 0.1 and height > 3:
        _add_section_rows(table, texts)
    return table


def _align_of(kind: str, form: Random) -> str:
    choices = {"tick": "ccl", "number": "rrcl", "key": "lllc"}
    return form.choice(choices.get(kind, "l"))


def _name_column(kind: str, form: Random, texts: Texts) -> str:
    return form.choice(_HEADS[kind]) if kind in _HEADS and form.random() < 0.7 else texts.label(1, 3)


def _make_fillers(texts: Texts, long: int, tick: str, fill: float) -> dict[str, Callable[[], str]]:
    random = texts.random

    def unless_empty(make: Callable[[], str], blank: str = "") -> Callable[[], str]:
        return lambda: make() if random.random() < fill else blank

    def write() -> str:
        if random.random() < 0.05:
            return texts.sentence(20, 60) + "\n" + texts.sentence(20, 80)
        return texts.sentence(12, long if random.random() < 0.75 else 30)

    return {
        "label": lambda: texts.label(1, 4),
        "name": lambda: texts.words(2, 2).replace(" ", "_") if random.random() < 0.25 else texts.label(1, 2),
        "text": write,
        "tick": unless_empty(lambda: tick),
        "number": unless_empty(texts.number),
        "short": unless_empty(lambda: texts.label(1, 3), random.choice(["", "-", "n/a"])),
        "date": unless_empty(texts.date),
    }


def _merge_first_column(table: MadeTable, texts: Texts) -> None:
    """The first cells of neighbouring rows as one, where a run of two to four of them is named together."""
    first = [cell for cell in table.cells if cell.col == 0 and cell.row >= table.head]
    gone: list[MadeCell] = []
    at = 0
    while at < len(first):
        run = min(texts.random.randint(1, 4), len(first) - at)
        first[at].rows = run
        first[at].text = texts.label(1, 2)
        gone += first[at + 1 : at + run]
        at += run
    table.cells = [cell for cell in table.cells if not any(cell is other for other in gone)]


def _add_section_rows(table: MadeTable, texts: Texts) -> None:
    """A row over all columns above one or two of the body's."""
    for before in sorted(texts.random.sample(range(table.head, table.rows), 2), reverse=True):
        for cell in table.cells:
            if cell.row >= before:
                cell.row += 1
        table.cells.append(MadeCell(before, 0, texts.label(1, 4), cols=table.cols, bold=True))


def make_statistics(texts: Texts) -> MadeTable:
    """Figures under heads of one to three rows, with a stub of names at the left."""
    random = texts.random
    groups = random.randint(1, 4)
    each = random.randint(2, 3) if groups < 4 else 2
    width, height = groups * each, random.randint(3, 14)
    rows = random.choice([1, 2, 2, 2, 3])
    align = random.choice("rrrc")
    cells: list[MadeCell] = []
    stub = texts.label(1, 2) if random.random() < 0.8 else ""
    if rows > 1 and random.random() < 0.6:
        cells.append(MadeCell(0, 0, stub, rows=rows, bold=True))
    else:
        cells += [MadeCell(row, 0, stub if row == rows - 1 else "", bold=True) for row in range(rows)]
    if rows == 3:
        cells.append(MadeCell(0, 1, texts.label(2, 6), "c", cols=width, bold=True))
    for group in range(groups if rows > 1 else 0):
        cells.append(MadeCell(rows - 2, 1 + each * group, texts.label(1, 3), "c", cols=each, bold=True))
    years = random.randint(1985, 2015)
    dated = random.random() < 0.4
    for col in range(width):
        text = str(years + col % each) if dated else texts.label(1, random.choice([1, 2, 3]))
        cells.append(MadeCell(rows - 1, 1 + col, text, random.choice([align, "c"]), bold=True))
    makers = [texts.number() for _ in range(width)]
    for number in range(height):
        row = rows + number
        name = "Total" if number == height - 1 and random.random() < 0.4 else texts.label(1, random.choice([2, 3, 9]))
        cells.append(MadeCell(row, 0, name))
        for col in range(width):
            figure = _like(makers[col], random) if random.random() < 0.95 else random.choice(["", "-", "n/a", ".."])
            cells.append(MadeCell(row, 1 + col, figure, align))
    return MadeTable(cells, rows, group_rules=random.random() < 0.7)


def _like(figure: str, random: Random) -> str:
    """Another figure of the same form."""
    digits = [random.choice("123456789") if char.isdigit() else char for char in figure]
    return "".join(digits)


def make_invoice(texts: Texts) -> MadeTable:
    """Positions with texts that wrap, amounts and prices, sums at the end."""
    random = texts.random
    heads = [random.choice(["Pos", "#", "No."]), "Description", random.choice(["Qty", "Hours"]), "Price", "Total"]
    if random.random() < 0.4:
        heads.insert(1, random.choice(["Article", "SKU", "Art. no."]))
    aligns = ["l"] * (len(heads) - 3) + ["r"] * 3
    cells = [MadeCell(0, col, text, aligns[col], bold=True) for col, text in enumerate(heads)]
    height = random.randint(2, 7)
    for number in range(1, height + 1):
        row = [str(number), texts.sentence(15, random.choice([40, 120])), str(random.randint(1, 40))]
        if random.random() < 0.35:
            row[1] += "\n" + texts.sentence(10, 50)
        row += [f"{random.random() * 500:,.2f}", f"{random.random() * 9000:,.2f}"]
        if len(heads) == 6:
            row.insert(1, f"{texts.words(1, 1)[:3].upper()}-{random.randint(10, 9999)}")
        cells += [MadeCell(number, col, text, aligns[col]) for col, text in enumerate(row)]
    last = height + 1
    for name in random.choice([[], ["Total"], ["Subtotal", "VAT 19%", "Total"]]):
        spanning = random.random() < 0.4
        if spanning:
            cells.append(MadeCell(last, 0, name, "r", cols=len(heads) - 1, bold=True))
        else:
            cells += [MadeCell(last, col, name if col == len(heads) - 2 else "") for col in range(len(heads) - 1)]
        cells.append(MadeCell(last, len(heads) - 1, f"{random.random() * 9000:,.2f}", "r"))
        last += 1
    return MadeTable(cells, 1, [{0: 6, 1: 14}.get(col, 12) if aligns[col] == "l" else 11 for col in range(len(heads))])


def make_form(texts: Texts) -> MadeTable:
    """Make labels next to mostly empty cells, as in a form."""
    random = texts.random
    width, height = random.randint(2, 4), random.randint(3, 8)
    cells: list[MadeCell] = []
    head = int(random.random() < 0.7)
    if head:
        first = "" if random.random() < 0.5 else texts.label(1, 2)
        cells += [MadeCell(0, col, texts.label(1, 2) if col else first, bold=True) for col in range(width)]
    for row in range(head, height):
        cells.append(MadeCell(row, 0, texts.label(1, 5)))
        filled = random.random() < 0.3
        cells += [MadeCell(row, col, texts.label(1, 2) if filled else "") for col in range(1, width)]
    return MadeTable(cells, head, [1.0] * width if random.random() < 0.5 else [2.0] + [1.0] * (width - 1))


def make_names(texts: Texts) -> MadeTable:
    """Short texts of one kind in a grid without a head."""
    random = texts.random
    width, height = random.randint(2, 5), random.randint(3, 9)
    cells = [MadeCell(row, col, texts.words(2, 2).title()) for row in range(height) for col in range(width)]
    return MadeTable(cells, 0, [1.0] * width)


def make_pairs(texts: Texts) -> MadeTable:
    """Labels with their values, with or without a head."""
    random = texts.random
    colon = random.choice(["", "", ":"])
    long = random.choice([20, 40, 120, 240])
    height = random.randint(3, 10)
    head = int(not colon and random.random() < 0.4)
    cells = [MadeCell(0, col, texts.label(1, 2), bold=True) for col in range(2 * head)]
    for row in range(head, head + height):
        cells.append(MadeCell(row, 0, texts.label(1, 3) + colon, bold=bool(colon) and not head))
        cells.append(MadeCell(row, 1, texts.sentence(5, long)))
    return MadeTable(cells, head, [random.uniform(15, 45), 60.0])


def make_slide(texts: Texts) -> MadeTable:
    """Few rows of short texts in large letters, the first head cell empty as often as not."""
    random = texts.random
    width, height = random.randint(3, 4), random.randint(2, 4)
    first = "" if random.random() < 0.6 else texts.label(1, 1)
    cells = [MadeCell(0, col, texts.label(1, 3) if col else first, bold=True) for col in range(width)]
    for row in range(1, height + 1):
        cells.append(MadeCell(row, 0, texts.label(1, 3)))
        cells += [MadeCell(row, col, texts.sentence(20, 90)) for col in range(1, width)]
    return MadeTable(cells, 1, [0.6] + [1.0] * (width - 1))
