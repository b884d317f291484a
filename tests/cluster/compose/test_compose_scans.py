"""Scans through composed parts on a real database and in the real sandbox: options, passwords, weak processors."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pymupdf
import pytest

from quire.cluster.compose.reading import make_on_demand, make_reader
from quire.cluster.compose.recognition import make_recogniser
from quire.cluster.runtime import Runtime
from quire.configs.parsing import SettingsError, parse_settings
from quire.models.cdom.errors import ErrorCode
from quire.models.cdom.original import OcrMode, ReadOptions
from quire.models.cdom.ports import PageImage, RecognisePages
from quire.models.neural.fakes import ScriptedRecogniser
from quire.storage.jobs.intake import Submission, submit_job
from quire.storage.jobs.jobs import get_job
from quire.storage.store import Store
from quire.storage.values.rows import DocumentRow, JobRow, NewDocument
from quire.storage.values.states import Priority
from tests.cluster.compose.test_compose import paper, runtime, wait_for
from tests.e2e.papers import scan
from tests.storage.scenes import ACME, ACTOR, UNLIMITED, put_blob
from tests.waiting import PATIENCE_S

__all__ = ["runtime"]


@contextmanager
def reading(runtime: Runtime, recogniser: RecognisePages) -> Iterator[None]:
    made = make_reader(runtime, recogniser)
    made.start()
    try:
        yield
    finally:
        made.drain(PATIENCE_S)


def submit(store: Store, content: bytes, **options: object) -> JobRow:
    file = NewDocument(name="x", blob=put_blob(store, content), options=ReadOptions(**options))  # type: ignore[arg-type]
    return submit_job(store, ACME, ACTOR, Submission([file], priority=Priority.JOB, quota=UNLIMITED))


def ended(store: Store, job: JobRow) -> DocumentRow:
    wait_for(store, job.id)
    return get_job(store.db, ACME, job.id).documents[0]


def locked(content: bytes, password: str) -> bytes:
    document = pymupdf.open("pdf", content)
    return bytes(document.tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw=password, owner_pw=password))


def test_every_way_to_read_pages_is_counted(runtime: Runtime, store: Store) -> None:
    mixed, plain = scan(1, born_digital=1), paper(2)
    jobs = {
        "mixed": submit(store, mixed),
        "forced": submit(store, plain, fast_mode=False),
        "asked for": submit(store, plain, ocr=OcrMode.ALWAYS),
        "never": submit(store, mixed, ocr=OcrMode.NEVER),
        "second page": submit(store, mixed, pages=((2, 2),)),
    }
    with reading(runtime, ScriptedRecogniser()):
        found = {name: ended(store, job) for name, job in jobs.items()}
    assert {name: (document.pages, document.route_counts) for name, document in found.items()} == {
        "mixed": (2, {"fast": 1, "ocr": 1}),
        "forced": (2, {"ocr": 2}),
        "asked for": (2, {"ocr": 2}),
        "never": (2, {"fast": 1, "none": 1}),
        "second page": (1, {"ocr": 1}),
    }


def test_a_password_opens_a_scan(runtime: Runtime, store: Store) -> None:
    content = locked(scan(1), "open sesame")
    jobs = [submit(store, content, password=password) for password in ("open sesame", "wrong", None)]
    with reading(runtime, ScriptedRecogniser()):
        documents = [ended(store, job) for job in jobs]
    assert [document.error for document in documents] == [None, "encrypted", "encrypted"]
    assert documents[0].route_counts == {"ocr": 1}


def test_scans_end_ml_unavailable_without_avx2_and_other_documents_succeed(runtime: Runtime, store: Store) -> None:
    weak = {"SVC_TESTING": "1", "SVC_CPU_FLAGS": "sse2,fma", "SVC_OCR_WARMUP": "1"}
    old = replace(runtime, settings=parse_settings(weak, workdir=store.workdir))
    recogniser = make_recogniser(old)
    jobs = [submit(store, scan(1)), submit(store, paper(1))]
    with reading(old, recogniser):
        documents = [ended(store, job) for job in jobs]
    recogniser.close()
    assert [document.error for document in documents] == ["ml-unavailable", None]


def test_a_processor_is_faked_in_tests_only() -> None:
    with pytest.raises(SettingsError, match="SVC_CPU_FLAGS: refused outside tests"):
        parse_settings({"SVC_CPU_FLAGS": "sse2"})


def test_on_demand_pages_are_drawn_and_scans_read_and_nothing_is_kept(runtime: Runtime, store: Store) -> None:
    on_demand = make_on_demand(runtime, ScriptedRecogniser())
    on_demand.start()
    sha256 = put_blob(store, paper(1)).sha256
    try:
        page = on_demand.render(sha256, 1, 72, None, None, 20)
        part = on_demand.render(sha256, 1, 72, None, (72.0, 60.0, 172.0, 80.0), 20)
        missing = on_demand.render("0" * 64, 1, 72, None, None, 20)
        beyond = on_demand.render(sha256, 2, 72, None, None, 20)
        outcome = on_demand.read(scan(2), ReadOptions(), 50)
        late = on_demand.read(paper(3), ReadOptions(), 0.001)
    finally:
        on_demand.close()
    assert isinstance(page, PageImage)
    assert isinstance(part, PageImage)
    assert len(part.png) < len(page.png)
    assert getattr(missing, "code", None) is ErrorCode.ORIGINAL_MISSING
    assert getattr(beyond, "code", None) is ErrorCode.MALFORMED
    assert outcome.tree is not None
    assert [block.text for block in outcome.tree.blocks] == ["Page 1", "Page 2"]
    assert late.error is ErrorCode.TIMEOUT
    assert store.db.fetch_all("select id from documents") == []
