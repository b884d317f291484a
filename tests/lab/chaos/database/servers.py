"""PostgreSQL servers of any version in a folder, for long targets: made, copied, killed, promoted.

In: the folder of the programs. Out: DSNs over a unix socket in a private folder of the server's user; no password.
"""

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from quire.cluster.postgres.binaries import find_programs, pick_runner

FIRST_PORT = 5432  # only names the socket's file: nothing listens on a network
WAIT_S = 60  # seconds for a start or a promotion


class DatabaseServer:
    """One data folder. `port` distinguishes servers that share a socket folder."""

    def __init__(self, folder: Path, programs: Path, port: int = FIRST_PORT) -> None:
        self.folder, self.programs, self.port = folder, programs, port
        self.data = folder / f"data{port}"
        self._runner = pick_runner()

    @property
    def dsn(self) -> str:
        return f"host={self.folder} port={self.port} user=quire dbname=postgres"

    def make(self, settings: Mapping[str, str]) -> None:
        self._call("initdb", "-D", self.data, "-U", "quire", "--auth=trust", "--encoding=UTF8", "--no-locale")
        self._configure(settings)

    def copy_from(self, primary: "DatabaseServer", settings: Mapping[str, str]) -> None:
        """A standby that streams from `primary`; it keeps none of its rules for commits."""
        source = f"{primary.dsn} application_name=standby"
        self._call("pg_basebackup", "-D", self.data, "-d", source, "-R", "-X", "stream", "-c", "fast")
        self._configure(settings)

    def start(self) -> None:
        log = self.folder / f"{self.port}.log"
        self._call("pg_ctl", "start", "-D", self.data, "-l", log, "-w", "-t", WAIT_S, "-s")

    def promote(self) -> None:
        self._call("pg_ctl", "promote", "-D", self.data, "-w", "-t", WAIT_S, "-s")

    def kill(self) -> None:
        """As a machine that loses its power: no process of it says another word."""
        postmaster = int((self.data / "postmaster.pid").read_text().splitlines()[0])
        listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(postmaster)], capture_output=True, text=True)
        for pid in (postmaster, *map(int, listed.stdout.split())):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue

    def stop(self) -> None:
        self._call("pg_ctl", "stop", "-D", self.data, "-m", "immediate", "-s", check=False)

    def _configure(self, settings: Mapping[str, str]) -> None:
        fixed = {"listen_addresses": "", "unix_socket_directories": str(self.folder), "port": str(self.port)}
        lines = [f"{name} = '{value}'\n" for name, value in {**fixed, **settings}.items()]
        path = self.data / "postgresql.conf"
        path.write_text("".join(lines))
        self._runner.own(path)

    def _call(self, program: str, *arguments: object, check: bool = True) -> None:
        subprocess.run(
            [str(self.programs / program), *map(str, arguments)],
            check=check, cwd="/", env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"}, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=None if check else subprocess.DEVNULL,
            user=self._runner.uid, group=self._runner.gid,
            extra_groups=None if self._runner.uid is None else [], umask=0o077,
        )  # fmt: skip


@contextmanager
def server_folder() -> Iterator[Path]:
    """A short path, for sockets have short names; it belongs to the servers' user."""
    folder = Path(mkdtemp(prefix="qdb-", dir="/tmp"))
    pick_runner().own(folder)
    try:
        yield folder
    finally:
        rmtree(folder, ignore_errors=True)


def programs_in(given: str | None, folder: Path) -> Path:
    """The programs that were named; without a name those of the embedded database."""
    return Path(given) if given else find_programs(pick_runner(), folder / "programs")
