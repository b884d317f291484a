"""Names are searched for before the first redacted output of a document that was scanned for patterns alone."""

import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from quire.actors.sql.runner import SqlRunner
from quire.models.cdom.tree import BlockType, dump_tree, load_tree, serve_tree
from quire.models.pii.engines.choose import make_flagger
from quire.serve_apps.api.context import redaction_scans
from quire.serve_apps.api.context.redaction_scans import RedactionScan
from quire.serve_apps.api.context.resources import Ports
from quire.storage.objects.artifacts import SCANNED_TREE, TREE
from quire.storage.review.republish import find_shown
from quire.storage.store import Store
from quire.storage.values.rows import DocumentId
from tests.api.harness import client_of, make_resources, serving
from tests.api.results.flagging import NAME, burn, flag_names, flag_slowly
from tests.api.results.test_tables import ingest as ingest_tree
from tests.api.results.test_tables import rows_of
from tests.api.searching import search_ports
from tests.builders import make_block, make_tree, table_block

TEXT = f"Signed by {NAME}, ann@example.com"
SCAN = RedactionScan("names", flag_names)


async def ingest(client: httpx.AsyncClient) -> str:
    read = make_tree(make_block(BlockType.PARAGRAPH, TEXT))
    body = {"tree": json.loads(serve_tree(dump_tree(read), document_id="d", name="letter.pdf"))}
    job = (await client.post("/v1/ingest", json=body)).json()
    return f"/v1/jobs/{job['id']}/documents/{job['documents'][0]['document_id']}"


def table_of(name: str) -> dict[str, Any]:
    """Return a tree as JSON with a table and a paragraph that hold the name."""
    read = make_tree(make_block(BlockType.PARAGRAPH, name), table_block([["Signed by"], [name]]))
    sent: dict[str, Any] = json.loads(serve_tree(dump_tree(read), document_id="d", name="letter.pdf"))
    return sent


@pytest.mark.parametrize("output", ["tree", "chunks", "export/markdown", "export/html"])
async def test_redacted_output_hides_names_that_readers_did_not_search_for(store: Store, output: str) -> None:
    resources = make_resources(store, flag_tree=make_flagger("regex"), redaction_scan=SCAN)
    async with serving(resources) as app, client_of(app, "acme-admin") as client:
        path = await ingest(client)
        plain = await client.get(f"{path}/{output}")
        redacted = await client.get(f"{path}/{output}", params={"redacted": "true"})
        review = (await client.get(f"{path.split('/documents')[0]}/review")).json()
    assert (plain.status_code, redacted.status_code) == (200, 200)
    assert NAME in plain.text
    assert NAME not in redacted.text
    assert "[REDACTED:person]" in redacted.text.replace("\\", "")
    assert [item["flag"] for item in review] == ["pii:person"]


async def test_scan_is_not_repeated_and_kept_by_the_engine_that_was_chosen(store: Store) -> None:
    scan = RedactionScan("regex", flag_slowly)
    resources = make_resources(store, flag_tree=make_flagger("regex"), redaction_scan=scan)
    async with serving(resources) as app, client_of(app, "acme-admin") as client:
        path = await ingest(client)
        redacted = (await client.get(f"{path}/tree", params={"redacted": "true"})).json()
    assert redacted["pii"]["engine"] == "regex"
    assert NAME in redacted["blocks"][0]["text"]


async def test_long_scan_answers_202_with_a_place_to_poll(store: Store) -> None:
    resources = make_resources(
        store, flag_tree=make_flagger("regex"), redaction_scan=replace(SCAN, flag_tree=flag_slowly)
    )
    async with serving(resources) as app, client_of(app, "acme-admin") as client:
        path = await ingest(client)
        early = await client.get(f"{path}/tree", params={"redacted": "true", "wait": 0})
        answer = await client.get(early.headers["location"].replace("wait=0", "wait=60"))
    assert (early.status_code, early.json()["code"]) == (202, "scan-running")
    assert int(early.headers["retry-after"]) > 0
    assert answer.status_code == 200
    assert NAME not in answer.text


async def test_finetune_export_answers_202_until_all_scans_are_done(store: Store) -> None:
    resources = make_resources(
        store, flag_tree=make_flagger("regex"), redaction_scan=replace(SCAN, flag_tree=flag_slowly)
    )
    async with serving(resources) as app, client_of(app, "acme-admin") as client:
        export = f"{(await ingest(client)).split('/documents')[0]}/export/finetune"
        early = await client.get(export, params={"wait": 0})
        answer = await client.get(export)
    assert (early.status_code, early.json()["code"]) == (202, "scan-running")
    assert answer.status_code == 200
    assert NAME not in answer.text


async def test_scan_over_its_limit_leaves_the_document_unredactable(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redaction_scans, "MOST_CPU_S", 1)
    monkeypatch.setattr(redaction_scans, "GRACE_CPU_S", 0)
    resources = make_resources(store, flag_tree=make_flagger("regex"), redaction_scan=RedactionScan("names", burn))
    async with serving(resources) as app, client_of(app, "acme-admin") as client:
        path = await ingest(client)
        answers = [await client.get(f"{path}/tree", params={"redacted": "true"}) for _ in range(2)]
    assert [(answer.status_code, answer.json()["code"]) for answer in answers] == [(409, "pii-incomplete")] * 2


async def test_archive_and_finetune_lines_hide_names(store: Store) -> None:
    resources = make_resources(store, flag_tree=make_flagger("regex"), redaction_scan=SCAN)
    async with serving(resources) as app, client_of(app, "acme-admin") as client:
        path = await ingest(client)
        job = path.split("/documents")[0]
        archive = await client.get(f"{job}/archive", params={"redacted": "true"})
        lines = await client.get(f"{job}/export/finetune")
    with zipfile.ZipFile(io.BytesIO(archive.content)) as packed:
        assert json.loads(packed.read("contents.json"))
        assert not any(NAME.encode() in packed.read(name) for name in packed.namelist())
    assert lines.text
    assert NAME not in lines.text


async def test_tables_sql_and_changes_hide_names(store: Store) -> None:
    ports = Ports(sql=SqlRunner())
    resources = make_resources(store, ports=ports, flag_tree=make_flagger("regex"), redaction_scan=SCAN)
    async with serving(resources) as app, client_of(app, "acme-admin") as client:
        documents = [(await ingest_tree(client, table_of(name)))[1] for name in ("Nobody", NAME)]
        chosen = {"document_id": documents, "redacted": "true"}
        changes = await client.get(
            f"/v1/documents/{documents[1]}/changes", params={"since": documents[0], "redacted": "true"}
        )
        tables = await client.get("/v1/documents/tables.parquet", params=chosen)
        query = {"sql": "select text from cells", "document_ids": documents, "redacted": True}
        rows = await client.post("/v1/sql", json=query)
    assert (changes.status_code, tables.status_code, rows.status_code) == (200, 200, 200)
    assert "[REDACTED:person]" in changes.text
    for answer in (changes.text, str(rows_of(tables)), rows.text):
        assert NAME not in answer


async def test_archive_of_redacted_originals_names_refusals(store: Store) -> None:
    resources = make_resources(store, flag_tree=make_flagger("regex"), redaction_scan=SCAN)
    async with serving(resources) as app, client_of(app, "acme-admin") as client, client_of(app, "acme-read") as reader:
        job = (await ingest(client)).split("/documents")[0]
        archive = await reader.get(f"{job}/archive", params={"redacted": "true", "include": "original"})
    with zipfile.ZipFile(io.BytesIO(archive.content)) as packed:
        assert packed.namelist() == ["contents.json"]
        (entry,) = json.loads(packed.read("contents.json"))
    assert entry["files"] == []
    assert entry["refused"]["code"] == "original-missing"
    assert entry["refused"]["detail"]


def query_names(methods: dict[str, Any]) -> set[str]:
    return {
        parameter["name"] for parameter in methods.get("get", {}).get("parameters", ()) if parameter["in"] == "query"
    }


async def test_every_redacted_output_answers_202_until_names_were_searched_for(store: Store, tmp_path: Path) -> None:
    """The operations come from the OpenAPI document, so a new output is held to this too."""
    scan, wrong = replace(SCAN, flag_tree=flag_slowly), []
    with search_ports(store, tmp_path) as (ports, _):
        resources = make_resources(store, ports=ports, flag_tree=make_flagger("regex"), redaction_scan=scan)
        async with serving(resources) as app, client_of(app, "acme-admin") as client:
            known = {path: query_names(methods) for path, methods in app.openapi()["paths"].items()}
            operations = {path: names for path, names in known.items() if {"redacted", "wait"} <= names}
            for template, names in operations.items():
                job_id, document_id = (await ingest(client)).split("/")[3::2]
                path = template.format(job_id=job_id, document_id=document_id, page=1, name="letters")
                values: dict[str, Any] = {"q": "signed", "document_id": document_id, "redacted": "true", "wait": 0}
                if template.endswith("/changes"):
                    values["since"] = document_id
                answer = await client.get(path, params={name: values[name] for name in names & values.keys()})
                if answer.status_code != 202 or not answer.headers["location"].startswith(path):
                    wrong.append((template, answer.status_code, answer.text[:200]))
    assert len(operations) >= 20
    assert wrong == []


async def test_first_redacted_output_publishes_the_scan_that_a_reader_made_ahead(store: Store) -> None:
    scan = RedactionScan("names", burn)  # a scan in the request would not end
    resources = make_resources(store, flag_tree=make_flagger("regex"), redaction_scan=scan)
    async with serving(resources) as app, client_of(app, "acme-admin") as client:
        path = await ingest(client)
        document_id = DocumentId(path.rpartition("/")[2])
        shown = find_shown(store.db, document_id)
        tree = load_tree(store.artifacts.read(document_id, shown.attempt, TREE))
        store.artifacts.put(document_id, shown.attempt, {SCANNED_TREE: dump_tree(flag_names(tree))})
        before = await client.get(f"{path}/tree")
        redacted = await client.get(f"{path}/tree", params={"redacted": "true"})
    assert before.json()["pii"]["engine"] == "regex"
    assert "[REDACTED:person]" in redacted.text
    assert find_shown(store.db, document_id).attempt > shown.attempt
