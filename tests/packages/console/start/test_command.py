"""`quire console`: plans, tenants and accounts from the command line, each act with its trail."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from quire.cluster.bootstrap.finding import load_settings
from quire.cluster.cli.main import cli
from quire.cluster.runtime import Runtime, write_runtime
from quire.cluster.serve.console_ports import ConsoleDatabase
from quire.serve_apps.console.store.accounts import create_account
from quire.serve_apps.console.store.rows import hooks_of
from quire.storage.access.audit import list_audit
from quire.storage.store import Store


@pytest.fixture
def workdir(dsn: str, tmp_path: Path) -> Path:
    """As `quire up` leaves it."""
    settings = load_settings({}, workdir=tmp_path / "deployed", console=True)
    facts = {"dsn": dsn, "dsn_file": tmp_path / "dsn", "base_url": "http://127.0.0.1:8000"}
    write_runtime(Runtime(settings=settings, license_file=tmp_path / "license", signing_key=b"0" * 32, **facts))  # type: ignore[arg-type]
    return settings.workdir


def quire(workdir: Path, *arguments: str) -> Result:
    return CliRunner(env={}).invoke(cli, ["console", *arguments, "--workdir", str(workdir)])


def test_a_tenant_is_listed_put_on_a_plan_and_closed(workdir: Path, store: Store) -> None:
    tenant = create_account(ConsoleDatabase(store.db), "ann@example.org", "hash", approved=False).tenant.id
    assert "waits for approval" in quire(workdir, "tenants").output
    assert quire(workdir, "approve", "Ann@Example.org").exit_code == 0
    assert quire(workdir, "define-plan", "tiny", "--pages", "3", "--documents", "2").exit_code == 0
    assert "tiny\t3 pages a month\t2 documents at once\tkept for ever" in quire(workdir, "plans").output
    assert quire(workdir, "plan", "ann@example.org", "tiny").output == f"{tenant} is on tiny\n"
    assert quire(workdir, "tenants").output == f"{tenant}\tann@example.org\ttiny\t0 documents 0 pages\tin use\n"
    assert quire(workdir, "close-account", "ann@example.org", "--yes").exit_code == 0
    assert quire(workdir, "tenants").output.startswith(f"{tenant}\t-\ttiny")
    acts = [(entry.action, entry.actor) for entry in list_audit(store, hooks_of(tenant)).items]
    assert acts[:3] == [("account.closed", "operator"), ("plan.changed", "operator"), ("account.approved", "operator")]


def test_a_link_for_a_new_password_is_printed_and_kept_as_a_digest(workdir: Path, store: Store) -> None:
    create_account(ConsoleDatabase(store.db), "ann@example.org", "hash")
    printed = quire(workdir, "reset-password", "ann@example.org").output.strip()
    found = re.fullmatch(r"http://127\.0\.0\.1:8000/console/new-password\?link=([\w-]{43})", printed)
    assert found is not None
    rows = store.db.fetch_all("select to_jsonb(t)::text as row from console_links t")
    assert len(rows) == 1
    assert found[1] not in rows[0]["row"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("plan", "nobody@example.org", "free"),
        ("plan", "nobody@example.org", "none"),
        ("approve", "nobody@example.org"),
        ("reset-password", "nobody@example.org"),
        ("close-account", "nobody@example.org", "--yes"),
        ("define-plan", "not a name"),
    ],
)
def test_failed_command_prints_a_message_without_traceback(workdir: Path, arguments: tuple[str, ...]) -> None:
    done = quire(workdir, *arguments)
    assert done.exit_code == 1
    assert "Traceback" not in done.output


def test_a_console_alone_needs_an_engine_and_its_key(tmp_path: Path) -> None:
    done = quire(tmp_path, "serve")
    assert done.exit_code == 1
    assert "SVC_CONSOLE_ENGINE" in done.output
