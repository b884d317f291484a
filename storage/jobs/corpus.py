"""All published trees of one organisation in one order, for exports."""

from collections.abc import Iterator
from dataclasses import dataclass

from quire.storage.postgres.database import Database
from quire.storage.values.rows import DocumentId, Scope
from quire.storage.values.scoping import OWNED, owned_by

_PAGE = 5_000  # documents listed in one statement


@dataclass(frozen=True, slots=True)
class CorpusTree:
    """A published attempt and the chunker version that produced its chunks."""

    document_id: DocumentId
    attempt: int
    chunker: str | None


def list_corpus(db: Database, scope: Scope, job_id: str | None = None) -> Iterator[CorpusTree]:
    """Yield trees, oldest job first and in order of submission within a job.

    With `job_id` only those of that job; a foreign job yields none.
    """
    after = (0, 0)  # jobs count from one
    while rows := db.fetch_all(
        f"""select d.id, d.published_attempt, d.chunker, d.position, j.seq from documents d
            join jobs j on j.id = d.job_id and {OWNED}
            where d.status = 'succeeded' and d.published_attempt is not null and d.deleted_at is null
              and (j.seq, d.position) > (%(seq)s, %(position)s)
              and (%(job_id)s::text is null or d.job_id = %(job_id)s)
            order by j.seq, d.position limit {_PAGE}""",
        owned_by(scope, seq=after[0], position=after[1], job_id=job_id),
    ):
        after = (rows[-1]["seq"], rows[-1]["position"])
        yield from (CorpusTree(DocumentId(row["id"]), row["published_attempt"], row["chunker"]) for row in rows)
