"""Pages of made tables between headings, prose, lists and captions, and pages that only look as if they had tables.

    python -m tests.lab.training.made.pages OUT --texts FOLDER [--count N]

OUT/pdfs and OUT/gt_tables are then a source like any other. The same texts and count give the same pages.
"""

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from quire.models.extract.formats.pdf.engine import pymupdf
from tests.lab.training.made.contents import (
    MadeCell,
    MadeTable,
    make_form,
    make_invoice,
    make_names,
    make_pairs,
    make_records,
    make_slide,
    make_statistics,
)
from tests.lab.training.made.negatives import NEGATIVES
from tests.lab.training.made.styles import FAMILIES, TableStyle, choose_style
from tests.lab.training.made.texts import TextPool, Texts, read_pool
from tests.lab.training.made.typeset import Pen, draw_table, set_table

COUNT = 700
"""Pages that training makes."""
_PAPER = {"report": ((595, 842), (612, 792), (595, 842)), "slide": ((720, 405), (720, 540))}
_OTHERS = (make_statistics, make_statistics, make_invoice, make_form, make_names, make_pairs, make_pairs)


@dataclass(slots=True)
class MadePage:
    """Page in progress: position of the next block, and the tables so far."""

    pen: Pen
    texts: Texts
    family: str
    size: float
    leading: float
    x0: float
    width: float
    top: float
    bottom: float
    tables: list[MadeTable] = field(default_factory=list)

    @property
    def random(self) -> Random:
        return self.texts.random

    def heading(self, text: str) -> None:
        size = self.size * self.random.choice([1.0, 1.1, 1.25, 1.4])
        self.top += size * self.random.choice([0.4, 0.8, 1.2])
        self._set_lines(text, FAMILIES[self.family][1], size, 1.2)
        self.top += size * self.random.choice([0.2, 0.4])

    def prose(self, least: int, most: int) -> None:
        self._set_lines(self.texts.sentence(least, most), FAMILIES[self.family][0], self.size, self.leading)
        self.top += self.size * self.random.choice([0.3, 0.6, 0.8])

    def items(self) -> None:
        for _ in range(self.random.randint(2, 4)):
            self._set_lines(f"\u00b7 {self.texts.sentence(20, 150)}", FAMILIES[self.family][0], self.size, self.leading)

    def _set_lines(self, text: str, font: str, size: float, leading: float) -> None:
        if self.top + 5 * size * leading < self.bottom:
            self.top = self.pen.paragraph(self.x0, self.top, self.width, text, font, size, leading)

    def table(self, table: MadeTable, style: TableStyle) -> bool:
        """Set a table where it fits; says whether it did."""
        done = set_table(table, style, self.width)
        if done is None or self.top + done.height > self.bottom:
            return False
        indent = self.random.choice([0.0, 0.0, 0.5]) * (self.width - done.edges[-1])
        self.top = draw_table(self.pen, done, self.x0 + indent, self.top)
        self.top += self.size * self.random.choice([0.6, 1.0, 1.5])
        self.tables.append(table)
        return True


def make_page(document: Any, pool: TextPool, seed: str) -> list[MadeTable]:
    """A page more in the document, and its tables."""
    random = Random(seed)
    texts = Texts(pool, random)
    kind = random.choice(["report"] * 9 + ["slide"])
    width, height = random.choice(_PAPER[kind])
    family = random.choice(["sans", "sans", "serif", "serif", "mono"])
    size = random.choice([8, 9, 9.5, 10, 10, 10.5, 11, 12]) if kind == "report" else random.choice([12, 14, 16])
    margin = random.choice([42, 56, 72])
    pen = Pen(document.new_page(width=width, height=height))
    columns = random.choice([1, 1, 1, 1, 2, 2, 3]) if kind == "report" else 1
    size = size if columns == 1 else min(size, 9.5)
    gutter = random.choice([12, 18, 24])
    inner = (width - 2 * margin - (columns - 1) * gutter) / columns
    tables: list[MadeTable] = []
    for column in range(columns):
        page = MadePage(
            pen, texts, family, size, random.choice([1.15, 1.25, 1.35, 1.5]), margin + column * (inner + gutter), inner,
            margin, height - margin,
        )  # fmt: skip
        (_fill_slide if kind == "slide" else _fill_column)(page)
        tables += page.tables
    pen.write(width - margin, height - margin + 14, str(random.randint(2, 90)), FAMILIES[family][0], 8)
    pen.finish()
    return tables


def _fill_slide(page: MadePage) -> None:
    page.pen.paragraph(page.x0, page.top, page.width, page.texts.label(2, 6), FAMILIES[page.family][1], 22, 1.2)
    page.top += 40
    table = page.random.choice((make_slide, make_slide, make_pairs, make_statistics))(page.texts)
    if not page.table(table, choose_style(page.random, page.family, page.size * 0.7)):
        page.items()


def _fill_column(page: MadePage) -> None:
    random = page.random
    if random.random() < 0.2:
        _fill_without_tables(page)
        return
    if random.random() < 0.3:
        page.prose(60, 400)
    form = str(random.random()) if random.random() < 0.35 else None
    style = _choose_style(page)
    for number in range(random.randint(1, 4) if form is None else random.randint(2, 5)):
        _lead_in(page, number)
        if form is None and random.random() < 0.6:
            style = _choose_style(page)
        _set_table(page, style, number, form)
        if random.random() < 0.4:
            page.prose(60, 320)


def _choose_style(page: MadePage) -> TableStyle:
    return choose_style(page.random, page.family, page.size * page.random.choice([1, 1, 0.9, 0.85]))


def _lead_in(page: MadePage, number: int) -> None:
    """A heading, prose, a list, or nothing above a table."""
    random = page.random
    if random.random() < 0.7:
        prefix = random.choice(["", "", f"{number + 1}. ", f"{random.randint(1, 9)}.{number + 1} "])
        page.heading(prefix + page.texts.label(1, 5))
    if random.random() < 0.5:
        page.prose(60, 220)
    if random.random() < 0.12:
        page.items()


def _set_table(page: MadePage, style: TableStyle, number: int, form: str | None) -> None:
    """A table, with a caption above or below as often as not; `form`: those of one form differ in their rows alone."""
    random = page.random
    caption = random.random()
    if caption < 0.2:
        _write_caption(page, number)
    if form is not None:
        table = make_records(page.texts, Random(form))
    elif random.random() < 0.45:
        table = random.choice(_OTHERS)(page.texts)
    else:
        table = make_records(page.texts, random)
    if page.table(table, style) and caption > 0.9:
        _write_caption(page, number)


def _write_caption(page: MadePage, number: int) -> None:
    page.top = page.pen.paragraph(
        page.x0, page.top, page.width, f"Table {number + 1}: {page.texts.sentence(20, 90)}",
        FAMILIES[page.family][0], 0.92 * page.size, 1.2,
    )  # fmt: skip
    page.top += 0.5 * page.size


def _fill_without_tables(page: MadePage) -> None:
    makers: tuple[Callable[[MadePage], None], ...] = NEGATIVES
    while page.top < page.bottom - 200:
        page.heading(page.texts.label(1, 5))
        if page.random.random() < 0.5:
            page.prose(60, 300)
        page.random.choice(makers)(page)
        page.top += page.size


def make_source(out: Path, pool: TextPool, count: int = COUNT) -> Path:
    """A source of so many documents of one page each in the folder `out`."""
    for name in ("pdfs", "gt_tables"):
        (out / name).mkdir(parents=True, exist_ok=True)
    for number in range(count):
        with pymupdf.open() as document:
            tables = make_page(document, pool, f"tables/{number}")
            document.save(out / "pdfs" / f"made{number:04}.pdf", deflate=True, no_new_id=True)
        stated = [{"page": 1, "cells": [_state_cell(cell) for cell in _ordered(table)]} for table in tables]
        (out / "gt_tables" / f"made{number:04}.json").write_text(json.dumps(stated))
    return out


def _ordered(table: MadeTable) -> list[MadeCell]:
    return sorted(table.cells, key=lambda cell: (cell.row, cell.col))


def _state_cell(cell: MadeCell) -> dict[str, int | str]:
    text = " ".join(cell.text.split())
    return {"row": cell.row, "col": cell.col, "rowspan": cell.rows, "colspan": cell.cols, "text": text}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--texts", required=True, type=Path, help="folder of Markdown files to take words from")
    parser.add_argument("--count", type=int, default=COUNT)
    chosen = parser.parse_args()
    make_source(chosen.out, read_pool(chosen.texts), chosen.count)


if __name__ == "__main__":
    main()
