"""A tree in the format of a plugin."""

from functools import partial

from starlette.responses import Response

from quire.models.cdom.ports import Tokenizer
from quire.models.cdom.tree import Tree
from quire.models.export import Export
from quire.serve_apps.access.operations import Operations
from quire.serve_apps.access.scopes import DOCUMENT, READ
from quire.serve_apps.api.documents.published import PublishedDep
from quire.storage.values.errors import NotFound

router = Operations("exports")
_HEADERS = {"X-Content-Type-Options": "nosniff", "Content-Disposition": "attachment"}


@router.operation(f"GET {DOCUMENT}/export/plugin/{{name}}", "export_by_plugin", READ, media_type="*/*")
async def export_by_plugin(name: str, document: PublishedDep) -> Response:
    """Export the document with a plugin named in SVC_PLUGINS; 404 for any other name."""
    resources = document.call.running.resources
    export = resources.exports.get(name)
    if export is None:
        raise NotFound("no such export")
    text = await document.derive(partial(_write, export, resources.tokenizer))
    return Response(text, media_type=export.media_type, headers=_HEADERS)


def _write(export: Export, tokenizer: Tokenizer, tree: Tree) -> str:
    return export.write(tree, tokenizer)
