"""Metered usage over time: pages of each day of a month, documents of each of the last hours."""

from dataclasses import dataclass
from datetime import date, datetime

from quire.storage.postgres.database import Database
from quire.storage.values.rows import Scope

HOURS = 24
"""Hours of the throughput: a whole day, so that night and day can be compared."""


@dataclass(frozen=True, slots=True)
class DayUsage:
    """Runs that succeeded on that day (UTC), and their pages."""

    day: date
    documents: int
    pages: int


@dataclass(frozen=True, slots=True)
class HourUsage:
    """Runs that succeeded in the hour that began then (UTC), and their pages."""

    hour: datetime
    documents: int
    pages: int


def usage_by_day(db: Database, scope: Scope, month: date) -> list[DayUsage]:
    """Return every day of the month, including days without usage."""
    rows = db.fetch_all(
        """select day::date as day, count(meter.document_id) as documents, coalesce(sum(pages), 0)::bigint as pages
           from generate_series(%(month)s::date, %(month)s::date + interval '1 month' - interval '1 day',
                                interval '1 day') as day
           left join meter on month = %(month)s and tenant = %(tenant)s and org = %(org)s
                and (at at time zone 'UTC')::date = day::date
           group by day order by day""",
        {"month": month, "tenant": scope.tenant, "org": scope.org},
    )
    return [DayUsage(row["day"], row["documents"], row["pages"]) for row in rows]


def usage_by_hour(db: Database, scope: Scope) -> list[HourUsage]:
    """Return the last hours, oldest first; the last one is the current, incomplete hour."""
    rows = db.fetch_all(
        """with hours as (select generate_series(date_trunc('hour', statement_timestamp()) - %(before)s * interval
                  '1 hour', date_trunc('hour', statement_timestamp()), interval '1 hour') as hour),
           done as (select date_trunc('hour', at) as hour, count(*) as documents, sum(pages) as pages from meter
                  where month >= (date_trunc('month', statement_timestamp()) - interval '1 month')::date
                    and tenant = %(tenant)s and org = %(org)s
                    and at >= date_trunc('hour', statement_timestamp()) - %(before)s * interval '1 hour'
                  group by 1)
           select hours.hour, coalesce(documents, 0) as documents, coalesce(pages, 0)::bigint as pages
           from hours left join done using (hour) order by hours.hour""",
        {"before": HOURS - 1, "tenant": scope.tenant, "org": scope.org},
    )
    return [HourUsage(row["hour"], row["documents"], row["pages"]) for row in rows]
