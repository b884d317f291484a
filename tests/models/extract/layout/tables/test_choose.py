"""The choice among candidates: chart labels and tables of contents are aligned like tables but are not chosen."""

import pytest

from quire.models.extract.core.grid import Grid
from quire.models.extract.core.marks import Rule, RuledRegion
from quire.models.extract.core.words import TableWord, TextRow
from quire.models.extract.layout.tables.regions.glance import LIMITS, keep_best
from quire.models.extract.layout.tables.regions.propose import Proposal
from quire.models.extract.layout.tables.scoring.candidates import Candidate
from quire.models.extract.layout.tables.scoring.choose import choose_candidates
from quire.models.extract.layout.tables.scoring.features import FEATURE_NAMES

PLAIN = {"filled": 0.9, "numeric": 0.5, "single_rows": 0.1}


def is_chosen(score: float = 0.6, **features: float) -> bool:
    """Whether a lone candidate of that score is taken for a table."""
    word = TableWord(0, 10, 0, 10, 8, 10, "one", bold=False)
    candidate = Candidate((0, 1), RuledRegion((0, 0, 10, 10)), [TextRow(8, 10, [word])], Grid([5.0], []), "open")
    row = [(PLAIN | features).get(name, 0.0) for name in FEATURE_NAMES]
    return bool(choose_candidates([candidate], [row], [score]))


def test_a_table_is_chosen() -> None:
    assert is_chosen()
    assert is_chosen(shapes=11)


@pytest.mark.parametrize(
    "features",
    [
        {"shapes": 4, "filled": 0.6},
        {"shapes": 6, "struck": 0.5},
        {"filled": 0.5, "single_rows": 0.7},
        {"filled": 0.52, "numeric": 0.8},
        {"contents": 1.0},
    ],
)
def test_chart_labels_and_title_lists_with_pages_are_not_tables(features: dict[str, float]) -> None:
    assert not is_chosen(**features)


def test_clear_table_with_a_few_curves_is_chosen() -> None:
    assert is_chosen(score=0.9, shapes=4, filled=0.7)


def test_variants_of_one_table_leave_room_for_the_next_one_on_the_page() -> None:
    variants = [Proposal(tuple(range(start, 100))) for start in range(2 * LIMITS.most)]
    other = Proposal(tuple(range(200, 210)))
    guesses = [0.9 - 0.001 * number for number in range(len(variants))] + [LIMITS.bar + 0.01]
    assert keep_best([*variants, other], guesses) == [*variants[: LIMITS.crowd], other]


def test_parts_of_a_larger_region_are_not_its_variants() -> None:
    whole = Proposal(tuple(range(30)))
    parts = [Proposal(tuple(range(start, start + 5))) for start in range(0, 30, 5)]
    guesses = [0.9] + [LIMITS.bar + 0.01] * len(parts)
    assert keep_best([whole, *parts], guesses) == [whole, *parts]


def test_a_variant_far_behind_the_best_one_gets_no_grid() -> None:
    best, near, far = (Proposal(tuple(range(20 - cut))) for cut in range(3))
    guesses = [0.9, 0.91 - LIMITS.behind, 0.89 - LIMITS.behind]
    assert keep_best([best, near, far], guesses) == [best, near]


def test_proposal_below_the_threshold_gets_no_grid() -> None:
    assert keep_best([Proposal((1, 2)), Proposal((3, 4))], [LIMITS.bar - 0.01, LIMITS.bar]) == [Proposal((3, 4))]


@pytest.mark.parametrize(("spans", "is_closed", "rows"), [(0.0, True, [3]), (0.2, True, [2]), (0.0, False, [2])])
def test_rows_of_a_closed_frame_stay_together_unless_cells_are_merged(
    spans: float, is_closed: bool, rows: list[int]
) -> None:
    framed = PLAIN | {"columns_held": 1.0, "boxed": 2.0, "levels_per_row": 1.0, "spans": spans}
    features = [[framed.get(name, 0.0) for name in FEATURE_NAMES]] * 2
    word = TableWord(0, 10, 0, 10, 8, 10, "one", bold=False)
    candidates = [
        Candidate(
            tuple(range(count)),
            RuledRegion((0, 0, 10, 10 * count), [Rule(0, 10 * count, 10, 10 * count)] * is_closed),
            [TextRow(8, 10, [word] * count), TextRow(10 * count - 2, 10, [word])],
            Grid([5.0], [[]] * count),
            "ruled",
        )
        for count in (2, 3)
    ]
    chosen = choose_candidates(candidates, features, [0.74, 0.7])
    assert [len(candidate.indices) for candidate, _ in chosen] == rows


def choose_lines(scores: list[float], counts: list[int], heights: list[int] | None = None) -> list[int]:
    """Return the line counts of the chosen candidates that begin with the same line; `heights`: of their grids."""
    word = TableWord(0, 10, 0, 10, 8, 10, "one", bold=False)
    row = [PLAIN.get(name, 0.0) for name in FEATURE_NAMES]
    candidates = [
        Candidate(
            tuple(range(count)),
            RuledRegion((0, 0, 10, 10 * count)),
            [TextRow(8, 10, [word] * count)],
            Grid([5.0], [[]] * height),
            "open",
        )
        for count, height in zip(counts, heights or counts, strict=True)
    ]
    chosen = choose_candidates(candidates, [row] * len(candidates), scores)
    return [len(candidate.indices) for candidate, _ in chosen]


def test_choice_does_not_drift_to_worse_candidates_of_the_same_lines() -> None:
    scores = [0.98 - 0.01 * at for at in range(6)]
    word = TableWord(0, 10, 0, 10, 8, 10, "one", bold=False)
    row = [PLAIN.get(name, 0.0) for name in FEATURE_NAMES]
    same = [
        Candidate((0, 1), RuledRegion((0, 0, 10, 10)), [TextRow(8, 10, [word])], Grid([5.0], []), "open")
        for _ in range(len(scores))
    ]
    ((_, score),) = choose_candidates(same, [row] * len(same), scores)
    assert score == 0.98


def test_choice_takes_the_better_of_a_table_and_a_longer_one() -> None:
    assert choose_lines([0.9, 0.89], [3, 4]) == [3]
    assert choose_lines([0.8, 0.9], [3, 4]) == [4]


def test_further_lines_of_the_last_row_need_no_higher_score() -> None:
    assert choose_lines([0.8, 0.75], [3, 4], [3, 3]) == [4]
    assert choose_lines([0.8, 0.6], [3, 4], [3, 3]) == [3]


@pytest.mark.parametrize(("framed", "chosen"), [(0.0, False), (1.0, True)])
def test_empty_cells_count_against_a_table_unless_all_cells_are_ruled_off(framed: float, chosen: bool) -> None:
    features = {
        "filled": 0.4,
        "single_rows": 0.8,
        "columns_held": framed,
        "boxed": 2 * framed,
        "levels_per_row": framed,
    }
    assert is_chosen(**features) == chosen


def test_repeated_head_counts_against_a_table() -> None:
    assert not is_chosen(repeated_heads=1)
    assert is_chosen(score=0.9, repeated_heads=1)
