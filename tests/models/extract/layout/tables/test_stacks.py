"""Features that distinguish several tables of one form from one table."""

from collections.abc import Sequence

from quire.models.extract.core.grid import Grid
from quire.models.extract.core.marks import RuledRegion
from quire.models.extract.core.words import TableWord, gather_rows
from quire.models.extract.layout.tables.scoring.candidates import Candidate
from quire.models.extract.layout.tables.scoring.features import STACK_NAMES, stack_features

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


def test_crossing_line_reaches_both_sides_of_a_column_edge() -> None:
    """The columns part at 150; a lone line counts only if it lies on both sides, and only lone lines count."""
    for text, x0, is_crossing in (("a heading between two", 100, 1), ("short", 60, 0), ("right of the edge", 160, 0)):
        assert features_of([ROW, [(x0, text)]])["crossing_rows"] == is_crossing / 2


def test_larger_lines_are_a_tenth_above_the_usual_size() -> None:
    lone = [(60, "Group")]
    for size, larger in ((10, 0), (11, 0), (11.5, 1), (9, 0)):
        assert features_of([ROW, ROW, lone, ROW], {2: size})["larger_rows"] == larger
    assert features_of([ROW, ROW, ROW, ROW], {2: 13})["larger_rows"] == 0
    assert features_of([lone, lone, lone], {0: 8, 1: 10, 2: 13})["larger_rows"] == 1


def test_head_needs_four_characters_and_no_figures() -> None:
    short, figures = [(60, "a"), (200, "b")], [(60, "Part"), (200, "2")]
    assert features_of([short, short])["repeated_heads"] == 0
    assert features_of([[(60, "a"), (200, "bc")]] * 3)["repeated_heads"] == 2
    assert features_of([ROW, figures, figures])["repeated_heads"] == 0
    assert features_of([figures, ROW, figures])["repeated_heads"] == 1
    assert features_of([[(60, "1x"), (200, "yy")]] * 2)["repeated_heads"] == 0


def test_repeats_are_cached_by_the_lines_of_the_candidate() -> None:
    words = [TableWord(60, 90, 92, 102, 100, 10, "Name", bold=False)]
    candidate = Candidate((4, 5), RuledRegion((60, 90, 260, 200)), gather_rows(words), Grid([150.0], []), "open")
    known: dict[tuple[int, ...], int] = {(4, 5): 7}
    assert stack_features(candidate, known)[0] == 7
    fresh: dict[tuple[int, ...], int] = {}
    stack_features(candidate, fresh)
    assert fresh == {(4, 5): 0}
