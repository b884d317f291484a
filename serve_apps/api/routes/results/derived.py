"""Facts computed from a tree: chunks, labelled fields, typed objects."""

from functools import partial
from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from quire.models.cdom.chunk import Chunk
from quire.models.cdom.tree import Tree
from quire.models.derive.chunks.chunks import chunk_tree
from quire.models.derive.document_fields import find_fields
from quire.models.derive.fields.extracted_field import ExtractedField
from quire.models.derive.fields.fields import canonical_name, select_fields
from quire.models.derive.semantics import SemanticDocument, describe_tree
from quire.serve_apps.access.operations import Operations
from quire.serve_apps.access.scopes import DOCUMENT, READ
from quire.serve_apps.api.documents.published import Published, PublishedDep
from quire.serve_apps.api.http.refusals import InvalidField
from quire.serve_apps.api.shapes.rendering import JSON
from quire.storage.objects.artifacts import SEMANTICS
from quire.storage.values.errors import NotFound

router = Operations("derived")
Keys = Annotated[str | None, Query(max_length=4096, description="Comma-separated keys or canonical keys.")]


@router.operation(f"GET {DOCUMENT}/chunks", "get_chunks", READ, list[Chunk])
async def read_chunks(document: PublishedDep) -> Response:
    """Return token-aware pieces for retrieval, each with its section path, pages and boxes."""
    tokenizer = document.call.running.resources.tokenizer
    chunks = await document.derive(partial(chunk_tree, tokenizer=tokenizer, settings=document.chunking))
    return Response(chunks, headers=document.omitted_header(), media_type=JSON)


@router.operation(f"GET {DOCUMENT}/fields", "get_fields", READ, list[ExtractedField])
async def read_fields(document: PublishedDep, keys: Keys = None) -> Response:
    """Return labelled key-value pairs, each with the page and bbox of its evidence; without `keys` all of them."""
    if keys is not None and not any(canonical_name(key) for key in keys.split(",")):
        raise InvalidField("keys", "expected at least one key; omit the parameter for all fields", "query")
    return Response(await document.derive(partial(_select, keys)), media_type=JSON)


def _select(keys: str | None, tree: Tree) -> list[ExtractedField]:
    return select_fields(find_fields(tree), keys)


@router.operation(f"GET {DOCUMENT}/semantics", "get_semantics", READ, SemanticDocument)
async def read_semantics(document: PublishedDep) -> Response:
    """Return typed objects with evidence block ids. Semantics of an ingest are returned unchanged, never redacted."""
    if not document.redacted:
        supplied = await document.call.running.disk.run(_supplied, document)
        if supplied is not None:
            return Response(supplied, media_type=JSON)
    return Response(await document.derive(describe_tree), media_type=JSON)


def _supplied(document: Published) -> bytes | None:
    try:
        return document.call.store.artifacts.read(document.document_id, document.attempt, SEMANTICS)
    except NotFound:
        return None
