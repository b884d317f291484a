"""Assigns tests to workers: a file belongs to one worker, and so do all files that share the running service."""

import contextlib
import importlib
import os
import warnings
from pathlib import Path

import pytest
from xdist.scheduler import LoadFileScheduling

ONE_SERVICE = "tests/e2e/"
"""Where the tests of one running service stand: one worker starts it, and has all of them."""


class FileScheduling(LoadFileScheduling):
    def _split_scope(self, nodeid: str) -> str:
        return ONE_SERVICE if nodeid.startswith(ONE_SERVICE) else str(super()._split_scope(nodeid))


def import_in_turns(config: pytest.Config) -> None:
    """Import the tests of this run, each worker beginning with another part, so that workers share rewritten asserts.

    In a fresh checkout all would rewrite the same asserts at the same time, thirteen CPU seconds each. A failing
    import is left to collection, which reports it.
    """
    worker = getattr(config, "workerinput", None)
    if worker is None:
        return
    left_out = {Path(path) for path in config.getoption("ignore") or ()}
    asked = [Path(os.path.relpath(argument.partition("::")[0])) for argument in config.args]
    found = {file for path in asked for file in ([path] if path.suffix else path.rglob("test_*.py"))}
    files = sorted(file for file in found if not left_out & set(file.parents))
    if not files:
        return
    first = len(files) * int(worker["workerid"].removeprefix("gw")) // int(worker["workercount"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for file in files[first:] + files[:first]:
            with contextlib.suppress(Exception, pytest.skip.Exception):
                importlib.import_module(".".join(file.with_suffix("").parts))
