"""Display names of jobs: the name of the first file. Rows only, always through a scope."""

from collections.abc import Sequence

from quire.storage.postgres.database import Database
from quire.storage.values.rows import JobId, Scope
from quire.storage.values.scoping import OWNED, owned_by


def name_jobs(db: Database, scope: Scope, job_ids: Sequence[str]) -> dict[JobId, str]:
    """Return the name of the first file of each job; unknown and foreign jobs are absent."""
    rows = db.fetch_all(
        f"""select distinct on (d.job_id) d.job_id, d.source_file from documents d join jobs j on j.id = d.job_id
            and {OWNED} where d.job_id = any(%(job_ids)s) order by d.job_id, d.position""",
        owned_by(scope, job_ids=list(job_ids)),
    )
    return {JobId(row["job_id"]): row["source_file"] for row in rows}
