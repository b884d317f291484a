"""The extract page of a document: values by a form or a stored schema next to the page, corrections, and files."""

import json
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode

from starlette.responses import RedirectResponse, Response

from quire.models.derive.schema.answer import Missing
from quire.models.export.tables.values import list_leaves, values_to_csv, values_to_xlsx
from quire.serve_apps.api.documents.extracting import Engine
from quire.serve_apps.api.shapes.rendering import attachment
from quire.serve_apps.ui.browser.gateway import ApiRefused
from quire.serve_apps.ui.browser.login import read_form
from quire.serve_apps.ui.browser.origin import require_same_site, require_token
from quire.serve_apps.ui.browser.visit import Visit
from quire.serve_apps.ui.pages.documents import document_path, read_document
from quire.serve_apps.ui.pages.schema_form import (
    EMPTY_ROWS,
    KINDS,
    MORE_ROWS,
    FormRow,
    from_schema,
    read_rows,
    suggest_rows,
    to_query,
    to_schema,
)
from quire.serve_apps.viewer.document_view import has_page_pictures

LONGEST_SCHEMA_FORM = 600_000
"""Bytes of a form with a pasted schema."""
MAX_SHOWN = 500  # values on a page; the files have all
MAX_TEXTS = 2000
"""Texts of a page without a picture; those that hold a value are shown wherever they stand."""


REASONS = {
    Missing.NO_LABEL: "not found: no label names it",
    Missing.NOT_OF_TYPE: "its label is there, but no value of this type",
    Missing.AMBIGUOUS: "several values fit equally well",
    Missing.UNVERIFIED: "the text referred to is not there",
    Missing.NO_COLUMN: "the table has no column for it",
    Missing.NO_ROWS: "no table or list holds such rows",
    Missing.NOT_SUPPORTED: "lists nested this deep are not read",
    Missing.SEVERAL_DISAGREE: "several places state different values",
}


def _to_json(answer: Mapping[str, Any]) -> bytes:
    return json.dumps(answer, ensure_ascii=False, indent=1).encode("utf-8", "replace")


_FILES: dict[str, tuple[str, Callable[[Mapping[str, Any]], bytes]]] = {
    "json": ("application/json", _to_json),
    "csv": ("text/csv; charset=utf-8", values_to_csv),
    "xlsx": ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", values_to_xlsx),
}


async def show_extraction(visit: Visit) -> Response:
    """Show the values of the chosen schema, and the page of one of them with the boxes of its texts."""
    return await _show(visit)


async def change_extraction(visit: Visit) -> Response:
    """Store a pasted schema or a correction, then show the values. Raises `ForeignRequest`."""
    require_same_site(visit.request.headers)
    form = await read_form(visit.request, LONGEST_SCHEMA_FORM)
    require_token(form.get("csrf"), visit.session.csrf)
    try:
        query = await (_correct(visit, form) if form.get("act") == "correct" else _store(visit, form))
    except ApiRefused as refused:
        if refused.status not in (409, 422):
            raise
        return await _show(visit, refused.status, problem=str(refused), form=form)
    return RedirectResponse(f"{_address(visit)}?{urlencode(query)}", 303)


async def download_extraction(visit: Visit) -> Response:
    """Return the values of the chosen schema as a file."""
    kind = visit.query("as") or "json"
    if kind not in _FILES:
        raise ApiRefused(422, "unknown-format", "The files are json, csv and xlsx.")
    document = await read_document(visit)
    rows = read_rows(visit.request.query_params)
    answer = await _extract(visit, document["document_id"], visit.query("schema") or "", rows)
    media_type, write = _FILES[kind]
    headers = {"Content-Disposition": attachment(f"{document['source_file']}.{kind}"), "Cache-Control": "no-store"}
    return Response(write(answer), headers=headers, media_type=media_type)


async def _show(
    visit: Visit, status: int = 200, *, problem: str | None = None, form: dict[str, str] | None = None
) -> Response:
    document = await read_document(visit)
    schemas = await visit.api.get("/v1/schemas")
    name = visit.query("schema") or (form or {}).get("schema") or ""
    tree = await visit.api.get(f"{document_path(visit)}/tree")
    rows, answer, schema = read_rows(visit.request.query_params), None, None
    tried = to_query(rows)
    if rows or name:
        schema = to_schema(rows) if rows else (await visit.api.get(f"/v1/schemas/{name}"))["schema"]
        try:
            answer = await _extract(visit, document["document_id"], name, rows)
        except ApiRefused as refused:
            problem, status = str(refused), refused.status
    if schema is not None and not rows:
        rows = from_schema(schema) or []
    elif visit.query("suggest"):
        rows = suggest_rows(await visit.api.get(f"{document_path(visit)}/fields"), tree)
    number = _page_number(visit, tree)
    values = _values(answer, schema) if answer and schema else []
    engine = visit.query("engine") or Engine.RULES.value
    held = {(place["block_id"], place["cell"]) for value in values for place in value["places"]}
    drawn = has_page_pictures(tree, document)
    boxes = [box | {"holds": (box["block"], box["cell"]) in held} for box in _boxes(tree, number)]
    if drawn:
        boxes = [box for box in boxes if box["bbox"]]
    return visit.page(
        "extract.html",
        status,
        document=document,
        address=_address(visit),
        outputs=f"/ui{document_path(visit)}",
        schemas=schemas,
        schema=json.dumps(schema, ensure_ascii=False, indent=1) if schema else "",
        name=name,
        tried=bool(tried),
        kept=[*(tried or [("schema", name)]), ("engine", engine)],
        rows=[*rows, *[FormRow()] * (MORE_ROWS if visit.query("do") == "more" or not rows else EMPTY_ROWS)],
        kinds=list(KINDS),
        suggested=bool(visit.query("suggest")),
        engine=engine,
        engines=[engine.value for engine in Engine] if visit.resources.ports.model is not None else [],
        answer=answer,
        values=[value for value in values[:MAX_SHOWN] if value["row"] is None],
        lists=_lists(values[:MAX_SHOWN]),
        more=max(0, len(values) - MAX_SHOWN),
        paths=[value["path"] for value in values if value["corrects"]],
        page=next((page for page in tree["pages"] if page["number"] == number), None),
        pages=[page["number"] for page in tree["pages"]],
        boxes=boxes,
        texts=[] if drawn else _texts(tree, boxes),
        most_texts=MAX_TEXTS,
        drawn=drawn,
        problem=problem,
        form=form or {},
        chosen=visit.query("at") or "",
        learned=visit.query("learned"),
    )


async def _extract(visit: Visit, document_id: str, name: str, rows: list[FormRow]) -> Any:
    wanted: dict[str, Any] = {"schema": to_schema(rows)} if rows else {"schema_name": name}
    engine = visit.query("engine") or Engine.RULES.value
    return await visit.api.post("/v1/extract", {"document_id": document_id, "engine": engine, **wanted})


async def _store(visit: Visit, form: dict[str, str]) -> dict[str, str]:
    try:
        schema = json.loads(form.get("json", ""))
    except (ValueError, RecursionError):
        raise ApiRefused(422, "invalid-field", "The schema is not JSON.") from None
    stored = await visit.api.post("/v1/schemas", {"name": form.get("name", "").strip(), "schema": schema})
    return {"schema": stored["name"]}


async def _correct(visit: Visit, form: dict[str, str]) -> dict[str, str]:
    name, path = form.get("schema", ""), form.get("path", "")
    block, _, cell = form.get("block", "").partition(" ")
    body: dict[str, Any] = {"document_id": visit.request.path_params["document_id"], "path": path, "block_id": block}
    if cell.isdecimal():
        body["cell"] = int(cell)
    if form.get("text", "").strip():
        body["text"] = form["text"].strip()
    taught = await visit.api.post(f"/v1/schemas/{name}/corrections", body)
    query = {"schema": name, "page": str(taught["place"]["page"]), "at": path}
    return query | {"learned": taught["label"] or ""}


def _values(answer: dict[str, Any], schema: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the values and the missing leaves in the order of the data, missing ones last."""
    values = []
    for path, value in list_leaves(answer["data"]):
        if value is not None:
            evidence = answer["evidence"].get(path, {})
            shown = {"value": value, "evidence": evidence, "places": evidence.get("places", []), "corrects": True}
            values.append({"path": path, "title": _title(path, schema), "row": _row_of(path), **shown})
    lists = {path.rpartition("/")[0] for path, value in list_leaves(answer["data"]) if value is not None}
    for path, code in answer["missing"].items():
        values.append({
            "path": path, "title": _title(path, schema), "row": None, "value": None, "code": code,
            "reason": REASONS[Missing(code)], "places": [], "corrects": path not in lists,
        })  # fmt: skip
    return values


def _row_of(path: str) -> tuple[str, int, str] | None:
    """Return list, number and column of a leaf in a row of objects; None for any other leaf."""
    around, _, column = path.rpartition("/")
    inside, _, number = around.rpartition("/")
    return (inside, int(number), column) if inside and number.isdecimal() else None


def _lists(values: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the lists of objects as tables: path, columns by name with their titles, and rows of values by column."""
    lists: dict[str, dict[str, Any]] = {}
    for value in values:
        if value["row"] is not None:
            path, number, column = value["row"]
            one = lists.setdefault(path, {"path": path, "columns": {}, "rows": {}})
            one["columns"].setdefault(column, value["title"] or column)
            one["rows"].setdefault(number, {})[column] = value
    return list(lists.values())


def _title(path: str, schema: Any) -> str:
    """Return the title of a leaf, or "" where the schema states none or states it behind a reference."""
    for part in path.split("/")[1:]:
        named = schema.get("items") if part.isdecimal() else schema.get("properties", {}).get(part)
        schema = named if isinstance(named, dict) else {}
    return str(schema.get("title", ""))


def _boxes(tree: dict[str, Any], number: int) -> list[dict[str, Any]]:
    """Return the places on a page that may hold a value: cells of tables, and blocks with a text."""
    boxes: list[dict[str, Any]] = []
    for block in tree["blocks"]:
        table = block.get("table")
        if table and table["cells"]:
            rows = _rows_on(block, number)
            for index, cell in enumerate(table["cells"]):
                if cell["row"] in rows and cell["text"].strip():
                    boxes.append({"block": block["id"], "cell": index, "bbox": cell.get("bbox"), "text": cell["text"]})
        elif block["page"] == number and block["text"].strip():
            boxes.append({"block": block["id"], "cell": None, "bbox": block.get("bbox"), "text": block["text"]})
    return boxes


def _texts(tree: dict[str, Any], boxes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the blocks of a page without a picture in order: each with `box`, or with `rows` of cells and boxes."""
    shown = {(box["block"], box["cell"]): box for at, box in enumerate(boxes) if at < MAX_TEXTS or box["holds"]}
    texts: list[dict[str, Any]] = []
    for block in tree["blocks"]:
        if box := shown.get((block["id"], None)):
            texts.append({"type": block["type"], "level": block.get("level"), "box": box})
        elif block.get("table"):
            rows: dict[int, list[tuple[dict[str, Any], dict[str, Any] | None]]] = {}
            for index, cell in enumerate(block["table"]["cells"]):
                rows.setdefault(cell["row"], []).append((cell, shown.get((block["id"], index))))
            kept = [row for row in rows.values() if any(box for _, box in row)]
            texts += [{"type": "table", "box": None, "rows": kept}] if kept else []
    return texts


def _rows_on(block: dict[str, Any], number: int) -> range:
    """Return the rows of a table on a page; a table may continue over pages."""
    start = 0
    parts = block["table"].get("parts") or [{"page": block["page"], "rows": block["table"]["rows"]}]
    for part in parts:
        if part["page"] == number:
            return range(start, start + part["rows"])
        start += part["rows"]
    return range(0)


def _page_number(visit: Visit, tree: dict[str, Any]) -> int:
    stated = visit.query("page") or ""
    numbers = [page["number"] for page in tree["pages"]]
    if stated.isdecimal() and int(stated) in numbers:
        return int(stated)
    return int(numbers[0]) if numbers else 1


def _address(visit: Visit) -> str:
    return document_path(visit).replace("/v1/", "/ui/", 1) + "/extract"
