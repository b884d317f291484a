"""Pages: reserved at intake, grown with the count, settled at the end, in the month in which each happened."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import psycopg
import pytest

from quire.storage.queue.publish import finish
from quire.storage.queue.usage import MonthUsage, check_clock, fold_quota, month_usage, reserve_pages
from quire.storage.store import Store
from quire.storage.values.errors import LostLease, QuotaExceeded
from quire.storage.values.rows import Claim, Failed, PageQuota
from tests.lab.bench.statements import count_statements
from tests.storage.scenes import claim, expire, submit, success, worker

TEN = PageQuota(max_pages_per_month=10)


def test_a_reservation_grows_with_the_count_and_settles_at_the_end(store: Store) -> None:
    submit(store, quota=TEN)
    taken = claim(worker(store))
    reserve_pages(store.db, taken, 7, TEN)
    assert month_usage(store.db) == MonthUsage(used=0, reserved=7)
    finish(store, [success(taken, pages=7)])
    assert month_usage(store.db) == MonthUsage(used=7, reserved=0)


def test_refused_reservation_leaves_the_quota_unchanged(store: Store) -> None:
    submit(store, 2, quota=TEN)
    taken = claim(worker(store))
    with pytest.raises(QuotaExceeded):
        reserve_pages(store.db, taken, 10, TEN)
    assert month_usage(store.db) == MonthUsage(used=0, reserved=2)
    reserve_pages(store.db, taken, 9, TEN)
    finish(store, [Failed(claim=taken, error="page-quota")])
    assert month_usage(store.db) == MonthUsage(used=0, reserved=1)


def test_a_smaller_count_reserves_nothing_back(store: Store) -> None:
    submit(store, quota=TEN)
    taken = claim(worker(store))
    reserve_pages(store.db, taken, 5, TEN)
    reserve_pages(store.db, taken, 2, TEN)
    assert month_usage(store.db).reserved == 5


def test_reservations_side_by_side_never_pass_the_limit(store: Store) -> None:
    submit(store, 12, quota=PageQuota(max_pages_per_month=40))
    taken = [claim(worker(store)) for _ in range(12)]

    def reserve(one: Claim) -> bool:
        try:
            reserve_pages(store.db, one, 4, PageQuota(max_pages_per_month=40))
        except QuotaExceeded:
            return False
        return True

    with ThreadPoolExecutor(6) as pool:
        fitted = list(pool.map(reserve, taken))
    assert month_usage(store.db).reserved == 12 + 3 * sum(fitted) == 39  # nine of twelve fit
    kept = store.db.fetch_all("select sum(reserved_pages)::int as pages from documents")
    assert kept == [{"pages": 39}]


@pytest.mark.parametrize("quota", [PageQuota(max_pages_per_month=10_000), PageQuota(max_pages_per_month=None)])
def test_far_from_the_limit_a_reservation_is_one_statement(
    store: Store, quota: PageQuota, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit(store, quota=quota)
    taken = claim(worker(store))
    monkeypatch.setattr(psycopg.Cursor, "execute", psycopg.Cursor.execute)  # both as they were, at the end
    monkeypatch.setattr(psycopg.Connection, "_exec_command", psycopg.Connection._exec_command)
    said = count_statements()
    reserve_pages(store.db, taken, 20, quota)
    reserve_pages(store.db, taken, 20, quota)
    assert sum(said.values()) == 2
    assert month_usage(store.db).reserved == 20


def test_a_lost_lease_reserves_nothing(store: Store) -> None:
    submit(store, quota=TEN)
    stale = claim(worker(store))
    expire(store, stale.document_id)
    claim(worker(store))
    with pytest.raises(LostLease):
        reserve_pages(store.db, stale, 5, TEN)
    assert month_usage(store.db).reserved == 1


def test_last_months_reservation_is_released_there_and_used_here(store: Store) -> None:
    submit(store)
    taken = claim(worker(store))
    with store.db.autocommit() as conn:
        conn.execute("update documents set reserved_month = reserved_month - interval '1 month'")
        conn.execute("update quota_deltas set month = month - interval '1 month'")
    reserve_pages(store.db, taken, 4, TEN)
    finish(store, [success(taken, pages=4)])
    assert month_usage(store.db) == MonthUsage(used=4, reserved=0)
    fold_quota(store.db)
    rows = store.db.fetch_all("select used, reserved from quota order by month")
    assert rows == [{"used": 0, "reserved": 0}, {"used": 4, "reserved": 0}]


def test_folding_changes_no_sum_and_empties_the_deltas(store: Store) -> None:
    submit(store, 5)
    queue = worker(store)
    finish(store, [success(claim(queue)), success(claim(queue))])
    before = month_usage(store.db)
    fold_quota(store.db)
    fold_quota(store.db)
    assert month_usage(store.db) == before == MonthUsage(used=4, reserved=3)
    assert store.db.fetch_all("select * from quota_deltas") == []


def test_a_clock_set_back_cannot_hide(store: Store) -> None:
    first = check_clock(store.db)
    with store.db.autocommit() as conn:
        conn.execute("update watermarks set at = at + interval '90 days'")
    assert check_clock(store.db) == pytest.approx(first + timedelta(days=90), abs=timedelta(seconds=1))


def test_the_newest_audit_row_is_a_time_seen_too(store: Store) -> None:
    submit(store)
    first = check_clock(store.db)
    with store.db.autocommit() as conn:
        conn.execute("update audit set at = at + interval '5 days'")
    assert check_clock(store.db) > first + timedelta(days=4)
