"""`quire keys`, `tenant` and `audit` against a deployment's database."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner, Result

from quire.cluster.bootstrap.finding import load_settings
from quire.cluster.cli.main import cli
from quire.cluster.runtime import Runtime, write_runtime
from quire.configs.settings import Settings
from quire.serve_apps.access.keys import KeyRing, default_key, digest_secret, parse_api_keys
from quire.serve_apps.access.stored_keys import keys_in_force
from quire.storage.access.api_keys import list_keys, record_key_uses
from quire.storage.store import Store
from tests.storage.scenes import submit

CONFIGURED = "acme:read=acme-read-of-20-chars"


@pytest.fixture
def workdir(dsn: str, tmp_path: Path) -> Path:
    """As `quire up` leaves it."""
    return deploy(load_settings({}, workdir=tmp_path / "deployed", api_keys=CONFIGURED), dsn, tmp_path)


def deploy(settings: Settings, dsn: str, folder: Path, token_file: Path | None = None) -> Path:
    """The working folder with the runtime file of a service that is up."""
    write_runtime(
        Runtime(
            settings=settings,
            dsn=dsn,
            dsn_file=folder / "dsn",
            base_url="http://127.0.0.1:8000",
            license_file=folder / "license",
            signing_key=b"0" * 32,
            token_file=token_file,
        )
    )
    return settings.workdir


def quire(workdir: Path, *arguments: str) -> Result:
    return CliRunner(env={}).invoke(cli, [*arguments, "--workdir", str(workdir)])


def test_a_person_is_listed_then_erased_with_a_report(workdir: Path, store: Store) -> None:
    job = submit(store, 1)
    store.db.fetch_all("update documents set status = 'failed', source_file = 'Letter to Ann Zaq.pdf' returning id")
    scope = ("--tenant", "acme")
    listed = quire(workdir, "erase", "--person", "ann zaq", *scope)
    assert (listed.exit_code, "1 of 1 documents contain it" in listed.output) == (1, True)  # nobody has read it
    report = workdir / "report.json"
    erased = quire(workdir, "erase", "--person", "ANN-ZAQ", *scope, "--yes", "-o", str(report))
    assert f"{job.documents[0].id}  0 places  deleted" in erased.output
    assert "ann" not in report.read_text().casefold()
    again = quire(workdir, "erase", "--person", "ann zaq", *scope)
    assert (again.exit_code, again.output.strip()) == (0, "0 of 0 documents contain it")
    assert quire(workdir, "erase", "--person", "a", *scope).exit_code == 1


def test_a_key_is_added_listed_and_revoked(workdir: Path, store: Store) -> None:
    added = quire(workdir, "keys", "add", "acme:write")
    assert added.exit_code == 0, added.output
    secret = added.output.strip()
    in_force = keys_in_force(parse_api_keys(CONFIGURED), list_keys(store.db))
    assert [(key.label, key.digest) for key in in_force][1:] == [("acme:write", digest_secret(secret))]
    assert quire(workdir, "keys", "add", "acme:write").exit_code == 1
    listed = quire(workdir, "keys", "list").output
    assert "acme:write  in force" in listed
    assert "acme:read  in force  from SVC_API_KEYS" in listed
    assert secret not in quire(workdir, "keys", "list").output
    for label in ("acme:write", "acme:read"):
        assert quire(workdir, "keys", "revoke", label).exit_code == 0
    assert "in force" not in quire(workdir, "keys", "list").output
    assert keys_in_force(parse_api_keys(CONFIGURED), list_keys(store.db)) == []


def test_revoking_a_narrow_default_key_keeps_the_default_token(dsn: str, tmp_path: Path, store: Store) -> None:
    """`keys revoke default:read` ended the one token of full scope as well."""
    token, settings = tmp_path / "token", load_settings({}, workdir=tmp_path / "deployed")
    token.write_text("quire_default\n")
    deploy(settings, dsn, tmp_path, token)
    default = default_key("quire_default")
    assert quire(settings.workdir, "keys", "add", "default:read").exit_code == 0
    assert quire(settings.workdir, "keys", "revoke", "default:read").exit_code == 0
    assert keys_in_force([default], list_keys(store.db)) == [default]
    assert quire(settings.workdir, "keys", "revoke", "default:write").exit_code == 1
    assert quire(settings.workdir, "keys", "revoke", "default").exit_code == 0
    assert keys_in_force([default], list_keys(store.db)) == []


@pytest.mark.parametrize("label", ["acme:read", "acme:write"], ids=["configured", "added"])
def test_rotated_key_has_two_listed_secrets(workdir: Path, store: Store, label: str) -> None:
    if label == "acme:write":
        assert quire(workdir, "keys", "add", label, "--days", "90").exit_code == 0
    rotated = quire(workdir, "keys", "rotate", label)
    assert rotated.exit_code == 0, rotated.output
    in_force = keys_in_force(parse_api_keys(CONFIGURED), list_keys(store.db))
    old, new = (key for key in in_force if key.label == label)
    assert new.digest == digest_secret(rotated.output.strip())
    assert old.ends_at is not None
    assert timedelta(days=6) < old.ends_at - datetime.now(UTC) < timedelta(days=8)
    lines = [line for line in quire(workdir, "keys", "list").output.splitlines() if label in line]
    assert [("until" in line, line.split()[0]) for line in lines] == [
        (True, old.digest[:4].hex()),
        (False, new.digest[:4].hex()),
    ]
    record_key_uses(store.db, {new.digest: datetime.now(UTC)})
    assert quire(workdir, "keys", "list").output.count("last used") == 1
    assert quire(workdir, "keys", "revoke", label, "--id", old.digest[:4].hex()).exit_code == 0
    left = [key for key in keys_in_force(parse_api_keys(CONFIGURED), list_keys(store.db)) if key.label == label]
    assert [key.digest for key in left] == [new.digest]


def test_rotation_without_overlap_ends_the_old_secret(workdir: Path, store: Store) -> None:
    assert quire(workdir, "keys", "rotate", "acme:read", "--overlap-days", "0").exit_code == 0
    (key,) = KeyRing(keys_in_force(parse_api_keys(CONFIGURED), list_keys(store.db)))
    assert key.digest != digest_secret(CONFIGURED.partition("=")[2])
    assert quire(workdir, "keys", "rotate", "nobody:read").exit_code == 1


@pytest.mark.parametrize("label", ["", "a b", "acme:owner", "acme=x", "nobody:read"])
def test_a_key_that_cannot_be_meant_is_refused(workdir: Path, label: str) -> None:
    done = quire(workdir, "keys", "revoke", label)
    assert done.exit_code == 1
    assert "Traceback" not in done.output


def test_a_tenant_moves(workdir: Path, store: Store) -> None:
    submit(store)
    moved = quire(workdir, "tenant", "move", "acme", "zeta")
    assert (moved.exit_code, "jobs 1" in moved.output) == (0, True)
    assert quire(workdir, "tenant", "move", "acme", "zeta").exit_code == 1


def test_audit_trail_is_whole_until_an_entry_is_changed(workdir: Path, store: Store, dsn: str) -> None:
    submit(store)
    whole = quire(workdir, "audit", "verify")
    assert (whole.exit_code, whole.output) == (0, "acme/default: whole\n")
    with psycopg.connect(dsn) as connection:
        connection.execute("update audit set actor = 'somebody else'")
    broken = quire(workdir, "audit", "verify")
    assert broken.exit_code == 1
    assert "acme/default: broken at entry 1" in broken.output


def test_the_sql_of_a_role_that_changes_no_act_needs_no_deployment() -> None:
    printed = CliRunner(env={}).invoke(cli, ["audit", "role", "--name", "records"])
    assert printed.exit_code == 0
    assert 'revoke update, delete on audit from "records";' in printed.output


def test_without_a_deployment_there_is_one_line(tmp_path: Path) -> None:
    done = quire(tmp_path, "keys", "list")
    assert (done.exit_code, "no service was started" in done.output) == (1, True)
