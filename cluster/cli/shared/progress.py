"""How far a long command is: a bar with names, counts and the time left on a terminal, plain lines elsewhere."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

import click

_NAME_COLUMNS = 32
"""Letters of a file's name beside the bar."""


class ProgressBar:
    """Progress on a terminal, plain lines elsewhere; everything goes to stderr."""

    def __init__(self, total: int | None) -> None:
        self._progress = None
        if sys.stderr.isatty() and total != 1:
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

    @contextmanager
    def shown(self) -> Iterator["ProgressBar"]:
        with self._progress or nullcontext():
            yield self

    def step(self, name: str = "") -> None:
        """One more is done; `name` says which."""
        if self._progress is not None:
            self._progress.update(self._task, advance=1, description=name[-_NAME_COLUMNS:])

    def say(self, line: str) -> None:
        """A line that stays."""
        if self._progress is not None:
            self._progress.console.print(line, markup=False, highlight=False)
        else:
            click.echo(line, err=True)
