"""Blocks of work over the CPUs of a cluster by Ray Data, with progress in the job's log.

Rows and answers travel as Arrow. Each row goes to a worker, and answers are yielded as they are ready (or in order).
The row of a lost node is repeated elsewhere; a worker that raises ends the job.
"""

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
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


def quiet_context() -> ray.data.DataContext:
    """Return the context of Ray Data, without its progress bars."""
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    logging.getLogger("ray.data").setLevel(logging.WARNING)
    return context


class BatchWorker:
    """The actor of Ray Data: a worker made by `make(*arguments)`, called for each row of an Arrow block."""

    def __init__(self, make: Callable[..., Callable[[Row], Row]], arguments: tuple[Any, ...]) -> None:
        self._work = make(*arguments)

    def __call__(self, batch: pa.Table) -> pa.Table:
        """Do the rows of a batch."""
        return pa.Table.from_pylist([self._work(row) for row in batch.to_pylist()])


def spread(
    rows: Sequence[Row],
    make: Callable[..., Callable[[Row], Row]],
    arguments: tuple[Any, ...],
    *,
    workers: int | None,
    cpus: float = 1.0,
    in_order: bool = False,
) -> Iterator[Row]:
    """Yield the answer to every row. Each row is a separate Arrow block and task, so a slow one delays no other.

    There are `workers` at most, and by default as many as the cluster fits: a node that joins later gets its own.
    Workers that reserve no CPU are as many as there are CPUs.
    """
    if not rows:
        return
    quiet_context().execution_options.preserve_order = in_order
    most = min(len(rows), workers or (connect() if cpus == 0 else len(rows)))
    table = pa.Table.from_pylist(list(rows))
    done = ray.data.from_arrow([table.slice(index, 1) for index in range(len(rows))]).map_batches(
        BatchWorker,
        batch_format="pyarrow",
        batch_size=None,
        fn_constructor_args=(make, arguments),
        num_cpus=cpus,
        compute=ray.data.ActorPoolStrategy(
            min_size=1, max_size=most, initial_size=min(most, connect()), max_tasks_in_flight_per_actor=2
        ),
    )
    try:
        for batch in done.iter_batches(batch_format="pyarrow", batch_size=None):
            yield from batch.to_pylist()
    except RayError as error:
        raise JobStopped(last_line(error)) from error


def last_line(error: BaseException) -> str:
    """Return the last line of an error of Ray, which names its cause."""
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
