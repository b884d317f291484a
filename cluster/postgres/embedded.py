"""The embedded PostgreSQL of a workdir: `initdb` once, `pg_ctl start` detached, `pg_ctl stop` on request.

In: the workdir and extra settings. Out: a DSN over a unix socket in a 0700 folder (scram password, no TCP port at all),
kept in WORKDIR/run/database.json (0600). The server outlives the process that started it and survives kill -9.
It knows nothing of our schema.
"""

import fcntl
import hashlib
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg

from quire.cluster.postgres.binaries import PostgresUnavailable, Runner, find_programs, pick_runner, system_uids
from quire.storage.objects.durable_files import UPLOAD_ROOM, free_bytes

USER = DATABASE = "quire"
FALLBACK = Path("/var/lib/quire")
SOCKET_PATH_LIMIT = 100  # of 107 bytes, less the file's own suffix
RESERVE_BYTES = 64 * 1024 * 1024  # four segments of the write-ahead log
SCARCE_BYTES = RESERVE_BYTES // 2  # free bytes below which the database gets the reserve
ORPHAN_CHECKS = 200  # 20 s: orphans of a killed postmaster need a moment to notice

SETTINGS: Mapping[str, str] = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "100",
    "shared_buffers": "64MB",
    "max_wal_size": "512MB",
    "wal_level": "minimal",
    "wal_recycle": "off",  # an old segment would keep erased text until it is overwritten
    "max_wal_senders": "0",
    "io_method": "sync",  # spares three I/O worker processes
    "jit": "off",
    "timezone": "UTC",
    "password_encryption": "scram-sha-256",
    # SCRAM iterations slow down guessing. A password of 192 random bits needs none, and each connection pays for them.
    "scram_iterations": "1",
    # Rows hold file names: neither statements nor key values may reach the log.
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "log_checkpoints": "off",
    "log_timezone": "UTC",
}


class EmbeddedPostgres:
    """One server per workdir. All methods may be called from any process; a file lock orders starts and stops."""

    def __init__(self, workdir: Path, settings: Mapping[str, str] | None = None) -> None:
        self._run = workdir / "run"
        self._workdir = workdir
        self._settings = {**SETTINGS, **(settings or {})}
        self._runner = pick_runner()
        self._home = self._find_home()
        self.data = self._home / "postgres"

    def start(self) -> str:
        """Install if needed, start, create the database, and return the DSN; a running server is left as it is."""
        with self._locked():
            if self.is_running() and self._state():
                return self.dsn
            self._check_home()
            self.tend_reserve()
            programs = find_programs(self._runner, self._home / "postgres-programs")
            password = self._install(programs)
            socket = self._socket_folder()
            self._write_configuration(socket)
            with self._sole_server(socket) as lock:
                self._launch(programs, lock)
            self._save({"password": password, "socket": str(socket), "data": str(self.data), "programs": str(programs)})
            self._create_database()
            return self.dsn

    def tend_reserve(self) -> None:
        """Keep a file of `RESERVE_BYTES` while there is room, and delete it for the database when the disk is full.

        Without it nothing can be deleted at 0 bytes free, because a deletion and a start write rows first.
        """
        reserve, free = self._home / "reserve", free_bytes(self._home)
        with suppress(OSError):
            if free < SCARCE_BYTES:
                reserve.unlink(missing_ok=True)
            elif free > UPLOAD_ROOM + RESERVE_BYTES and not reserve.exists():
                with reserve.open("xb") as file:
                    os.posix_fallocate(file.fileno(), 0, RESERVE_BYTES)

    def stop(self) -> None:
        """Shut down fast (sessions are ended, nothing is lost); a server that is not running is accepted."""
        with self._locked():
            if not self.is_running():
                return
            programs = Path(self._state()["programs"])
            for mode in ("fast", "immediate"):
                done = self._call(programs / "pg_ctl", "stop", "-D", self.data, "-m", mode, "-w", "-t", "30", "-s")
                if done.returncode == 0 or not self.is_running():
                    return
            raise PostgresUnavailable(f"the database in {self.data} does not stop")

    def kill(self) -> None:
        """End the server within a second without taking locks; what was committed stays."""
        for number in (signal.SIGINT, signal.SIGQUIT):  # fast, then immediate shutdown
            if not (found := [pid for pid in _pids() if _works_in(f"/proc/{pid}", self.data)]):
                return
            for pid in found:
                with suppress(OSError):
                    os.kill(pid, number)
            until = time.monotonic() + 0.5
            while time.monotonic() < until and self.is_running():
                time.sleep(0.02)

    def is_running(self) -> bool:
        """Return whether the server of this data folder runs."""
        pid = self.pid
        return pid is not None and _serves(pid, self.data)

    @property
    def pid(self) -> int | None:
        """The postmaster's process id from its lock file; the process may be dead."""
        try:
            return int((self.data / "postmaster.pid").read_text().splitlines()[0])
        except (FileNotFoundError, IndexError, ValueError):
            return None

    @property
    def dsn(self) -> str:
        """Connection string of the superuser."""
        state = self._state()
        return f"postgresql://{USER}:{state['password']}@/{DATABASE}?host={quote(state['socket'], safe='')}"

    def exists(self) -> bool:
        """Return whether the database was created."""
        return _is_database(self.data)

    def _find_home(self) -> Path:
        """Return the place of the existing database, recorded or not; else choose one."""
        self._workdir.mkdir(parents=True, exist_ok=True, mode=0o711)
        self._run.mkdir(exist_ok=True, mode=0o700)
        workdir = self._workdir.resolve()
        outside = FALLBACK / hashlib.sha256(str(workdir).encode()).hexdigest()[:16]
        homes = [home for home in (workdir, outside) if _is_database(home / "postgres")]
        recorded = Path(self._state().get("data") or outside / "postgres").parent
        if recorded in homes or (not homes and _is_database(recorded / "postgres")):  # the latter of a moved workdir
            return recorded
        return homes[0] if homes else workdir if self._runner.can_enter(workdir.parent) else outside

    def _check_home(self) -> None:
        """Raise `PostgresUnavailable` unless the place is the known one, and the database's user can work there."""
        recorded = self._state().get("data")
        if not self.exists():
            if recorded:
                raise PostgresUnavailable(
                    f"database-missing: the database of this workdir was in {recorded} and is not there any more. "
                    f"Nothing was created in {self.data}. Bring it back, or restore a backup into an empty workdir"
                )
            self._home.mkdir(parents=True, exist_ok=True, mode=0o711)
        elif (owner := self.data.stat().st_uid) != (os.geteuid() if self._runner.uid is None else self._runner.uid):
            if self._runner.uid is None or owner not in system_uids():
                raise PostgresUnavailable(
                    f"database-owner: the database in {self.data} belongs to user {owner}, not to the one that starts "
                    f"{self._workdir}. Start it as user {owner}"
                )
            self._runner = Runner(owner, self.data.stat().st_gid)
        workdir = self._workdir.resolve()
        if self._home == workdir and self._runner.uid is not None and self._runner.can_enter(workdir.parent):
            workdir.chmod(workdir.stat().st_mode | 0o001)
        if not self._runner.can_enter(self._home):
            raise PostgresUnavailable(
                f"database-out-of-reach: the database is in {self.data}, and its user cannot enter {self._home}: a "
                f"parent folder was closed. Open it to pass (chmod o+x), or choose another workdir than {self._workdir}"
            )

    def _install(self, programs: Path) -> str:
        """Initialise the data folder and return the superuser's password; remove a killed initdb's partial folder."""
        if (self.data / "PG_VERSION").exists():
            return str(self._state().get("password") or self._reset_password(programs))
        password = secrets.token_urlsafe(24)
        fresh = self.data.with_name("postgres.new")
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(mode=0o700)
        self._runner.own(fresh)
        with self._secret_file(password) as pwfile:
            options = (
                "--auth=scram-sha-256",
                "--encoding=UTF8",
                "--no-locale",
                "--no-instructions",
                f"--pwfile={pwfile}",
                f"--set=scram_iterations={SETTINGS['scram_iterations']}",
            )
            done = self._call(programs / "initdb", "-D", fresh, "-U", USER, *options)
        if done.returncode:
            raise PostgresUnavailable(f"initdb failed: {done.stderr.strip()[-500:]}")
        self._save({"password": password})
        fresh.rename(self.data)
        return password

    def _reset_password(self, programs: Path) -> str:
        """Set a new password if the state file is lost: single-user mode needs none."""
        password = secrets.token_urlsafe(24)
        done = self._call(
            programs / "postgres",
            "--single",
            "-D",
            self.data,
            "-c",
            f"scram_iterations={SETTINGS['scram_iterations']}",
            "postgres",
            feed=f"alter role {USER} password '{password}'\n",
        )
        if done.returncode:
            raise PostgresUnavailable(f"the database's password cannot be set again: {done.stderr.strip()[-500:]}")
        return password

    def _socket_folder(self) -> Path:
        """Return the data folder (0700, the database user's), or a short one in /tmp if its path is too long."""
        if len(os.fsencode(self.data)) <= SOCKET_PATH_LIMIT - len("/.s.PGSQL.5432.lock"):
            return self.data
        stored = Path(self._state().get("socket", self.data))
        if stored != self.data and stored.is_dir():
            return stored
        folder = Path(tempfile.mkdtemp(prefix="quire-db-", dir="/tmp"))
        self._runner.own(folder)
        return folder

    def _write_configuration(self, socket: Path) -> None:
        settings = {**self._settings, "unix_socket_directories": str(socket)}
        lines = [f"{name} = '{value}'\n" for name, value in settings.items()]
        path = self.data / "postgresql.conf"
        path.write_text("".join(lines))
        path.chmod(0o600)
        self._runner.own(path)

    @contextmanager
    def _sole_server(self, socket: Path) -> Iterator[int]:
        """Hold the lock that the server inherits, so that no second one starts on its data, not even in a container.

        PostgreSQL's own locks go by pid, which another container does not see, and take a zombie or a reused pid for a
        running server: they are removed.
        """
        with self.data.with_name("postgres.lock").open("w") as lock:
            for _ in range(ORPHAN_CHECKS):
                with suppress(BlockingIOError):
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    if sys.platform != "linux" or not _has_processes(self.data):
                        break
                time.sleep(0.1)
            else:
                raise PostgresUnavailable(
                    f"database-in-use: another server works on {self.data}, perhaps in another container. Stop the "
                    f"service that uses {self._workdir} there"
                )
            if sys.platform == "linux":
                (self.data / "postmaster.pid").unlink(missing_ok=True)
                (socket / ".s.PGSQL.5432.lock").unlink(missing_ok=True)
            yield lock.fileno()

    def _launch(self, programs: Path, lock: int) -> None:
        log = self.data / "server.log"
        done = self._call(programs / "pg_ctl", "start", "-D", self.data, "-l", log, "-w", "-t", "60", "-s", keep=lock)
        if done.returncode:
            raise PostgresUnavailable(f"the database does not start; see {log}")

    def _create_database(self) -> None:
        with psycopg.connect(self.dsn, dbname="postgres", autocommit=True) as connection:
            if not connection.execute("select 1 from pg_database where datname = %s", (DATABASE,)).fetchone():
                connection.execute(f"create database {DATABASE}")

    def _call(
        self, program: Path, *arguments: object, feed: str | None = None, keep: int | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a program with files instead of pipes, because the postmaster inherits them and keeps a pipe open.

        It inherits the descriptor `keep` too.
        """
        with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as stdin:
            stdin.write(feed or "")
            stdin.seek(0)
            done = subprocess.run(
                [str(program), *map(str, arguments)],
                stdin=stdin,
                stdout=output,
                stderr=output,
                cwd="/",
                env={"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"},
                user=self._runner.uid,
                group=self._runner.gid,
                extra_groups=None if self._runner.uid is None else [],
                umask=0o077,
                pass_fds=() if keep is None else (keep,),
                check=False,
            )
            output.seek(0)
            return subprocess.CompletedProcess(done.args, done.returncode, stdout="", stderr=output.read())

    @contextmanager
    def _secret_file(self, secret: str) -> Iterator[Path]:
        handle, name = tempfile.mkstemp(dir=self._home)
        path = Path(name)
        try:
            with os.fdopen(handle, "w") as file:
                file.write(secret)
            self._runner.own(path)
            yield path
        finally:
            path.unlink(missing_ok=True)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with (self._run / "database.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _state(self) -> dict[str, Any]:
        try:
            state: dict[str, Any] = json.loads((self._run / "database.json").read_text())
        except (FileNotFoundError, ValueError):
            return {}
        return state

    def _save(self, state: dict[str, str]) -> None:
        partial = self._run / "database.json.partial"
        with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            json.dump(state, file)
        partial.rename(self._run / "database.json")


def _serves(pid: int, data: Path) -> bool:
    """Return whether `pid` is a live server of this data folder, on Linux by its working directory."""
    if sys.platform == "linux":
        return _works_in(f"/proc/{pid}", data)
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


def _is_database(data: Path) -> bool:
    return (data / "PG_VERSION").exists()


def _has_processes(data: Path) -> bool:
    return any(_works_in(f"/proc/{pid}", data) for pid in _pids())


def _pids() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()] if sys.platform == "linux" else []


def _works_in(process: str, data: Path) -> bool:
    try:
        return os.readlink(f"{process}/cwd") == str(data)
    except OSError:  # gone, a zombie, or another user's
        return False
