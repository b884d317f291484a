"""Admission far below the quota, which waits for no row."""

import pytest

from quire.storage.queue.usage import AMPLE_PAGES, admit, has_ample_room
from quire.storage.store import Store
from quire.storage.values.rows import PageQuota


@pytest.mark.parametrize(("limit", "is_ample"), [(None, True), (AMPLE_PAGES + 12, True), (AMPLE_PAGES + 11, False)])
def test_room_counts_folded_and_unfolded_reservations(store: Store, limit: int | None, is_ample: bool) -> None:
    with store.db.transaction() as conn:
        admit(conn, PageQuota(max_pages_per_month=100), 4)
        admit(conn, PageQuota(max_pages_per_month=None), 5)  # a delta
    with store.db.transaction() as conn:
        assert has_ample_room(conn, PageQuota(max_pages_per_month=limit), 3) is is_ample


def test_admission_with_ample_room_does_not_wait_for_the_row_of_the_month(store: Store) -> None:
    quota = PageQuota(max_pages_per_month=10 * AMPLE_PAGES)
    with store.db.transaction() as first:
        admit(first, quota, 1)  # holds the row until its commit
        with store.db.transaction() as second:
            second.execute("set local statement_timeout = '5s'")
            assert has_ample_room(second, quota, 1)
