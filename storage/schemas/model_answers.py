"""Answers of language models about stored documents, by a digest of the request; deleted with their document."""

from quire.storage.postgres.database import Database
from quire.storage.values.rows import DocumentId

MAX_ANSWERS = 100
"""Newest answers that are kept for one document."""


def find_answer(db: Database, document_id: DocumentId, digest: str) -> str | None:
    """Return the stored answer to a request, or None."""
    row = db.fetch_one(
        "select answer from model_answers where document_id = %(document)s and digest = %(digest)s",
        {"document": document_id, "digest": digest},
    )
    return str(row["answer"]) if row is not None else None


def keep_answer(db: Database, document_id: DocumentId, digest: str, answer: str) -> None:
    """Store the answer to a request; the oldest of too many are deleted. A deleted document keeps none."""
    params = {"document": document_id, "digest": digest, "answer": answer, "most": MAX_ANSWERS}
    with db.transaction() as conn:
        live = "select 1 from documents where id = %(document)s and deleted_at is null for share"
        if conn.execute(live, params).fetchone() is None:
            return
        conn.execute(
            """insert into model_answers (document_id, digest, answer)
               values (%(document)s, %(digest)s, %(answer)s) on conflict do nothing""",
            params,
        )
        conn.execute(
            """delete from model_answers where document_id = %(document)s and digest in (
                 select digest from model_answers where document_id = %(document)s
                 order by answered_at desc, digest offset %(most)s)""",
            params,
        )
