"""A service of the table's own with every door open that a row asks for: started in a fresh folder, then removed."""

import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SETTINGS = {
    "SVC_CONSOLE": "1",
    "SVC_CONSOLE_SIGN_UP": "open",
    "SVC_COMPAT": "1",
    "SVC_METRICS": "1",
    "SVC_WEBHOOK_ALLOW": "127.0.0.1",
    "SVC_CORS_ORIGINS": "https://conformance.example",
    "SVC_WORKERS": "2",
}


@contextmanager
def own_service() -> Iterator[tuple[str, Path]]:
    """Its base URL and its workdir. Raises `CalledProcessError` where it does not start."""
    with tempfile.TemporaryDirectory(prefix="quire-conformance-") as folder:
        workdir, port = Path(folder, "w"), free_port()
        workdir.mkdir(mode=0o700)
        kept = {name: value for name, value in os.environ.items() if not name.startswith("SVC_")}
        settings = kept | SETTINGS | {"SVC_RAG_DB": str(workdir / "index")}
        place = ["--workdir", str(workdir)]
        try:
            command(["up", "--detach", *place, "--port", str(port)], settings)
            yield f"http://127.0.0.1:{port}", workdir
        finally:
            command(["down", *place], settings)


def command(arguments: list[str], environment: dict[str, str]) -> None:
    """The command line of this checkout."""
    subprocess.run([sys.executable, "-m", "quire.cluster.cli.main", *arguments], env=environment, check=True)


def free_port() -> int:
    """One on loopback, free now."""
    with socket.socket() as tried:
        tried.bind(("127.0.0.1", 0))
        port: int = tried.getsockname()[1]
        return port
