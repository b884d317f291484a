"""A cluster as an operator starts one, on this host: PostgreSQL, a bucket, `quire worker` for each machine, `quire up`.

Runs from a copy of the checkout, because a licence key must be pinned in it and this checkout is not ours to change.
"""

import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import boto3
from moto.server import ThreadedMotoServer
from psycopg.conninfo import conninfo_to_dict

from quire.cluster.machine.ports import is_free
from quire.cluster.postgres.embedded import EmbeddedPostgres
from tests.lab.bench.processes import family

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = ("actors", "cluster", "configs", "models", "quire", "serve_apps", "storage")
KEY = "s3cret-of-these-machines"
AWS = {
    "AWS_REGION": "us-east-1",
    "AWS_ALLOW_HTTP": "true",
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
}


@dataclass
class Machines:
    """`start`, then any number of `join`, then `serve`; `close` ends all of it."""

    folder: Path
    gcs_port: int
    http_port: int
    settings: dict[str, str] = field(default_factory=dict)
    dsn: str = ""
    dashboard_port: int = 0
    """Port of the job API; 0: Ray's own."""
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def start(self) -> None:
        """Database, bucket, licence, and the head, which reads nothing."""
        self._copy()
        self._postgres = EmbeddedPostgres(self.folder / "pg")
        self.dsn = as_url(self._postgres.start())
        self._bucket = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
        self._bucket.start()
        host, port = self._bucket.get_host_and_port()
        endpoint = f"http://{host}:{port}"
        keys = {"aws_access_key_id": "test", "aws_secret_access_key": "test", "region_name": "us-east-1"}
        boto3.client("s3", endpoint_url=endpoint, **keys).create_bucket(Bucket="documents")
        self.token_file.write_text(secrets.token_hex(32))
        self.token_file.chmod(0o600)
        kept = {name: text for name, text in os.environ.items() if not name.startswith(("SVC_", "RAY_"))}
        self._environment = (
            kept | AWS | {"AWS_ENDPOINT": endpoint, "AWS_ENDPOINT_URL": endpoint, "PYTHONPATH": str(self.code)}
        )
        self._environment |= {
            "SVC_DATABASE_URL": self.dsn, "SVC_BLOBS": "s3://documents/q", "SVC_API_KEYS": f"acme={KEY}",
            "SVC_LICENSE": self._issue(), "RAY_TMPDIR": str(self.folder / "r"), **self.settings,
        }  # fmt: skip
        self.lead()

    def lead(self) -> None:
        """The head, for the first time or again; returns when its raylet runs."""
        (self.folder / "r" / "ray" / "ray_current_cluster").unlink(missing_ok=True)  # one host: the others say it runs
        job_api = ("--dashboard-port", str(self.dashboard_port)) if self.dashboard_port else ()
        self._run_worker("head", "--port", str(self.gcs_port), "--cpus", "1", "--node-ip", "127.0.0.1", *job_api)
        self._await("head")

    def join(self, name: str, cpus: int, *labels: str) -> None:
        """One more machine; returns when its raylet runs."""
        marks = [part for label in labels for part in ("--label", label)]
        address = f"127.0.0.1:{self.gcs_port}"
        self._run_worker(name, "--address", address, "--cpus", str(cpus), "--node-ip", "127.0.0.1", *marks)
        self._await(name)

    def serve(self) -> None:
        """`quire up --address`; returns when the API answers."""
        done = self.quire("up", "--address", f"127.0.0.1:{self.gcs_port}", "--port", str(self.http_port), name="up")
        if done.returncode:
            raise RuntimeError(done.stdout + done.stderr)
        wait_for(lambda: _listens(self.http_port), 60, "the API does not listen")

    def kill(self, name: str) -> None:
        """Kill every process of a machine at once, without a notice."""
        process = self.running.pop(name)
        for pid in family(process.pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.wait(60)

    def restart_database(self, away_s: float) -> None:
        """The database dies and comes back."""
        self._postgres.kill()
        time.sleep(away_s)
        self._postgres.start()

    def submit(self, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
        """`ray job submit -- …` as an operator on the head types it."""
        environment = self._environment | {
            "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": str(self.token_file), "RAY_ADDRESS": f"http://127.0.0.1:{self.dashboard_port}",
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        }  # fmt: skip
        return subprocess.run(
            ["ray", "job", "submit", "--", *arguments], env=environment, cwd=cwd, capture_output=True, text=True,
            check=False,
        )  # fmt: skip

    def crash(self, name: str) -> None:
        """Kill Ray's processes of a machine, not the command that keeps them; returns when it has joined again."""
        joined, command = self._joins(name), self.running[name].pid
        for pid in family(command):
            if pid != command:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        wait_for(lambda: self._joins(name) > joined, 300, f"{name} does not join again")

    def part(self, name: str) -> None:
        """The machine hears and says nothing more: as seen by the others, a network that is cut."""
        for pid in family(self.running[name].pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)

    def rejoin(self, name: str) -> None:
        """Resume a machine, which still believes that it holds its former work."""
        for pid in family(self.running[name].pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)

    def leave(self, name: str) -> int:
        """SIGTERM, as an operator or a pod's end sends it; returns the command's exit code when it has left."""
        process = self.running.pop(name)
        process.send_signal(signal.SIGTERM)
        return process.wait(300)

    def quire(self, *arguments: str, name: str) -> subprocess.CompletedProcess[str]:
        """One command of ours against the cluster."""
        environment = self._environment | {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": str(self.token_file)}
        command = [sys.executable, "-m", "quire.cluster.cli.main", *arguments, "--workdir", str(self.folder / name)]
        return subprocess.run(
            command, env=environment, cwd=self.code, capture_output=True, text=True, timeout=400, check=False
        )

    def close(self) -> None:
        """Nothing stays behind, not even what dying processes still write."""
        for name in list(self.running):
            self.kill(name)
        with suppress(Exception):
            self._bucket.stop()
        with suppress(AttributeError):  # never started
            self._postgres.stop()
        until = time.monotonic() + 20
        while self.folder.exists() and time.monotonic() < until:
            shutil.rmtree(self.folder, ignore_errors=True)
            time.sleep(0.2)

    @property
    def code(self) -> Path:
        return self.folder / "code"

    @property
    def token_file(self) -> Path:
        return self.folder / "token"

    def log(self, name: str) -> str:
        """Return the output of a machine's command."""
        return (self.folder / f"{name}.log").read_text(errors="replace")

    def _copy(self) -> None:
        for package in PACKAGES:
            skip = shutil.ignore_patterns("__pycache__", "node_modules")
            shutil.copytree(ROOT / package, self.code / package, symlinks=True, ignore=skip)

    def _issue(self) -> str:
        """A licence whose public key is pinned in the copy."""
        run = [sys.executable, "-m", "quire.cluster.cli.main", "license"]
        key = self.folder / "key.pem"
        options = {"cwd": self.code, "check": True, "capture_output": True, "text": True}
        subprocess.run([*run, "keygen", "--kid", "chaos", "--out", str(key)], **options)  # type: ignore[call-overload]
        issued = subprocess.run(  # type: ignore[call-overload]
            [*run, "issue", "--key", str(key), "--kid", "chaos", "--customer", "chaos"], **options
        )
        return str(issued.stdout.strip().splitlines()[-1])

    def _run_worker(self, name: str, *arguments: str) -> None:
        command = [sys.executable, "-m", "quire.cluster.cli.main", "worker", "--token-file", str(self.token_file)]
        with (self.folder / f"{name}.log").open("wb") as log:
            self.running[name] = subprocess.Popen(
                [*command, "--workdir", str(self.folder / name), *arguments],
                env=self._environment, cwd=self.code, stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip

    def _await(self, name: str) -> None:
        """Wait for a machine's raylet; a machine on a busy host tries several times."""
        try:
            wait_for(lambda: self._has_joined(name), 400, f"{name} does not join")
        except TimeoutError as error:
            raise TimeoutError(f"{error}: {self.log(name)[-3000:]}") from error

    def _has_joined(self, name: str) -> bool:
        if self.running[name].poll() is not None:
            raise RuntimeError(self.log(name))
        return self._joins(name) > 0

    def _joins(self, name: str) -> int:
        return self.log(name).count("Ray runtime started")


@contextmanager
def on_this_host(settings: dict[str, str], gcs_from: int = 6390, http_from: int = 8810) -> Iterator[Machines]:
    """A cluster that is not started yet, on free ports from these on (outside those of Ray's workers); ended behind."""
    folder = Path(tempfile.mkdtemp(prefix="qn", dir="/tmp"))
    folder.chmod(0o711)
    gcs, http = (next(port for port in range(first, first + 90) if is_free(port)) for first in (gcs_from, http_from))
    machines = Machines(folder, gcs, http, settings)
    try:
        yield machines
    finally:
        machines.close()


def as_url(dsn: str) -> str:
    """The embedded database's connection facts as the URL that SVC_DATABASE_URL wants."""
    if dsn.startswith("postgres"):
        return dsn
    facts = conninfo_to_dict(dsn)
    user, password, host = (quote(str(facts.get(name, "")), safe="") for name in ("user", "password", "host"))
    port = f"&port={facts['port']}" if facts.get("port") else ""
    return f"postgresql://{user}:{password}@/{facts.get('dbname', 'postgres')}?host={host}{port}"


def wait_for(true: Callable[[], bool], seconds: float, otherwise: str) -> None:
    """Raises `TimeoutError` with `otherwise`."""
    until = time.monotonic() + seconds
    while not true():
        if time.monotonic() > until:
            raise TimeoutError(otherwise)
        time.sleep(0.3)


def _listens(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False
