"""Pages of a known order, as `make bench SUITE=order` has them: what is read whole today stays so."""

import pytest

from tests.lab.bench.reading.bench_order import KINDS, judge_kind, score_order

AMBIGUOUS = {"title between"}
"""A title that ends before the gutter may be the left column's: the columns beside it are then read first."""


def test_an_order_is_scored_by_neighbours_and_by_pairs() -> None:
    assert score_order([0, 1, 2], 3) == (1.0, 1.0)
    assert score_order([1, 0, 2], 3) == (0.0, 2 / 3)
    assert score_order([0, 1], 3) == (0.5, 1 / 3)


@pytest.mark.parametrize("kind", sorted(KINDS.keys() - AMBIGUOUS))
def test_pages_of_every_kind_are_read_in_their_order(kind: str) -> None:
    neighbours, pairs = judge_kind(kind, pages=2)
    assert pairs == 1.0
    assert neighbours == 1.0


@pytest.mark.parametrize("kind", sorted(KINDS.keys() - AMBIGUOUS))
def test_pages_from_right_to_left_are_read_in_their_order(kind: str) -> None:
    assert judge_kind(kind, pages=1, mirrored=True) == (1.0, 1.0)
