"""A fork server that tries itself, right before it serves, what none of its children may; it says what came of it."""

import os
import resource
from collections.abc import Iterable
from typing import NoReturn

from actors.sandbox import server


def main(control: int, limits_json: str) -> NoReturn:
    server.use_huge_pages = _tell
    server.main(control, limits_json)


def _tell(places: Iterable[int]) -> int:
    """Instead of the last thing that a server does before it serves."""
    raise RuntimeError(f"file {_try_file()}, may write {resource.getrlimit(resource.RLIMIT_FSIZE)[1]} bytes")


def _try_file() -> str:
    try:
        os.close(os.open("/etc/passwd", os.O_RDONLY))
    except OSError:
        return "denied"
    return "opened"
