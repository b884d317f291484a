"""The one process that owns a running service: Ray's node, Serve's applications and the embedded database's upkeep.

`python -m quire.cluster.serve.supervisor`, started by `up` in a separate session, so that every process of the
service can be found by session id. Ends on SIGTERM after draining, and the embedded database with it. If a part of
Ray's head dies, it restarts everything.
"""

import logging
import os
import signal
import sys
import threading
import time
from pathlib import Path
from types import FrameType
from typing import Any

from quire.cluster.errors import ClusterError, HeadFailed, StartFailed
from quire.cluster.failure import write_failure
from quire.cluster.machine.environment import WORKER_TEMPLATE
from quire.cluster.machine.go_ahead import WAIT, wait_for_go_ahead
from quire.cluster.machine.patience import session_clock
from quire.cluster.machine.ready import wait_until_ready
from quire.cluster.machine.session_sweep import sweep_session
from quire.cluster.postgres.embedded import EmbeddedPostgres
from quire.cluster.runtime import Runtime, read_runtime
from quire.cluster.serve.worker_template import become_worker, fork_template
from quire.cluster.state import ServiceState, clear_state, mark_ready, mark_stopping, read_state, this_process
from quire.storage.values.backoff import BackoffPolicy

log = logging.getLogger("quire.supervisor")
POLL_S = 1.0  # seconds between looks at Ray's parts and the database
READY_S = 180.0  # seconds of a fair clock for the API to answer: below what `up` waits
RESTARTS = "QUIRE_RESTARTS"
RETRIES = BackoffPolicy(1.0, 60.0)
"""Delays before a dead head is restarted."""
MOST_RESTARTS = 20  # restarts in a row before the supervisor gives up
STEADY_S = 600.0  # seconds of quiet after which restarts are counted from none again


class Supervisor:
    """Starts, watches, drains and ends one service."""

    def __init__(self, runtime: Runtime, state: ServiceState) -> None:
        self._runtime, self._state = runtime, state
        self._workdir = runtime.settings.workdir
        self._stop = threading.Event()
        from quire.cluster.serve.node import Head  # Ray: the template must be forked before it is imported

        self._head = Head(runtime, state.ports)
        self._database = _embedded_database(runtime)

    def run(self) -> int:
        """Run until SIGTERM and return 0. If the head dies, restart this process instead of returning."""
        started = time.monotonic()
        try:
            self._start()
        except Exception as error:
            if self._stop.is_set() or not should_retry(error):
                raise
            log.exception("not started")
            sweep_session(self._workdir, os.getpid(), spare=os.getpid())
            start_again("the head while starting", time.monotonic() - started)
        died = self._watch()
        self._end()
        if died:
            start_again(died, time.monotonic() - started)
        if self._database is not None:
            self._database.stop()  # while our state still keeps another `up` waiting, which would take it for its own
        clear_state(self._workdir)
        return 0

    def _start(self) -> None:
        self._head.start()
        signal.signal(signal.SIGTERM, self._on_signal)  # after ray.init, which installs its own handler over ours
        signal.signal(signal.SIGINT, self._on_signal)
        self._head.deploy()
        clock = session_clock(os.getpid(), self._workdir)
        obstacle = wait_until_ready(self._state.base_url, lambda: self._stop.is_set() or clock.read() > READY_S)
        if not obstacle:
            mark_ready(self._workdir, True)
            log.info("ready at %s", self._state.base_url)
        elif not self._stop.is_set():
            raise StartFailed(f"not ready in time: {obstacle}")

    def _watch(self) -> str | None:
        """Return the part of Ray's head that died, or None after a stop signal."""
        while not self._stop.wait(POLL_S):
            if died := self._head.died():
                mark_ready(self._workdir, False)
                return died
            self._keep_database()
            self._look_for_nodes()
        return None

    def _look_for_nodes(self) -> None:
        try:
            self._head.deploy_optional()
        except Exception:  # a controller that is just being replaced; the next turn asks again
            log.exception("an optional pool was not deployed")

    def _keep_database(self) -> None:
        if self._database is None:
            return
        self._database.tend_reserve()
        if self._database.is_running():
            return
        log.error("the database is gone; starting it")
        try:
            self._database.start()
        except Exception:  # the next turn tries again; the API answers 503 meanwhile
            log.exception("the database does not start")

    def _end(self) -> None:
        if self._stop.is_set():
            mark_stopping(self._workdir)
        self._head.stop()
        sweep_session(self._workdir, os.getpid(), spare=os.getpid())

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._stop.set()


def _embedded_database(runtime: Runtime) -> Any:
    if runtime.settings.database_url:
        return None
    return EmbeddedPostgres(runtime.settings.workdir)


def should_retry(error: Exception) -> bool:
    """Return whether to retry: always for a service that ran before, else only if Ray's head failed."""
    return RESTARTS in os.environ or isinstance(error, HeadFailed)


def start_again(died: str, ran_s: float) -> None:
    """Restart this process (pid and start time stay) with a new head; raise `StartFailed` after too many restarts."""
    count = restarts(ran_s)
    if count > MOST_RESTARTS:
        raise StartFailed(f"{died} died {count} times")
    pause = RETRIES.pause_s(count - 1)
    log.error("%s died; starting again in %.0f s (restart %d)", died, pause, count)
    time.sleep(pause)
    os.environ[RESTARTS] = str(count)
    os.execv(sys.executable, [sys.executable, "-m", "quire.cluster.serve.supervisor"])  # noqa: S606


def restarts(ran_s: float) -> int:
    """Return the consecutive restarts, this one included; a head that lived for ten minutes resets the count."""
    return 1 if ran_s > STEADY_S else int(os.environ.get(RESTARTS, "0")) + 1


def main() -> int:
    """Run the supervisor with the runtime file and the state that `up` wrote."""
    os.umask(0o077)  # files of every process of the service are accessible to the owner only
    if WORKER_TEMPLATE in os.environ and (order := fork_template(Path(os.environ[WORKER_TEMPLATE]))) is not None:
        become_worker(order)
        return 0
    if WAIT in sys.argv and not wait_for_go_ahead():
        return 1
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    runtime = read_runtime()
    state = _own_state(runtime)
    try:
        return Supervisor(runtime, state).run()
    except BaseException as error:
        if isinstance(error, ClusterError):
            log.error("the service ends: %s", error)
        else:
            log.exception("the service ends")
        write_failure(runtime.settings.workdir, error)
        sweep_session(runtime.settings.workdir, os.getpid(), spare=os.getpid())
        logging.shutdown()
        os._exit(1)  # without its head Ray's driver would hang for a minute at exit


def _own_state(runtime: Runtime) -> ServiceState:
    """Return the state that `up` writes right after it has started us. Raises `StartFailed`."""
    me, until = this_process(), time.monotonic() + 10
    while time.monotonic() < until:
        state = read_state(runtime.settings.workdir)
        if state is not None and state.supervisor == me:
            return state
        time.sleep(0.05)
    raise StartFailed("another process runs this workdir")


if __name__ == "__main__":
    sys.exit(main())
