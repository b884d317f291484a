"""The janitor: chores on their own period, only with the lease, and none that stops the others."""

from quire.actors.background.chores import Chore, ChoreRunner
from quire.storage.values.errors import StoreUnavailable
from tests.waiting import PATIENCE_S, until


class FakeRole:
    def __init__(self, free: bool = True) -> None:
        self.free, self.released, self.fail = free, False, False

    def acquire(self) -> bool:
        if self.fail:
            raise StoreUnavailable
        return self.free

    def renew(self) -> bool:
        return self.acquire()

    def release(self) -> None:
        self.released = True


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def chores(done: list[str]) -> list[Chore]:
    return [
        Chore(name="often", every_s=1, run=lambda: done.append("often")),
        Chore(name="seldom", every_s=60, run=lambda: done.append("seldom")),
    ]


def test_each_chore_runs_on_its_own_period() -> None:
    done, clock = list[str](), Clock()
    janitor = ChoreRunner(FakeRole(), chores(done), clock=clock)
    assert janitor.turn() == ["often", "seldom"]
    clock.now += 2
    assert janitor.turn() == ["often"]
    assert janitor.turn() == []


def test_without_the_lease_nothing_is_done() -> None:
    done = list[str]()
    assert ChoreRunner(FakeRole(free=False), chores(done)).turn() == []
    assert done == []


def test_a_lost_database_is_survived() -> None:
    role, done = FakeRole(), list[str]()
    role.fail = True
    janitor = ChoreRunner(role, chores(done))
    assert janitor.turn() == []
    role.fail = False
    assert janitor.turn() == ["often", "seldom"]


def test_a_chore_that_fails_does_not_keep_the_others_from_running() -> None:
    done = list[str]()

    def broken() -> None:
        raise ValueError("text")

    janitor = ChoreRunner(FakeRole(), [Chore(name="broken", every_s=1, run=broken), *chores(done)])
    assert janitor.turn() == ["often", "seldom"]


def test_a_lease_lost_between_two_chores_ends_the_pass() -> None:
    role, done = FakeRole(), list[str]()

    def lose() -> None:
        role.free = False

    janitor = ChoreRunner(role, [Chore(name="lose", every_s=1, run=lose), *chores(done)])
    assert janitor.turn() == ["lose"]


def test_a_drain_gives_the_role_back() -> None:
    role, done = FakeRole(), list[str]()
    janitor = ChoreRunner(role, chores(done), turn_s=0.01)
    janitor.start()
    assert until(lambda: done)
    assert janitor.healthy()
    assert janitor.drain(PATIENCE_S)
    assert role.released
