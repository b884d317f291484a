"""Heavy work, each piece in a separate process with limits on CPU time and memory.

Work is a picklable function of one value (a module function or a partial of one); its result is returned. Trees of
ordinary size are processed in the caller's process, because a new process costs half a second of CPU.
"""

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar, cast

from quire.models.cdom.tree import Tree, dump_tree, load_tree
from quire.serve_apps.api.http.refusals import OverLimit
from quire.serve_apps.api.lanes.fair_places import FairPlaces

S = TypeVar("S")
T = TypeVar("T")
HEAVY_CHARS = 500_000
"""Characters of a tree that are worked on in place: two hundred pages, a second of CPU for the slowest derivation."""
CELL_CHARS = 20  # cost of a block, a cell or a span in addition to its text, in characters
FAILED, OVER = 70, 71  # exit statuses of the process: a fault of ours; memory
_MOST_WAITING = 1024  # threads of one tenant that wait for a process: more than any lane has
_MODULE = "quire.serve_apps.api.context.limited_process"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkLimits:
    """Limits: `cpu_s` seconds of CPU time, `memory_bytes` of address space, `at_once` parallel processes."""

    cpu_s: int = 120
    memory_bytes: int = 4 << 30
    at_once: int = 2
    heavy_chars: int = HEAVY_CHARS


class LimitedWork:
    """Runs heavy work in limited processes. Thread-safe; blocks."""

    def __init__(self, limits: WorkLimits) -> None:
        self._limits, self._places = limits, FairPlaces(limits.at_once, most_waiting=_MOST_WAITING)

    def is_heavy(self, *trees: Tree) -> bool:
        """Return whether work on these trees needs a separate process."""
        return self.is_large(sum(map(_weigh, trees)))

    def is_large(self, chars: int) -> bool:
        """Return whether work on a text of that many characters needs a separate process."""
        return chars > self._limits.heavy_chars

    def run(self, make: Callable[[Tree], T], tree: Tree) -> T:
        """Return `make(tree)`, computed here or in a separate process. Raises `OverLimit`."""
        if not self.is_heavy(tree):
            return make(tree)
        return self.run_apart(partial(_make_of_json, make), dump_tree(tree))

    def run_apart(self, make: Callable[[S], T], value: S) -> T:
        """Return `make(value)`, computed in a separate process. Raises `OverLimit`."""
        with self._places.held():
            return cast(T, self._run(pickle.dumps((make, value))))

    def _run(self, work: bytes) -> Any:
        limits = [str(self._limits.cpu_s), str(self._limits.memory_bytes)]
        paths = os.pathsep.join(path for path in sys.path if path)
        done = subprocess.run(
            [sys.executable, "-P", "-m", _MODULE, *limits],
            input=work,
            stdout=subprocess.PIPE,
            env={"PATH": os.defpath, "PYTHONPATH": paths},
            check=False,
        )
        if done.returncode == FAILED:
            raise RuntimeError("a derivation failed in its separate process")
        if done.returncode:
            raise OverLimit("this output needs more time or memory than one call may use")
        return pickle.loads(done.stdout)  # noqa: S301  (our own process, working on a tree that was checked)


def _make_of_json(make: Callable[[Tree], T], data: bytes) -> T:
    """Load the tree in the process and call `make`. JSON costs the parent far less time than pickling the tree."""
    return make(load_tree(data))


def _weigh(tree: Tree) -> int:
    """Return the characters of texts and cells, plus a share for each cell and span."""
    total = sum(len(block.text) + CELL_CHARS * (1 + len(block.spans) + len(block.flag_spans)) for block in tree.blocks)
    cells = (cell for block in tree.blocks if block.table for cell in block.table.cells)
    return total + sum(len(cell.text) + CELL_CHARS for cell in cells)
