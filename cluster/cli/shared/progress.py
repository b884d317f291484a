"""Shows the progress of a long command: a bar with count, name and time left on a terminal, plain lines elsewhere."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_NAME_COLUMNS = 32
"""Letters of a file's name next to the bar."""
_MANY_PAGES = 20
"""Pages from which a single document gets a bar; shorter documents end before a bar is drawn."""


class ProgressBar:
    """Writes progress to stderr: a bar on a terminal, plain lines elsewhere. `total` is None when unknown.

    A single document is counted in pages. The bar is created at the first progress, because creating it is slow.
    """

    def __init__(self, total: int | None) -> None:
        self._total, self._lock = total, threading.Lock()
        self._shown = sys.stderr.isatty()
        self._progress: Progress | None = None
        self._task: TaskID | None = None

    @contextmanager
    def shown(self) -> Iterator["ProgressBar"]:
        """Show the bar while the block runs."""
        if self._total != 1:
            self._draw(self._total)
        try:
            yield self
        finally:
            if self._progress is not None:
                self._progress.stop()

    def step(self, name: str = "") -> None:
        """One more is done; `name` says which."""
        if self._progress is not None and self._task is not None and self._total != 1:
            self._progress.update(self._task, advance=1, description=name[-_NAME_COLUMNS:])

    def count_pages(self, name: str, done: int, total: int) -> None:
        """So many pages of the only document are read."""
        if self._total != 1 or total < _MANY_PAGES:
            return
        self._draw(total)
        if self._progress is not None and self._task is not None:
            self._progress.update(self._task, completed=done, description=f"pages of {name[-_NAME_COLUMNS:]}")

    def print_line(self, line: str) -> None:
        """Print a permanent line."""
        if self._progress is not None:
            self._progress.console.print(line, markup=False, highlight=False)
        else:
            click.echo(line, err=True)

    def _draw(self, total: int | None) -> None:
        """Begins once, on a terminal only."""
        with self._lock:
            if not self._shown or self._progress is not None:
                return
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

            columns = (
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
                TextColumn("{task.description}", markup=False),
            )
            self._progress = Progress(*columns, console=Console(stderr=True), transient=True)
            self._task = self._progress.add_task("", total=total)
            self._progress.start()
