"""The chain: gap-free per org, in the order of commits, and any change to it is found."""

import pytest

from storage.audit import list_audit, record, seal, verify
from storage.errors import InvalidCursor
from storage.rows import Actor, Scope
from storage.store import Store
from tests.storage.scenes import ACME

OTHER = Scope(tenant="acme", org="other")
ACTOR = Actor(key_name="acme:admin", request_id="req-9")


def act(store: Store, scope: Scope, *objects: str) -> None:
    with store.db.transaction() as conn:
        for name in objects:
            record(conn, scope, ACTOR, "tested", name)


def test_sealed_acts_form_one_gap_free_chain_per_org(store: Store) -> None:
    act(store, ACME, "a", "b")
    act(store, OTHER, "x")
    assert seal(store.db) == 3
    act(store, ACME, "c")
    entries = list_audit(store, ACME).items
    assert [(entry.seq, entry.object) for entry in entries] == [(3, "c"), (2, "b"), (1, "a")]
    assert [entry.prev_hash for entry in entries] == [entries[1].hash, entries[2].hash, ""]
    assert (entries[0].actor, entries[0].request_id, entries[0].result) == ("acme:admin", "req-9", "ok")
    assert [entry.object for entry in list_audit(store, OTHER).items] == ["x"]
    assert verify(store.db, ACME) is verify(store.db, OTHER) is None
    assert seal(store.db) == 0


def test_an_act_that_is_rolled_back_is_not_in_the_trail(store: Store) -> None:
    def undone() -> None:
        with store.db.transaction() as conn:
            record(conn, ACME, ACTOR, "tested", "never")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        undone()
    assert list_audit(store, ACME).items == ()


def test_the_order_is_that_of_commits(store: Store) -> None:
    with store.db.transaction() as slow:
        record(slow, ACME, ACTOR, "tested", "began first")
        act(store, ACME, "committed first")
        seal(store.db)
    assert [entry.object for entry in list_audit(store, ACME).items] == ["began first", "committed first"]
    assert verify(store.db, ACME) is None


@pytest.mark.parametrize(
    ("tampering", "found_at"),
    [
        ("update audit set object = 'forged' where seq = 3", 3),
        ("update audit set actor = 'x', at = at + interval '1 s' where seq = 3", 3),
        ("update audit set seq = 99 where seq = 3", 3),
        ("delete from audit where seq = 3", 3),
        ("delete from audit where seq = 5", 5),
        ("delete from audit where seq >= 4", 4),
        ("delete from audit", 1),
        ("update audit a set object = b.object from audit b where a.seq in (2, 3) and b.seq = 5 - a.seq", 2),
        (
            "insert into audit (tenant, org, seq, actor, action, object, result, prev_hash, hash) "
            "select tenant, org, 6, actor, action, object, result, hash, hash from audit where seq = 5",
            6,
        ),
    ],
)
def test_tampering_is_found_where_it_was_done(store: Store, tampering: str, found_at: int) -> None:
    act(store, ACME, "a", "b", "c", "d", "e")
    seal(store.db)
    with store.db.reading() as conn:
        conn.execute(tampering.encode())
    assert verify(store.db, ACME) == found_at


def test_the_trail_is_paged_newest_first(store: Store) -> None:
    act(store, ACME, *"abcde")
    first = list_audit(store, ACME, limit=2)
    second = list_audit(store, ACME, limit=2, cursor=first.next_cursor)
    third = list_audit(store, ACME, limit=2, cursor=second.next_cursor)
    assert [entry.object for page in (first, second, third) for entry in page.items] == list("edcba")
    assert third.next_cursor is None
    with pytest.raises(InvalidCursor):
        list_audit(store, OTHER, cursor=first.next_cursor)
