"""docling-serve's routes in addition to `convert/file`: sources, asynchronous tasks, chunks, versions."""

import tempfile
import time
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from starlette.datastructures import UploadFile
from starlette.responses import Response

from quire.models.cdom.original import clean_name
from quire.models.cdom.version import SERVICE_VERSION
from quire.serve_apps.api.http.problems import invalid_response, problem_response
from quire.serve_apps.api.http.refusals import InvalidUpload
from quire.serve_apps.api.http.strict_json import InvalidJson, parse_object
from quire.serve_apps.api.http.uploads import read_body
from quire.serve_apps.compat.archive import zip_documents
from quire.serve_apps.compat.conversion import Converter, Refused, keys_of
from quire.serve_apps.compat.options import ConvertOptions, InvalidOption, TargetNotOffered, read_options
from quire.serve_apps.compat.sources import ConvertSource, read_source_body
from quire.serve_apps.compat.tasks import ConvertTask, describe_task, read_task

MAX_FILES = 10  # files of one request, as of one job
MAX_VALUES = 20_000  # JSON values of one body
MAX_FIELDS = 200  # form fields of one request: docling-serve has about sixty
_IDLE_S = 30.0  # seconds without data after which a client is dropped
MOST_WAIT_S = 60.0
"""Maximum seconds that a poll waits."""

Asked = tuple[list[ConvertSource], ConvertOptions]
Answer = Callable[[Converter, Request, Asked], Awaitable[Response]]
Handler = Callable[[Request], Awaitable[Response]]


def install(app: FastAPI) -> None:
    """Add all routes under both versions of the path."""
    ways = {"file": form_of, "source": body_of}
    for version in ("v1", "v1alpha"):
        for name, read in ways.items():
            routes: dict[str, Answer] = {
                f"/{version}/convert/{name}": convert,
                f"/{version}/convert/{name}/async": begin,
                f"/{version}/chunk/hybrid/{name}": chunk,
                f"/{version}/chunk/hierarchical/{name}": chunk,
            }
            for path, answer in routes.items():
                app.add_api_route(path, _guarded(read, answer), methods=["POST"])
        app.add_api_route(f"/{version}/status/poll/{{task_id}}", poll, methods=["GET"])
        app.add_api_route(f"/{version}/result/{{task_id}}", result, methods=["GET"])
    app.add_api_route("/version", version_of, methods=["GET"])
    app.add_api_route("/ready", ready, methods=["GET"])


async def form_of(request: Request) -> Asked:
    """Read files and options of a form; the files live as long as the request. Raises InvalidOption."""
    form = await request.form(max_files=MAX_FILES, max_fields=MAX_FIELDS)
    sent = [value for _, value in form.multi_items() if isinstance(value, UploadFile)]
    if not sent:
        raise InvalidOption("files", "at least one file is required")
    fields = [(name, value) for name, value in form.multi_items() if isinstance(value, str)]
    return [ConvertSource(clean_name(file.filename or ""), file=file.file) for file in sent], read_options(fields)


async def body_of(request: Request) -> Asked:
    """Return the sources and options of a JSON body. Raises InvalidOption."""
    try:
        body = parse_object(
            await read_body(request, _IDLE_S, most=request.app.state.max_json_bytes), most_values=MAX_VALUES
        )
    except InvalidJson as error:
        raise InvalidOption("sources", str(error)) from None
    except InvalidUpload as error:
        raise InvalidOption("body", str(error)) from None
    sources, fields = read_source_body(body)
    if len(sources) > MAX_FILES:
        raise InvalidOption("sources", f"at most {MAX_FILES} at once")
    return sources, read_options(fields)


async def convert(converter: Converter, request: Request, conversion: Asked) -> Response:
    """Convert the sources one after the other. Several sources, or target_type=zip, return an archive."""
    sources, options = conversion
    return answer_all([await converter.convert(request.headers, source, options) for source in sources], options)


def answer_all(answers: list[dict[str, Any]], options: ConvertOptions) -> Response:
    """Return one answer as JSON, several as an archive."""
    if len(answers) == 1 and not options.zipped:
        return JSONResponse(answers[0])
    with tempfile.TemporaryFile() as file:
        zip_documents(file, [answer["document"] for answer in answers])
        file.seek(0)
        headers = {"Content-Disposition": 'attachment; filename="converted_docs.zip"'}
        return Response(file.read(), 200, headers, "application/zip")


async def begin(converter: Converter, request: Request, conversion: Asked) -> Response:
    """Start a job and describe it as a task."""
    sources, options = conversion
    job = await converter.submit(request.headers, sources, options)
    return JSONResponse(describe_task(ConvertTask(job["id"], options), job))


async def chunk(converter: Converter, request: Request, conversion: Asked) -> Response:
    """Return the engine's chunks in docling-serve's form."""
    sources, options = conversion
    started_at, chunks, documents = time.monotonic(), list[dict[str, Any]](), list[dict[str, Any]]()
    for source in sources:
        source_chunks, answer = await converter.chunk(request.headers, source, options)
        chunks += source_chunks
        documents.append({"kind": "ExportResult", "content": answer["document"], "status": answer["status"]})
    return JSONResponse({"chunks": chunks, "documents": documents, "processing_time": time.monotonic() - started_at})


async def poll(request: Request, task_id: str, wait: float = 0.0) -> Response:
    """Return a task's state; wait up to `wait` seconds for its end."""
    task = read_task(task_id)
    if task is None:
        return _no_task()
    return await pass_refusals(_poll(request, task, min(max(wait, 0.0), MOST_WAIT_S)))


async def _poll(request: Request, task: ConvertTask, wait: float) -> Response:
    converter: Converter = request.app.state.converter
    return JSONResponse(describe_task(task, await converter.look(request.headers, task.job_id, wait)))


async def result(request: Request, task_id: str) -> Response:
    """Return a finished task's documents, in the form of a synchronous conversion."""
    task = read_task(task_id)
    return _no_task() if task is None else await pass_refusals(_result(request, task))


async def _result(request: Request, task: ConvertTask) -> Response:
    converter: Converter = request.app.state.converter
    job = await converter.look(request.headers, task.job_id, 0)
    if job["pending"]:
        return problem_response(404, "not-found", "The task has not ended yet.")
    return answer_all(await converter.collect(request.headers, job, task.options), task.options)


def _guarded(read: Callable[[Request], Awaitable[Asked]], answer: Answer) -> Handler:
    async def respond(request: Request) -> Response:
        converter: Converter = request.app.state.converter
        await converter.check_key(keys_of(request.headers))
        try:
            conversion = await read(request)
        except TargetNotOffered as error:
            return problem_response(422, "invalid-field", str(error))
        except InvalidOption as error:
            return invalid_response([{"type": "invalid-field", "loc": ["body", error.field], "msg": str(error)}])
        return await answer(converter, request, conversion)

    async def handle(request: Request) -> Response:
        try:
            return await pass_refusals(respond(request))
        finally:
            await request.close()

    return handle


async def pass_refusals(answer: Awaitable[Response]) -> Response:
    """Return the answer, or the engine's refusal unchanged."""
    try:
        return await answer
    except Refused as error:
        return Response(error.body, error.status, error.headers, error.media_type)
    except httpx.TransportError:
        return problem_response(502, "engine-failed", "The engine did not answer. Send the request again.")


def _no_task() -> Response:
    return problem_response(404, "not-found", "There is no such task.")


async def version_of() -> dict[str, Any]:
    """Return the versions, by which clients identify the service."""
    return {"quire": SERVICE_VERSION, "docling-serve": "1.0.0 (compatible)"}


async def ready() -> dict[str, str]:
    """Report that the process runs. Requests report when the engine is not ready."""
    return {"status": "ok"}
