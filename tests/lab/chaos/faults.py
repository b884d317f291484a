"""Seeded faults: kill -9 of readers, children, API replicas; stops longer than the lease; crashes of the database."""

import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import LiteralString

import psycopg

from tests.lab.chaos.processes import Process, api_replicas, children, readers, send


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Number of each fault, and the lease that outlives them."""

    kills: int = 50
    stops: int = 20
    backend_kills: int = 20
    crashes: int = 0
    lease_s: float = 3.0


@dataclass
class Storm:
    """Runs a plan against one service; `done` counts what really hit something."""

    session: int
    dsn: str
    plan: Plan
    seed: int
    done: Counter[str] = field(default_factory=Counter)
    resuming: list[threading.Thread] = field(default_factory=list)

    def run(self) -> None:
        rng = random.Random(self.seed)
        faults = (
            [self._kill(rng, "reader", readers)] * (self.plan.kills * 2 // 5)
            + [self._kill(rng, "child", children)] * (self.plan.kills * 2 // 5)
            + [self._kill(rng, "api", api_replicas)] * (self.plan.kills - 2 * (self.plan.kills * 2 // 5))
            + [self._stop(rng)] * self.plan.stops
            + [self._kill_backend] * self.plan.backend_kills
            + [self._crash_database] * self.plan.crashes
        )
        rng.shuffle(faults)
        for fault in faults:
            self._until_it_hits(fault)
            time.sleep(rng.uniform(0.3, 1.5))
        for thread in self.resuming:
            thread.join()

    def _until_it_hits(self, fault: Callable[[], bool]) -> None:
        for _ in range(200):
            if fault():
                return
            time.sleep(0.1)

    def _kill(self, rng: random.Random, name: str, find: Callable[[int], list[Process]]) -> Callable[[], bool]:
        def fault() -> bool:
            victims = find(self.session)
            hit = bool(victims) and send(rng.choice(victims), signal.SIGKILL)
            self.done[f"kill {name}"] += hit
            return hit

        return fault

    def _stop(self, rng: random.Random) -> Callable[[], bool]:
        def fault() -> bool:
            victims = readers(self.session)
            if not victims or not send(victim := rng.choice(victims), signal.SIGSTOP):
                return False
            pause = self.plan.lease_s * rng.uniform(1.5, 2.5)
            thread = threading.Timer(pause, send, (victim, signal.SIGCONT))
            thread.start()
            self.resuming.append(thread)
            self.done["stop past the lease"] += 1
            return True

        return fault

    def _kill_backend(self) -> bool:
        hit = self._ask_database("select pg_terminate_backend(pid) from") is not None
        self.done["kill backend"] += hit
        return hit

    def _crash_database(self) -> bool:
        """SIGKILL of one of its processes: the server ends all others and recovers from its log."""
        pid = self._ask_database("select pid from")
        if pid is None:
            return False
        os.kill(pid, signal.SIGKILL)
        self.done["crash database"] += 1
        return True

    def _ask_database(self, what: LiteralString) -> int | None:
        """Query over a connection of the service; None without a connection or server."""
        try:
            with psycopg.connect(self.dsn, autocommit=True) as connection:
                row = connection.execute(
                    what + " pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"
                    " and backend_type = 'client backend' order by random() limit 1"
                ).fetchone()
        except psycopg.OperationalError:
            return None
        return None if row is None else int(row[0])
