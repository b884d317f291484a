"""Outputs of a document, relayed from the engine: tree, chunks, Markdown, graph, context, fine-tune lines."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from quire.serve_apps.access.scopes import DOCUMENT
from quire.serve_apps.console.callers.callers import CallerDep
from quire.serve_apps.console.sending.paths import document_path, job_path
from quire.serve_apps.console.sending.relaying import relay

router = APIRouter(tags=["outputs"])


@router.get(f"{DOCUMENT}/tree")
async def read_tree(request: Request, job_id: str, document_id: str, caller: CallerDep) -> Response:
    """Return the canonical tree."""
    return await relay(request, caller, f"{await document_path(caller, job_id, document_id)}/tree")


@router.get(f"{DOCUMENT}/chunks")
async def read_chunks(request: Request, job_id: str, document_id: str, caller: CallerDep) -> Response:
    """Return token-aware pieces for retrieval."""
    return await relay(request, caller, f"{await document_path(caller, job_id, document_id)}/chunks")


@router.get(f"{DOCUMENT}/export/markdown")
async def export_markdown(request: Request, job_id: str, document_id: str, caller: CallerDep) -> Response:
    """Export the document as Markdown."""
    return await relay(request, caller, f"{await document_path(caller, job_id, document_id)}/export/markdown")


@router.get(f"{DOCUMENT}/export/graph")
async def export_graph(request: Request, job_id: str, document_id: str, caller: CallerDep) -> Response:
    """Export the document's structure as nodes and typed edges."""
    return await relay(request, caller, f"{await document_path(caller, job_id, document_id)}/export/graph")


@router.get(f"{DOCUMENT}/export/context")
async def export_context(request: Request, job_id: str, document_id: str, caller: CallerDep) -> Response:
    """Export a digest within a token budget."""
    return await relay(request, caller, f"{await document_path(caller, job_id, document_id)}/export/context")


@router.get("/v1/jobs/{job_id}/export/finetune")
async def export_finetune(request: Request, job_id: str, caller: CallerDep) -> Response:
    """Export the whole batch as fine-tune JSONL, streamed."""
    return await relay(request, caller, f"{await job_path(caller, job_id)}/export/finetune")
