"""Files made before the supervisor runs: licence, token, secrets and the runtime file."""

import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from quire.cluster.bootstrap import licensing
from quire.cluster.bootstrap.addresses import base_url
from quire.cluster.bootstrap.licensing import license_of
from quire.cluster.cli.main import cli
from quire.cluster.errors import StartRefused
from quire.cluster.postgres.embedded import EmbeddedPostgres
from quire.cluster.runtime import Runtime, read_runtime, write_runtime
from quire.cluster.start.checks import check_source_root
from quire.cluster.start.prepare import keep_index_private, mint_token
from quire.cluster.state import run_folder
from quire.configs.parsing import parse_settings
from quire.configs.settings import Settings
from quire.serve_apps.access.license import License, issue_license
from quire.serve_apps.access.license_keys import write_public_key
from quire.storage.postgres.schema import HEAD

ROOT = Path(__file__).resolve().parents[3]


def settings(workdir: Path, **environ: str) -> Settings:
    return parse_settings(environ, workdir=workdir)


@pytest.fixture
def folder() -> Iterator[Path]:
    """Short enough for a socket, open to the database's user."""
    with tempfile.TemporaryDirectory(prefix="quire-up-", dir="/tmp") as name:
        Path(name).chmod(0o711)
        yield Path(name)


@pytest.fixture
def signer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ed25519PrivateKey:
    """A pinned signing key of the test."""
    key = Ed25519PrivateKey.generate()
    write_public_key(key, "test-1", tmp_path / "pinned")
    monkeypatch.setattr(licensing, "LICENSE_KEYS", tmp_path / "pinned")
    return key


def token(key: Ed25519PrivateKey, *, days: int, license_id: str = "lic-1") -> str:
    begin = datetime.now(UTC).replace(microsecond=0) - timedelta(days=30)
    license = License(
        license_id=license_id,
        customer="acme",
        plan="personal",
        features=(),
        max_pages_per_month=10,
        issued_at=begin,
        not_before=begin,
        expires_at=begin + timedelta(days=30 + days),
        kid="test-1",
    )
    return issue_license(license, key)


def test_on_loopback_a_development_licence_is_made_and_kept(tmp_path: Path) -> None:
    first, keys = license_of(settings(tmp_path))
    again, same = license_of(settings(tmp_path))
    assert (first, keys) == (again, same)
    assert all(kid.startswith("local-") for kid in keys)
    assert stat.S_IMODE(first.stat().st_mode) == 0o600


@pytest.mark.parametrize("environ", [{"SVC_HOST": "0.0.0.0"}, {"SVC_DATABASE_URL": "postgresql://h/d"}])
def test_beyond_one_machine_a_licence_is_required(tmp_path: Path, environ: dict[str, str]) -> None:
    with pytest.raises(StartRefused, match="SVC_LICENSE is required"):
        license_of(settings(tmp_path, **environ))


def test_given_licence_is_stored_for_replacement_by_a_renewal(tmp_path: Path, signer: Ed25519PrivateKey) -> None:
    path, keys = license_of(settings(tmp_path, SVC_LICENSE=token(signer, days=60)))
    assert path == tmp_path / "license.token"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert keys == {}


def test_a_renewal_in_the_workdir_wins_over_the_older_token(tmp_path: Path, signer: Ed25519PrivateKey) -> None:
    renewal = token(signer, days=90)
    (tmp_path / "license.token").write_text(renewal)
    path, _ = license_of(settings(tmp_path, SVC_LICENSE=token(signer, days=10)))
    assert path.read_text() == renewal


def test_a_renewal_in_the_workdir_carries_an_expired_token(tmp_path: Path, signer: Ed25519PrivateKey) -> None:
    renewal = token(signer, days=90)
    (tmp_path / "license.token").write_text(renewal)
    path, _ = license_of(settings(tmp_path, SVC_LICENSE=token(signer, days=-1)))
    assert path.read_text() == renewal


def test_a_renewal_of_another_licence_carries_nothing(tmp_path: Path, signer: Ed25519PrivateKey) -> None:
    (tmp_path / "license.token").write_text(token(signer, days=90, license_id="lic-2"))
    with pytest.raises(StartRefused, match="expired"):
        license_of(settings(tmp_path, SVC_LICENSE=token(signer, days=-1)))


def test_another_licence_replaces_the_kept_one(tmp_path: Path, signer: Ed25519PrivateKey) -> None:
    (tmp_path / "license.token").write_text(token(signer, days=90, license_id="lic-2"))
    given = token(signer, days=60)
    path, _ = license_of(settings(tmp_path, SVC_LICENSE=given))
    assert path.read_text() == given


def test_the_default_token_is_minted_once(tmp_path: Path) -> None:
    first = mint_token(tmp_path)
    text = first.read_text()
    assert mint_token(tmp_path).read_text() == text
    assert stat.S_IMODE(first.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:80"),
        ("0.0.0.0", "http://127.0.0.1:80"),
        ("::", "http://[::1]:80"),
        ("::1", "http://[::1]:80"),
    ],
)
def test_the_base_url_is_one_that_this_machine_can_open(tmp_path: Path, host: str, url: str) -> None:
    assert base_url(settings(tmp_path, SVC_HOST=host, SVC_PORT="80")) == url


def test_a_runtime_comes_back_as_it_was_written(tmp_path: Path) -> None:
    runtime = Runtime(
        settings=settings(tmp_path, SVC_API_KEYS=f"a={'k' * 20}", SVC_RETRY_DELAYS_S="1,2", SVC_ALLOWED_HOSTS="x,y"),
        dsn="postgresql://u:p@/d",
        dsn_file=tmp_path / "dsn",
        base_url="http://127.0.0.1:8000",
        license_file=tmp_path / "license.token",
        license_keys={"local-1": bytes(range(32))},
        token_file=None,
        signing_key=b"\x00\xff",
    )
    path = write_runtime(runtime)
    assert read_runtime(path) == runtime
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_the_folder_of_the_search_index_is_closed_to_others(tmp_path: Path) -> None:
    made, found = tmp_path / "made", tmp_path / "found"
    found.mkdir(mode=0o755)
    for folder in (made, found):
        keep_index_private(str(folder))
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    keep_index_private("s3://bucket/prefix")
    keep_index_private(None)


def test_an_index_folder_that_cannot_be_made_refuses_the_start(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StartRefused, match="SVC_RAG_DB"):
        keep_index_private(str(tmp_path / "file" / "index"))


def test_a_source_root_that_is_not_there_refuses_the_start(tmp_path: Path) -> None:
    with pytest.raises(StartRefused, match="SVC_SOURCE_ROOT"):
        check_source_root(settings(tmp_path, SVC_SOURCE_ROOT=str(tmp_path / "nowhere")))
    check_source_root(settings(tmp_path, SVC_SOURCE_ROOT=str(tmp_path)))


def test_a_workdir_lets_others_pass_and_not_look(tmp_path: Path) -> None:
    workdir = tmp_path / "fresh"
    run_folder(workdir)
    assert stat.S_IMODE(workdir.stat().st_mode) == 0o711


def test_a_start_without_search_loads_nothing_of_search_and_no_arrays(tmp_path: Path) -> None:
    lines = (
        "import sys\n"
        "from pathlib import Path\n"
        "from quire.cluster.start import checks, prepare\n"
        "from quire.configs.parsing import parse_settings\n"
        "settings = parse_settings({}, workdir=Path(sys.argv[1]))\n"
        "checks.check_recogniser(settings)\n"
        "checks.check_second_opinion(settings)\n"
        "checks.check_pii_engine(settings)\n"
        "checks.check_embedding(settings)\n"
        "print(sorted({'lancedb', 'lance', 'numpy', 'pandas', 'pyarrow', 'ray'} & set(sys.modules)))"
    )
    command = [sys.executable, "-c", lines, str(tmp_path)]
    assert subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip() == "[]"


def test_taken_port_is_refused_before_anything_is_started(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        command = ["up", "--detach", "--port", str(port), "--workdir", str(tmp_path / "w")]
        result = CliRunner().invoke(cli, command)
    assert result.exit_code == 1
    assert f"SVC_PORT: 127.0.0.1:{port} is used by another program" in result.output
    assert {path.name for path in (tmp_path / "w").rglob("*")} == {"run", "lock"}


def test_migration_reports_its_result_and_stops_its_database(folder: Path) -> None:
    said = [CliRunner().invoke(cli, ["migrate", "--workdir", str(folder / "w")]).output for _ in range(2)]
    assert said == [f"the schema {done} ({HEAD})\n" for done in ("was migrated in 1 step(s)", "was up to date")]
    assert not EmbeddedPostgres(folder / "w").is_running()
