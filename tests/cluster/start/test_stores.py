"""A deployment knows its stores: every way to lose or swap one stops the start with a code, and no file is deleted."""

import os
import random
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest
from click.testing import CliRunner

from quire.cluster.cli.main import cli
from quire.cluster.cli.operate import reconcile as operate
from quire.cluster.errors import StartRefused
from quire.cluster.postgres import embedded
from quire.cluster.postgres.backup import make_backup, put_back
from quire.cluster.postgres.binaries import Runner
from quire.cluster.postgres.embedded import EmbeddedPostgres
from quire.cluster.start.database import open_database, settle
from quire.configs.parsing import parse_settings
from quire.configs.settings import Settings
from quire.storage.objects.marks import MARK, Mark, MarkedStore
from quire.storage.queue.publish import finish
from quire.storage.store import open_store
from quire.storage.upkeep.deployment import WrongStore, settle_stores
from quire.storage.upkeep.reconcile import reconcile
from quire.storage.values.rows import Succeeded
from tests.conftest import SIGNING_KEY
from tests.postgres import TestServer
from tests.storage.bucket import Bucket
from tests.storage.scenes import claim, submit, worker

pytestmark = pytest.mark.long
DOCUMENTS = 12
DAYS_S = 3 * 86_400  # seconds: far beyond the grace of the hourly comparison
AS_ROOT = os.geteuid() == 0


@dataclass
class Deployment:
    """A stopped deployment: settings, and the folder `base` that holds all its files."""

    base: Path
    server: TestServer
    bucket: Bucket
    patch: pytest.MonkeyPatch
    stack: ExitStack
    variables: dict[str, str] = field(default_factory=dict)
    dsn: str | None = None

    @property
    def workdir(self) -> Path:
        return self.base / "parent" / "w"

    @property
    def settings(self) -> Settings:
        return parse_settings({"SVC_RAG_DB": str(self.base / "index"), **self.variables}, workdir=self.workdir)

    def start(self) -> str:
        """As `up` does before the supervisor runs; returns the deployment's id."""
        self.dsn = open_database(self.settings).dsn
        settle(self.settings, self.dsn)
        with psycopg.connect(self.dsn) as connection:
            row = connection.execute("select id from deployment").fetchone()
        assert row is not None
        return str(row[0])

    def fill(self) -> None:
        assert self.dsn is not None
        store = open_store(self.dsn, self.workdir, signing_key=SIGNING_KEY, blobs_url=self.settings.blobs)
        for number in range(DOCUMENTS):
            submit(store, content=f"original {number}".encode())
            taken = claim(worker(store))
            manifest = store.artifacts.put(taken.document_id, taken.attempt, {"tree.json": b"{}"})
            finish(store, [Succeeded(claim=taken, manifest=manifest, format="pdf", pages=1)])
        store.close()

    def stop(self) -> None:
        if (self.workdir / "run" / "database.json").exists():
            EmbeddedPostgres(self.workdir).stop()

    def stored(self) -> list[str]:
        """Names of all originals and derived files, wherever the accident has put them."""
        paths = [path for path in self.base.rglob("*") if path.is_file() and not path.is_symlink()]
        return sorted(
            path.name
            for path in paths
            if {"blobs", "artifacts", "gone"} & set(path.parts) and "postgres" not in path.parts and path.name != MARK
        )

    def compare(self) -> None:
        """What the hourly comparison would do with the database and the stores of the settings."""
        if self.dsn is not None:
            store = open_store(self.dsn, self.workdir, signing_key=SIGNING_KEY, blobs_url=self.settings.blobs)
            try:
                reconcile(store)
            finally:
                store.close()


@pytest.fixture
def made(postgres_server: TestServer, bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> Iterator[Deployment]:
    """Short enough for a socket, open to the database's user."""
    options = bucket.options
    for name, text in {
        "AWS_ENDPOINT_URL": options["endpoint"], "AWS_ALLOW_HTTP": "true", "AWS_REGION": options["region"],
        "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, text)
    with tempfile.TemporaryDirectory(prefix="quire-st-", dir="/tmp") as folder, ExitStack() as stack:
        base = Path(folder)
        base.chmod(0o711)
        (base / "parent").mkdir(mode=0o755)
        deployment = Deployment(base, postgres_server, bucket, monkeypatch, stack)
        try:
            yield deployment
        finally:
            monkeypatch.undo()
            (base / "parent").chmod(0o755)
            deployment.stop()
            home = EmbeddedPostgres(deployment.workdir).data.parent
            if embedded.FALLBACK in home.parents:
                shutil.rmtree(home, ignore_errors=True)


def age(deployment: Deployment) -> None:
    then = time.time() - DAYS_S
    for path in deployment.workdir.rglob("*"):
        if {"blobs", "artifacts"} & set(path.parts):
            os.utime(path, (then, then))


def other_mark(place: Path) -> None:
    MarkedStore("store", place).write(Mark(id="dep_other", tick=1, database="elsewhere", place=str(place)))


def close_parent(made: Deployment) -> None:
    made.workdir.parent.chmod(0o700)


def open_parent(made: Deployment) -> None:
    made.workdir.parent.chmod(0o755)


def lose_database_mount(made: Deployment) -> None:
    (made.workdir / "postgres").rename(made.base / "away")


def lose_database_and_record(made: Deployment) -> None:
    (made.workdir / "postgres").rename(made.base / "away")
    shutil.rmtree(made.workdir / "run")


def link_originals_elsewhere(made: Deployment) -> None:
    (made.workdir / "blobs").rename(made.base / "gone")
    (made.base / "empty").mkdir()
    (made.workdir / "blobs").symlink_to(made.base / "empty")


def name_empty_database(made: Deployment) -> None:
    external(made, made.stack.enter_context(made.server.empty_database()))


def name_other_database(made: Deployment) -> None:
    dsn = made.stack.enter_context(made.server.database())
    with psycopg.connect(dsn) as connection:
        connection.execute("update deployment set id = 'dep_another'")
    external(made, dsn)


def external(made: Deployment, dsn: str) -> None:
    parts = psycopg.conninfo.conninfo_to_dict(dsn)
    host = quote(str(parts["host"]), safe="")
    url = f"postgresql://{parts['user']}:{parts.get('password', '')}@/{parts['dbname']}?host={host}"
    made.variables["SVC_DATABASE_URL"] = url


def restore_older_database(made: Deployment) -> None:
    subprocess.run(["cp", "-a", made.workdir / "postgres", made.base / "older"], check=True)
    made.start()
    made.fill()
    made.stop()
    shutil.rmtree(made.workdir / "postgres")
    (made.base / "older").rename(made.workdir / "postgres")


def name_empty_bucket(made: Deployment) -> None:
    made.variables |= {"SVC_BLOBS": made.bucket.url + "/another"}


def copy_workdir(made: Deployment) -> None:
    made.workdir.rename(made.base / "parent" / "original")
    original = made.base / "parent" / "original"
    mark = MarkedStore("workdir", original).read()
    assert mark is not None
    MarkedStore("workdir", original).write(Mark(id=mark.id, tick=mark.tick, database="", place=str(original)))
    subprocess.run(["cp", "-a", original, made.workdir], check=True)


def run_in_another_container(made: Deployment) -> None:
    """The server runs, and this process does not see it."""
    made.start()
    made.patch.setattr(embedded, "ORPHAN_CHECKS", 3)
    made.patch.setattr(embedded, "_works_in", lambda process, data: False)


def start_as_another_user(made: Deployment) -> None:
    made.patch.setattr(embedded, "pick_runner", lambda: Runner(None, None))
    made.patch.setattr(os, "geteuid", lambda: 54_321)


def empty_originals(made: Deployment) -> None:
    (made.workdir / "blobs").rename(made.base / "gone")
    (made.workdir / "blobs").mkdir()


def swap_index(made: Deployment) -> None:
    other_mark(made.base / "index")


def swap_originals(made: Deployment) -> None:
    other_mark(made.workdir / "blobs")


def lose_marks_and_database(made: Deployment) -> None:
    """As a deployment of 0.10.0, which has no marks, whose database is lost."""
    for path in made.base.rglob("deployment.json"):
        path.unlink()
    lose_database_and_record(made)


def move_workdir(made: Deployment) -> None:
    made.workdir.parent.rename(made.base / "elsewhere")
    (made.base / "elsewhere" / "w").rename(made.base / "elsewhere" / "moved")
    (made.base / "parent").mkdir(mode=0o755)
    made.workdir.symlink_to(made.base / "elsewhere" / "moved")


@dataclass(frozen=True)
class Way:
    """An accident, and the code that the start stops with; None if the start must find everything."""

    happen: Callable[[Deployment], None]
    code: str | None
    closed_at_first: bool = False
    in_bucket: bool = False


WAYS = [
    Way(close_parent, "database-out-of-reach" if AS_ROOT else None),
    Way(open_parent, None, closed_at_first=True),
    Way(lose_database_mount, "database-missing"),
    Way(lose_database_and_record, "database-missing"),
    Way(link_originals_elsewhere, "store-missing"),
    Way(name_empty_database, "database-missing"),
    Way(name_other_database, "stores-disagree"),
    Way(restore_older_database, "database-older"),
    Way(name_empty_bucket, "store-missing", in_bucket=True),
    Way(copy_workdir, "workdir-copied"),
    Way(run_in_another_container, "database-in-use"),
    Way(start_as_another_user, "database-owner"),
    Way(empty_originals, "store-missing"),
    Way(swap_index, "stores-disagree"),
    Way(swap_originals, "stores-disagree"),
    Way(lose_marks_and_database, "database-missing"),
    Way(move_workdir, None),
]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.happen.__name__)
def test_start_stops_with_a_code_and_no_file_is_deleted(made: Deployment, way: Way) -> None:
    if way.in_bucket:
        made.variables["SVC_BLOBS"] = made.bucket.url
    made.workdir.parent.chmod(0o700 if way.closed_at_first else 0o755)
    identity = made.start()
    made.fill()
    made.stop()
    age(made)
    way.happen(made)
    before = made.stored()

    if way.code is None:
        assert made.start() == identity
        with psycopg.connect(str(made.dsn)) as connection:
            assert connection.execute("select count(*) from documents").fetchone() == (DOCUMENTS,)
        made.compare()
    else:
        with pytest.raises(StartRefused) as refused:
            made.start()
        assert str(refused.value).startswith(f"{way.code}: ")
        assert str(refused.value).count("/") >= 2  # it names places
    assert made.stored() == before
    assert way.in_bucket or len(before) >= 2 * DOCUMENTS


def test_restored_backup_starts_in_a_new_workdir(made: Deployment) -> None:
    identity = made.start()
    made.fill()
    make_backup(made.settings, made.base / "backup")
    made.stop()
    shutil.rmtree(made.workdir)
    put_back(made.settings, made.base / "backup")
    before = made.stored()
    assert made.start() == identity
    made.compare()
    assert made.stored() == before
    assert before.count("tree.json") == 2 * DOCUMENTS  # in the backup and in the workdir


def test_restored_backup_meets_a_newer_bucket_and_is_adopted(made: Deployment) -> None:
    made.variables["SVC_BLOBS"] = made.bucket.url
    identity = made.start()
    made.fill()
    make_backup(made.settings, made.base / "backup")
    made.fill()
    made.stop()
    shutil.rmtree(made.workdir)
    put_back(made.settings, made.base / "backup")
    with pytest.raises(StartRefused, match=r"^database-older: .*quire reconcile --adopt"):
        made.start()
    made.stop()
    stored = objects(made)
    made.patch.setattr(operate, "compare", partial(reconcile, grace_s=-60))  # the bucket's times cannot be set

    result = CliRunner().invoke(cli, ["reconcile", "--adopt", "--workdir", str(made.workdir)], env=made.variables)

    assert result.exit_code == 0, result.output
    assert f"orphan artifacts: {DOCUMENTS} moved to quarantine" in result.output
    assert len(objects(made)) == len(stored)
    assert sum("quarantine/artifacts" in name for name in objects(made)) == DOCUMENTS
    assert not EmbeddedPostgres(made.workdir).is_running()
    assert made.start() == identity


def objects(made: Deployment) -> list[str]:
    """Names of all originals and derived files in the bucket."""
    import boto3  # slow

    keys = {name: made.bucket.options[name] for name in ("aws_access_key_id", "aws_secret_access_key")}
    client = boto3.client("s3", endpoint_url=made.bucket.options["endpoint"], region_name="us-east-1", **keys)
    listed = client.list_objects_v2(Bucket=made.bucket.url.split("/")[2]).get("Contents", [])
    return [item["Key"] for item in listed if not item["Key"].endswith(MARK)]


@pytest.mark.parametrize("seed", range(24))
def test_stores_start_only_if_all_are_of_one_deployment(postgres_server: TestServer, tmp_path: Path, seed: int) -> None:
    """Two deployments of the same version, whose parts are mixed at random; one may never have been used."""
    chance = random.Random(seed)
    parts = ("database", "originals", "derived files", "index")
    chosen = [chance.choice("ab") if chance.random() < 0.5 else "a" for _ in parts]
    with ExitStack() as stack:
        dsns = {name: stack.enter_context(postgres_server.database()) for name in "ab"}
        for name, dsn in dsns.items():
            with psycopg.connect(dsn) as connection:
                connection.execute("update deployment set id = %s", (f"dep_{name}",))
            settle_stores(dsn, name, [MarkedStore(part, tmp_path / name / part) for part in parts[1:]])
        mixed = [MarkedStore(part, tmp_path / name / part) for part, name in zip(parts[1:], chosen[1:], strict=True)]
        marks = [store.read() for store in mixed]
        if len(set(chosen)) == 1:
            settle_stores(dsns[chosen[0]], "here", mixed)
            return
        with pytest.raises(WrongStore) as refused:
            settle_stores(dsns[chosen[0]], "here", mixed)
        assert refused.value.code == "stores-disagree"
        assert [store.read() for store in mixed] == marks
