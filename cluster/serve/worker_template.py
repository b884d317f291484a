"""A fork of the supervisor that has imported what Ray's workers import, and forks one of them whenever it is asked.

`forked_worker.py` sends what Ray gave it (arguments, environment, folder, standard streams), and the fork becomes Ray's
worker. The template handles no document and no secret. Without it, each worker starts by itself.
"""

import gc
import json
import os
import runpy
import selectors
import signal
import socket
import sys
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from quire.cluster.machine.environment import TEMPLATE_SEARCHES
from quire.cluster.serve.forked_worker import AGREED, END, WILLING

SUPPORTED_RAY = "2.60.0"
"""The only Ray version whose start of workers is known here; with any other one each worker starts by itself."""
_WORKER = "ray._private.workers.default_worker"
"""The program of Ray's workers."""
_IMPORTED = (
    _WORKER,
    "ray.serve._private.controller",
    "ray.serve._private.proxy",
    "ray.serve._private.replica",
    "quire.cluster.serve.app",
    "quire.cluster.compose.reading",  # one to two CPU seconds that API, readers and background otherwise spend each
    "quire.cluster.compose.background",
    "quire.cluster.compose.api",
)
_SEARCHING = ("lance_namespace",)
"""A CPU second in each process that opens the index. Lance itself starts a thread when it is imported."""
_NOBODYS_JOB = "f" * 8
"""Ray's own mark of a worker that is of no job yet: the first task says which."""
_OOM_SCORE = "1000"
"""The value that Ray gives its workers, so that the kernel kills a worker before Ray's own processes."""
_PATIENCE_S = 5.0  # seconds for an order that has begun to be sent: it takes milliseconds
_ORDER_BYTES = 1 << 20  # bytes of one order at most: an environment and a command line
_STREAMS = 3  # standard input, output and error


@dataclass(frozen=True, slots=True)
class WorkerOrder:
    """Start values of a worker. `streams`: descriptors for its standard streams."""

    arguments: tuple[str, ...]
    environment: dict[str, str]
    folder: str
    streams: tuple[int, ...]


def fork_template(door: Path) -> WorkerOrder | None:
    """Import modules and fork the template, which listens at `door` for as long as the caller lives.

    Returns None to the caller, and in every worker its order. The caller must have no thread yet. Forks
    nothing under a version of Ray other than `SUPPORTED_RAY`.
    """
    if version("ray") != SUPPORTED_RAY:
        return None
    import_workers()
    door.unlink(missing_ok=True)
    entrance = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    entrance.bind(str(door))
    entrance.listen()
    ours, theirs = os.pipe()
    if os.fork():
        entrance.close()
        os.close(ours)  # the other end stays open until this process ends, or is another program
        return None
    os.close(theirs)
    return _Template(entrance, ours).serve()


def import_workers() -> None:
    """Import the common modules of workers without drawing one of Ray's random ids, which every fork would repeat.

    Ray takes the job and the parent of a worker from the environment as it was at the import: no job yet, and the
    supervisor, whose end ends a worker as the raylet's would.
    """
    gc.disable()  # imported objects stay alive
    os.environ |= {"RAY_JOB_ID": _NOBODYS_JOB, "RAY_RAYLET_PID": str(os.getpid())}
    actor: Any = import_module("ray.actor")
    drawn = actor.ActorClassID
    actor.ActorClassID = _ClassIds(drawn)
    for name in (*_IMPORTED, *(_SEARCHING if TEMPLATE_SEARCHES in os.environ else ())):
        import_module(name)
    actor.ActorClassID = drawn
    del os.environ["RAY_JOB_ID"], os.environ["RAY_RAYLET_PID"]
    gc.freeze()
    gc.enable()


class _ClassIds:
    """Ids of actor classes, made of the system's random bytes instead of Ray's generator."""

    def __init__(self, kind: Any) -> None:
        self._kind = kind

    def from_random(self) -> Any:
        return self._kind(os.urandom(self._kind.size()))


def become_worker(order: WorkerOrder) -> None:
    """Continue this fork as Ray's worker, in a separate process group as Ray's are. Returns when the worker ends."""
    program = str(import_module(_WORKER).__file__)
    os.setpgid(0, 0)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(_OOM_SCORE)
    for number, stream in enumerate(order.streams):
        os.dup2(stream, number)
        os.close(stream)
    os.environ.clear()
    os.environ.update(order.environment)
    _raylet().Config.initialize("")  # reads RAY_ variables again
    os.chdir(order.folder)
    sys.argv = list(order.arguments)
    sys.path[0] = str(Path(program).parent)
    runpy.run_path(program, run_name="__main__")


class _Template:
    """The loop of the template: each order gets a fork."""

    def __init__(self, entrance: socket.socket, parent: int) -> None:
        self._entrance, self._parent = entrance, parent

    def serve(self) -> WorkerOrder:
        """Return the order in each fork; end with the parent."""
        if not forks_draw_their_own():
            sys.stderr.write("workers are not forked: they would draw the same ids\n")
            sys.stderr.flush()
            os._exit(1)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        _entitle()
        with selectors.DefaultSelector() as events:
            events.register(self._entrance, selectors.EVENT_READ)
            events.register(self._parent, selectors.EVENT_READ)
            while True:
                for key, _ in events.select():
                    if key.fileobj is not self._entrance:
                        os._exit(0)  # the parent is gone
                    if (order := self._answer()) is not None:
                        return order

    def _answer(self) -> WorkerOrder | None:
        """Return the order in a fork and None in the template; an incomplete order gets no answer."""
        link, _ = self._entrance.accept()
        order: WorkerOrder | None = None
        with link, suppress(OSError, ValueError, KeyError, TypeError):
            link.settimeout(_PATIENCE_S)
            order = receive_order(link)
            link.sendall(WILLING)
            if link.recv(1) == AGREED and os.fork() == 0:
                self._entrance.close()
                os.close(self._parent)
                return order
        for stream in order.streams if order else ():
            os.close(stream)
        return None


def receive_order(link: socket.socket) -> WorkerOrder:
    """Read a complete order of `forked_worker.py`. Raises `OSError`, `ValueError`, `KeyError`, `TypeError`."""
    data, streams, _, _ = socket.recv_fds(link, _ORDER_BYTES, _STREAMS)
    try:
        while not data.endswith(END) and len(data) < _ORDER_BYTES and (more := link.recv(_ORDER_BYTES)):
            data += more
        order = json.loads(data)
        return WorkerOrder(tuple(order["arguments"]), dict(order["environment"]), str(order["folder"]), tuple(streams))
    except BaseException:
        for stream in streams:
            os.close(stream)
        raise


def forks_draw_their_own() -> bool:
    """Return whether Ray's generator of ids is untouched: two forks then draw different ids."""
    return _draw_in_fork() != _draw_in_fork()


def _draw_in_fork() -> bytes:
    ours, theirs = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.write(theirs, _raylet().WorkerID.from_random().binary())
        os._exit(0)
    os.close(theirs)
    os.waitpid(pid, 0)
    with os.fdopen(ours, "rb") as drawn:
        return drawn.read()


def _entitle() -> None:
    """Set a title for process lists, without overwriting the environment next to it."""
    os.environ["SPT_NOENV"] = "1"
    _raylet().setproctitle("quire: template of workers")


def _raylet() -> Any:
    return import_module("ray._raylet")
