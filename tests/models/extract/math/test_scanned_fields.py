"""Fields of recognised forms: labels in pieces, lines to write on, cells with a small label."""

import random

import pytest

from quire.models.cdom.geometry import Bbox
from quire.models.cdom.ports import Word
from quire.models.extract.layout.figures.floats import take_field_lines
from quire.models.extract.layout.figures.forms import pair_rows
from quire.models.extract.layout.figures.frames import add_fields
from quire.models.extract.layout.lines.marks import PageMarks, PrintedField
from quire.models.extract.layout.lines.recognised import make_marks

LABELS = ("Surname", "Date of birth", "Street", "Telephone", "Place of birth", "Policy number")
VALUES = ("Harriet", "14 March 1987", "22 Orchard Lane", "01280 556677", "Oundle", "PX-20418-7")
Placed = tuple[float, float, float, str]


def make_words(texts: list[Placed], chance: random.Random, *, high: float = 12.0, split: float = 0.3) -> list[Word]:
    """Words of texts (x, y, height, text); the recogniser finds some texts word by word."""
    words: list[Word] = []
    line = 0
    for x, y, size, text in texts:
        is_split = chance.random() < split
        for part in text.split():
            wide = len(part) * size * 0.45
            words.append(Word(text=part, bbox=(x, y, x + wide, y + size), confidence=0.99, line=line))
            x += wide + size * 0.5
            line += is_split
        line += 1
    return words


def read_pairs(texts: list[Placed], rules: list[Bbox], chance: random.Random) -> tuple[PageMarks, dict[str, str]]:
    marks = make_marks(make_words(texts, chance), rules, 595.0, 842.0)
    add_fields(marks, ())
    fields, lines = take_field_lines(marks.fields, marks.lines)
    fields, _ = pair_rows(lines, fields)
    return marks, {_join(field): field.printed for field in fields}


def _join(field: PrintedField) -> str:
    return " ".join(line.text for line in field.label).rstrip(": _")


def shuffled(chance: random.Random) -> list[tuple[str, str]]:
    return chance.sample(list(zip(LABELS, VALUES, strict=True)), chance.randint(3, len(LABELS)))


@pytest.mark.parametrize("seed", range(20))
def test_lines_to_write_on_are_fields_and_rule_no_table(seed: int) -> None:
    chance = random.Random(seed)
    pairs, texts, rules, y = shuffled(chance), [], [], 100.0
    for label, value in pairs:
        end = 60 + (len(label) + 1) * 5.4 + label.count(" ") * 6
        texts += [(60.0, y, 12.0, label + ":"), (end + chance.uniform(16, 24), y + chance.uniform(-1, 1), 12.0, value)]
        rules.append((end + 4, y + 12, 380.0, y + 12.7))
        y += chance.uniform(22, 30)
    marks, read = read_pairs(texts, rules, chance)
    assert read == dict(pairs)
    assert marks.horizontals == []


@pytest.mark.parametrize("seed", range(20))
def test_rows_of_labels_and_values_in_pieces_are_fields(seed: int) -> None:
    chance = random.Random(seed)
    pairs, y = shuffled(chance), 100.0
    texts: list[Placed] = []
    for label, value in pairs:
        texts += [(60.0, y, 12.0, label + ":"), (240.0, y + chance.uniform(-1.5, 1.5), 12.0, value)]
        y += chance.uniform(18, 26)
    assert read_pairs(texts, [], chance)[1] == dict(pairs)


@pytest.mark.parametrize("seed", range(20))
def test_cells_are_fields_when_most_have_a_small_label(seed: int) -> None:
    chance = random.Random(seed)
    pairs, high = shuffled(chance), chance.uniform(30, 40)
    texts: list[Placed] = []
    for row, (label, value) in enumerate(pairs):
        y = 100 + row * high
        size = 11.8 if row == 0 and len(pairs) > 3 else chance.uniform(7.5, 9)  # a box with an accent is higher
        texts += [(62.0, y + 2, size, label), (66.0, y + high - 14, 12.0, value)]
    bottom = 100 + len(pairs) * high
    rules = [(60.0, 100 + row * high, 320.0, 100.7 + row * high) for row in range(len(pairs) + 1)]
    rules += [(x, 100.0, x + 0.7, bottom) for x in (60.0, 320.0)]
    assert read_pairs(texts, rules, chance)[1] == dict(pairs)
