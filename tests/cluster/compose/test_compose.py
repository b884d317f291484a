"""Settings become objects: a composed reader does its work on a real database, in the real sandbox."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pymupdf
import pytest

from quire.actors.reader.reader import Reader
from quire.cluster.bootstrap.opening import hold_license
from quire.cluster.compose.api import open_resources
from quire.cluster.compose.background import make_janitor
from quire.cluster.compose.reading import make_reader
from quire.cluster.compose.values import api_limits, read_options, sandbox_limits
from quire.cluster.runtime import Runtime
from quire.configs.parsing import parse_settings
from quire.models.cdom.original import ReadOptions
from quire.models.cdom.tree import load_tree
from quire.models.neural.fakes import ScriptedRecogniser
from quire.serve_apps.access.development import development_license
from quire.storage.jobs.documents import locate_original, locate_tree
from quire.storage.jobs.intake import Submission, submit_job
from quire.storage.jobs.jobs import get_job
from quire.storage.store import Store
from quire.storage.values.rows import JobId, NewDocument
from quire.storage.values.states import JobStatus, Priority
from tests.conftest import SIGNING_KEY
from tests.storage.scenes import ACME, ACTOR, UNLIMITED, put_blob, submit
from tests.waiting import PATIENCE_S, until


def paper(pages: int = 1) -> bytes:
    document = pymupdf.open()
    for number in range(pages):
        document.new_page().insert_text((72, 72), f"Page {number} of the harbour report")
    return bytes(document.tobytes())


@pytest.fixture
def runtime(dsn: str, store: Store, tmp_path: Path) -> Runtime:
    """Return the runtime that `up` would have written for this test's database."""
    _, keys = development_license(tmp_path, datetime.now(UTC))
    return Runtime(
        settings=parse_settings({"SVC_BEAT_S": "0.5", "SVC_LEASE_S": "2"}, workdir=store.workdir),
        dsn=dsn,
        dsn_file=tmp_path / "dsn",
        base_url="http://127.0.0.1:8000",
        license_file=tmp_path / "license" / "development.token",
        license_keys=keys,
        signing_key=SIGNING_KEY,
    )


@pytest.fixture
def reader(runtime: Runtime) -> Iterator[Reader]:
    made = make_reader(runtime, ScriptedRecogniser())
    made.start()
    yield made
    made.drain(PATIENCE_S)


def wait_for(store: Store, job_id: JobId, seconds: float = 60) -> JobStatus:
    def status() -> JobStatus:
        return get_job(store.db, ACME, job_id).status

    assert until(lambda: status() not in (JobStatus.QUEUED, JobStatus.RUNNING), seconds), job_id
    return status()


def test_a_submitted_document_ends_as_a_stored_tree(reader: Reader, store: Store) -> None:
    job = submit(store, content=paper(2))
    assert wait_for(store, job.id) is JobStatus.SUCCEEDED
    document = get_job(store.db, ACME, job.id).documents[0]
    assert (document.pages, document.format, document.attempts) == (2, "pdf", 1)
    found = locate_tree(store.db, ACME, job.id, document.id)
    tree = load_tree(store.artifacts.read(document.id, found.attempt, "tree.json"))
    assert [block.text for block in tree.blocks] == ["Page 0 of the harbour report", "Page 1 of the harbour report"]
    assert reader.healthy()


def test_invalid_document_fails_with_code_and_reader_continues(reader: Reader, store: Store) -> None:
    bad, good = submit(store, content=b"\0\1 no document at all"), submit(store, content=paper())
    assert wait_for(store, bad.id) is JobStatus.FAILED
    assert get_job(store.db, ACME, bad.id).documents[0].error == "unsupported-format"
    assert wait_for(store, good.id) is JobStatus.SUCCEEDED


def test_upload_password_opens_file_and_is_never_stored_in_clear(reader: Reader, store: Store) -> None:
    locked = pymupdf.open(stream=paper(2)).tobytes(
        encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="correct horse", owner_pw="correct horse"
    )
    file = NewDocument(name="a.pdf", blob=put_blob(store, locked), options=ReadOptions(password="correct horse"))
    job = submit_job(store, ACME, ACTOR, Submission([file], priority=Priority.JOB, quota=UNLIMITED))
    assert wait_for(store, job.id) is JobStatus.SUCCEEDED
    assert "correct horse" not in str(store.db.fetch_all("select * from documents"))
    original = locate_original(store, ACME, job.id, job.documents[0].id)
    assert original.options.password == "correct horse"


def test_a_missing_original_fails_the_document(runtime: Runtime, store: Store) -> None:
    job = submit(store, content=paper(3))
    row = store.db.fetch_one("select sha256 from documents")
    assert row
    store.blobs.delete(row["sha256"])
    made = make_reader(runtime, ScriptedRecogniser())
    made.start()
    try:
        assert wait_for(store, job.id) is JobStatus.FAILED
    finally:
        made.drain(PATIENCE_S)
    assert get_job(store.db, ACME, job.id).documents[0].error == "original-missing"


def test_resources_of_the_api_carry_the_settings_values(runtime: Runtime) -> None:
    resources = open_resources(runtime)
    try:
        assert resources.limits.max_upload_bytes == 50 * 1024 * 1024
        assert resources.license.current.plan == "development"
        assert resources.default_token is None
    finally:
        resources.store.close()


def test_the_janitor_does_its_chores_on_a_real_database(runtime: Runtime, store: Store) -> None:
    submit(store)
    janitor = make_janitor(runtime)
    assert "seal audit" in janitor.turn()
    assert janitor.drain(PATIENCE_S)


def test_the_janitor_renews_a_development_licence_before_its_end(runtime: Runtime, store: Store) -> None:
    made_before = datetime.now(UTC) - timedelta(days=70)
    _, keys = development_license(store.workdir, made_before)
    old = replace(runtime, license_file=store.workdir / "license" / "development.token", license_keys=keys)
    holder = hold_license(old)
    ends = holder.current.expires_at
    janitor = make_janitor(old)
    assert "renew development licence" in janitor.turn()
    assert janitor.drain(PATIENCE_S)
    holder.refresh()
    assert holder.current.expires_at > ends + timedelta(days=60)
    given = replace(old, settings=old.settings.model_copy(update={"license": "a token"}))
    janitor = make_janitor(given)
    assert "renew development licence" not in janitor.turn()
    assert janitor.drain(PATIENCE_S)


def test_no_caller_is_local_behind_haproxy() -> None:
    assert api_limits(parse_settings({})).loopback_token
    assert not api_limits(parse_settings({"SVC_PROXY": "haproxy"})).loopback_token


def test_limits_of_a_document_reach_the_sandbox_and_the_options() -> None:
    settings = parse_settings({"SVC_CHILD_MEMORY_MB": "256", "SVC_PAGE_CPU_S": "3", "SVC_MAX_PAGES": "7"})
    assert sandbox_limits(settings).memory_bytes == 256 * 1024 * 1024
    assert sandbox_limits(settings).page_cpu_s == 3
    assert read_options(settings).max_pages == 7
