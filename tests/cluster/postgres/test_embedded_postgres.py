"""A database of our own in a workdir: private, detached, side by side with others, and back after any kill."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from quire.cluster.postgres.embedded import EmbeddedPostgres
from tests.postgres import FAST
from tests.waiting import until

pytestmark = pytest.mark.long

PROGRAM = """
import sys
from pathlib import Path
from quire.cluster.postgres.embedded import EmbeddedPostgres
print(EmbeddedPostgres(Path(sys.argv[1]), {"fsync": "off"}).start())
"""


@contextmanager
def running(workdir: Path) -> Iterator[EmbeddedPostgres]:
    postgres = EmbeddedPostgres(workdir, FAST)
    try:
        postgres.start()
        yield postgres
    finally:
        postgres.stop()


@contextmanager
def open_folder() -> Iterator[Path]:
    """A temporary folder that other users may enter, unlike pytest's own."""
    with tempfile.TemporaryDirectory(prefix="quire-test-") as folder:
        Path(folder).chmod(0o711)
        yield Path(folder)


@pytest.fixture(scope="module")
def workdir() -> Iterator[Path]:
    """One folder for the tests that only look at a server; the database in it is made once."""
    with open_folder() as folder:
        yield folder / "workdir"


@pytest.fixture
def folder() -> Iterator[Path]:
    with open_folder() as folder:
        yield folder


def ask(dsn: str, query: str) -> object:
    with psycopg.connect(dsn) as connection:
        row = connection.execute(query.encode()).fetchone()
    assert row is not None
    return row[0]


def wait_until_dead(pid: int) -> None:
    until(lambda: not Path(f"/proc/{pid}/cwd").exists(), 20)


def test_database_serves_over_a_private_socket_only(workdir: Path) -> None:
    with running(workdir) as postgres:
        assert ask(postgres.dsn, "show listen_addresses") == ""
        assert ask(postgres.dsn, "show shared_buffers") == "64MB"
        assert ask(postgres.dsn, "select current_database()") == "quire"
        assert postgres.data.stat().st_mode & 0o077 == 0
        assert (workdir / "run" / "database.json").stat().st_mode & 0o077 == 0


def test_a_wrong_password_is_refused(workdir: Path) -> None:
    with running(workdir) as postgres:
        password = json.loads((workdir / "run" / "database.json").read_text())["password"]
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            psycopg.connect(postgres.dsn.replace(password, "guess"))


def test_password_with_a_lost_record_is_set_again_with_few_rounds(folder: Path) -> None:
    for _ in range(2):
        with running(folder / "workdir") as postgres:
            hashed = ask(postgres.dsn, "select rolpassword from pg_authid where rolname = current_user")
            assert str(hashed).startswith("SCRAM-SHA-256$1:")
        (folder / "workdir" / "run" / "database.json").unlink()


def test_starting_again_gives_the_same_server(workdir: Path) -> None:
    with running(workdir) as postgres:
        pid = postgres.pid
        assert EmbeddedPostgres(workdir, FAST).start() == postgres.dsn
        assert postgres.pid == pid


def test_stopping_a_stopped_database_is_accepted(workdir: Path) -> None:
    with running(workdir) as postgres:
        postgres.stop()
        assert not postgres.is_running()
        postgres.stop()


def test_database_outlives_the_process_that_started_the_server(workdir: Path) -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(workdir)], capture_output=True, text=True, check=True)
    postgres = EmbeddedPostgres(workdir)
    try:
        assert postgres.is_running()
        assert ask(done.stdout.strip(), "select 1") == 1
        assert postgres.pid is not None
        assert os.getsid(postgres.pid) != os.getsid(0)
    finally:
        postgres.stop()


def test_committed_rows_survive_kill_9(workdir: Path) -> None:
    with running(workdir) as postgres:
        with psycopg.connect(postgres.dsn) as connection:
            connection.execute("create table if not exists kept as select 7 as seven")
        pid = postgres.pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        wait_until_dead(pid)
        assert not postgres.is_running()
        assert ask(postgres.start(), "select seven from kept") == 7
        assert postgres.pid != pid


def test_a_strangers_pid_in_the_lock_file_is_not_taken_for_ours(workdir: Path) -> None:
    with running(workdir) as postgres:
        pid = postgres.pid
        assert pid is not None
        lock = (postgres.data / "postmaster.pid").read_text()
        os.kill(pid, signal.SIGKILL)
        wait_until_dead(pid)
        (postgres.data / "postmaster.pid").write_text(lock.replace(str(pid), str(os.getpid()), 1))
        assert not postgres.is_running()
        assert ask(postgres.start(), "select 1") == 1


def test_a_lost_state_file_is_made_again(workdir: Path) -> None:
    with running(workdir) as postgres:
        postgres.stop()
        (workdir / "run" / "database.json").unlink()
        assert ask(postgres.start(), "select 1") == 1


def test_two_workdirs_run_side_by_side(workdir: Path, folder: Path) -> None:
    with running(workdir) as one, running(folder / "two") as two:
        with psycopg.connect(two.dsn) as connection:
            connection.execute("create table only_here ()")
        assert one.pid != two.pid
        assert ask(one.dsn, "select to_regclass('only_here') is null") is True


def test_a_killed_installation_and_a_long_path_do_no_harm(folder: Path) -> None:
    deep = folder / ("deep" * 20) / ("deeper" * 10)
    (deep / "postgres.new").mkdir(parents=True)
    (deep / "postgres.new" / "half").write_text("made")
    with running(deep) as postgres:
        assert ask(postgres.dsn, "select 1") == 1
        socket = json.loads((deep / "run" / "database.json").read_text())["socket"]
        assert len(socket) < 60
        assert Path(socket).stat().st_mode & 0o077 == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root hands the database to another user")
def test_root_moves_the_database_of_a_closed_parent_to_a_shared_folder(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    with running(closed / "workdir") as postgres:
        assert str(postgres.data).startswith("/var/lib/quire/")
        assert postgres.data.stat().st_uid != 0
        assert closed.stat().st_mode & 0o777 == 0o700
        assert ask(postgres.dsn, "select 1") == 1
        home = postgres.data.parent
    subprocess.run(["rm", "-rf", str(home)], check=True)
