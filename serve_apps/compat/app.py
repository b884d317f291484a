"""POST /v1/convert/file as docling-serve offers it: each file is parsed by the engine and exported as asked.

The caller's own key goes through to the engine, so tenants, quotas and limits are the engine's. Holds no state.
"""

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
from fastapi import FastAPI, Request
from starlette.datastructures import UploadFile
from starlette.responses import Response

from serve_apps.api.http.middleware import OuterMiddleware
from serve_apps.api.http.problems import install, invalid_response, problem_response
from serve_apps.api.shapes.rendering import json_response
from serve_apps.compat.archive import zip_documents
from serve_apps.compat.conversion import Converter, Refused
from serve_apps.compat.options import ConvertOptions, InvalidOption, read_options
from storage.values.file_names import clean_name

MEGABYTE = 1024 * 1024  # bytes
MAX_FILES = 10  # files in one conversion, all answered in one body
MAX_FIELDS = 200  # form fields; docling-serve's clients send about forty


def create_compat(engine_url: str, *, max_upload_bytes: int = 50 * MEGABYTE, wait_s: float = 120.0) -> FastAPI:
    """The door in front of the engine at `engine_url`; a conversion that takes longer than `wait_s` is 504."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        timeout = httpx.Timeout(wait_s + 30, connect=5.0)
        async with httpx.AsyncClient(base_url=engine_url, timeout=timeout, trust_env=False) as client:
            app.state.converter = Converter(client, wait_s)
            yield

    app = FastAPI(title="Quire for docling-serve clients", lifespan=lifespan, docs_url=None, redoc_url=None)
    install(app)
    for version in ("v1", "v1alpha"):
        app.add_api_route(f"/{version}/convert/file", convert_file, methods=["POST"])
    app.add_api_route("/health", health, methods=["GET"])
    cap = max_upload_bytes * MAX_FILES + MEGABYTE
    app.add_middleware(OuterMiddleware, body_cap=lambda _: cap, max_inflight_bytes=512 * MEGABYTE)
    return app


async def health() -> dict[str, str]:
    """What docling-serve's clients ask first."""
    return {"status": "ok"}


async def convert_file(request: Request) -> Response:
    """Parts `files`; fields as docling-serve names them. Several files, or target_type=zip: an archive."""
    form = await request.form(max_files=MAX_FILES, max_fields=MAX_FIELDS)
    try:
        sent = [value for _, value in form.multi_items() if isinstance(value, UploadFile)]
        fields = [(name, value) for name, value in form.multi_items() if isinstance(value, str)]
        if not sent:
            return _invalid("files", "at least one file is needed")
        try:
            options = read_options(fields)
        except InvalidOption as error:
            return _invalid(error.field, str(error))
        return await _convert(request, sent, options)
    finally:
        await form.close()


async def _convert(request: Request, sent: list[UploadFile], options: ConvertOptions) -> Response:
    converter: Converter = request.app.state.converter
    try:
        answers = [
            await converter.convert(request.headers, clean_name(file.filename or ""), file.file, options)
            for file in sent
        ]
    except Refused as error:
        return Response(error.body, error.status, error.headers, error.media_type)
    except httpx.TransportError:
        return problem_response(502, "engine-failed", "The engine did not answer. Send the request again.")
    if len(answers) == 1 and not options.zipped:
        return json_response(answers[0])
    with tempfile.TemporaryFile() as file:
        zip_documents(file, [answer["document"] for answer in answers])
        file.seek(0)
        headers = {"Content-Disposition": 'attachment; filename="converted_docs.zip"'}
        return Response(file.read(), 200, headers, "application/zip")


def _invalid(field: str, text: str) -> Response:
    return invalid_response([{"type": "invalid-field", "loc": ["body", field], "msg": text}])
