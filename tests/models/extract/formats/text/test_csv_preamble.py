"""Lines above a table of records: variants by seed over banks, delimiters, languages and empty lines."""

import random

import pytest

from quire.models.cdom.tree import BlockType
from tests.models.extract.flow_trees import read_tree, rows_of

HEADS = (
    (("Date", "Text", "Amount"), "Account statement", ("Account", "Period")),
    (("Buchungstag", "Verwendungszweck", "Betrag", "Saldo"), "Umsatzanzeige", ("Konto", "Zeitraum")),
    (("Data", "Opis", "Kwota"), "Wyciąg", ("Rachunek", "Okres")),
    (("Дата", "Описание", "Сумма"), "Выписка", ("Счёт", "Период")),
    (("日付", "摘要", "金額"), "取引明細", ("口座", "期間")),
)


@pytest.mark.parametrize("seed", range(25))
def test_lines_above_records_are_paragraphs(seed: int) -> None:
    chance = random.Random(seed)
    heads, title, names = chance.choice(HEADS)
    delimiter, end = chance.choice(";\t,"), chance.choice(("\n", "\r\n"))
    above = [title, *(f"{name}{delimiter}X{chance.randrange(10**6)}" for name in names)]
    rows = [[f"0{n}.01.2026", f"Word{n}", *(str(n * 7) for _ in heads[2:])] for n in range(1, chance.choice((3, 6, 9)))]
    lines = [*above, *([""] if chance.random() < 0.5 else []), *(delimiter.join(row) for row in [heads, *rows])]

    tree = read_tree((end.join(lines) + end).encode("utf-8-sig" if chance.random() < 0.5 else "utf-8"))

    assert tree.source.format == "csv"
    (table,) = [block for block in tree.blocks if block.type is BlockType.TABLE]
    assert rows_of(table) == [list(heads), *rows]
    assert [block.text for block in tree.blocks[:-1]] == [line.replace(delimiter, ": ") for line in above]
    assert tree.coverage is not None
    assert tree.coverage.complete


@pytest.mark.parametrize(
    "text",
    [
        "Dear Ann,\nthanks, see you, soon\nBob, Eve, Tom\nwere there, too, yes\n",
        "a,b\n1,2\n3,4\n",
        "int f(a, b)\n{x, y, z}\n{x, y, z}\n",
    ],
)
def test_prose_and_plain_records_have_no_lines_above(text: str) -> None:
    tree = read_tree(text.encode())

    assert all(block.type is not BlockType.TABLE or (block.table and block.table.rows > 2) for block in tree.blocks)
