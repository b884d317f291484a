"""Searches while documents come and go: what a hit may be, checked against a ledger of what was published when.

Run at size: `python -m tests.storage.index.storm --searches 50000 --minutes 20`.
"""

import argparse
import random
import tempfile
import threading
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

from quire.models.cdom.search import SearchMode
from quire.storage.jobs.documents import locate_tree
from quire.storage.jobs.lifecycle import delete_document
from quire.storage.store import Store, open_store
from quire.storage.values.errors import NotFound
from quire.storage.values.rows import Scope
from tests.storage.index.library import Library, entries
from tests.storage.scenes import ACME, ACTOR

OTHER = Scope(tenant="zeta")
WORDS = ["apples", "ropes", "cranes", "harbour", "winter", "brakes", "measured", "twice", "north", "quay"]


@dataclass
class Ledger:
    """Documents by the moment they were about to be published and the moment their delete had returned."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    publishing: set[str] = field(default_factory=set)
    deleted: set[str] = field(default_factory=set)
    wrong: list[str] = field(default_factory=list)
    hits: int = 0
    searches: int = 0


def churn(library: Library, ledger: Ledger, seed: int, stop: threading.Event) -> None:
    """Publish, publish again, chunk again, leave unpublished, delete, erase."""
    rng = random.Random(seed)
    alive: list[tuple[str, int]] = []
    while not stop.is_set():
        claimed = library.claim(rng.choice([ACME, ACME, OTHER]))
        scope = claimed.scope  # of one left unpublished before, when its lease has run out meanwhile
        texts = [" ".join(rng.choices(WORDS, k=12)) for _ in range(rng.randint(1, 4))]
        library.index(claimed, *texts)
        library.writer.write([entries(scope, claimed.document_id, claimed.attempt + 1, texts)])
        if rng.random() < 0.3:
            continue
        ledger.publishing.add(claimed.document_id)
        library.finish(claimed, len(texts))
        if scope == ACME:
            alive.append((claimed.document_id, claimed.attempt))
        if alive and rng.random() < 0.3:
            again = " ".join(rng.choices(WORDS, k=12))
            library.writer.write([replace(entries(ACME, *rng.choice(alive), [again]), replace=True)])
        if len(alive) > 5:
            gone, _ = alive.pop(rng.randrange(len(alive)))
            delete_document(library.store.db, ACME, ACTOR, gone)
            ledger.deleted.add(gone)
            if rng.random() < 0.2:
                library.writer.erase([(ACME, gone)])


def look(library: Library, ledger: Ledger, seed: int, searches: int, until: float) -> None:
    rng = random.Random(seed)
    for _ in range(searches):
        if time.monotonic() > until:
            return
        gone = frozenset(ledger.deleted)
        hits = library.ask(" ".join(rng.choices(WORDS, k=rng.randint(1, 5))), rng.choice(list(SearchMode)))
        for hit in hits:
            _judge(library, ledger, gone, hit.job_id, hit.document_id)
        if len({(hit.document_id, hit.chunk_id) for hit in hits}) != len(hits):
            ledger.wrong.append("a chunk twice in one answer")
        with ledger.lock:
            ledger.hits += len(hits)
            ledger.searches += 1


def _judge(library: Library, ledger: Ledger, gone: frozenset[str], job_id: str, document_id: str) -> None:
    if document_id in gone:
        ledger.wrong.append(f"deleted before the question: {document_id}")
    if document_id not in ledger.publishing:
        ledger.wrong.append(f"never published: {document_id}")
    try:
        locate_tree(library.store.db, ACME, job_id, document_id)
    except NotFound:
        row = library.store.db.fetch_one(
            "select deleted_at from documents where id = %(id)s and tenant = 'acme'", {"id": document_id}
        )
        if row is None or row["deleted_at"] is None:
            ledger.wrong.append(f"does not resolve: {document_id}")


def run_storm(library: Library, searches: int, seed: int = 1, seconds: float = 3600) -> Ledger:
    """One writer thread against two searching ones, for so many searches or so long."""
    until = time.monotonic() + seconds
    ledger, stop = Ledger(), threading.Event()
    ledger.publishing.update(library.publish(*WORDS).document_id for _ in range(2))
    writer = threading.Thread(target=churn, args=(library, ledger, seed, stop))
    lookers = [threading.Thread(target=look, args=(library, ledger, seed + n, searches // 2, until)) for n in (1, 2)]
    for thread in (writer, *lookers):
        thread.start()
    for thread in lookers:
        thread.join()
    stop.set()
    writer.join()
    return ledger


def main() -> None:
    from tests.conftest import SIGNING_KEY
    from tests.postgres import test_server

    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--searches", type=int, default=50_000)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--minutes", type=float, default=60)
    options = arguments.parse_args()
    with test_server() as server, server.database() as dsn, tempfile.TemporaryDirectory() as folder:
        store: Store = open_store(dsn, Path(folder) / "work", signing_key=SIGNING_KEY)
        library = Library(store, f"{folder}/rag", Path(folder) / "rag" / "keywords")
        ledger = run_storm(library, options.searches, options.seed, options.minutes * 60)
        library.close()
        store.close()
    published, deleted = len(ledger.publishing), len(ledger.deleted)
    print(
        f"seed {options.seed}: {ledger.searches} searches, {ledger.hits} hits, {published} published, {deleted} deleted"
    )
    print(f"wrong: {len(ledger.wrong)} {ledger.wrong[:5]}")


if __name__ == "__main__":
    main()
