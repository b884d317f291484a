"""POST /general/v0/general compatible with unstructured's API: files in, elements out."""

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from starlette.datastructures import UploadFile
from starlette.responses import Response

from quire.models.cdom.original import clean_name
from quire.serve_apps.api.http.problems import invalid_response
from quire.serve_apps.compat.conversion import Converter, keys_of
from quire.serve_apps.compat.docling_document import MIME_TYPES
from quire.serve_apps.compat.docling_routes import MAX_FIELDS, MAX_FILES, pass_refusals
from quire.serve_apps.compat.elements import make_elements
from quire.serve_apps.compat.sources import ConvertSource

_OCR = {"fast": "never", "ocr_only": "always"}
_KEY = "unstructured-api-key"
_MOST_DIGITS = 9  # of a page number


def install(app: FastAPI) -> None:
    """Add the route under every version of its path that clients use."""
    for path in ("/general/v0/general", "/general/v0.0.60/general"):
        app.add_api_route(path, partition, methods=["POST"])
    app.add_api_route("/general/docs", described, methods=["GET"])


async def described() -> dict[str, str]:
    """Return the document that unstructured's client fetches before it joins the answers for parts of a long PDF."""
    return {"api": "/general/v0/general", "guide": "/guide/"}


async def partition(request: Request) -> Response:
    """Return the elements of one file, or a list of elements per file for several files."""
    try:
        return await pass_refusals(_partition(request))
    finally:
        await request.close()


async def _partition(request: Request) -> Response:
    converter: Converter = request.app.state.converter
    keys = keys_of(request.headers)
    if _KEY in request.headers:
        keys = {name: value for name, value in keys.items() if name in ("x-de-org", "x-de-principals")}
        keys["x-api-key"] = request.headers[_KEY]
    await converter.check_key(keys)
    form = await request.form(max_files=MAX_FILES, max_fields=MAX_FIELDS)
    sent = [value for _, value in form.multi_items() if isinstance(value, UploadFile)]
    if not sent:
        return invalid_response([{"type": "invalid-field", "loc": ["body", "files"], "msg": "a file is required"}])
    fields = {"ocr": ocr} if (ocr := _OCR.get(str(form.get("strategy", "auto")))) else {}
    coordinates = str(form.get("coordinates", "")).lower() == "true"
    first = str(form.get("starting_page_number") or "1")
    if not first.isascii() or not first.isdecimal() or len(first) > _MOST_DIGITS:
        entry = {"type": "invalid-field", "loc": ["body", "starting_page_number"], "msg": "expected a number"}
        return invalid_response([entry])
    lists = []
    for file in sent:
        name = clean_name(file.filename or "")
        job, tree = await converter.parse(keys, ConvertSource(name, file=file.file), fields)
        if tree is None:
            code = job["documents"][0]["error"] or "failed"
            text = f"{name} could not be read: {code}"
            return invalid_response([{"type": code, "loc": ["body", "files"], "msg": text}])
        media_type = MIME_TYPES.get(tree["source"]["format"], "application/octet-stream")
        lists.append(make_elements(tree, name, media_type, coordinates=coordinates, first_page=int(first)))
    return JSONResponse(lists[0] if len(lists) == 1 else lists)
