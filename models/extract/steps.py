"""Optional steps of reading: one that raises is left out with a warning, and the page is read again without it."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

from quire.models.cdom.errors import ExtractError
from quire.models.faults import name_fault, ran_out_of_memory

STEP_FAILED = "step-failed"
"""Warning: a step failed and was left out. A second warning, `step-NAME`, names it."""
STEP_WARNING = "step-"

P = ParamSpec("P")
T = TypeVar("T")


class StepFailed(Exception):
    """An optional step raised the exception that is this one's cause."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class Steps:
    """Optional steps of one reading. Outside `read_in_steps`, a step that fails ends the reading with `StepFailed`."""

    def __init__(self) -> None:
        self.left_out: dict[str, str] = {}

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

    def run_or(self, name: str, fallback: Callable[P, T], step: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return the result of a step, or of `fallback` for a step that is left out; raises what `run` does."""
        if name in self.left_out:
            return fallback(*args, **kwargs)
        return self.run(name, cast(T, None), step, *args, **kwargs)

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
