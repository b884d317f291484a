"""Packages of the server that may be missing."""

from importlib.util import find_spec

from quire.cluster.errors import StartRefused


def require_package(module: str, package: str, setting: str) -> None:
    """Raise `StartRefused` if `module`, which `setting` asks for, is not installed."""
    if find_spec(module) is None:
        raise StartRefused(f"{setting} needs the package {package}: pip install {package}")
