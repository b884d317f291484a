"""GET /v1/jobs/{id}/events: a job's progress as server-sent events, page by page, until it ends."""

from collections.abc import AsyncIterator

from starlette.responses import Response, StreamingResponse

from quire.serve_apps.access.operations import Operations
from quire.serve_apps.access.scopes import READ
from quire.serve_apps.api.context.deps import Call, CallDep, JobIdDep
from quire.serve_apps.api.context.job_answers import JobAnswer
from quire.serve_apps.api.lanes.fair_places import Overloaded
from quire.storage.values.errors import NotFound, StoreUnavailable
from quire.storage.values.rows import JobId

router = Operations("jobs")
_QUIET_LOOKS = 15  # polls without changes between two comments, which keep proxies from closing the connection
_STREAM = {200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}}


@router.operation(
    "GET /v1/jobs/{job_id}/events", "stream_job_events", READ, response_class=StreamingResponse, responses=_STREAM
)
async def stream_events(job_id: JobIdDep, call: CallDep) -> Response:
    """Stream a job's progress: `event: job` with the job at every change, `event: end` once when it has ended."""
    answer = await call.running.job_answers.get(call.scope, job_id)
    if call.running.waiters.full:
        raise Overloaded("too many callers wait at once")
    return StreamingResponse(_progress(call, job_id, answer), media_type="text/event-stream")


async def _progress(call: Call, job_id: JobId, answer: JobAnswer) -> AsyncIterator[bytes]:
    shown, quiet = b"", 0
    with call.running.waiters.watching(job_id) as pause:
        while True:
            if answer.body != shown:
                shown, quiet = answer.body, 0
                yield b"event: job\ndata: " + shown + b"\n\n"
            if answer.ended:
                yield b"event: end\ndata: {}\n\n"
                return
            quiet += 1
            if quiet % _QUIET_LOOKS == 0:
                yield b": keep-alive\n\n"
            await pause()
            try:
                answer = await call.running.job_answers.get(call.scope, job_id)
            except (StoreUnavailable, Overloaded):
                continue
            except NotFound:
                return
