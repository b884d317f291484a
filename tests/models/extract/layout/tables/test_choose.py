"""The choice among candidates: labels of charts and tables of contents are aligned as tables are, and are none."""

import pytest

from models.extract.layout.tables.grid import Grid
from models.extract.layout.tables.regions.glance import LIMITS, keep_best
from models.extract.layout.tables.regions.propose import Proposal
from models.extract.layout.tables.rules import RuledRegion
from models.extract.layout.tables.scoring.candidates import Candidate
from models.extract.layout.tables.scoring.choose import choose_candidates
from models.extract.layout.tables.scoring.features import FEATURE_NAMES
from models.extract.layout.tables.words import TableWord, TextRow

GRID = Grid([5.0], [])
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
def test_labels_of_charts_and_lists_of_titles_with_pages_are_no_tables(features: dict[str, float]) -> None:
    assert not is_chosen(**features)


def test_what_looks_like_a_table_through_and_through_stays_one_beside_a_few_curves() -> None:
    assert is_chosen(score=0.9, shapes=4, filled=0.7)


def test_variants_of_one_table_leave_room_for_the_next_one_on_the_page() -> None:
    variants = [Proposal(tuple(range(start, 30))) for start in range(2 * LIMITS.most)]
    other = Proposal(tuple(range(40, 50)))
    kept = keep_best([*variants, other], [0.9 - 0.01 * at for at in range(len(variants))] + [0.2])
    assert kept == [*variants[: LIMITS.crowd], other]


def test_what_is_guessed_under_the_bar_gets_no_grid() -> None:
    assert keep_best([Proposal((1, 2)), Proposal((3, 4))], [LIMITS.bar - 0.01, LIMITS.bar]) == [Proposal((3, 4))]


@pytest.mark.parametrize(("spans", "rows"), [(0.0, [3]), (0.2, [2])])
def test_rows_of_one_frame_go_together_unless_cells_of_it_are_merged(spans: float, rows: list[int]) -> None:
    framed = PLAIN | {"columns_held": 1.0, "boxed": 2.0, "levels_per_row": 1.0, "spans": spans}
    features = [[framed.get(name, 0.0) for name in FEATURE_NAMES]] * 2
    word = TableWord(0, 10, 0, 10, 8, 10, "one", bold=False)
    candidates = [
        Candidate(
            tuple(range(count)), RuledRegion((0, 0, 10, 10 * count)), [TextRow(8, 10, [word] * count)], GRID, "ruled"
        )
        for count in (2, 3)
    ]
    chosen = choose_candidates(candidates, features, [0.74, 0.65])
    assert [len(candidate.indices) for candidate, _ in chosen] == rows
