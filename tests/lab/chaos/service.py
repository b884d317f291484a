"""One service in a separate workdir, started and stopped through the `quire` command."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

QUIRE = Path(sys.executable).with_name("quire")
FAST_LEASES = {"SVC_LEASE_S": "3", "SVC_BEAT_S": "1", "SVC_RETRY_DELAYS_S": "1,2", "SVC_WORKERS": "2"}


@dataclass(frozen=True, slots=True)
class Service:
    """Facts of a running service: where it answers, its token, its database, its supervisor's session."""

    workdir: Path
    base_url: str
    token: str
    dsn: str
    session: int


def start(workdir: Path, port: int, **settings: str) -> Service:
    """`quire up --detach` with short leases; waits until ready (the command does)."""
    environment = {**os.environ, **FAST_LEASES, **settings}
    subprocess.run(
        [QUIRE, "up", "--detach", "--workdir", workdir, "--port", str(port)], env=environment, check=True, timeout=900
    )
    status = json.loads(
        subprocess.run(
            [QUIRE, "status", "--json", "--workdir", workdir], capture_output=True, text=True, check=True, timeout=600
        ).stdout
    )
    state = json.loads((workdir / "run" / "state.json").read_text())
    return Service(
        workdir=workdir,
        base_url=status["base_url"],
        token=Path(status["token_file"]).read_text().strip(),
        dsn=(workdir / "run" / "dsn").read_text().strip(),
        session=state["supervisor"]["pid"],
    )


def stop(service: Service) -> None:
    subprocess.run([QUIRE, "down", "--workdir", service.workdir], check=True, timeout=600)
