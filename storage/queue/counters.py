"""Counters of ended documents and jobs, kept by the transactions that end them, so that no query counts old rows.

A transaction only inserts deltas: a row that all of them updated would stay locked until each commit is on disk.
The janitor folds deltas into totals; a reader adds what is not folded yet, in one statement.
"""

from quire.storage.postgres.database import Database

DOCUMENTS, ERRORS, PAGES, ROUTES, JOBS = "documents", "errors", "pages", "routes", "jobs"
WARNINGS = "warnings"
DELIVERIES = "deliveries"

# Deltas of the documents in `ended` (see `ending.py`).
COUNT_DOCUMENTS = f"""
insert into counter_deltas (name, label, value)
select '{DOCUMENTS}', status, count(*) from ended group by status
union all select '{ERRORS}', error, count(*) from ended where error is not null group by error
union all select '{PAGES}', '', sum(metered) from ended where status = 'succeeded' having sum(metered) > 0
union all select '{ROUTES}', r.key, sum(r.value::bigint) from ended, jsonb_each_text(route_counts) as r
  where r.key in ('fast', 'ocr', 'vlm') group by r.key
union all select '{WARNINGS}', w.code, count(*) from ended, jsonb_array_elements_text(warnings) as w(code)
  group by w.code
"""
# Of the jobs in `ended` (ids).
COUNT_JOBS = f"""
insert into counter_deltas (name, label, value)
select '{JOBS}', j.status, count(*) from ended e join jobs j on j.id = e.id group by j.status
"""

_FOLD = """
with folded as (delete from counter_deltas returning name, label, value)
insert into counters (name, label, value) select name, label, sum(value) from folded group by name, label
on conflict (name, label) do update set value = counters.value + excluded.value
"""


def fold_counters(db: Database) -> None:
    """Fold the deltas into totals to keep their table small. A database crash may undo a fold; it is then repeated."""
    with db.transaction(durable=False) as conn:
        conn.execute(_FOLD)
