"""Compares the ledger with SQL, read directly, not through our API: lost, stuck, doubled or wrongly dead work."""

import json
from dataclasses import dataclass, field
from typing import Any

import psycopg

from tests.lab.bench.results import save_results
from tests.lab.chaos.papers import Paper


@dataclass
class Verdict:
    """Each list must be empty; the names are what the promise calls them."""

    lost: list[str] = field(default_factory=list)
    good_but_failed: list[str] = field(default_factory=list)
    missing_meter: list[str] = field(default_factory=list)
    wrong_pages: list[str] = field(default_factory=list)
    duplicate_meter: int = 0
    missing_events: list[str] = field(default_factory=list)
    duplicate_events: int = 0
    tasks_left: int = 0
    jobs_with_wrong_counts: int = 0
    jobs_without_one_event: int = 0

    def ok(self) -> bool:
        return not any(vars(self).values())


def tell(report: dict[str, Any], name: str) -> int:
    """Prints a report and writes bench-results/NAME.json; the exit code."""
    save_results(name, report)
    print(json.dumps(report, indent=1))
    return 0 if report["ok"] else 1


def unfinished(dsn: str) -> int:
    """Documents, known to the ledger or not, that have no terminal state yet."""
    with psycopg.connect(dsn) as connection:
        row = connection.execute("select count(*) from documents where status in ('queued', 'running')").fetchone()
    assert row is not None
    return int(row[0])


def check(dsn: str, accepted: dict[str, Paper]) -> Verdict:
    """Everything the ledger was promised, against what the database holds."""
    verdict = Verdict()
    with psycopg.connect(dsn) as connection:
        states = _pairs(connection, "select id, status from documents")
        meter = _pairs(connection, "select document_id, sum(pages) from meter group by 1")
        events = _pairs(connection, DOCUMENT_EVENTS)
        verdict.lost = [d for d in accepted if states.get(d) not in ("succeeded", "failed")]
        errors = _pairs(connection, "select id, error || ' after ' || attempts from documents where error is not null")
        verdict.good_but_failed = [f"{d}: {errors[d]}" for d in accepted if states.get(d) == "failed"]
        succeeded = [d for d, state in states.items() if state == "succeeded"]
        verdict.missing_meter = [d for d in succeeded if d not in meter]
        verdict.wrong_pages = [d for d, paper in accepted.items() if d in meter and meter[d] != paper.pages]
        ended = [d for d, state in states.items() if state in ("succeeded", "failed")]
        verdict.missing_events = [d for d in ended if d not in events]
        verdict.duplicate_events = sum(n - 1 for n in events.values())
        verdict.duplicate_meter = _count(connection, "select count(*) - count(distinct document_id) from meter")
        verdict.tasks_left = _count(connection, "select count(*) from tasks")
        verdict.jobs_with_wrong_counts = _count(connection, WRONG_COUNTS)
        verdict.jobs_without_one_event = _count(connection, JOB_EVENTS)
    return verdict


DOCUMENT_EVENTS = "select document_id, count(*) from events where document_id is not null group by 1"

WRONG_COUNTS = """
select count(*) from jobs j where (n_queued, n_running, n_succeeded, n_failed, n_canceled) is distinct from
  (select (count(*) filter (where status = 'queued'), count(*) filter (where status = 'running'),
           count(*) filter (where status = 'succeeded'), count(*) filter (where status = 'failed'),
           count(*) filter (where status = 'canceled')) from documents d where d.job_id = j.id)
"""

JOB_EVENTS = """
select count(*) from jobs j where n_queued + n_running = 0 and
  (select count(*) from events e where e.job_id = j.id and e.document_id is null) <> 1
"""


def _pairs(connection: psycopg.Connection[tuple[Any, ...]], sql: str) -> dict[str, Any]:
    return {str(key): value for key, value in connection.execute(sql.encode()).fetchall()}


def _count(connection: psycopg.Connection[tuple[Any, ...]], sql: str) -> int:
    row = connection.execute(sql.encode()).fetchone()
    assert row is not None
    return int(row[0])
