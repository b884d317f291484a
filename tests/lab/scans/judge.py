"""Reads a made scan as the product does, without a sandbox, and compares the tree with the truth."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from rapidfuzz.fuzz import ratio

from quire.models.cdom.original import ReadOptions
from quire.models.cdom.tree import BlockType, Source, Tree
from quire.models.derive.document_fields import find_fields
from quire.models.extract.pipeline.assemble import assemble
from quire.models.extract.pipeline.recognised import apply_recognition
from quire.models.extract.registry import open_document
from quire.models.neural.ocr import LocalPageRecogniser, make_recogniser
from tests.lab.scans.forms import MadeForm
from tests.lab.scans.receipts import MadeReceipt
from tests.lab.scans.tables import MadeTable

UNBLANKED = frozenset({"Han", "Japanese"})
RUBBISH = 0.5
"""F1 of the words with letters below which a text is rubbish."""
_STATES = {"☐": "empty", "☑": "ticked", "☒": "ticked"}
_ALIKE = 80.0
_TIMEOUT_S = 600.0


@cache
def recogniser(langs: tuple[str, ...] = ("en",)) -> LocalPageRecogniser:
    return make_recogniser(langs=langs)


def read_scan(data: bytes, langs: tuple[str, ...] = ("en",)) -> Tree:
    """The tree of a picture, recognised."""
    options = ReadOptions()
    document = open_document(data, options)
    read = document.read_page(1)
    assert read.pixels is not None
    (words,) = recogniser(langs).recognise_pages([read.pixels], (), _TIMEOUT_S)
    source = Source(format=document.facts.format.value, sha256="", bytes=len(data))
    return assemble(document.facts, [apply_recognition(read.content, words)], source=source, options=options)


def is_complete(tree: Tree) -> bool:
    return tree.coverage is not None and bool(tree.coverage.complete)


def list_texts(tree: Tree) -> Iterator[str]:
    for block in tree.blocks:
        yield block.text
        yield from (cell.text for cell in block.table.cells) if block.table is not None else ()


def score_words(truth: Iterable[str], tree: Tree, *, by_letter: bool = False) -> float:
    """F1 of the words that have letters; of single letters in scripts without blanks."""
    wanted, got = (_count(text, by_letter=by_letter) for text in (" ".join(truth), " ".join(list_texts(tree))))
    both = (wanted & got).total()
    return 2 * both / max(1, wanted.total() + got.total())


def _count(text: str, *, by_letter: bool) -> Counter[str]:
    words = [word for word in re.findall(r"\w[\w\u0300-\u036f\u0900-\u097f\u064b-\u065f]*", text.casefold())
             if any(map(str.isalpha, word))]  # fmt: skip
    return Counter(char for word in words for char in word if char.isalpha()) if by_letter else Counter(words)


def judge_receipt(made: MadeReceipt, tree: Tree) -> tuple[float, bool]:
    """F1 of its words, and whether the tree is rubbish and says that it is complete."""
    f1 = score_words(made.words, tree, by_letter=made.script in UNBLANKED)
    return f1, f1 < RUBBISH and is_complete(tree)


def judge_form(made: MadeForm, tree: Tree) -> tuple[list[tuple[str, str]], list[tuple[str, str]], int]:
    """The pairs and the boxes that the tree has not, and the number of boxes too many."""
    fields = [(_plain(field.key), _plain(field.value)) for field in find_fields(tree)]
    missing = [
        (label, value)
        for label, value in made.pairs
        if not any(_alike(_plain(label), key) and _alike(_plain(value), text) for key, text in fields)
    ]
    found = list(_find_boxes(tree))
    wrong: list[tuple[str, str]] = []
    for label, mark in made.boxes:
        wanted = (_plain(label), "empty" if mark == "empty" else "ticked")
        match = next((box for box in found if _alike(box[0], wanted[0]) and box[1] == wanted[1]), None)
        if match is None:
            wrong.append((label, mark))
        else:
            found.remove(match)
    return missing, wrong, len(found)


def _find_boxes(tree: Tree) -> Iterator[tuple[str, str]]:
    for text in list_texts(tree):
        parts = re.split("([☐☑☒])", text)
        yield from ((_plain(label), _STATES[sign]) for sign, label in zip(parts[1::2], parts[2::2], strict=True))


def _plain(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


def _alike(a: str, b: str) -> bool:
    return a == b or (min(len(a), len(b)) > 2 and ratio(a, b) >= _ALIKE)


def judge_table(made: MadeTable, tree: Tree) -> float:
    """The share of the cells that are in their places in the best table; rows and columns too many count as wrong."""
    return max((_score_table(made.rows, rows) for rows in _list_tables(tree)), default=0.0)


def _list_tables(tree: Tree) -> Iterator[list[list[str]]]:
    for block in tree.blocks:
        if block.type is BlockType.TABLE and block.table is not None:
            rows = [[""] * block.table.cols for _ in range(block.table.rows)]
            for cell in block.table.cells:
                rows[cell.row][cell.col] = cell.text
            yield rows


def _score_table(truth: Sequence[Sequence[str]], rows: Sequence[Sequence[str]]) -> float:
    right = sum(
        ratio(_plain(text), _plain(rows[y][x])) >= _ALIKE
        for y, row in enumerate(truth[: len(rows)])
        for x, text in enumerate(row[: len(rows[0])])
    )
    cells = len(truth) * len(truth[0])
    return right / max(cells, len(rows) * len(rows[0]))
