"""Features that distinguish several tables of one form from one table."""

from collections.abc import Sequence

from quire.models.extract.layout.tables.grid import Grid
from quire.models.extract.layout.tables.rules import RuledRegion
from quire.models.extract.layout.tables.scoring.candidates import Candidate
from quire.models.extract.layout.tables.scoring.stacks import STACK_NAMES, stack_features
from quire.models.extract.layout.tables.words import TableWord, gather_rows

ROW = [(60, "Name"), (200, "Count")]


def features_of(rows: Sequence[Sequence[tuple[float, str]]], sizes: dict[int, float] | None = None) -> dict[str, float]:
    words = [
        TableWord(
            x,
            x + 5 * len(text),
            92 + 16 * at,
            102 + 16 * at,
            100 + 16 * at,
            (sizes or {}).get(at, 10),
            text,
            bold=False,
        )
        for at, row in enumerate(rows)
        for x, text in row
    ]
    candidate = Candidate((0, 1), RuledRegion((60, 90, 260, 200)), gather_rows(words), Grid([150.0], []), "open")
    return dict(zip(STACK_NAMES, stack_features(candidate, {}), strict=True))


def test_repeated_heads_are_counted() -> None:
    assert features_of([ROW, [(60, "Rope"), (200, "12")], ROW, [(60, "Pole"), (200, "7")]])["repeated_heads"] == 1
    assert features_of([[(60, "Title")], ROW, [(60, "Rope"), (200, "12")], ROW])["repeated_heads"] == 1
    assert features_of([ROW, [(60, "Rope"), (200, "12")], [(60, "Rope"), (200, "12")]])["repeated_heads"] == 0


def test_repeated_figures_are_not_heads() -> None:
    assert features_of([[(60, "2001"), (200, "12")]] * 3)["repeated_heads"] == 0
    assert features_of([[(60, "x"), (200, "x")]] * 3)["repeated_heads"] == 0


def test_crossing_lines_and_larger_type_are_features() -> None:
    across = [(100, "a heading between two of the tables")]
    found = features_of([ROW, ROW, across, ROW], {2: 13})
    assert (found["crossing_rows"], found["larger_rows"]) == (0.25, 1)
    assert features_of([ROW, ROW, [(60, "wrapped")], ROW])["crossing_rows"] == 0
