"""A table over several pages through HTTP: stored, served and exported, and invalid parts refused."""

from typing import Any

import pytest

from quire.storage.store import Store
from tests.api.harness import client_of, make_resources, serving

ROWS = (("Name", "Place"), ("Ann", "Ulm"), ("Bob", "Bonn"))
CELLS = [
    {"row": row, "col": col, "text": text, "header": row == 0, "bbox": [50 + 99 * col, 20 * row, 149, 20 * row + 20]}
    for row, texts in enumerate(ROWS)
    for col, text in enumerate(texts)
]
PARTS: list[dict[str, Any]] = [
    {"page": 1, "bbox": [50, 0, 248, 40], "rows": 2},
    {"page": 2, "bbox": [50, 20, 248, 60], "rows": 1},
]


def a_tree(parts: list[dict[str, Any]]) -> dict[str, Any]:
    table = {"rows": 3, "cols": 2, "cells": CELLS, "parts": parts}
    block = {"id": "t", "type": "table", "page": 1, "bbox": PARTS[0]["bbox"], "text": "", "table": table}
    pages = [{"number": number, "width": 595, "height": 842} for number in (1, 2)]
    return {"cdom_version": "1.0", "source": {"name": "a.pdf", "format": "pdf"}, "pages": pages, "blocks": [block]}


async def test_parts_are_served_and_every_output_says_which_page_a_row_is_on(store: Store) -> None:
    async with serving(make_resources(store)) as app, client_of(app) as client:
        job = (await client.post("/v1/ingest", json={"tree": a_tree(PARTS)})).json()
        path = f"/v1/jobs/{job['id']}/documents/{job['documents'][0]['document_id']}"
        tree = (await client.get(f"{path}/tree")).json()
        assert tree["blocks"][0]["table"]["parts"] == PARTS
        (chunk,) = (await client.get(f"{path}/chunks")).json()
        assert (chunk["pages"], [box["page"] for box in chunk["bboxes"]]) == ([1, 2], [1, 2])
        assert '<tr id="page-2">' in (await client.get(f"{path}/export/html")).text
        graph = (await client.get(f"{path}/export/graph")).json()
        assert {node["label"]: node["page"] for node in graph["nodes"] if node["type"] == "cell"}["Bonn"] == 2


@pytest.mark.parametrize(
    "parts",
    [
        [PARTS[0] | {"rows": 3}, PARTS[1] | {"rows": 0}],
        [PARTS[0]],
        [PARTS[0], PARTS[1] | {"page": 3}],
        [PARTS[0], PARTS[1] | {"page": 1}],
        [PARTS[1], PARTS[0]],
        [PARTS[0] | {"rows": 1 << 70}, PARTS[1]],
    ],
    ids=["no rows", "rows of no part", "no such page", "a page twice", "begins elsewhere", "too many rows"],
)
async def test_invalid_table_parts_are_refused(store: Store, parts: list[dict[str, Any]]) -> None:
    async with serving(make_resources(store)) as app, client_of(app) as client:
        answer = await client.post("/v1/ingest", json={"tree": a_tree(parts)})
        assert answer.status_code == 422, answer.text
