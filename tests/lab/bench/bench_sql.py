"""Asks SQL for single cells of real tables whose truth is known, and checks answers and citations.

Run as `python -m tests.lab.bench.bench_sql FOLDER...`; each folder holds `pdfs/NAME.pdf` and `gt_tables/NAME.json` with
`cells` by row and column. A question names the label of a row and the head of a column, or a part of it, as the truth
has them without blanks and bullets; the answer must be the text of that cell, and its citation must name a cell with
this text. Each folder has an equal share of the questions. Misses are printed, except those of folders below `blind`.
"""

import argparse
import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pyarrow as pa

from quire.actors.sql.process import answer_query, open_tables
from quire.models.cdom.original import ReadOptions
from quire.models.cdom.tree import Source, Tree
from quire.models.export.tables.cells import list_cells
from quire.models.export.tables.files import cell_batch
from quire.models.extract.pipeline.assemble import assemble
from quire.models.extract.registry import open_document

MEMORY = 512 << 20


@dataclass(frozen=True)
class Question:
    document: str
    label: str
    head: str
    answer: str

    @property
    def sql(self) -> str:
        document, label, head = (text.replace("'", "''") for text in (self.document, self.label, self.head))
        same = "regexp_replace({}, '[\\s\\x{{F0B7}}•]+', '', 'g')"
        named = same.format("head")
        return f"""select text, cite from cells where document_id = '{document}' and not header
            and {same.format("label")} = '{label}' and contains({named}, '{head}')
            qualify dense_rank() over (order by {named} = '{head}' desc) = 1"""


def plain(text: str) -> str:
    return re.sub(r"[\s\uf0b7•]+", "", text)


def questions(name: str, tables: list[dict[str, Any]]) -> Iterator[Question]:
    """Yield the questions whose label and head occur once in the truth of a document."""
    grids = [{(c["row"], c["col"]): c for c in table["cells"]} for table in tables]
    labels = Counter(plain(grid[0]["text"]) for table in grids for grid in rows_of(table) if 0 in grid)
    for grid in grids:
        heads = {col: plain(cell["text"]) for (row, col), cell in grid.items() if row == 0}
        single = Counter(heads.values())
        spans = any(cell["rowspan"] > 1 or cell["colspan"] > 1 for cell in grid.values())
        for (row, col), cell in grid.items():
            label, head = plain(grid[row, 0]["text"]) if (row, 0) in grid else "", heads.get(col, "")
            is_body = row > 0 and col > 0 and not spans and plain(cell["text"])
            if is_body and label and head and labels[label] == 1 and single[head] == 1:
                yield Question(name, label, head, plain(cell["text"]))


def rows_of(grid: dict[tuple[int, int], dict[str, Any]]) -> list[dict[int, dict[str, Any]]]:
    rows: dict[int, dict[int, dict[str, Any]]] = {}
    for (row, col), cell in grid.items():
        rows.setdefault(row, {})[col] = cell
    return list(rows.values())


def read(path: Path) -> Tree:
    data = path.read_bytes()
    document = open_document(data, ReadOptions())
    contents = [document.read_page(number).content for number in document.facts.page_numbers]
    source = Source(format=document.facts.format, sha256=sha256(data).hexdigest(), bytes=len(data))
    return assemble(document.facts, contents, source=source, options=ReadOptions())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--documents", type=int, default=20, help="of each folder")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    right = count = 0
    for folder in given.folders:
        found = run(folder, given)
        print(folder.name, found)
        right, count = right + found["right"], count + found["questions"]
    print(f"by column name {right} of {count} = {right / max(1, count):.3f}")


def run(folder: Path, given: argparse.Namespace) -> Counter[str]:
    """Return the counts of one source, to whose documents the questions go in turn."""
    chance = random.Random(given.seed)
    truths = sorted((folder / "gt_tables").glob("*.json"))
    asked: list[list[Question]] = []
    batches: list[pa.RecordBatch] = []
    texts: dict[tuple[str, str, int], str] = {}
    for truth in chance.sample(truths, len(truths)):
        found = list(questions(truth.stem, json.loads(truth.read_text())))
        if not found or len(asked) == given.documents:
            continue
        chance.shuffle(found)
        cells = list(list_cells(read(truth.parents[1] / "pdfs" / f"{truth.stem}.pdf")))
        batches.append(cell_batch(truth.stem, truth.stem, cells))
        texts |= {(truth.stem, cell.table, cell.cell): plain(cell.text) for cell in cells}
        asked.append(found)
    connection = open_tables(pa.Table.from_batches(batches), MEMORY)
    counts: Counter[str] = Counter()
    in_turn = [question for turn in zip_longest(*asked) for question in turn if question is not None]
    for question in in_turn[: given.questions // len(given.folders)]:
        rows = json.loads(answer_query(connection, question.sql, 5)).get("rows", [])
        is_right = [plain(text) for text, _ in rows] == [question.answer]
        counts.update(questions=1, answered=bool(rows), right=is_right)
        for text, cite in rows:
            counts["citations exact"] += texts[question.document, cite["table_id"], cite["cell"]] == plain(text)
        if not is_right and "blind" not in folder.parts:
            print(f"{question}: {[text for text, _ in rows]}")
    return counts


if __name__ == "__main__":
    main()
