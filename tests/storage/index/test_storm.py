"""A small storm of updates and searches; `storm.py` runs the large one."""

from tests.storage.index.library import Library
from tests.storage.index.storm import run_storm


def test_no_hit_is_unpublished_foreign_or_unresolvable_during_changes(library: Library) -> None:
    ledger = run_storm(library, 120, seed=7)
    assert ledger.wrong == []
    assert ledger.hits > 0
