"""Everything computed from a stored tree, asked for through HTTP."""

import io
import json
from typing import Any

import docx
import httpx
import pytest
from lxml import html

from quire.models import export as outputs
from quire.models.derive.chunks.chunks import CHUNKER_VERSION
from quire.models.pii.engines.choose import make_flagger
from quire.storage.store import Store
from tests.api.harness import client_of, files, make_resources, reading, serving

BLOCKS: list[dict[str, Any]] = [
    {"id": "t", "type": "title", "page": 1, "text": "Harbour report"},
    {"id": "h", "type": "heading", "level": 1, "page": 1, "text": "Findings"},
    {"id": "p", "type": "paragraph", "page": 1, "text": "Invoice number: INV-42. The crane <script> works. " * 3},
    {"id": "f", "type": "page_footer", "page": 1, "text": "page 1"},
    {"id": "q", "type": "paragraph", "page": 2, "text": "Total: 12.50 EUR, due on 2026-03-01."},
]
TREE = {
    "cdom_version": "1.0",
    "source": {"name": "report.pdf", "format": "pdf"},
    "pages": [{"number": n, "width": 595, "height": 842} for n in (1, 2)],
    "blocks": BLOCKS,
}


@pytest.fixture
async def document(store: Store) -> Any:
    """(client, path of a stored document, its job's path)."""
    async with serving(make_resources(store)) as app, client_of(app) as client:
        answer = await client.post("/v1/ingest", json={"tree": TREE})
        assert answer.status_code == 201, answer.text
        job = answer.json()
        job_path = f"/v1/jobs/{job['id']}"
        yield client, f"{job_path}/documents/{job['documents'][0]['document_id']}", job_path


async def get(client: httpx.AsyncClient, path: str, **params: Any) -> Any:
    answer = await client.get(path, params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_chunks_carry_their_place_and_leave_furniture_out(document: Any) -> None:
    client, path, _ = document
    chunks = await get(client, f"{path}/chunks")
    assert [chunk["index"] for chunk in chunks] == list(range(len(chunks)))
    assert chunks[0]["section_path"][0] == "Harbour report"
    assert "page 1" not in "".join(chunk["text"] for chunk in chunks)
    assert {"id", "text", "tokens", "pages", "block_ids", "bboxes", "flags", "language"} <= chunks[0].keys()


async def test_chunks_keep_the_indexed_chunker_until_they_are_chunked_again(document: Any, store: Store) -> None:
    client, path, job = document
    today = await get(client, f"{path}/chunks")
    with store.db.transaction() as conn:
        conn.execute("update documents set chunker = %s", (f"{CHUNKER_VERSION}/16/0/0",))
    indexed = await get(client, f"{path}/chunks")
    assert len(indexed) > len(today)
    lines = (await client.get(f"{job}/export/finetune", params={"style": "raw", "redacted": "false"})).text.splitlines()
    assert len(lines) == len(indexed)
    with store.db.transaction() as conn:
        conn.execute("update documents set chunker = '0/16/0/0'")
    assert await get(client, f"{path}/chunks") == today


async def test_fields_are_found_and_chosen_by_key(document: Any) -> None:
    client, path, _ = document
    fields = await get(client, f"{path}/fields")
    assert {field["canonical_key"] for field in fields} >= {"invoice_number", "total"}
    assert fields[0]["evidence"]["block_id"].startswith("b")
    assert {f["canonical_key"] for f in await get(client, f"{path}/fields", keys="TOTAL")} == {"total"}
    assert await get(client, f"{path}/fields", keys="nothing-of-the-kind") == []


@pytest.mark.parametrize("keys", ["", ",", " , ", "--"])
async def test_keys_that_name_nothing_are_refused(document: Any, keys: str) -> None:
    client, path, _ = document
    answer = await client.get(f"{path}/fields", params={"keys": keys})
    assert (answer.status_code, answer.json()["detail"][0]["loc"]) == (422, ["query", "keys"])


async def test_semantics_name_their_evidence(document: Any) -> None:
    client, path, _ = document
    objects = (await get(client, f"{path}/semantics"))["objects"]
    assert {"section", "money"} <= {o["type"] for o in objects}
    assert all(o["evidence"] for o in objects)


async def test_supplied_semantics_are_served_as_they_came(store: Store) -> None:
    given = {"objects": [{"id": "x1", "type": "vessel", "value": "Crane", "evidence": ["p"]}]}
    async with serving(make_resources(store)) as app, client_of(app) as client:
        job = (await client.post("/v1/ingest", json={"tree": TREE, "semantics": given})).json()
        path = f"/v1/jobs/{job['id']}/documents/{job['documents'][0]['document_id']}"
        served = await get(client, f"{path}/semantics")
    assert served["objects"][0]["type"] == "vessel"


async def test_html_is_one_page_without_live_content(document: Any) -> None:
    client, path, _ = document
    answer = await client.get(f"{path}/export/html")
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    page = html.fromstring(answer.content)
    assert len(page.xpath("//h1")) == 1
    assert page.xpath("//script") == []
    assert "<script>" in "".join(page.itertext())


async def test_markdown_keeps_headings(document: Any) -> None:
    client, path, _ = document
    answer = await client.get(f"{path}/export/markdown")
    assert "# Findings" in answer.text
    assert answer.headers["content-type"].startswith("text/markdown")


async def test_word_opens_as_a_file_named_after_the_document(document: Any) -> None:
    client, path, _ = document
    answer = await client.get(f"{path}/export/docx")
    assert answer.headers["content-disposition"].endswith(".docx")
    word = docx.Document(io.BytesIO(answer.content))
    assert "Findings" in [
        paragraph.text
        for paragraph in word.paragraphs
        if paragraph.style and (paragraph.style.name or "").startswith("Heading")
    ]


async def test_graph_edges_resolve_and_neo4j_gives_two_files(document: Any) -> None:
    client, path, _ = document
    graph = await get(client, f"{path}/export/graph")
    ids = {node["id"] for node in graph["nodes"]}
    assert all(edge["source"] in ids and edge["target"] in ids for edge in graph["edges"])
    assert (await get(client, f"{path}/export/graph", format="neo4j")).keys() == {"nodes.csv", "edges.csv"}


async def test_context_stays_within_its_budget_and_reports_omitted_blocks(document: Any) -> None:
    client, path, _ = document
    digest = await get(client, f"{path}/export/context", max_tokens=24)
    assert digest["tokens"] <= 24
    assert digest["truncated"] is True
    assert digest["omitted"]["blocks"] >= 1
    assert (await get(client, f"{path}/export/context"))["truncated"] is False


async def test_finetune_lines_are_json_and_split_the_same_way_each_time(document: Any) -> None:
    client, _, job_path = document
    url = f"{job_path}/export/finetune"
    raw = {"redacted": "false"}
    answer = await client.get(url, params=raw | {"style": "chat"})
    lines = [json.loads(line) for line in answer.text.splitlines()]
    assert lines
    assert lines[0]["messages"][1]["role"] == "assistant"
    both = [(await client.get(url, params=raw | {"split": s, "val_ratio": 0.5})).text for s in ("train", "val")]
    everything = (await client.get(url, params=raw)).text
    assert sorted("".join(both).splitlines()) == sorted(everything.splitlines())


@pytest.mark.parametrize(
    ("output", "params"),
    [
        ("/export/graph", {"format": "rdf"}),
        ("/export/context", {"max_tokens": 15}),
        ("/export/context", {"max_tokens": 1_000_001}),
    ],
)
async def test_unknown_options_are_refused(document: Any, output: str, params: dict[str, Any]) -> None:
    client, path, _ = document
    assert (await client.get(path + output, params=params)).status_code == 422


async def test_finetune_records_have_the_form_of_a_template(document: Any) -> None:
    client, _, job_path = document
    params = {"redacted": "false", "template": '{"q": "About {{ heading }}?", "a": "{{ text }}"}'}
    answer = await client.get(f"{job_path}/export/finetune", params=params)
    records = [json.loads(line) for line in answer.text.splitlines()]
    assert records
    assert {*records[0]} == {"q", "a", "metadata"}
    assert records[0]["q"] == f"About {records[0]['metadata']['section'][-1]}?"


@pytest.mark.parametrize(
    "params",
    [{"style": "poem"}, {"split": "test"}, {"val_ratio": 2}, {"min_chars": -1}, {"template": '{"a": "{{ x() }}"}'}],
)
async def test_unknown_finetune_options_are_refused(document: Any, params: dict[str, Any]) -> None:
    client, _, job_path = document
    assert (await client.get(f"{job_path}/export/finetune", params=params)).status_code == 422


OUTPUTS = [*(output.path for output in outputs.OUTPUTS.values() if output.path != "tree"), "tables"]


@pytest.mark.parametrize("output", OUTPUTS)
async def test_no_output_is_redacted_without_a_scan(document: Any, output: str) -> None:
    client, path, job_path = document
    answer = await client.get(f"{path}/{output}", params={"redacted": "true"})
    assert (answer.status_code, answer.json()["code"]) == (409, "pii-incomplete")
    answer = await client.get(f"{job_path}/export/finetune")
    assert (answer.status_code, answer.json()["code"]) == (409, "pii-incomplete")


async def test_an_unfinished_document_has_no_outputs(store: Store) -> None:
    async with serving(make_resources(store)) as app, client_of(app) as client:
        job = (await client.post("/v1/jobs", files=files(b"%PDF-1.4 x"))).json()
        path = f"/v1/jobs/{job['id']}/documents/{job['pending'][0]['document_id']}"
        assert (await client.get(f"{path}/chunks")).status_code == 404
        with reading(store):
            await client.get(f"/v1/jobs/{job['id']}", params={"wait": 20})
        assert [chunk["text"] for chunk in await get(client, f"{path}/chunks")] == ["Hello"]


async def test_ingested_tree_has_an_unchecked_coverage_statement(document: Any) -> None:
    client, path, _ = document
    stated = await get(client, f"{path}/coverage")
    assert stated["unknown"] == [1, 2]
    assert stated["complete"] is False
    assert stated["characters"] == {"painted": 0, "placed": 0, "excluded": {}, "lost": 0}


async def test_hidden_text_is_separate_on_request_and_masked_when_redacted(store: Store) -> None:
    seen = {"id": "p", "type": "paragraph", "page": 1, "text": "Seen words"}
    unseen = {"id": "u", "type": "paragraph", "page": 1, "text": "White ann@example.com", "flags": ["hidden-text"]}
    resources = make_resources(store, flag_tree=make_flagger("regex"))
    async with serving(resources) as app, client_of(app) as client:
        tree = TREE | {"blocks": [seen, unseen]}
        job = (await client.post("/v1/ingest", json={"tree": tree})).json()
        path = f"/v1/jobs/{job['id']}/documents/{job['documents'][0]['document_id']}/export"
        for output in ("html", "markdown"):
            assert "White" not in (await client.get(f"{path}/{output}")).text
            shown = (await client.get(f"{path}/{output}?hidden=true")).text
            assert "Hidden text" in shown
            assert "ann@example.com" in shown
            masked = (await client.get(f"{path}/{output}?hidden=true&redacted=true")).text
            assert "White" in masked
            assert "ann@example.com" not in masked
            assert (await client.get(f"{path}/{output}?hidden=perhaps")).status_code == 422
