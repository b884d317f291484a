"""The extract page: a pasted schema, values with their places, a correction, and files."""

import csv
import html
import io
import json
import re
import zipfile
from collections.abc import AsyncIterator
from typing import Any

import pytest

from quire.models.derive.schema.answer import Missing
from quire.serve_apps.ui.pages.extracting import REASONS
from quire.storage.store import Store
from tests.api.harness import client_of, serving
from tests.ui.conftest import SAME_SITE, Visitor, visitor_of
from tests.ui.papers import letter_resources
from tests.ui.test_page_view import ORIGINAL, PAGES, a_block

SCHEMA = {
    "type": "object",
    "properties": {
        "owed": {"type": "number", "title": "Amount owed"},
        "note": {"type": "string"},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
}
BLOCKS = [
    a_block("a", 1, text="Wir bekommen 7,50 EUR", bbox=[50, 50, 200, 62]),
    a_block("b", 1, text="Note: =1+1", bbox=[50, 70, 200, 82]),
    a_block("c", 1, text="Tags: <b>bold</b>, plain", bbox=[50, 90, 200, 102]),
]
CORRECT = {"act": "correct", "schema": "bill", "path": "/owed", "block": "b0", "text": "7,50"}


@pytest.fixture
async def visit(store: Store) -> AsyncIterator[tuple[Visitor, str]]:
    """Yield a signed-in visitor and the address of a document's extract page."""
    tree = {"cdom_version": "1.0", "source": {"name": "bill.pdf", "format": "pdf"}, "pages": PAGES, "blocks": BLOCKS}
    async with serving(letter_resources(store)) as app, client_of(app, "acme-admin") as owner:
        job = (await owner.post("/v1/ingest", json={"tree": tree, "source_bytes": ORIGINAL})).json()
        visitor = visitor_of(app)
        async with visitor.http:
            await visitor.sign_in("acme-admin")
            yield visitor, f"/ui/jobs/{job['id']}/documents/{job['documents'][0]['document_id']}/extract"


async def send(visitor: Visitor, address: str, **fields: str) -> Any:
    return await visitor.http.post(address, data=fields | {"csrf": visitor.csrf}, headers=SAME_SITE)


async def store_schema(visitor: Visitor, address: str) -> Any:
    return await send(visitor, address, act="store", name="bill", json=json.dumps(SCHEMA))


async def test_document_page_links_its_extract_tab(visit: tuple[Visitor, str]) -> None:
    visitor, address = visit
    assert f'href="{address}"' in (await visitor.http.get(address.removesuffix("/extract"))).text


async def test_pasted_schema_is_stored_and_its_values_shown_with_boxes(visit: tuple[Visitor, str]) -> None:
    visitor, address = visit
    stored = await store_schema(visitor, address)
    assert (stored.status_code, stored.headers["location"]) == (303, f"{address}?schema=bill")
    text = (await visitor.http.get(stored.headers["location"])).text
    assert "=1+1" in text
    assert '<span class="soft" title="no-label">not found: no label names it</span>' in text
    assert '<rect data-block="b0" data-cell=""' in text
    assert '<rect class="holds" data-block="b1" data-cell=""' in text
    assert "Amount owed<br>" in text
    assert '<option value="b0">Wir bekommen 7,50 EUR</option>' in text
    assert "<b>bold" not in text


async def test_correction_is_shown_with_the_label_that_it_taught(visit: tuple[Visitor, str]) -> None:
    visitor, address = visit
    await store_schema(visitor, address)
    corrected = await send(visitor, address, **CORRECT)
    assert corrected.status_code == 303
    text = (await visitor.http.get(corrected.headers["location"])).text
    assert "“Wir bekommen” names this value" in text
    assert '<td class="break">7.5' in text


@pytest.mark.parametrize(
    "fields",
    [
        {"act": "store", "name": "bill", "json": "{"},
        {"act": "store", "name": "../", "json": "{}"},
        {"act": "store", "name": "bill", "json": '{"type": "string"}'},
        CORRECT | {"block": "b9"},
        CORRECT | {"text": "8,00"},
    ],
)
async def test_refused_form_is_shown_again_with_its_reason(visit: tuple[Visitor, str], fields: dict[str, str]) -> None:
    visitor, address = visit
    await store_schema(visitor, address)
    answer = await send(visitor, address, **fields)
    assert answer.status_code == 422
    assert '<p class="problem" role="alert">' in answer.text


async def test_form_without_its_token_is_refused(visit: tuple[Visitor, str]) -> None:
    visitor, address = visit
    answer = await visitor.http.post(address, data={"act": "store", "name": "a", "json": "{}"}, headers=SAME_SITE)
    assert answer.status_code == 403


async def test_values_are_downloaded_as_json_csv_and_xlsx(visit: tuple[Visitor, str]) -> None:
    visitor, address = visit
    await store_schema(visitor, address)
    files = {
        kind: (await visitor.http.get(f"{address}/file?schema=bill&as={kind}")).content
        for kind in ("json", "csv", "xlsx")
    }
    rows = list(csv.reader(io.StringIO(files["csv"].decode())))
    assert json.loads(files["json"])["data"]["tags"] == ["<b>bold</b>", "plain"]
    assert rows[0] == ["path", "value", "text", "page", "confidence"]
    assert rows[1][:3] == ["/note", "'=1+1", "'=1+1"]
    assert b"<f>" not in zipfile.ZipFile(io.BytesIO(files["xlsx"])).read("xl/worksheets/sheet1.xml")
    assert (await visitor.http.get(f"{address}/file?schema=bill&as=exe")).status_code == 422


async def test_values_named_in_the_form_are_extracted_and_nothing_is_stored(visit: tuple[Visitor, str]) -> None:
    visitor, address = visit
    wanted = {"field": ["Note", "<i>no such label</i>"], "kind": ["text", "date"], "list": ["", ""], "about": ["", ""]}
    text = (await visitor.http.get(address, params=wanted)).text
    assert '<td class="break">=1+1' in text
    assert "&lt;i&gt;no such label" in text
    assert "<i>no such" not in text
    (schema,) = re.findall(r'name="json" value="([^"]*)"', text)
    assert list(json.loads(html.unescape(schema))["properties"]) == ["note", "i_no_such_label_i"]
    answer = (await visitor.http.get(f"{address}/file", params=wanted | {"as": "json"})).json()
    assert answer["data"]["note"] == "=1+1"
    assert "Choose a stored schema" not in text


async def test_document_suggests_its_own_values(visit: tuple[Visitor, str]) -> None:
    visitor, address = visit
    text = (await visitor.http.get(address, params={"suggest": "1"})).text
    assert 'aria-label="Value 1" placeholder="Invoice number" value="Note"' in text


async def test_stored_schema_is_shown_as_a_form_where_it_can_be(visit: tuple[Visitor, str]) -> None:
    visitor, address = visit
    schema = {"type": "object", "properties": {"note": {"type": "string"}}}
    await send(visitor, address, act="store", name="notes", json=json.dumps(schema))
    assert 'value="note"' in (await visitor.http.get(address, params={"schema": "notes"})).text


@pytest.mark.parametrize("reason", Missing)
def test_every_reason_has_a_sentence(reason: Missing) -> None:
    assert REASONS[reason]
