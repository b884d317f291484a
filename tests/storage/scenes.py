"""Small helpers to set a scene: submit documents, claim them, end them."""

from quire.models.cdom.original import ReadOptions
from quire.storage.jobs.intake import Submission, submit_job
from quire.storage.queue.queue import LeasePolicy, Queue
from quire.storage.store import Store
from quire.storage.values.ids import new_worker_id
from quire.storage.values.rows import Actor, Claim, JobRow, NewDocument, PageQuota, Scope, StoredBlob, Succeeded
from quire.storage.values.states import Priority

ACME = Scope(tenant="acme")
ACTOR = Actor(key_name="acme:write", request_id="req-1")
UNLIMITED = PageQuota(max_pages_per_month=None)


def put_blob(store: Store, content: bytes = b"%PDF-1.7") -> StoredBlob:
    writer = store.blobs.new_writer()
    writer.write(content)
    return writer.commit()


def submit(
    store: Store,
    documents: int = 1,
    *,
    scope: Scope = ACME,
    priority: Priority = Priority.JOB,
    quota: PageQuota = UNLIMITED,
    content: bytes = b"%PDF-1.7",
) -> JobRow:
    blob = put_blob(store, content)
    files = [NewDocument(name=f"{n}.pdf", blob=blob, options=ReadOptions()) for n in range(documents)]
    return submit_job(store, scope, ACTOR, Submission(files, priority=priority, quota=quota))


def worker(store: Store, policy: LeasePolicy | None = None) -> Queue:
    return Queue(store.db, new_worker_id(), policy or LeasePolicy(), store.signer)


def claim(queue: Queue) -> Claim:
    taken = queue.claim()
    assert taken is not None
    return taken


def success(taken: Claim, pages: int = 2) -> Succeeded:
    manifest = {"tree.json": {"sha256": "0" * 64, "bytes": 2}}
    return Succeeded(claim=taken, manifest=manifest, format="pdf", pages=pages, route_counts={"fast": pages})


def expire(store: Store, document_id: str) -> None:
    """As if the lease had run out: the database's clock cannot be moved, its rows can."""
    with store.db.autocommit() as conn:
        conn.execute(
            "update tasks set lease_until = now() - interval '1 second' where document_id = %s", (document_id,)
        )


def ready_now(store: Store) -> None:
    """As if every retry delay were over."""
    with store.db.autocommit() as conn:
        conn.execute("update tasks set available_at = now() where state = 'queued'")


def read_counter(store: Store, name: str) -> dict[str, float]:
    """Return the value of each label of a counter of finished work."""
    query = """select label, sum(value)::float8 as value
               from (select * from counters union all select name, label, value from counter_deltas) as both_tables
               where name = %(name)s group by label"""
    return {row["label"]: row["value"] for row in store.db.fetch_all(query, {"name": name})}
