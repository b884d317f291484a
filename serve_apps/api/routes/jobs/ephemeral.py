"""Compare two files or evaluate several: read in a bounded lane, without storing or metering."""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from fastapi import Request
from pydantic_core import to_jsonable_python
from starlette.responses import Response

from quire.models.cdom.errors import ErrorCode
from quire.models.cdom.tree import Tree
from quire.models.derive.diff import TreeDiff, compare_trees
from quire.models.derive.quality import DocumentQuality, QualityReport, rate_document, rate_failure, summarise
from quire.models.export.quality_html import report_to_html
from quire.serve_apps.access.operations import Operations
from quire.serve_apps.access.scopes import WRITE
from quire.serve_apps.api.context.deps import Call, CallDep
from quire.serve_apps.api.http.refusals import InvalidUpload, UnreadableFile
from quire.serve_apps.api.intake.ephemeral import EphemeralFile, format_of, read_file, receive_files
from quire.serve_apps.api.routes.results.exports import HTML_HEADERS
from quire.serve_apps.api.shapes.rendering import json_response

router = Operations("ephemeral")
T = TypeVar("T")
_FILE = {"type": "string", "format": "binary"}


def _form(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    schema = {"type": "object", "required": required, "properties": properties}
    return {"requestBody": {"required": True, "content": {"multipart/form-data": {"schema": schema}}}}


COMPARED = _form({"a": _FILE, "b": _FILE}, ["a", "b"])
EVALUATED = _form({"files": {"type": "array", "items": _FILE}}, ["files"])


@router.operation("POST /v1/compare", "compare", WRITE, TreeDiff, repeatable=True, openapi_extra=COMPARED)
async def compare(request: Request, call: CallDep) -> Response:
    """Compare two documents, `a` and `b`: blocks added, removed, modified and unchanged."""
    async with call.running.ephemeral.enter():
        first, second = _pair(await receive_files(request, call, 2))
        a, b = await _read(call, first), await _read(call, second)
        return json_response(await _work(call, _compare, a, b))


def _pair(files: list[EphemeralFile]) -> tuple[EphemeralFile, EphemeralFile]:
    """Return parts `a` and `b`, or the two files in the order sent."""
    if len(files) != 2:
        raise InvalidUpload("two-files", "compare takes two files, in parts a and b", "b")
    named = {file.part: file for file in files}
    return (named["a"], named["b"]) if named.keys() == {"a", "b"} else (files[0], files[1])


async def _read(call: Call, file: EphemeralFile) -> Tree:
    outcome = await read_file(call, file)
    if outcome.tree is None:
        raise UnreadableFile((outcome.error or ErrorCode.INTERNAL).value, outcome.detail, file.part)
    return outcome.tree


@router.operation(
    "POST /v1/evaluate",
    "evaluate",
    WRITE,
    repeatable=True,
    responses={200: {"model": QualityReport, "content": {"text/html": {}}}},
    openapi_extra=EVALUATED,
)
async def evaluate(request: Request, call: CallDep, format: str = "json") -> Response:
    """Report how well documents can be read, per document and in total; format=html returns a self-contained page."""
    async with call.running.ephemeral.enter():
        files = await receive_files(request, call, call.running.resources.limits.max_batch_files)
        report = summarise([await _rate(call, file) for file in files])
    if format != "html":
        return json_response(report)
    page = await call.running.disk.run(report_to_html, to_jsonable_python(report))
    return Response(page, media_type="text/html; charset=utf-8", headers=HTML_HEADERS)


async def _rate(call: Call, file: EphemeralFile) -> DocumentQuality:
    outcome = await read_file(call, file)
    if outcome.tree is None:
        return rate_failure(file.name, outcome.error or ErrorCode.INTERNAL, format_of(file))
    return await _work(call, partial(_rate_read, file.name, call.running.resources.flag_tree), outcome.tree)


async def _work(call: Call, make: Callable[[tuple[Tree, ...]], T], *trees: Tree) -> T:
    """Return `make(trees)`, for very large trees from a separate process. Raises `OverLimit`."""
    work = call.running.work
    if work.is_heavy(*trees):
        return await call.running.heavy.run(work.run_apart, make, trees)
    return await call.running.disk.run(make, trees)


def _compare(trees: tuple[Tree, ...]) -> TreeDiff:
    return compare_trees(trees[0], trees[1])


def _rate_read(name: str, flag_tree: Callable[[Tree], Tree] | None, trees: tuple[Tree, ...]) -> DocumentQuality:
    return rate_document(name, flag_tree(trees[0]) if flag_tree is not None else trees[0])
