"""Generates long lists by seed as PDF, with the rows that they hold.

A list is a stock list: six columns on Letter pages with a running head. `tests.lab.bench.reading.bench_accounts` makes
statements of account, the other family of lists.
"""

import random
from dataclasses import dataclass, field
from typing import Any

from quire.models.extract.formats.pdf.engine import pymupdf

KINDS = ("plain", "ruled", "zebra", "two-line", "repeated-heads", "subtotals")
HEADS = ("Item No.", "Received", "Description", "Qty", "Unit price", "Amount")
NAMES = ("item_number", "received", "description", "quantity", "unit_price", "amount")
LEFTS = (40.0, 95.0, 160.0, 360.0, 410.0, 480.0)
RIGHT = 570.0
GOODS = (
    "Rope",
    "Shackle",
    "Lantern",
    "Anchor chain",
    "Tarpaulin",
    "Fender",
    "Deck brush",
    "Brass bell",
    "Winch handle",
)
TRAITS = ("galvanised", "12 mm", "left-hand", "blue", "spare", "grade B", "for quay 4", "short")
Row = dict[str, Any]


@dataclass(slots=True)
class LongList:
    """A list as PDF and its rows as a schema's values."""

    data: bytes = b""
    rows: list[Row] = field(default_factory=list)


def list_schema() -> dict[str, Any]:
    """Return the schema of a stock list."""
    kinds = {"received": {"type": "string", "format": "date"}, "quantity": {"type": "integer"}}
    kinds |= {key: {"type": "number"} for key in ("unit_price", "amount")}
    columns = {name: kinds.get(name, {"type": "string"}) for name in NAMES}
    return {
        "type": "object",
        "properties": {"items": {"type": "array", "items": {"type": "object", "properties": columns}}},
    }


def make_list(seed: int, kind: str, count: int) -> LongList:
    """Return a list of `count` rows of a kind."""
    chance = random.Random(f"{seed}-{kind}-{count}")
    made = LongList()
    file = pymupdf.open()
    page, y, edges, total = None, 0.0, [0.0], 0
    for number in range(count):
        if page is None or y > 730:
            _finish(page, kind, edges)
            page, y = _start_page(file, first=number == 0)
            edges = [y]
            if number == 0 or kind in ("ruled", "repeated-heads"):
                y = _write(page, y, HEADS, bold=True)
                edges.append(y)
        row, second = _make_row(chance, number, kind)
        made.rows.append(row)
        if kind == "zebra" and number % 2:
            page.draw_rect((LEFTS[0], y, RIGHT, y + 14), color=None, fill=(0.9, 0.93, 0.9))
        shown = str(row["description"]).removesuffix(f" {second}") if second else str(row["description"])
        texts = (row["item_number"], _shown_day(row["received"]), shown, str(row["quantity"]),
                 f"{row['unit_price']:,.2f}", f"{row['amount']:,.2f}")  # fmt: skip
        y = _write(page, y, texts, step=10 if second else 14)
        if second:
            y = _write(page, y, ("", "", second, "", "", ""), step=10) + 6
        edges.append(y)
        total += round(row["amount"] * 100)
        if kind == "subtotals" and number % 15 == 14:
            y = _write(page, y, ("", "", "Subtotal", "", "", f"{total / 100:,.2f}"), bold=True)
            total = 0
    _finish(page, kind, edges)
    made.data = bytes(file.tobytes(garbage=3, deflate=True))
    return made


def _make_row(chance: random.Random, number: int, kind: str) -> tuple[Row, str]:
    quantity, cents = chance.randrange(1, 400), chance.randrange(25, 90_000)
    second = f"{chance.choice(TRAITS)} {chance.choice(GOODS).lower()}" if kind == "two-line" else ""
    first = f"{chance.choice(GOODS)} {chance.choice(TRAITS)}"
    day = f"{2023 + number // 700}-{1 + number // 28 % 12:02}-{1 + number % 28:02}"
    row = {
        "item_number": f"{chance.choice('ABKT')}{10_000 + number}",
        "received": day,
        "description": f"{first} {second}".strip(),
        "quantity": quantity,
        "unit_price": cents / 100,
        "amount": quantity * cents / 100,
    }
    return row, second


def _shown_day(day: Any) -> str:
    year, month, number = str(day).split("-")
    return f"{number}.{month}.{year}"


def _start_page(file: Any, *, first: bool) -> tuple[Any, float]:
    page = file.new_page(width=612, height=792)
    page.insert_text((40, 34), "Northern Chandlery - stock list", fontsize=8)
    page.insert_text((500, 34), f"Sheet {file.page_count}", fontsize=8)
    if first:
        page.insert_text((40, 70), "Stock list", fontsize=18, fontname="hebo")
        page.insert_text((40, 92), "Warehouse 7, all prices in euro without tax", fontsize=9)
    return page, 110.0 if first else 56.0


def _write(page: Any, y: float, texts: tuple[str, ...], *, step: float = 14.0, bold: bool = False) -> float:
    font = "hebo" if bold else "helv"
    for column, text in enumerate(texts):
        right = (*LEFTS, RIGHT)[column + 1] - 4
        x = right - pymupdf.get_text_length(text, font, 8) if column > 2 else LEFTS[column] + 3
        if text:
            page.insert_text((x, y + 9.5), text, fontsize=8, fontname=font)
    return y + step


def _finish(page: Any, kind: str, edges: list[float]) -> None:
    if page is None or kind != "ruled":
        return
    for y in edges:
        page.draw_line((LEFTS[0], y), (RIGHT, y), width=0.5)
    for x in (*LEFTS, RIGHT):
        page.draw_line((x, edges[0]), (x, edges[-1]), width=0.5)
