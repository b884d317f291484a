"""docling-serve's route over a real engine: its fields in, its answer out, the engine's refusals passed on."""

import io
import zipfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from quire.serve_apps.compat.app import create_compat
from quire.serve_apps.compat.conversion import text_of
from quire.serve_apps.compat.options import InvalidOption, read_options
from quire.serve_apps.compat.tasks import ConvertTask, read_task
from quire.storage.store import Store
from tests.api.harness import PDF, at_work, client_of, files, make_resources, reading
from tests.api.live import listening
from tests.ui.papers import LetterReader
from tests.waiting import PATIENCE_S

SAMPLE = Path(__file__).parents[3] / "docs" / "sample" / "quire-sample.pdf"
ALL = {"to_formats": ["md", "html", "text", "json"]}


@pytest.fixture
def engine_url(store: Store, dsn: str) -> Iterator[str]:
    with listening(make_resources(store, dsn=dsn)) as url, reading(store):
        yield url


@pytest.fixture
async def door(engine_url: str) -> AsyncIterator[FastAPI]:
    app = create_compat(engine_url, wait_s=20)
    async with app.router.lifespan_context(app):
        yield app


async def test_a_file_is_converted_to_every_format_asked_for(door: FastAPI) -> None:
    async with client_of(door) as client:
        answer = await client.post("/v1/convert/file", files=files(PDF), data=ALL)
    body = answer.json()
    assert answer.status_code == 200
    assert set(body) == {"document", "status", "errors", "processing_time", "timings"}
    assert (body["status"], body["errors"], body["timings"]) == ("success", [], {})
    document = body["document"]
    assert document["filename"] == "0.pdf"
    assert document["md_content"] == "Hello\n"
    assert document["text_content"] == "Hello"
    assert "<p" in document["html_content"]
    assert document["json_content"]["schema_name"] == "DoclingDocument"
    assert document["json_content"]["texts"][0]["text"] == "Hello"
    assert document["doctags_content"] is None
    assert body["processing_time"] > 0


async def test_markdown_is_the_default_output(door: FastAPI) -> None:
    async with client_of(door) as client:
        document = (await client.post("/v1/convert/file", files=files(PDF))).json()["document"]
    assert document["md_content"] == "Hello\n"
    assert document["html_content"] is document["text_content"] is document["json_content"] is None


async def test_the_path_of_older_clients_is_the_same_route(door: FastAPI) -> None:
    async with client_of(door) as client:
        answer = await client.post("/v1alpha/convert/file", files=files(PDF))
    assert answer.json()["document"]["md_content"] == "Hello\n"


async def test_several_files_come_as_an_archive(door: FastAPI) -> None:
    same = [("files", ("a.pdf", PDF, "application/pdf"))] * 2
    async with client_of(door) as client:
        answer = await client.post("/v1/convert/file", files=same, data={"to_formats": ["md", "json"]})
    names = zipfile.ZipFile(io.BytesIO(answer.content)).namelist()
    assert sorted(names) == ["a-2.json", "a-2.md", "a.json", "a.md"]


@pytest.mark.parametrize(("key", "status"), [(None, 401), ("wrong", 401), ("acme-read", 403)])
async def test_the_callers_own_key_decides(door: FastAPI, key: str | None, status: int) -> None:
    async with client_of(door, key) as client:
        assert (await client.post("/v1/convert/file", files=files(PDF))).status_code == status


async def test_an_unsupported_file_is_the_engines_422(door: FastAPI) -> None:
    async with client_of(door) as client:
        answer = await client.post("/v1/convert/file", files=files(b"\0\1 no text"))
    assert (answer.status_code, answer.json()["detail"][0]["type"]) == (422, "unsupported-format")


@pytest.mark.parametrize(
    "data", [{"to_formats": "docx"}, {"do_ocr": "perhaps"}, {"page_range": "1"}, {"page_range": ["²", "9" * 5000]}]
)
async def test_a_field_that_cannot_be_meant_is_422(door: FastAPI, data: dict[str, str | list[str]]) -> None:
    async with client_of(door) as client:
        assert (await client.post("/v1/convert/file", files=files(PDF), data=data)).status_code == 422
        assert (await client.post("/v1/convert/file", data=data)).status_code == 422


async def test_an_engine_that_is_away_is_502() -> None:
    app = create_compat("http://127.0.0.1:9")
    async with app.router.lifespan_context(app), client_of(app) as client:
        assert (await client.post("/v1/convert/file", files=files(PDF))).status_code == 502
        assert (await client.get("/health")).json() == {"status": "ok"}


async def test_a_conversion_that_takes_too_long_names_its_job(store: Store, dsn: str) -> None:
    with listening(make_resources(store, dsn=dsn)) as url:  # nobody reads
        app = create_compat(url, wait_s=0.2)
        async with app.router.lifespan_context(app), client_of(app) as client:
            answer = await client.post("/v1/convert/file", files=files(PDF))
        async with httpx.AsyncClient(headers={"X-API-Key": "acme-write"}, timeout=PATIENCE_S) as engine:
            job = await engine.get(f"{url}/v1/jobs/{answer.json()['job_id']}")
    assert (answer.status_code, job.status_code) == (504, 200)


@pytest.mark.parametrize(
    ("sent", "fields"),
    [
        ([("force_ocr", "true")], {"ocr": "always"}),
        ([("do_ocr", "false")], {"ocr": "never"}),
        ([("page_range", "2"), ("page_range", "4")], {"pages": "2-4"}),
        ([("page_range", "1"), ("page_range", str(2**63 - 1))], {}),
        ([("document_password", "x")], {"password": "x"}),
        ([("pipeline", "vlm"), ("image_export_mode", "embedded")], {}),
    ],
)
def test_fields_become_the_engines(sent: list[tuple[str, str]], fields: dict[str, str]) -> None:
    assert read_options(sent).fields == fields


def test_page_break_text_is_used_unchanged_and_stored_in_the_task() -> None:
    sent = [("to_formats", "md"), ("md_page_break_placeholder", "\f"), ("target_type", "zip")]
    options = read_options(sent)
    assert options.page_break == "\f"
    task = ConvertTask("job_" + "a" * 26, options)
    assert read_task(task.id) == task
    assert read_task(f"{task.id}ff") is None
    with pytest.raises(InvalidOption):
        read_options([("md_page_break_placeholder", "x" * 101)])


async def test_markdown_has_the_placeholder_between_its_pages(store: Store, dsn: str) -> None:
    with listening(make_resources(store, dsn=dsn)) as url, at_work(LetterReader(store)):
        app = create_compat(url, wait_s=20)
        async with app.router.lifespan_context(app), client_of(app) as client:
            asked = {"to_formats": ["md", "json"], "md_page_break_placeholder": "\f"}
            document = (await client.post("/v1/convert/file", files=files(SAMPLE.read_bytes()), data=asked)).json()
    pages = document["document"]["md_content"].split("\f")
    assert len(pages) == 3
    assert all(page.strip() for page in pages)


def test_formats_may_come_with_commas() -> None:
    assert {str(kind) for kind in read_options([("to_formats", "md,json")]).formats} == {"md", "json"}
    with pytest.raises(InvalidOption):
        read_options([("to_formats", "pdf")])


def test_text_holds_tables_as_lines_and_no_furniture() -> None:
    cells = [{"row": r, "col": c, "text": f"{r}{c}"} for r in range(2) for c in range(2)]
    blocks: list[dict[str, Any]] = [
        {"type": "page_header", "text": "Running"},
        {"type": "paragraph", "text": "Body"},
        {"type": "table", "text": "", "table": {"cells": cells}},
    ]
    assert text_of({"blocks": blocks}) == "Body\n\n00\t01\n10\t11"
