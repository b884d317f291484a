"""The chain: gap-free per org, in the order of commits, and any change to it is found."""

import threading

import pytest

from quire.storage.access.audit import list_audit, record, seal, verify
from quire.storage.store import Store
from quire.storage.values.errors import InvalidCursor
from quire.storage.values.rows import Actor, Scope
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
def test_tampering_is_reported_at_its_entry(store: Store, tampering: str, found_at: int) -> None:
    act(store, ACME, "a", "b", "c", "d", "e")
    seal(store.db)
    with store.db.autocommit() as conn:
        conn.execute(tampering.encode())
    assert verify(store.db, ACME) == found_at


def many_acts(store: Store, count: int) -> None:
    with store.db.transaction() as conn:
        conn.execute(
            """insert into audit (tenant, org, actor, action, object, request_id, result)
               select 'acme', 'default', 'acme:write', 'job.submitted', md5(i::text), md5((i + 1)::text), 'ok'
               from generate_series(1, %s) as i""",
            (count,),
        )


TAMPERED = {
    "changed": ("update audit set result = 'refused' where seq = 6000", 6000),
    "changed hash": ("update audit set hash = sha256(hash) where seq = 6000", 6000),
    "deleted": ("delete from audit where seq = 6000", 6000),
    "deleted and closed up": (
        "delete from audit where seq = 6000; update audit set seq = seq - 1 where seq > 6000",
        6000,
    ),
    "inserted": (
        "update audit set seq = seq + 1 where seq >= 6000; insert into audit (tenant, org, seq, actor, action, object, "
        "result, prev_hash, hash) select tenant, org, 6000, actor, action, 'x', result, prev_hash, hash from audit "
        "where seq = 6001",
        6000,
    ),
    "swapped": ("update audit set seq = case seq when 6000 then 6001 else 6000 end where seq in (6000, 6001)", 6000),
    "cut off": ("delete from audit where seq = 10000", 10_000),
    "cut off with its head": (
        "delete from audit where seq > 6000; update audit_heads set seq = 6000 where tenant = 'acme'",
        6001,
    ),
}


def test_one_of_ten_thousand_rows_that_was_tampered_with_is_found(store: Store) -> None:
    many_acts(store, 10_000)
    assert seal(store.db) == 10_000
    with store.db.autocommit() as conn:
        conn.execute("alter table audit drop constraint audit_tenant_org_seq_key")  # as who tampers would
        conn.execute("create table kept as table audit")
        conn.execute("create table kept_heads as table audit_heads")
    for how, (statements, found_at) in TAMPERED.items():
        assert verify(store.db, ACME) is None, how
        with store.db.transaction() as conn:
            for statement in statements.split(";"):
                conn.execute(statement.encode())
        assert verify(store.db, ACME) == found_at, how
        with store.db.transaction() as conn:
            conn.execute("truncate audit, audit_heads")
            conn.execute("insert into audit overriding system value select * from kept")
            conn.execute("insert into audit_heads select * from kept_heads")


def test_chain_that_grows_during_verification_is_whole(store: Store) -> None:
    growing = threading.Event()

    def grow() -> None:
        while not growing.is_set():
            act(store, ACME, "more")
            seal(store.db)

    many_acts(store, 2000)
    seal(store.db)
    thread = threading.Thread(target=grow)
    thread.start()
    try:
        assert [verify(store.db, ACME) for _ in range(20)] == [None] * 20
    finally:
        growing.set()
        thread.join()


def test_the_trail_is_paged_newest_first(store: Store) -> None:
    act(store, ACME, *"abcde")
    first = list_audit(store, ACME, limit=2)
    second = list_audit(store, ACME, limit=2, cursor=first.next_cursor)
    third = list_audit(store, ACME, limit=2, cursor=second.next_cursor)
    assert [entry.object for page in (first, second, third) for entry in page.items] == list("edcba")
    assert third.next_cursor is None
    with pytest.raises(InvalidCursor):
        list_audit(store, OTHER, cursor=first.next_cursor)
