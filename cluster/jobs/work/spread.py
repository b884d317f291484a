"""Blocks of work over the CPUs of a cluster by Ray Data, with progress in the job's log.

Each row goes to a worker, and answers are yielded as they are ready (or in order). The row of a lost node is repeated
elsewhere; a worker that raises ends the job.
"""

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import ray
import ray.data
from ray.exceptions import RayError

log = logging.getLogger("quire.jobs")
REPORT_S = 10.0  # seconds between lines of progress in the job's log

Row = dict[str, Any]


class JobStopped(RuntimeError):
    """A worker failed; recorded work stays, and the job can be run again."""


def connect() -> int:
    """Join the cluster this process belongs to (RAY_ADDRESS, or a new one) and return the number of workers it fits."""
    ray.init(ignore_reinit_error=True, log_to_driver=False, logging_level="WARNING", namespace="quire")
    free = int(ray.available_resources().get("CPU", 0))
    if not free:
        log.warning("no CPU of this cluster is free: the job waits until readers leave one or a node joins")
    return free or int(ray.cluster_resources().get("CPU", 1))


class RowWorker:
    """The actor of Ray Data: a worker made by `make(*arguments)`, called row by row."""

    def __init__(self, make: Callable[..., Callable[[Row], Row]], arguments: tuple[Any, ...]) -> None:
        self._work = make(*arguments)

    def __call__(self, row: Row) -> Row:
        """Do one row."""
        return self._work(row)


def spread(
    rows: Sequence[Row],
    make: Callable[..., Callable[[Row], Row]],
    arguments: tuple[Any, ...],
    *,
    workers: int,
    cpus: float = 1.0,
    in_order: bool = False,
) -> Iterator[Row]:
    """Yield the answer to every row. Each row is a separate task, so a slow one delays no other."""
    if not rows:
        return
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.execution_options.preserve_order = in_order
    logging.getLogger("ray.data").setLevel(logging.WARNING)
    size = max(1, min(workers, len(rows)))
    done = ray.data.from_items(list(rows), override_num_blocks=len(rows)).map(
        RowWorker,
        fn_constructor_args=(make, arguments),
        num_cpus=cpus,
        compute=ray.data.ActorPoolStrategy(size=size, max_tasks_in_flight_per_actor=2),
    )
    try:
        yield from done.iter_rows()
    except RayError as error:
        raise JobStopped(_last_line(error)) from error


def _last_line(error: BaseException) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__


class Progress:
    """Logs progress every ten seconds and at the end."""

    def __init__(self, total: int, unit: str = "documents") -> None:
        self._total, self._what = total, unit
        self._begun = self._shown = time.monotonic()
        self._counts: dict[str, int] = {}
        self._done = 0

    def step(self, done: int, counts: Mapping[str, int]) -> None:
        """Count `done` more of the total, and add `counts` of other things."""
        self._done += done
        self._counts = {name: self._counts.get(name, 0) + count for name, count in counts.items()}
        if time.monotonic() - self._shown >= REPORT_S or self._done >= self._total:
            self._shown = time.monotonic()
            rate = self._done / max(self._shown - self._begun, 1e-9)
            more = "".join(f", {count} {name}" for name, count in self._counts.items())
            log.info("%d of %d %s (%.1f a second)%s", self._done, self._total, self._what, rate, more)
