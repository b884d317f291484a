"""Usage by day and by hour: every day and hour is there, each organisation sees its own."""

from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

from quire.storage.queue.publish import finish
from quire.storage.queue.usage_by_key import current_month
from quire.storage.queue.usage_over_time import HOURS, usage_by_day, usage_by_hour
from quire.storage.store import Store
from tests.storage.scenes import ACME, claim, submit, success, worker


def read(store: Store, pages: int) -> None:
    submit(store)
    finish(store, [success(claim(worker(store)), pages=pages)])


def test_usage_by_day_lists_every_day_of_the_month_with_its_pages(store: Store) -> None:
    read(store, 7)
    read(store, 5)
    month = current_month(store.db)
    days = usage_by_day(store.db, ACME, month)
    assert [one.day for one in days] == [month + timedelta(days=number) for number in range(len(days))]
    assert (days[-1].day + timedelta(days=1)).day == 1
    assert [(one.documents, one.pages) for one in days if one.documents] == [(2, 12)]


def test_usage_by_hour_covers_the_last_day_only(store: Store) -> None:
    read(store, 7)
    with store.db.autocommit() as conn:
        conn.execute("update meter set at = at - interval '25 hours'")
    assert sum(one.pages for one in usage_by_hour(store.db, ACME)) == 0
    read(store, 3)
    hours = usage_by_hour(store.db, ACME)
    assert len(hours) == HOURS
    assert {later.hour - one.hour for one, later in pairwise(hours)} == {timedelta(hours=1)}
    assert sum(one.pages for one in hours[-2:]) == 3


def test_usage_of_other_organisations_is_hidden(store: Store) -> None:
    read(store, 7)
    stranger = replace(ACME, org="elsewhere")
    assert sum(one.pages for one in usage_by_day(store.db, stranger, current_month(store.db))) == 0
    assert sum(one.pages for one in usage_by_hour(store.db, stranger)) == 0
