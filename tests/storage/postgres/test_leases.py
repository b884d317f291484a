"""One holder at a time, by the database's clock."""

from quire.storage.postgres.leases import RoleLease
from quire.storage.store import Store


def lapse(store: Store) -> None:
    with store.db.autocommit() as conn:
        conn.execute("update role_leases set lease_until = now() - interval '1 second'")


def test_only_one_candidate_holds_a_role(store: Store) -> None:
    first, second = (RoleLease(store.db, "janitor", name, 30) for name in ("one", "two"))
    assert first.acquire()
    assert first.acquire()
    assert not second.acquire()
    assert RoleLease(store.db, "index", "two", 30).acquire()


def test_expired_role_lease_changes_holder_with_a_higher_fence(store: Store) -> None:
    first, second = (RoleLease(store.db, "janitor", name, 30) for name in ("one", "two"))
    first.acquire()
    lapse(store)
    assert second.acquire()
    assert second.fence == first.fence + 1
    assert not first.renew()
    assert second.renew()


def test_expired_role_lease_is_not_renewed_but_acquired_again(store: Store) -> None:
    lease = RoleLease(store.db, "janitor", "one", 30)
    lease.acquire()
    lapse(store)
    assert not lease.renew()
    assert lease.acquire()
    assert lease.fence == 2


def test_a_released_role_is_free_and_a_strangers_release_does_nothing(store: Store) -> None:
    first, second = (RoleLease(store.db, "janitor", name, 30) for name in ("one", "two"))
    first.acquire()
    second.release()
    assert not second.acquire()
    first.release()
    assert second.acquire()
