"""A fork server whose parsers cannot be imported."""

from typing import NoReturn

from actors.sandbox import server
from actors.sandbox.limits import SandboxLimits


def main(control: int, limits_json: str) -> NoReturn:
    server.prepare_process = _fail
    server.main(control, limits_json)


def _fail(limits: SandboxLimits) -> None:
    raise ImportError("no parser")
