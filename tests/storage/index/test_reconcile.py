"""Index and SQL are brought together: strangers leave after a grace time, the missing come back."""

from quire.storage.access.tenants import move_tenant
from quire.storage.index.reconcile import IndexReconciler
from quire.storage.review.republish import find_shown, reserve_attempt, show_rescanned
from quire.storage.values.errors import StoreUnavailable
from quire.storage.values.rows import DocumentId, Scope
from tests.storage.index.library import Library, entries
from tests.storage.scenes import ACME


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def reconciler(library: Library, texts: dict[str, list[str]], clock: Clock) -> IndexReconciler:
    def reindex(scope: Scope, document_id: DocumentId, attempt: int) -> int:
        found = texts.get(document_id, [])
        if found:
            library.writer.write([entries(scope, document_id, attempt, found)])
        return len(found)

    return IndexReconciler(library.store.db, library.writer, reindex, chunker="1/254/32/64", grace_s=60, clock=clock)


def fail(scope: Scope, document_id: DocumentId, attempt: int) -> int:
    raise StoreUnavailable("down")


def test_unpublished_rows_are_deleted_after_the_grace_time(library: Library) -> None:
    kept, clock = library.publish("apples"), Clock()
    stale = (kept.document_id, kept.attempt + 1)
    library.writer.write([entries(ACME, kept.document_id, kept.attempt + 1, ["apples"])])
    passes = reconciler(library, {}, clock)
    assert (passes.run().waiting, passes.run().retired) == ([stale], [])
    clock.now = 61
    assert passes.run().retired == [stale]
    assert list(library.writer.generations()) == [(kept.document_id, kept.attempt)]


def test_rows_of_a_document_being_worked_on_are_left_alone(library: Library) -> None:
    clock = Clock()
    claimed = library.claim()
    library.index(claimed, "apples")
    passes = reconciler(library, {}, clock)
    passes.run()
    clock.now = 61
    assert passes.run().retired == []
    library.finish(claimed)
    assert passes.run() == passes.run()
    assert len(library.ask("apples")) == 1


def test_moved_documents_are_found_by_their_new_owner_only(library: Library) -> None:
    moved, clock = library.publish("apples"), Clock()
    passes = reconciler(library, {moved.document_id: ["apples"]}, clock)
    assert passes.run_when_due() is not None
    assert passes.run_when_due() is None  # not for an hour
    move_tenant(library.store.db, ACME.tenant, "zeta")
    zeta = Scope(tenant="zeta")
    found = passes.run_when_due()
    assert found is not None
    assert found.missing == [moved.document_id]
    assert [hit.document_id for hit in library.ask("apples", scope=zeta)] == [moved.document_id]
    assert library.ask("apples") == []
    assert set(library.writer.table.scopes()) == {"zeta/default"}
    assert passes.run().missing == []


def test_published_document_without_rows_is_indexed_again(library: Library) -> None:
    claimed, empty = library.claim(), library.claim()
    library.finish(claimed, 2)
    library.finish(empty, 7)
    passes = reconciler(library, {claimed.document_id: ["apples here", "apples there"]}, Clock())
    assert sorted(passes.run().missing) == sorted([claimed.document_id, empty.document_id])
    assert len(library.ask("apples")) == 2
    assert passes.run().missing == []


def test_a_republished_document_is_found_all_the_time(library: Library) -> None:
    claimed, clock = library.publish("apples"), Clock()
    shown = find_shown(library.store.db, claimed.document_id)
    attempt = reserve_attempt(library.store.db, shown)
    assert attempt is not None
    assert show_rescanned(library.store.db, shown, attempt, {}, [])
    assert len(library.ask("apples")) == 1  # of the replaced attempt
    failing = IndexReconciler(library.store.db, library.writer, fail, chunker="1/254/32/64", grace_s=60, clock=clock)
    failing.run()
    clock.now = 61
    assert failing.run().retired == []
    assert len(library.ask("apples")) == 1
    reconciler(library, {claimed.document_id: ["apples", "more apples"]}, clock).run()
    assert len(library.ask("apples")) == 2
    later = reconciler(library, {}, clock)
    later.run()
    clock.now = 130
    assert later.run().retired == [(claimed.document_id, claimed.attempt)]
