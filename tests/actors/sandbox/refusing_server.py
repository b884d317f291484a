"""A fork server whose parsers cannot be imported."""

from collections.abc import Mapping
from typing import NoReturn

from actors.sandbox import server


def main(control: int, limits_json: str) -> NoReturn:
    server.prepare_process = _fail
    server.main(control, limits_json)


def _fail(readers: Mapping[str, str]) -> None:
    raise ImportError("no parser")
