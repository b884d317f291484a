"""Printed rows grouped to table rows by a forest: its features, and its result for cells of several lines."""

from collections.abc import Sequence

import numpy as np

from quire.models.extract.core.marks import Rule, RuledRegion
from quire.models.extract.core.steps import STEP_NAMES
from quire.models.extract.core.words import TableWord, TextRow, gather_rows
from quire.models.extract.layout.tables.continuation import describe_steps, group_rows

COLUMNS = [110.0, 330.0]
LEFTS = (60.0, 120.0, 340.0)
REGION = RuledRegion((60, 85, 400, 260))
ROWS = [
    ("Day", "Learning objectives", "Topics"),
    ("One:", "Create a project with a specific and", "What is"),
    ("bench", "useful structure; extend the use of", "reproducibility"),
    ("", "files for reports and papers.", "anyway?"),
    ("Two:", "Use git to track your work; collaborate", "Getting"),
    ("share", "with others; organise a project.", "the most"),
]


def rows_of(texts: Sequence[tuple[str, ...]], step: float = 13.0) -> list[TextRow]:
    words: list[TableWord] = []
    for at, row in enumerate(texts):
        for left, text in zip(LEFTS, row, strict=True):
            x = left
            for word in text.split():
                words.append(
                    TableWord(
                        x, x + 5 * len(word), 92 + step * at, 102 + step * at, 100 + step * at, 10, word, bold=False
                    )
                )
                x += 5 * len(word) + 2.5
    return gather_rows(words)


def told(number: int, rows: list[TextRow], region: RuledRegion = REGION) -> dict[str, float]:
    return dict(zip(STEP_NAMES, describe_steps(rows, COLUMNS, region)[number - 1].tolist(), strict=True))


def test_step_features_describe_a_row_and_the_row_above() -> None:
    found = told(3, rows_of(ROWS))
    assert (found["key"], found["key_above"], found["lower"], found["shared"], found["new"]) == (0, 1, 1, 2, 0)
    assert np.isclose(found["gap"], 1.3)
    assert found["filled"] < found["filled_above"] == 1


def test_room_is_negative_where_the_next_word_did_not_fit() -> None:
    found = told(2, rows_of(ROWS))
    assert found["room_least"] < 1 < told(4, rows_of(ROWS))["room"]


def test_rules_between_rows_are_a_feature() -> None:
    ruled = RuledRegion(REGION.box, [Rule(60, 103, 400, 103)])
    assert [told(number, rows_of(ROWS), ruled)["ruled"] for number in (1, 2)] == [1, 0]


def test_wide_and_narrow_steps_differ_in_their_feature() -> None:
    rows = rows_of(ROWS)
    for row in rows[4:]:
        row.base += 6
    assert told(4, rows)["jump"] > 0 > told(3, rows)["jump"]
    assert told(2, rows_of(ROWS))["jump"] < -5


def test_lines_of_one_cell_become_one_row() -> None:
    found = group_rows(rows_of(ROWS), COLUMNS, RuledRegion(REGION.box, [Rule(60, 103, 400, 103)]))
    assert [len(group) for group in found.groups] == [1, 3, 2]
    assert 0 < found.sure <= 1


def test_rows_of_short_texts_stay_apart() -> None:
    rows = rows_of([(str(at), f"Item {at}", str(7 * at)) for at in range(1, 9)])
    assert [len(group) for group in group_rows(rows, COLUMNS, REGION).groups] == [1] * 8


def test_a_single_row_is_one_group() -> None:
    (group,) = group_rows(rows_of(ROWS[:1]), COLUMNS, REGION).groups
    assert len(group) == 1
