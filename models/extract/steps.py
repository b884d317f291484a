"""Passes of reading: functions in the order in which they run, each with the columns that it reads and writes.

A pass that raises is left out with a warning, and the page or document is read again without it.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from operator import attrgetter
from typing import Any, ClassVar, Final, ParamSpec, Protocol, TypeVar

from quire.models.cdom.errors import ExtractError
from quire.models.faults import name_fault, ran_out_of_memory

STEP_FAILED = "step-failed"
"""Warning: a step failed and was left out. A second warning, `step-NAME`, names it."""
STEP_WARNING = "step-"
RAISES: Final = "the page"
"""`Pass.fails` of a pass that every page needs."""
_COLUMN = re.compile(r"([\w.]+)(?:\[([\w ]*)\])?")

P = ParamSpec("P")
T = TypeVar("T")


class StepFailed(Exception):
    """An optional step raised the exception that is this one's cause."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class Pass:
    """A function of some columns of a record, which returns or changes other columns.

    Attributes:
        name: Its name in `--without`, warnings and `quire explain`.
        target: The function as `module:name` below this package. It gets the columns of `reads` as arguments, and
            returns those of `writes`, or None if it changed them.
        reads: Columns, such as `groups` or `marks.lines`. Of `marks[lines width]` the function gets `marks` and reads
            the fields in brackets.
        writes: Columns; those in brackets are changed in place.
        limits: Modules and packages whose limits classes have its numbers; the function's own module by default.
        when: A column that must be true for the pass to run; with `!`, false.
        instead: The function that runs in place of a pass that is left out.
        fails: The step that is left out when it raises, by default the pass itself.
    """

    def __init__(
        self,
        name: str,
        target: str,
        reads: str,
        writes: str,
        *,
        limits: str = "",
        when: str = "",
        instead: str = "",
        fails: str = "",
    ) -> None:
        self.name, self.target, self.instead, self.fails = name, target, instead, fails or name
        self.limits = tuple(limits.split()) or (target.partition(":")[0],)
        asked = [(match[1], match[2]) for match in _COLUMN.finditer(reads)]
        made = [(match[1], match[2]) for match in _COLUMN.finditer(writes)]
        self.reads, self.writes = tuple(_expand(asked)), tuple(_expand(made))
        self.function: Callable[..., Any] | None = None
        self._arguments = [attrgetter(column) for column, _ in asked]
        self._returned = [column.rpartition(".")[::2] for column, inside in made if inside is None]
        self._wants = not when.startswith("!")
        self._condition = attrgetter(when.removeprefix("!")) if when else None

    def load(self) -> Callable[..., Any]:
        """Import the function; modules are imported at the first page that needs them."""
        if self.function is None:
            self.function = load_target(self.target)
        return self.function

    def applies(self, record: object) -> bool:
        """Return whether the pass has anything to do."""
        return self._condition is None or bool(self._condition(record)) == self._wants

    def apply(self, record: object, function: Callable[..., Any]) -> None:
        """Call the function and store what it returns."""
        result = function(*[argument(record) for argument in self._arguments])
        if result is None:
            return
        values = (result,) if len(self._returned) == 1 else result
        for (owner, column), value in zip(self._returned, values, strict=True):
            setattr(getattr(record, owner) if owner else record, column, value)


def load_target(target: str) -> Any:
    """Return the object of `module:name`, below this package."""
    module, _, name = target.partition(":")
    return getattr(import_module(f"{__package__}.{module}"), name)


def _expand(columns: Iterable[tuple[str, str | None]]) -> Iterator[str]:
    for column, inside in columns:
        if inside is None:
            yield column
        else:
            yield from (f"{column}.{name}" for name in inside.split())


class Recorder(Protocol):
    """Runs passes in place of `run_passes` and records what they change."""

    def run(self, item: Pass, record: object) -> None:
        """Apply the pass."""


def find_disorder(passes: tuple[Pass, ...], inputs: Iterable[str]) -> list[str]:
    """Return a line for each pass that reads a column before the first pass that writes it.

    A field of a record that no later pass writes is as old as the record.
    """
    known, faults = set(inputs), []
    for index, item in enumerate(passes):
        later = {column for other in passes[index + 1 :] for column in other.writes}
        for column in item.reads:
            is_stated = column.partition(".")[0] in known and (column in item.writes or column not in later)
            if column not in known and not is_stated:
                faults.append(f"{item.name} reads {column} before a pass has written it")
        known.update(item.writes)
    return faults


class Steps:
    """Optional steps of one reading. Outside `read_in_steps`, a step that fails ends the reading with `StepFailed`."""

    recorder: ClassVar[Recorder | None] = None
    """Set while a document is explained."""
    without: ClassVar[tuple[str, ...]] = ()
    """Passes that are left out while a document is explained."""

    def __init__(self) -> None:
        self.left_out: dict[str, str] = dict.fromkeys(self.without, "left out as asked")

    def run(self, name: str, default: T, step: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return the result of a step, or `default` for a step that is left out.

        Raises:
            StepFailed: The step failed. Its half-made changes are dropped with everything that was read so far.
            MemoryError: Memory ran out, which is no fault of the step.
            ExtractError: The document exceeds a limit.
        """
        if name in self.left_out:
            return default
        try:
            return step(*args, **kwargs)
        except (StepFailed, ExtractError):
            raise
        except Exception as error:
            if ran_out_of_memory(error):
                raise
            raise StepFailed(name) from error

    def run_passes(self, passes: Iterable[Pass], record: object) -> None:
        """Run the passes on the record. Raises as `run` does; a pass with `RAISES` raises its own exception."""
        for item in passes:
            if item.name in self.left_out:
                if item.instead:
                    item.apply(record, load_target(item.instead))
            elif item.applies(record) and item.fails == RAISES:
                self._apply(item, record)
            elif item.applies(record):
                self.run(item.fails, None, self._apply, item, record)

    def _apply(self, item: Pass, record: object) -> None:
        if self.recorder is None:
            item.apply(record, item.function or item.load())
        else:
            self.recorder.run(item, record)

    def leave_out(self, failure: StepFailed) -> None:
        """Skip the step from now on."""
        self.left_out[failure.name] = name_fault(failure.__cause__ or failure)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Codes for the tree: that steps were left out, and which."""
        return (STEP_FAILED, *(STEP_WARNING + name for name in sorted(self.left_out))) if self.left_out else ()

    @property
    def fault(self) -> str | None:
        """Steps and the places where they failed, for the log; None when none failed."""
        return "; ".join(f"step {name}: {place}" for name, place in self.left_out.items()) or None


def read_in_steps(read: Callable[[Steps], T]) -> tuple[T, Steps]:
    """Call `read`, again from the start after each step that failed, and return its result and the steps."""
    steps = Steps()
    while True:
        try:
            return read(steps), steps
        except StepFailed as failure:
            steps.leave_out(failure)
