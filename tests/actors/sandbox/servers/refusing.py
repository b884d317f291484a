"""A fork server whose parsers cannot be imported."""

from typing import NoReturn

from quire.actors.sandbox import server
from quire.actors.sandbox.limits import SandboxLimits


def main(control: int, limits_json: str) -> NoReturn:
    server.prepare_process = _fail
    server.main(control, limits_json)


def _fail(limits: SandboxLimits) -> None:
    raise ImportError("no parser")
