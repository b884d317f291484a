"""A tree as the elements of unstructured's API. Pure: a served tree as JSON in, a list of elements out."""

from hashlib import sha256
from html import escape
from typing import Any

Json = dict[str, Any]
_TYPES = {
    "title": "Title",
    "heading": "Title",
    "paragraph": "NarrativeText",
    "list_item": "ListItem",
    "table": "Table",
    "picture": "Image",
    "caption": "FigureCaption",
    "code": "CodeSnippet",
    "formula": "Formula",
    "page_header": "Header",
    "page_footer": "Footer",
    "checkbox": "CheckBox",
}


def make_elements(tree: Json, name: str, media_type: str, *, coordinates: bool, first_page: int = 1) -> list[Json]:
    """Return one element per block in reading order; a heading is the parent of the following elements.

    `first_page`: number of the first page if the file is a part of a longer one.
    """
    sizes = {page["number"]: page for page in tree["pages"]}
    elements: list[Json] = []
    ids: dict[str, str] = {}
    for block in tree["blocks"]:
        text = _table_text(block["table"]) if block.get("table") else block["text"]
        ids[block["id"]] = sha256(f"{tree['source']['sha256']}{block['id']}".encode()).hexdigest()[:32]
        metadata: Json = {"filename": name, "filetype": media_type, "page_number": block["page"] + first_page - 1}
        if language := tree["metadata"].get("language"):
            metadata["languages"] = [language]
        if parent := ids.get(block.get("parent") or ""):
            metadata["parent_id"] = parent
        if block.get("table"):
            metadata["text_as_html"] = _table_html(block["table"])
        if coordinates and block.get("bbox"):
            metadata["coordinates"] = _coordinates(block["bbox"], sizes[block["page"]])
        kind = _TYPES.get(block["type"], "UncategorizedText")
        elements.append({"type": kind, "element_id": ids[block["id"]], "text": text, "metadata": metadata})
    return elements


def _coordinates(box: list[float], page: Json) -> Json:
    left, top, right, bottom = box
    return {
        "points": [[left, top], [left, bottom], [right, bottom], [right, top]],
        "system": "PixelSpace",
        "layout_width": page["width"],
        "layout_height": page["height"],
    }


def _rows(table: Json) -> list[list[Json]]:
    rows: dict[int, list[Json]] = {}
    for cell in table["cells"]:
        rows.setdefault(cell["row"], []).append(cell)
    return [rows[number] for number in sorted(rows)]


def _table_text(table: Json) -> str:
    return " ".join(cell["text"] for row in _rows(table) for cell in row if cell["text"])


def _table_html(table: Json) -> str:
    body = "".join(f"<tr>{''.join(map(_cell_html, row))}</tr>" for row in _rows(table))
    return f"<table>{body}</table>"


def _cell_html(cell: Json) -> str:
    kind = "th" if cell.get("header") else "td"
    spans = "".join(
        f' {name}="{cell[field]}"'
        for name, field in (("rowspan", "row_span"), ("colspan", "col_span"))
        if cell.get(field, 1) > 1
    )
    return f"<{kind}{spans}>{escape(cell['text'])}</{kind}>"
