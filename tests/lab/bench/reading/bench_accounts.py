"""Statements of account made by seed, read as documents, with figures for their rows and checks.

`python -m tests.lab.bench.reading.bench_accounts [--seeds 3] [--pages 5,12,40] [--style ruled]`: for each style the
number of tables, the share of rows that are exact and in order, and the share of balances that are checked and hold.
"""

import argparse
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from difflib import SequenceMatcher
from statistics import fmean
from typing import Any

from quire.models.cdom.original import Format, OcrMode, ReadOptions
from quire.models.cdom.tree import Block, BlockType, Source, Tree
from quire.models.extract.document.series_checks import RUNNING_BALANCE
from quire.models.extract.formats.pdf.engine import pymupdf
from quire.models.extract.pipeline.assemble import assemble
from quire.models.extract.registry import open_document

STYLES = ("ruled", "zebra", "plain", "two-line", "subtotals", "carried", "lines")
HEADS = ("Date", "Description", "Reference", "Debit", "Credit", "Balance")
LEFTS = (50.0, 110.0, 300.0, 370.0, 430.0, 490.0)
RIGHT = 560.0
PAYEES = (
    "Harbour Board",
    "Quay Cafe",
    "Rope and Tar Ltd",
    "Crane Hire",
    "City Water Works",
    "Lamp Oil Co",
    "M. Sailor",
)
KINDS = ("Card payment", "Direct debit", "Transfer", "Standing order", "Cash", "Refund")
Row = tuple[str, ...]
OPTIONS = ReadOptions(ocr=OcrMode.NEVER)


@dataclass(slots=True)
class AccountStatement:
    """A statement as PDF; `rows` are its rows as they should be read, `steps` the balances that follow from a row."""

    data: bytes = b""
    rows: list[Row] = field(default_factory=list)
    steps: int = 0


def make_statement(seed: int, style: str, pages: int) -> AccountStatement:
    """Return a statement of so many pages in a style."""
    chance = random.Random(f"{seed}-{style}-{pages}")
    statement = AccountStatement(rows=[HEADS])
    file = pymupdf.open()
    transactions = _make_rows(chance, style)
    repeats = style in ("ruled", "zebra", "carried") or seed % 2 == 0
    balance = ""
    for number in range(1, pages + 1):
        page = file.new_page(width=595, height=842)
        _draw_furniture(page, number, pages)
        if number == 1:
            page.insert_text((50, 90), "Statement of account", fontsize=16, fontname="hebo")
            page.insert_text((50, 112), "Account 12 345 678 of the Harbour Trust, all amounts in euro", fontsize=9)
        elif seed % 3:
            _draw_heading(page, number, pages, is_close=seed % 3 == 2)
        rows = _PageRows(page, 150.0 if number == 1 else 120.0)
        if number == 1 or repeats:
            rows.add([HEADS], bold=True)
        if style == "carried" and number > 1:
            statement.rows.append(rows.add([("", "Brought forward", "", "", "", balance)]))
        index = 0
        while rows.y <= 740:
            lines, row = next(transactions)
            is_total = row[1].startswith("Subtotal")
            rows.add(lines, bold=is_total, shade=style == "zebra" and index % 2 == 1)
            statement.rows.append(row)
            statement.steps += not is_total
            balance, index = row[5] or balance, index + 1
        if style == "carried" and number < pages:
            statement.rows.append(rows.add([("", "Carried forward", "", "", "", balance)]))
        _draw_rules(page, style, rows.edges)
    statement.steps -= 1
    statement.data = bytes(file.tobytes(garbage=3, deflate=True))
    return statement


class _PageRows:
    """Rows drawn below each other on a page; `edges` are the heights between them."""

    def __init__(self, page: Any, y: float) -> None:
        self._page, self.y, self.edges = page, y, [y]

    def add(self, lines: list[Row], *, bold: bool = False, shade: bool = False) -> Row:
        """Draw a row of one or more printed lines; return the first."""
        if shade:
            self._page.draw_rect((50, self.y, RIGHT, self.y + 15 * len(lines)), color=None, fill=(0.92, 0.92, 0.95))
        for line in lines:
            self.y = _draw_row(self._page, self.y, line, step=11 if len(lines) > 1 else 15, bold=bold)
        self.y += 7 if len(lines) > 1 else 0
        self.edges.append(self.y)
        return lines[0]


def _make_rows(chance: random.Random, style: str) -> Iterator[tuple[list[Row], Row]]:
    """Printed lines and the row that they are, without end."""
    balance, day, debits, credits = Decimal(chance.randrange(100_000, 900_000)) / 100, 0, Decimal(0), Decimal(0)
    since = 0
    while True:
        day += chance.random() < 0.4
        amount = Decimal(chance.randrange(100, 90_000)) / 100
        is_credit = chance.random() < 0.4
        balance += amount if is_credit else -amount
        debits, credits = debits + amount * (not is_credit), credits + amount * is_credit
        date = f"{1 + day % 28:02}/{1 + day // 28 % 12:02}/{2023 + day // 336}"
        text = f"{chance.choice(KINDS)} {chance.choice(PAYEES)}"
        reference = f"R{chance.randrange(10_000, 99_999)}"
        rest = (reference, "" if is_credit else f"{amount:,}", f"{amount:,}" if is_credit else "", f"{balance:,}")
        if style == "two-line":
            second = f"Order {chance.randrange(100, 999)} of {chance.choice(PAYEES)}"
            yield [(date, text, *rest), ("", second, "", "", "", "")], (date, f"{text} {second}", *rest)
        else:
            yield [(date, text, *rest)], (date, text, *rest)
        since += 1
        if style == "subtotals" and since == 12:
            total = ("", "Subtotal", "", f"{debits:,}", f"{credits:,}", "")
            yield [total], total
            since, debits, credits = 0, Decimal(0), Decimal(0)


def _draw_row(page: Any, y: float, cells: Row, *, step: float = 15.0, bold: bool = False) -> float:
    name, font = ("hebo", "hebo") if bold else ("helv", "helv")
    for column, text in enumerate(cells):
        right = (*LEFTS, RIGHT)[column + 1] - 5
        x = right - pymupdf.get_text_length(text, font, 8.5) if column > 2 else LEFTS[column] + 4
        if text:
            page.insert_text((x, y + 10.5), text, fontsize=8.5, fontname=name)
    return y + step


def _draw_furniture(page: Any, number: int, pages: int) -> None:
    page.insert_text((50, 40), "Harbour Bank plc", fontsize=8)
    page.insert_text((470, 40), "Statement 2024/03", fontsize=8)
    page.insert_text((270, 815), f"Page {number} of {pages}", fontsize=8)


def _draw_heading(page: Any, number: int, pages: int, *, is_close: bool) -> None:
    """Print the parts of a bank page: owner and account, near the table or apart, and a notice below."""
    y = 106 if is_close else 80
    page.insert_text((50, y - 12), "Account 12 345 678", fontsize=10, fontname="hebo")
    page.insert_text((50, y), f"Mr Jonas Keel, Harbour Trust, sheet {number} of {pages}", fontsize=9)
    page.insert_text((50, 790), "Please check this statement and tell us of errors within thirty days.", fontsize=8)


def _draw_rules(page: Any, style: str, edges: list[float]) -> None:
    if style == "ruled":
        for y in edges:
            page.draw_line((50, y), (RIGHT, y), width=0.5)
        for x in (*LEFTS, RIGHT):
            page.draw_line((x, edges[0]), (x, edges[-1]), width=0.5)
    elif style == "lines":
        for y in edges:
            page.draw_line((50, y), (RIGHT, y), width=0.4)


def read_tree(data: bytes) -> Tree:
    """Return the tree of a PDF."""
    document = open_document(data, OPTIONS)
    try:
        pages = [document.read_page(number).content for number in document.facts.page_numbers]
        source = Source(format=Format.PDF, sha256="0" * 64, bytes=len(data))
        return assemble(document.facts, pages, source=source, options=OPTIONS)
    finally:
        document.close()


def read_rows(blocks: list[Block]) -> list[Row]:
    """Return the rows of all tables, one after the other."""
    rows: list[Row] = []
    for block in blocks:
        if block.table is not None:
            cells = {(cell.row, cell.col): cell.text for cell in block.table.cells}
            columns = range(block.table.cols)
            rows += [tuple(cells.get((row, col), "") for col in columns) for row in range(block.table.rows)]
    return rows


def score(statement: AccountStatement) -> tuple[int, float, float]:
    """Return the number of tables, the share of exact rows in order, and of balances that are checked and hold."""
    tables = [block for block in read_tree(statement.data).blocks if block.type is BlockType.TABLE]
    rows = read_rows(tables)
    matcher = SequenceMatcher(None, statement.rows, rows, autojunk=False)
    exact = sum(match.size for match in matcher.get_matching_blocks()) / max(len(rows), len(statement.rows))
    checks = [check for block in tables if block.table for check in block.table.checks if check.kind == RUNNING_BALANCE]
    return len(tables), exact, sum(check.holds for check in checks) / statement.steps


def main() -> None:
    """Print the figures by style."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--pages", default="5,12,40")
    parser.add_argument("--style", choices=STYLES)
    options = parser.parse_args()
    everything: list[tuple[int, float, float]] = []
    for style in [options.style] if options.style else STYLES:
        results = [
            score(make_statement(seed, style, int(pages)))
            for pages in options.pages.split(",")
            for seed in range(options.seeds)
        ]
        everything += results
        _print(style, results)
    _print("all", everything)


def _print(name: str, results: list[tuple[int, float, float]]) -> None:
    tables, rows, checks = zip(*results, strict=True)
    print(f"{name:10} tables {fmean(tables):5.1f}  rows {fmean(rows):.4f}  checks {fmean(checks):.4f}", flush=True)


if __name__ == "__main__":
    main()
