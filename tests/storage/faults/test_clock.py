"""The database's clock jumps: nothing is lost or ended twice, and a living reader keeps its lease."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from quire.storage.access.api_keys import add_key
from quire.storage.postgres.leases import RoleLease
from quire.storage.postgres.schema import migrate
from quire.storage.queue.clock import heal_clock
from quire.storage.queue.publish import finish
from quire.storage.queue.queue import Queue
from quire.storage.store import Store, open_store
from quire.storage.upkeep.deployment import note_backup
from quire.storage.upkeep.erase import purge_some
from quire.storage.upkeep.erasure import list_copies
from quire.storage.upkeep.retention import delete_expired
from quire.storage.values.errors import Conflict
from quire.storage.values.rows import Beat, Claim
from quire.storage.values.states import Phase
from tests.conftest import SIGNING_KEY
from tests.postgres import TestServer
from tests.storage.clock import DatabaseClock
from tests.storage.index.library import Library
from tests.storage.scenes import ACME, claim, submit, success, worker

LEASE_S, DELAY_S, HOUR_S = 30.0, 60.0, 3600.0


@pytest.fixture
def empty(postgres_server: TestServer) -> Iterator[str]:
    with postgres_server.empty_database() as dsn:
        yield dsn


@pytest.fixture
def clock(empty: str) -> DatabaseClock:
    clock = DatabaseClock(empty)
    migrate(empty)
    return clock


@pytest.fixture
def store(empty: str, clock: DatabaseClock, tmp_path: Path) -> Iterator[Store]:
    opened = open_store(empty, tmp_path / "workdir", signing_key=SIGNING_KEY)
    yield opened
    opened.close()


def heal(store: Store) -> int:
    return heal_clock(store.db, lease_s=LEASE_S, delay_s=DELAY_S)


def ended(store: Store) -> tuple[int, int]:
    rows = store.db.fetch_all("select count(*) as n, (select count(*) from meter) as metered from documents"
                              " where status = 'succeeded'")  # fmt: skip
    return rows[0]["n"], rows[0]["metered"]


def test_an_hour_ahead_costs_a_start_and_the_document_ends_once(store: Store, clock: DatabaseClock) -> None:
    submit(store)
    first = claim(worker(store))
    clock.jump(HOUR_S)
    second = claim(worker(store))
    assert second.document_id == first.document_id
    assert finish(store, [success(first)]) == [False]
    assert finish(store, [success(second)]) == [True]
    assert ended(store) == (1, 1)


def test_an_hour_back_keeps_no_queued_document_waiting(store: Store, clock: DatabaseClock) -> None:
    submit(store, 3)
    clock.jump(-HOUR_S)
    assert worker(store).claim() is None
    assert heal(store) == 3
    assert worker(store).claim() is not None


def test_an_hour_back_keeps_no_dead_readers_document_for_an_hour(store: Store, clock: DatabaseClock) -> None:
    submit(store)
    claim(worker(store))
    clock.jump(-HOUR_S)
    assert heal(store) == 1
    left = store.db.fetch_all("select extract(epoch from lease_until - clock_timestamp())::float8 as s from tasks")
    assert 0 < left[0]["s"] <= LEASE_S


def test_an_hour_back_takes_nothing_from_a_living_reader(store: Store, clock: DatabaseClock) -> None:
    submit(store)
    taken = claim(worker(store))
    clock.jump(-HOUR_S)
    heal(store)
    assert worker(store).claim() is None
    assert finish(store, [success(taken)]) == [True]


def test_a_clock_that_did_not_jump_is_left_alone(store: Store, clock: DatabaseClock) -> None:
    submit(store, 2)
    queue = worker(store)
    failed = claim(queue)
    claim(queue)
    queue.retry(failed, "internal", "waits for its second start")
    before = store.db.fetch_all("select * from tasks order by document_id")
    assert heal(store) == 0
    assert store.db.fetch_all("select * from tasks order by document_id") == before


@pytest.mark.parametrize("hours", [1, -1])
def test_a_role_changes_hands_after_a_jump_and_its_old_holder_knows(
    store: Store, clock: DatabaseClock, hours: int
) -> None:
    first, second = (RoleLease(store.db, "janitor", name, 30) for name in ("one", "two"))
    assert first.acquire()
    clock.jump(hours * HOUR_S)
    assert second.acquire()
    assert second.fence == first.fence + 1
    assert not first.renew()


def beat(queue: Queue, taken: Claim) -> bool:
    """Renew the lease and return whether the reader still holds it."""
    told = Beat(document_id=taken.document_id, attempt=taken.attempt, phase=Phase.READING, pages_done=0, pages_total=2)
    return not queue.beat([told])


@pytest.mark.parametrize("seed", range(20))
def test_every_document_ends_once_under_random_jumps(store: Store, clock: DatabaseClock, seed: int) -> None:
    chance = random.Random(seed)
    readers = [worker(store) for _ in range(3)]
    held: list[tuple[Queue, Claim]] = []
    submit(store, 12)
    for _ in range(60):
        step = chance.choice(["claim", "claim", "beat", "finish", "jump", "heal"])
        if step == "jump":
            clock.jump(chance.choice([-86_400.0, -HOUR_S, -40.0, -5.0, 5.0, 40.0, HOUR_S, 86_400.0]))
        elif step == "heal":
            heal(store)
        elif step == "claim":
            queue = chance.choice(readers)
            held += [(queue, taken)] if (taken := queue.claim()) else []
        elif held and step == "beat":
            queue, taken = chance.choice(held)
            beat(queue, taken)
        elif held:
            _, taken = held.pop(chance.randrange(len(held)))
            finish(store, [success(taken)])
    for _, taken in held:
        finish(store, [success(taken)])
    heal(store)
    while taken := readers[0].claim():
        finish(store, [success(taken)])
    assert ended(store) == (12, 12)
    told = store.db.fetch_all("select count(*) as n from events where kind = 'document.finished'")
    assert told[0]["n"] == 12


@pytest.mark.parametrize("seed", range(20))
def test_a_living_reader_keeps_its_document_when_set_back(store: Store, clock: DatabaseClock, seed: int) -> None:
    chance = random.Random(seed)
    reader, other = worker(store), worker(store)
    submit(store)
    taken = claim(reader)
    for _ in range(8):
        clock.jump(-chance.uniform(1, 2 * HOUR_S))
        if chance.random() < 0.5:
            heal(store)
        assert other.claim() is None
        assert beat(reader, taken)
        clock.jump(chance.uniform(0, LEASE_S - 5))  # time passes until the next heartbeat
    assert finish(store, [success(taken)]) == [True]
    assert ended(store) == (1, 1)


def test_a_key_ends_by_the_database_clock(store: Store, clock: DatabaseClock) -> None:
    add_key(store.db, "acme", "read", b"first", days=1)
    clock.jump(23 * HOUR_S)
    with pytest.raises(Conflict):
        add_key(store.db, "acme", "read", b"second", days=1)
    clock.jump(2 * HOUR_S)
    add_key(store.db, "acme", "read", b"second", days=1)


def test_a_document_past_its_retention_is_deleted_everywhere(
    store: Store, clock: DatabaseClock, empty: str, tmp_path: Path
) -> None:
    library = Library(store, str(tmp_path / "index"), tmp_path / "words")
    old = library.publish("apples")
    note_backup(empty, Path("/srv/backup"))
    clock.jump(6 * 24 * HOUR_S)
    recent = library.publish("apples")
    assert delete_expired(store.db, 7) == 0
    clock.jump(2 * 24 * HOUR_S)
    assert delete_expired(store.db, 7) == 1
    assert purge_some(store, erase_index=library.writer.erase) == 1
    assert {hit.document_id for hit in library.ask("apples")} == {recent.document_id}
    assert set(library.writer.generations()) == {(recent.document_id, recent.attempt)}
    assert not [path for path in tmp_path.rglob("*") if old.document_id in str(path)]
    assert [place.id for place in list_copies(store.db, ACME, [old.document_id])] == ["/srv/backup"]
    library.close()
