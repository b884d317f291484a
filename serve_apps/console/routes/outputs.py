"""Outputs of a document, relayed from the engine, and fine-tune lines of a job."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from quire.models.export import OUTPUTS, TreeOutput
from quire.serve_apps.access.scopes import DOCUMENT
from quire.serve_apps.console.callers.callers import CallerDep
from quire.serve_apps.console.sending.paths import document_path, job_path
from quire.serve_apps.console.sending.relaying import relay

router = APIRouter(tags=["outputs"])


def _add_output(name: str, output: TreeOutput) -> None:
    @router.get(f"{DOCUMENT}/{output.path}", name=f"read_{name}", description=f"Return the output: {output.title}.")
    async def read_output(request: Request, job_id: str, document_id: str, caller: CallerDep) -> Response:
        return await relay(request, caller, f"{await document_path(caller, job_id, document_id)}/{output.path}")


for _name, _output in OUTPUTS.items():
    _add_output(_name, _output)


@router.get("/v1/jobs/{job_id}/export/finetune")
async def export_finetune(request: Request, job_id: str, caller: CallerDep) -> Response:
    """Export the whole batch as fine-tune JSONL, streamed."""
    return await relay(request, caller, f"{await job_path(caller, job_id)}/export/finetune")
