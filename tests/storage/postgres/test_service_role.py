"""The service works as a role that is not a superuser and can change no act of the audit trail."""

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from quire.storage.access.audit import record, seal, verify
from quire.storage.access.tenants import move_tenant
from quire.storage.postgres.schema import migrate
from quire.storage.postgres.service_role import ROLE, let_service_in, print_role
from quire.storage.postgres.vacuum_full import Scrubber
from quire.storage.store import Store, open_store
from tests.api.harness import client_of, make_resources, reading, serving
from tests.conftest import SIGNING_KEY
from tests.lab.conformance.__main__ import judge
from tests.lab.conformance.probe import Probe
from tests.lab.conformance.rows import ROWS
from tests.storage.scenes import ACME, ACTOR
from tests.ui.papers import PATTERN_SCAN

CALLERS = {"read": "acme-read", "write": "acme-write", "foreign": "zeta-all"}
TAMPERING = (
    "update audit set result = 'denied'",
    "update audit set hash = ''",
    "delete from audit",
    "truncate audit",
    "alter table audit disable row level security",
    "drop policy audit_seal on audit",
    "insert into audit (tenant, org, actor, action, object, result, seq, hash) values ('a','b','c','d','e','f',1,'x')",
    "update alembic_version set version_num = '0001'",
    "create role other superuser",
    "copy (select 1) to program 'id'",
    "select pg_read_file('/etc/passwd')",
)


PASSWORD = "a password of the tests"
OUTSIDE = "records office"
"""The name an operator gave the role: one that SQL has to quote."""


@pytest.fixture(params=[ROLE, OUTSIDE])
def service_dsn(dsn: str, request: pytest.FixtureRequest) -> Iterator[str]:
    """In a database of our own, and in one outside, as its owner makes the role with our SQL: the second time as well
    as the first."""
    if request.param == ROLE:
        yield let_service_in(dsn, PASSWORD)
        return
    with psycopg.connect(dsn, autocommit=True) as owner:
        owner.execute(print_role(OUTSIDE))
        owner.execute(print_role(OUTSIDE))
        role = sql.Identifier(OUTSIDE)
        owner.execute(sql.SQL("alter role {} password {}").format(role, sql.Literal(PASSWORD)))
        yield make_conninfo(dsn, user=OUTSIDE, password=PASSWORD)
        owner.execute(sql.SQL("drop owned by {0}; drop role {0}").format(role))


@pytest.fixture
def service_store(service_dsn: str, tmp_path: Path) -> Iterator[Store]:
    opened = open_store(service_dsn, tmp_path / "workdir", signing_key=SIGNING_KEY)
    yield opened
    opened.close()


def test_service_role_is_not_a_superuser_and_owns_nothing(service_dsn: str) -> None:
    with psycopg.connect(service_dsn) as connection:
        row = connection.execute("select usesuper from pg_user where usename = current_user").fetchone()
        owned = connection.execute("select count(*) from pg_tables where tableowner = current_user").fetchone()
    assert (row, owned) == ((False,), (0,))


def test_a_start_finds_the_schema_up_to_date_as_this_role(service_dsn: str) -> None:
    migrate(service_dsn)


def test_a_role_that_could_do_more_is_refused(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as owner:
        myself = owner.execute("select current_user").fetchone()
        assert myself
        with pytest.raises(psycopg.errors.RaiseException, match="protects no audit trail"):
            owner.execute(print_role(str(myself[0])))


@pytest.mark.parametrize("statement", TAMPERING)
def test_a_sealed_act_is_changed_by_no_statement_of_the_role(
    service_store: Store, service_dsn: str, statement: str
) -> None:
    with service_store.db.transaction() as conn:
        record(conn, ACME, ACTOR, "job.submitted", "job_1")
    seal(service_store.db)
    with psycopg.connect(service_dsn, autocommit=True) as connection:
        try:
            changed = connection.execute(statement).rowcount
        except psycopg.errors.InsufficientPrivilege:
            changed = 0
    assert changed <= 0
    assert verify(service_store.db, ACME) is None
    assert service_store.db.fetch_one("select result from audit") == {"result": "ok"}


@pytest.mark.parametrize("service_dsn", [OUTSIDE], indirect=True)
async def test_the_whole_interface_works_as_this_role(service_store: Store) -> None:
    async with (
        serving(make_resources(service_store, redaction_scan=PATTERN_SCAN)) as app,
        client_of(app, "acme-admin") as http,
    ):
        probe = Probe(http, key_of=CALLERS.get)
        with reading(service_store):
            verdicts = {what: await judge(probe, check) for _, what, check in ROWS}
    assert {what: verdict for what, verdict in verdicts.items() if verdict.startswith("FAILS")} == {}


@pytest.mark.parametrize("service_dsn", [ROLE], indirect=True)
def test_erasing_for_good_and_moving_a_tenant_work_as_this_role(service_store: Store) -> None:
    with service_store.db.transaction() as conn:
        record(conn, ACME, ACTOR, "job.submitted", "job_1")
    assert Scrubber(service_store.db).run()
    with pytest.raises(Exception, match="owns nothing"):
        move_tenant(service_store.db, "nobody", "somebody")


def test_granting_the_role_again_changes_only_the_password(dsn: str) -> None:
    first, second = let_service_in(dsn, "one"), let_service_in(dsn, "two")
    with psycopg.connect(second) as connection:
        assert connection.execute("select count(*) from jobs").fetchone() == (0,)
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(first)
