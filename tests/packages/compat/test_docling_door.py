"""docling-serve's API: sources, stateless tasks, chunks, and unstructured's route."""

import base64
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from quire.serve_apps.compat.app import create_compat
from tests.api.harness import PDF, client_of, files
from tests.packages.compat.test_convert import door, engine_url

__all__ = ["door", "engine_url"]
CONTENT = base64.b64encode(PDF).decode()
FILE = {"kind": "file", "base64_string": CONTENT, "filename": "paper.pdf"}


async def post(door: FastAPI, path: str, **sent: Any) -> httpx.Response:
    async with client_of(door) as client:
        return await client.post(path, **sent)


@pytest.mark.parametrize(
    "body",
    [
        {"sources": [FILE], "options": {"to_formats": ["md", "text"], "do_ocr": True}},
        {"file_sources": [{"base64_string": CONTENT, "filename": "paper.pdf"}], "options": {"to_formats": ["md"]}},
    ],
)
async def test_a_source_in_the_body_is_converted(door: FastAPI, body: dict[str, Any]) -> None:
    answer = (await post(door, "/v1/convert/source", json=body)).json()
    assert (answer["status"], answer["document"]["filename"]) == ("success", "paper.pdf")
    assert answer["document"]["md_content"] == "Hello\n"


async def test_an_address_goes_to_the_engine_under_its_rules(door: FastAPI) -> None:
    body = {"sources": [{"kind": "http", "url": "http://10.0.0.1/secret.pdf"}]}
    answer = await post(door, "/v1/convert/source", json=body)
    assert (answer.status_code, answer.json()["detail"][0]["type"]) == (422, "url-refused")


@pytest.mark.parametrize(
    "body", [[], {}, {"sources": 7}, {"sources": [{"kind": "s3"}]}, {"sources": [FILE | {"base64_string": "?"}]}]
)
async def test_a_body_that_cannot_be_meant_is_refused(door: FastAPI, body: Any) -> None:
    answer = await post(door, "/v1/convert/source", json=body)
    assert (answer.status_code, answer.json()["detail"][0]["type"]) == (422, "invalid-field")


async def test_source_body_with_too_many_values_is_refused(door: FastAPI) -> None:
    answer = await post(door, "/v1/convert/source", json={"sources": [{}] * 20_001})
    assert (answer.status_code, answer.json()["detail"][0]["type"]) == (422, "invalid-field")
    assert "more than 20000 values" in answer.json()["detail"][0]["msg"]


async def test_source_body_longer_than_one_upload_is_refused(engine_url: str) -> None:
    app = create_compat(engine_url, max_upload_bytes=200_000)
    async with app.router.lifespan_context(app):
        answer = await post(app, "/v1/convert/source", content=b" " * (2 << 20))
    assert (answer.status_code, answer.json()["detail"][0]["loc"]) == (422, ["body", "body"])


@pytest.mark.parametrize("path", ["/v1/convert/source", "/v1/convert/file", "/general/v0/general"])
async def test_key_is_checked_before_the_body_is_parsed(door: FastAPI, path: str) -> None:
    headers = {"x-api-key": "wrong", "content-type": "multipart/form-data"}
    answer = await post(door, path, content=b"neither JSON nor a form", headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (401, "unauthenticated")


@pytest.mark.parametrize("way", ["file", "source"])
async def test_a_task_is_polled_and_its_result_fetched(door: FastAPI, way: str) -> None:
    sent: dict[str, Any] = {"files": files(PDF), "data": {"to_formats": ["md", "json"]}}
    if way == "source":
        sent = {"json": {"sources": [FILE], "options": {"to_formats": ["md", "json"]}}}
    begun = (await post(door, f"/v1/convert/{way}/async", **sent)).json()
    assert begun["task_type"] == "convert"
    async with client_of(door) as client:
        ended = (await client.get(f"/v1/status/poll/{begun['task_id']}?wait=60")).json()
        answer = (await client.get(f"/v1/result/{begun['task_id']}")).json()
    assert (ended["task_status"], ended["task_meta"]["num_succeeded"]) == ("success", 1)
    assert answer["document"]["md_content"] == "Hello\n"
    assert answer["document"]["json_content"]["schema_name"] == "DoclingDocument"


async def test_a_task_that_failed_says_so_and_still_has_a_result(door: FastAPI) -> None:
    begun = (await post(door, "/v1/convert/file/async", files=files(b"no document"))).json()
    async with client_of(door) as client:
        ended = (await client.get(f"/v1/status/poll/{begun['task_id']}?wait=60")).json()
        answer = (await client.get(f"/v1/result/{begun['task_id']}")).json()
    assert ended["task_status"] == "failure"
    assert (answer["status"], answer["errors"][0]["error_message"]) == ("failure", "unsupported-format")


@pytest.mark.parametrize("id", ["nothing", "job_x.md", "job_" + "a" * 26, "job_" + "a" * 26 + ".md"])
async def test_an_unknown_task_is_404(door: FastAPI, id: str) -> None:
    async with client_of(door) as client:
        for path in (f"/v1/status/poll/{id}", f"/v1/result/{id}"):
            assert (await client.get(path)).status_code == 404


@pytest.mark.parametrize("kind", ["hybrid", "hierarchical"])
async def test_chunks_are_the_engines_own(door: FastAPI, kind: str) -> None:
    answer = (await post(door, f"/v1/chunk/{kind}/file", files=files(PDF))).json()
    assert [one["text"] for one in answer["chunks"]] == ["Hello"]
    assert answer["chunks"][0]["page_numbers"] == [1]
    assert answer["documents"][0]["status"] == "success"


async def test_version_and_readiness_are_served(door: FastAPI) -> None:
    async with client_of(door) as client:
        assert "quire" in (await client.get("/version")).json()
        assert (await client.get("/ready")).json() == {"status": "ok"}


async def test_unstructureds_route_gives_elements(door: FastAPI) -> None:
    answer = await post(door, "/general/v0/general", files=files(PDF), data={"coordinates": "true", "strategy": "auto"})
    assert answer.status_code == 200, answer.text
    element = answer.json()[0]
    assert (element["type"], element["text"]) == ("NarrativeText", "Hello")
    assert element["metadata"]["filename"] == "0.pdf"
    assert element["metadata"]["filetype"] == "application/pdf"
    both = (await post(door, "/general/v0/general", files=files(PDF, PDF))).json()
    assert [elements[0]["text"] for elements in both] == ["Hello", "Hello"]
    failed = await post(door, "/general/v0/general", files=files(b"no document"))
    assert (failed.status_code, failed.json()["detail"][0]["type"]) == (422, "unsupported-format")


async def test_unsupported_target_is_refused_with_the_message_clients_expect(door: FastAPI) -> None:
    async with client_of(door) as client:
        form = await client.post("/v1/convert/file", files=files(PDF), data={"target_type": "presigned_url"})
        source = {"kind": "file", "filename": "a.pdf", "base64_string": base64.b64encode(PDF).decode()}
        body = {"sources": [source], "target": {"kind": "presigned_url"}}
        json = await client.post("/v1/convert/source/async", json=body)
    for answer in (form, json):
        assert answer.status_code == 422
        assert "presigned_url: input should be 'inbody' or 'zip'" in answer.text


async def test_parts_of_a_long_pdf_keep_their_page_numbers(door: FastAPI) -> None:
    async with client_of(door) as client:
        data = {"starting_page_number": "31"}
        elements = (await client.post("/general/v0/general", files=files(PDF), data=data)).json()
        wrong = await client.post("/general/v0/general", files=files(PDF), data={"starting_page_number": "x"})
        described = await client.get("/general/docs")
    assert {one["metadata"]["page_number"] for one in elements} == {31}
    assert (wrong.status_code, described.status_code) == (422, 200)


async def test_unstructureds_key_is_the_engines(door: FastAPI) -> None:
    async with client_of(door, "") as client:
        path, key = "/general/v0/general", {"unstructured-api-key": "acme-write"}
        assert (await client.post(path, files=files(PDF), headers=key)).status_code == 200
        assert (await client.post(path, files=files(PDF))).status_code == 401
