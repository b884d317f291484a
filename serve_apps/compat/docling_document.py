"""A tree as docling's own JSON, the DoclingDocument: `json_content` for clients that load it with docling.

Pure: a served tree (CDOM 1.0, as JSON) in, JSON out. Reading order becomes the order of the body's children. Running
headers and footers are furniture, and hidden text is left out. Neighbouring list items share a list, and captions are
attached to their table or picture.
"""

from typing import Any

from quire.models.cdom.flags import HIDDEN_TEXT

Json = dict[str, Any]

VERSION = "1.1.0"
"""The oldest schema with content layers: every docling since accepts it."""
MIME_TYPES = {
    "pdf": "application/pdf",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "png": "image/png",
    "jpeg": "image/jpeg",
    "tiff": "image/tiff",
    "webp": "image/webp",
    "bmp": "image/bmp",
}
_LABELS = {"heading": "section_header", "paragraph": "text", "key_value": "text"}
_FURNITURE = frozenset({"page_header", "page_footer"})
_FLOATING = frozenset({"table", "picture"})
_TICKED = ("☑", "☒", "✓", "✔", "[x]", "[X]")


def make_docling_document(tree: Json, name: str) -> Json:
    """Convert a tree to a DoclingDocument; `name` is the file's name."""
    parts = _Document()
    for block in tree["blocks"]:
        if HIDDEN_TEXT not in block.get("flags", ()):
            parts.add(block)
    parts.end()
    document: Json = {
        "schema_name": "DoclingDocument",
        "version": VERSION,
        "name": name.rsplit(".", 1)[0] or name,
        "furniture": _group("#/furniture", [], "furniture"),
        "body": _group("#/body", parts.body, "body"),
        "groups": parts.groups,
        "texts": parts.texts,
        "pictures": parts.pictures,
        "tables": parts.tables,
        "key_value_items": [],
        "form_items": [],
        "pages": {str(page["number"]): _page(page) for page in tree["pages"]},
    }
    if (mime_type := MIME_TYPES.get(tree["source"]["format"])) is not None:
        number = int(tree["source"]["sha256"][:16], 16)
        document["origin"] = {"mimetype": mime_type, "binary_hash": number, "filename": name}
    return document


class _Document:
    """The lists of a DoclingDocument, filled in reading order."""

    def __init__(self) -> None:
        self.texts: list[Json] = []
        self.tables: list[Json] = []
        self.pictures: list[Json] = []
        self.groups: list[Json] = []
        self.body: list[Json] = []
        self._floating: dict[str, Json] = {}
        self._waiting: dict[str, list[Json]] = {}
        self._list: Json | None = None

    def add(self, block: Json) -> None:
        kind = block["type"]
        if kind != "list_item":
            self._list = None
        if kind in _FLOATING:
            self._add_floating(block)
        elif kind == "list_item":
            self._add_list_item(block)
        elif kind == "caption" and block.get("parent") is not None:
            self._add_caption(block)
        else:
            self._add_text(block, None)

    def end(self) -> None:
        """Add captions whose table or picture never appeared as plain text."""
        for blocks in self._waiting.values():
            for block in blocks:
                self._add_text(block, None)

    def _add_caption(self, block: Json) -> None:
        """Attach a caption to its table or picture; a caption above waits for the item below it."""
        owner = self._floating.get(block["parent"])
        if owner is None:
            self._waiting.setdefault(block["parent"], []).append(block)
            return
        item = self._add_text(block, owner)
        owner["captions"].append({"$ref": item["self_ref"]})

    def _add_text(self, block: Json, parent: Json | None) -> Json:
        item = _item(f"#/texts/{len(self.texts)}", block, _label(block))
        item |= {"orig": block["text"], "text": block["text"]}
        if block["type"] == "heading":
            item["level"] = min(100, max(1, block.get("level") or 1))
        if block["type"] == "code":
            item |= {"captions": [], "references": [], "footnotes": [], "code_language": "unknown"}
        self.texts.append(item)
        self._attach(item, parent)
        return item

    def _add_list_item(self, block: Json) -> None:
        if self._list is None:
            self._list = _group(f"#/groups/{len(self.groups)}", [], "body") | {"name": "list", "label": "list"}
            self.groups.append(self._list)
            self._attach(self._list, None)
        item = self._add_text(block, self._list)
        item |= {"enumerated": False, "marker": "-"}

    def _add_floating(self, block: Json) -> None:
        items = self.tables if block["type"] == "table" else self.pictures
        item = _item(f"#/{block['type']}s/{len(items)}", block, block["type"])
        item |= {"captions": [], "references": [], "footnotes": [], "annotations": []}
        if block["type"] == "table":
            item["data"] = _table(block.get("table") or {"rows": 0, "cols": 0, "cells": []})
        items.append(item)
        self._floating[block["id"]] = item
        self._attach(item, None)
        for caption in self._waiting.pop(block["id"], []):
            self._add_caption(caption)

    def _attach(self, item: Json, parent: Json | None) -> None:
        item["parent"] = {"$ref": parent["self_ref"] if parent else "#/body"}
        (parent["children"] if parent else self.body).append({"$ref": item["self_ref"]})


def _item(ref: str, block: Json, label: str) -> Json:
    layer = "furniture" if block["type"] in _FURNITURE else "body"
    return {"self_ref": ref, "children": [], "content_layer": layer, "label": label, "prov": _provenance(block)}


def _group(ref: str, children: list[Json], layer: str) -> Json:
    return {"self_ref": ref, "children": children, "content_layer": layer, "name": "_root_", "label": "unspecified"}


def _label(block: Json) -> str:
    kind: str = block["type"]
    if kind == "checkbox":
        return "checkbox_selected" if block["text"].startswith(_TICKED) else "checkbox_unselected"
    return _LABELS.get(kind, kind)


def _provenance(block: Json) -> list[Json]:
    """Return the block's places; empty for blocks without a place (Word has no pages)."""
    placed = (block.get("table") or {}).get("parts") or [block]
    span = [0, len(block["text"])]
    return [
        {"page_no": part["page"], "bbox": _box(part["bbox"]), "charspan": span} for part in placed if part.get("bbox")
    ]


def _box(bbox: list[float]) -> Json:
    left, top, right, bottom = bbox
    return {"l": left, "t": top, "r": right, "b": bottom, "coord_origin": "TOPLEFT"}


def _page(page: Json) -> Json:
    return {"size": {"width": page["width"], "height": page["height"]}, "page_no": page["number"]}


def _table(table: Json) -> Json:
    return {
        "table_cells": [_cell(cell) for cell in table["cells"]],
        "num_rows": table["rows"],
        "num_cols": table["cols"],
    }


def _cell(cell: Json) -> Json:
    placed = {"bbox": _box(cell["bbox"])} if cell.get("bbox") else {}
    rows, columns = cell.get("row_span", 1), cell.get("col_span", 1)
    return placed | {
        "row_span": rows,
        "col_span": columns,
        "start_row_offset_idx": cell["row"],
        "end_row_offset_idx": cell["row"] + rows,
        "start_col_offset_idx": cell["col"],
        "end_col_offset_idx": cell["col"] + columns,
        "text": cell["text"],
        "column_header": bool(cell.get("header")),
        "row_header": False,
        "row_section": False,
    }
