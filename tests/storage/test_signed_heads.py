"""Heads signed outside the database distinguish a rewritten chain from a whole one."""

from pathlib import Path

import pytest

from quire.storage.access import audit
from quire.storage.access.audit import list_chains, record, seal, verify
from quire.storage.access.signed_heads import HeadsForged, SignedHeads
from quire.storage.store import Store
from quire.storage.values.rows import Actor, Scope
from quire.storage.values.signing import Signer
from tests.storage.scenes import ACME

OTHER = Scope(tenant="acme", org="other")
KEY = bytes(range(32))


@pytest.fixture
def heads(tmp_path: Path) -> SignedHeads:
    return SignedHeads(tmp_path, Signer(KEY))


def act(store: Store, scope: Scope, *objects: str) -> None:
    with store.db.transaction() as conn:
        for name in objects:
            record(conn, scope, Actor(key_name="acme:admin"), "tested", name)
    seal(store.db)


def tamper(store: Store, *statements: str) -> None:
    with store.db.transaction() as conn:
        for statement in statements:
            conn.execute(statement.encode())


def chain_anew(store: Store, scope: Scope) -> None:
    """Rewrite the chain like an attacker with write access to the database and knowledge of our code."""
    tamper(store, "update audit set seq = null, prev_hash = null, hash = null", "delete from audit_heads")
    seal(store.db)
    assert verify(store.db, scope) is None


@pytest.mark.parametrize(
    "statements",
    [
        ("update audit set object = 'forged' where seq = 3",),
        ("update audit set actor = 'somebody', at = at + interval '1 s' where seq = 3",),
        ("update audit set result = 'refused' where seq = 1",),
        ("delete from audit where seq = 3",),
        ("delete from audit where seq = 5",),
        ("delete from audit where seq >= 4",),
        ("delete from audit where seq = 1",),
        ("update audit a set object = b.object from audit b where a.seq in (2, 3) and b.seq = 5 - a.seq",),
        ("update audit set tenant = 'somebody' where seq = 5",),
    ],
)
def test_chain_that_was_changed_and_rehashed_is_found(
    store: Store, heads: SignedHeads, statements: tuple[str, ...]
) -> None:
    act(store, ACME, "a", "b", "c", "d", "e")
    heads.sign(store.db)
    tamper(store, *statements)
    chain_anew(store, ACME)
    assert heads.check(store.db) == {ACME: 5}
    act(store, ACME, "f", "g")
    heads.sign(store.db)
    assert heads.check(store.db) == {ACME: 5}, "evidence is not signed over"


def test_a_chain_that_was_cut_off_with_its_head_is_found(store: Store, heads: SignedHeads) -> None:
    act(store, ACME, "a", "b", "c")
    heads.sign(store.db)
    tamper(
        store,
        "delete from audit where seq = 3",
        "update audit_heads h set seq = 2, hash = a.hash from audit a where a.seq = 2 and a.tenant = h.tenant",
    )
    assert verify(store.db, ACME) is None
    assert heads.check(store.db) == {ACME: 3}


def test_a_chain_that_was_deleted_whole_is_found(store: Store, heads: SignedHeads) -> None:
    act(store, ACME, "a")
    act(store, OTHER, "b")
    heads.sign(store.db)
    tamper(store, "delete from audit where org = 'other'", "delete from audit_heads where org = 'other'")
    assert OTHER not in list_chains(store.db)
    assert heads.check(store.db) == {OTHER: 1}


def test_a_head_signed_with_another_key_or_changed_is_not_ours(store: Store, tmp_path: Path) -> None:
    act(store, ACME, "a")
    SignedHeads(tmp_path, Signer(bytes(32))).sign(store.db)
    with pytest.raises(HeadsForged):
        SignedHeads(tmp_path, Signer(KEY)).check(store.db)
    (tmp_path / "audit" / "heads.json").write_text('{"heads": []}')
    with pytest.raises(HeadsForged):
        SignedHeads(tmp_path, Signer(KEY)).sign(store.db)


def test_whole_chain_stays_whole_when_checked_again(store: Store, heads: SignedHeads, tmp_path: Path) -> None:
    for name in "abc":
        act(store, ACME, name)
        assert heads.sign(store.db) == 1
    assert heads.sign(store.db) == 0
    assert heads.check(store.db) == {}
    assert (tmp_path / "audit" / "heads.json").stat().st_mode & 0o777 == 0o600
    assert audit.verify(store.db, ACME) is None
