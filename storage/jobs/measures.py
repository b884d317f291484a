"""Metrics for operators, computed in SQL, so that every replica answers alike. Labels come from closed sets only.

Ended work is read from rising counters (`storage/queue/counters.py`); current work is counted, over tables that stay
small or through partial indexes. Names no tenant, no key, no file.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from quire.storage.postgres.database import Database
from quire.storage.queue.counters import DELIVERIES, DOCUMENTS, ERRORS, JOBS, PAGES, ROUTES, WARNINGS

LabelledValues = Sequence[tuple[tuple[str, ...], float]]


@dataclass(frozen=True, slots=True)
class Measure:
    """One metric: a counter if it `rises`, else a gauge. `values` pair label values with a number."""

    name: str
    text: str
    labels: tuple[str, ...] = ()
    rises: bool = False
    values: LabelledValues = ()


def counter_query(name: str) -> str:
    """Return the query of a counter."""
    return f"""select label as l1, sum(value) as value
      from (select * from counters union all select name, label, value from counter_deltas) as both_tables
      where name = '{name}' group by 1"""


_PLAN: tuple[tuple[str, str, tuple[str, ...], bool, str], ...] = (
    ("quire_queue_tasks", "Documents waiting or being read.", ("state",), False,
     """select s.state as l1, count(t.document_id) as value
        from (values ('queued'), ('running')) as s(state) left join tasks t on t.state = s.state group by 1"""),
    ("quire_queue_oldest_seconds", "Age of the document that has waited longest.", (), False,
     """select coalesce(extract(epoch from clock_timestamp() - min(enqueued_at)), 0) as value
        from tasks where state = 'queued' and available_at <= clock_timestamp()"""),
    ("quire_documents_total", "Documents by status.", ("status",), True,
     counter_query(DOCUMENTS)),
    ("quire_document_errors_total", "Failed documents by error code.", ("code",), True,
     counter_query(ERRORS)),
    ("quire_document_warnings_total", "Documents by codes of their warnings, such as step-failed.",
     ("code",), True, counter_query(WARNINGS)),
    ("quire_pages_total", "Pages metered.", (), True, counter_query(PAGES)),
    ("quire_pages_by_route_total", "Pages read by route.", ("route",), True,
     counter_query(ROUTES)),
    ("quire_stage_seconds", "Seconds per stage of documents finished in the last five minutes (of at most 1,000).",
     ("stage", "quantile"), False,
     """with recent as (select d.started_at - d.created_at as queue, d.finished_at - d.started_at as reading
          from (select document_id from events order by seq desc limit 1000) as e
            join documents d on d.id = e.document_id
          where d.started_at is not null and d.finished_at > clock_timestamp() - interval '5 minutes')
        select s.stage as l1, q.q::text as l2, extract(epoch from percentile_cont(q.q) within group (order by
          case s.stage when 'queue' then r.queue else r.reading end)) as value
        from recent r, (values ('queue'), ('reading')) as s(stage), (values (0.5), (0.95)) as q(q)
        group by 1, 2, q.q"""),
    ("quire_jobs_total", "Jobs by status.", ("status",), True,
     counter_query(JOBS)),
    ("quire_quota_pages", "Pages of this month's quota.", ("kind",), False,
     """select k.kind as l1, coalesce(sum(case k.kind when 'used' then q.used else q.reserved end), 0) as value
        from (values ('used'), ('reserved')) as k(kind) left join (
          select month, used, reserved from quota union all select month, used, reserved from quota_deltas) as q
          on q.month = date_trunc('month', clock_timestamp())::date group by 1"""),
    ("quire_webhook_deliveries", "Deliveries: pending now, delivered and failed so far.", ("state",), False,
     f"""select 'pending' as l1, count(*) as value from deliveries where state = 'pending'
         union all {counter_query(DELIVERIES)}"""),
    ("quire_webhook_lag_seconds", "Delay of the most overdue delivery.", (), False,
     """select coalesce(greatest(extract(epoch from clock_timestamp() - min(next_attempt_at)), 0), 0) as value
        from deliveries where state = 'pending'"""),
    ("quire_target_documents", "Documents that targets wait for, and those that they refused.", ("state",), False,
     """select s.state as l1, count(r.state) as value from (values ('pending'), ('refused')) as s(state) left join (
          select 'refused' as state from target_documents where refused_at is not null union all
          select 'pending' from target_documents where wanted > done and refused_at is null) as r
          on r.state = s.state group by 1"""),
    ("quire_target_lag_seconds", "Time for which a target waits for its oldest pending document.", (), False,
     """select coalesce(extract(epoch from clock_timestamp() - min(wanted_at)), 0) as value
        from target_documents where wanted > done and refused_at is null"""),
    ("quire_targets", "Targets by state; failing: cannot be reached.", ("state",), False,
     """select s.state as l1, count(t.id) as value
        from (values ('active'), ('paused'), ('failing')) as s(state) left join targets t
          on s.state = case when t.paused then 'paused' when t.failing_since is not null then 'failing'
                       else 'active' end group by 1"""),
    ("quire_sources", "Sources by state; failed: the last sync ended with an error.", ("state",), False,
     """select s.state as l1, count(r.id) as value
        from (values ('idle'), ('waiting'), ('running'), ('failed')) as s(state) left join (
          select id, case when lease_until > clock_timestamp() then 'running' when wanted_at is not null then 'waiting'
                     when sync_error is not null then 'failed' else 'idle' end as state from sources) as r
          on r.state = s.state group by 1"""),
    ("quire_audit_unsealed", "Acts not yet in their chain.", (), False,
     "select count(*) as value from audit where hash is null"),
    ("quire_purges_waiting", "Deleted documents not yet erased.", (), False, "select count(*) as value from purges"),
    ("quire_database_oldest_transaction_seconds", "Age of the oldest open transaction, which holds back vacuum.", (),
     False, """select coalesce(max(extract(epoch from clock_timestamp() - xact_start)), 0) as value
               from pg_stat_activity where datname = current_database() and xact_start is not null"""),
)  # fmt: skip


def measure(db: Database) -> list[Measure]:
    """Return all metrics now; one statement each."""
    measured = []
    for name, text, labels, rises, query in _PLAN:
        rows = db.read(lambda conn, query=query: conn.execute(query.encode()).fetchall())  # type: ignore[misc]
        keys = [f"l{number}" for number in range(1, len(labels) + 1)]
        values = [(tuple(str(row[key]) for key in keys), float(row["value"] or 0)) for row in rows]
        measured.append(Measure(name, text, labels, rises, values))
    return measured
