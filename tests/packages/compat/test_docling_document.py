"""A tree as DoclingDocument: every reference resolves, reading order is the body's, furniture and captions in place.

The schema itself is docling-core's; make_docling_document was held against it (docs/design/derive.md).
"""

import json
from pathlib import Path
from typing import Any

import pytest

from quire.serve_apps.compat.docling_document import make_docling_document

GOLDEN = sorted((Path(__file__).resolve().parents[2] / "golden").glob("*/*.json"))
TREES = [path for path in GOLDEN if path.parent.name in ("pdf", "docx")]


def block(number: int, kind: str, text: str = "", **more: Any) -> dict[str, Any]:
    return {"id": f"b{number}", "type": kind, "page": 1, "order": number, "text": text, "bbox": [1, 2, 3, 4]} | more


def tree_of(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {
        "source": {"format": "pdf", "sha256": "f" * 64, "bytes": 1, "name": "a.pdf"},
        "pages": [{"number": 1, "width": 595, "height": 842}],
        "blocks": list(blocks),
    }


def resolve(document: dict[str, Any], ref: str) -> dict[str, Any]:
    found: Any = document
    for step in ref.removeprefix("#/").split("/"):
        found = found[int(step)] if isinstance(found, list) else found[step]
    assert found["self_ref"] == ref
    return dict(found)


def body_of(document: dict[str, Any]) -> list[tuple[str, str]]:
    """Label and text of everything below the body, depth first."""

    def below(item: dict[str, Any]) -> list[tuple[str, str]]:
        found = []
        for child in item["children"]:
            one = resolve(document, child["$ref"])
            assert one["parent"]["$ref"] == item["self_ref"]
            found += [(one["label"], one.get("text", "")), *below(one)]
        return found

    return below(document["body"])


def test_reading_order_lists_furniture_and_captions() -> None:
    cells = [{"row": 0, "col": 0, "text": "Item", "header": True}, {"row": 1, "col": 0, "row_span": 1, "text": "Crane"}]
    document = make_docling_document(
        tree_of(
            block(0, "page_header", "Running"),
            block(1, "title", "Report"),
            block(2, "heading", "Wind", level=2),
            block(3, "list_item", "one"),
            block(4, "list_item", "two"),
            block(5, "caption", "Table 1", parent="b6"),
            block(6, "table", table={"rows": 2, "cols": 1, "cells": cells}),
            block(7, "picture", asset_ref="p1-0.png"),
            block(8, "caption", "Figure 1", parent="b7"),
            block(9, "caption", "Of nothing", parent="b99"),
            block(10, "checkbox", "☑ done"),
        ),
        "a report.pdf",
    )
    assert body_of(document) == [
        ("page_header", "Running"),
        ("title", "Report"),
        ("section_header", "Wind"),
        ("list", ""),
        ("list_item", "one"),
        ("list_item", "two"),
        ("table", ""),
        ("caption", "Table 1"),
        ("picture", ""),
        ("caption", "Figure 1"),
        ("checkbox_selected", "☑ done"),
        ("caption", "Of nothing"),
    ]
    assert document["texts"][0]["content_layer"] == "furniture"
    assert document["texts"][2]["level"] == 2
    table = document["tables"][0]
    assert resolve(document, table["captions"][0]["$ref"])["text"] == "Table 1"
    header = table["data"]["table_cells"][0]
    assert (header["column_header"], header["end_row_offset_idx"], table["data"]["num_rows"]) == (True, 1, 2)
    assert (document["name"], document["origin"]["filename"]) == ("a report", "a report.pdf")
    assert document["texts"][1]["prov"][0]["bbox"] == {"l": 1, "t": 2, "r": 3, "b": 4, "coord_origin": "TOPLEFT"}


@pytest.mark.parametrize("path", TREES, ids=lambda path: path.stem)
def test_every_block_of_a_real_tree_is_below_the_body_once(path: Path) -> None:
    tree = json.loads(path.read_text())
    document = make_docling_document(tree, "a.pdf")
    found = sorted(text for label, text in body_of(document) if label not in ("table", "picture", "list"))
    texts = sorted(one["text"] for one in tree["blocks"] if one["type"] not in ("table", "picture"))
    assert found == texts
    assert len(document["tables"]) == sum(one["type"] == "table" for one in tree["blocks"])
