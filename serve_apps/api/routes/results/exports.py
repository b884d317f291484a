"""A tree in outward formats: HTML, Markdown, Word, graph, context digest."""

from functools import partial
from pathlib import PurePath
from typing import Annotated, Any

from fastapi import Query
from starlette.responses import Response

from quire.models.cdom.tree import Tree
from quire.models.export import OUTPUTS, TreeOutput
from quire.models.export.context import DEFAULT_TOKENS, ContextDigest, tree_to_context
from quire.models.export.graph import Graph, GraphFormat, graph_to_neo4j, parse_graph_format, tree_to_graph
from quire.models.export.html import tree_to_html
from quire.models.export.markdown import MarkdownText, tree_to_markdown
from quire.models.export.markdown_tables import TableStyle
from quire.models.export.word import tree_to_docx
from quire.serve_apps.access.operations import Operations, read_operations
from quire.serve_apps.access.scopes import DOCUMENT, READ
from quire.serve_apps.api.documents.published import PublishedDep
from quire.serve_apps.api.shapes.rendering import JSON, attachment

router = Operations("exports")
HTML_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; img-src 'self' data:; style-src 'unsafe-inline'; sandbox",
    "X-Content-Type-Options": "nosniff",
}
WORD = OUTPUTS["docx"].media_type
MaxTokens = Annotated[int, Query(ge=16, le=1_000_000)]
Tables = Annotated[
    TableStyle,
    Query(description="auto writes pipe tables, and HTML where cells span. html and pipe force one form."),
]
Inline = Annotated[
    MarkdownText, Query(description="rich keeps emphasis, code and link targets. plain writes only the words.")
]
Hidden = Annotated[bool, Query(description="List text that is invisible on the pages at the end.")]
PageBreak = Annotated[str, Query(max_length=100, description="Text to write on a separate line between pages.")]
Furniture = Annotated[bool, Query(description="Include running headers and footers. Without it they are left out.")]


@router.operation(f"GET {DOCUMENT}/export/html", "export_html", READ, media_type="text/html")
async def export_html(document: PublishedDep, hidden: Hidden = False) -> Response:
    """Export the document as one accessible HTML page in reading order, with its coverage.

    All text is escaped, and the page has no script.
    """
    page = await document.derive(partial(tree_to_html, title=document.name, hidden=hidden))
    headers = HTML_HEADERS | document.omitted_header()
    return Response(page, media_type="text/html; charset=utf-8", headers=headers)


@router.operation(f"GET {DOCUMENT}/export/markdown", "export_markdown", READ, media_type="text/markdown")
async def export_markdown(
    document: PublishedDep,
    furniture: Furniture = False,
    tables: Tables = TableStyle.AUTO,
    inline: Inline = MarkdownText.RICH,
    hidden: Hidden = False,
    page_break: PageBreak = "",
) -> Response:
    """Export the document as Markdown. Text is escaped, and hidden text is left out unless requested."""
    make = partial(
        tree_to_markdown, furniture=furniture, tables=tables, inline=inline, hidden=hidden, page_break=page_break
    )
    text = await document.derive(make)
    headers = {"X-Content-Type-Options": "nosniff"} | document.omitted_header(furniture=furniture)
    return Response(text, media_type="text/markdown; charset=utf-8", headers=headers)


@router.operation(f"GET {DOCUMENT}/export/docx", "export_docx", READ, media_type=WORD)
async def export_docx(document: PublishedDep) -> Response:
    """Export the document as a Word file with real headings, lists, tables and links.

    Pictures appear by name only, and hidden text is left out.
    """
    content = await document.derive(partial(tree_to_docx, title=document.name))
    named = attachment(f"{PurePath(document.name).stem}.docx")
    headers = {"X-Content-Type-Options": "nosniff", "Content-Disposition": named}
    return Response(content, media_type=WORD, headers=headers | document.omitted_header())


@router.operation(f"GET {DOCUMENT}/export/graph", "export_graph", READ, Graph)
async def export_graph(document: PublishedDep, format: str = "json") -> Response:
    """Export the document's structure as nodes and typed edges; format=neo4j returns the two files of its importer."""
    make = partial(_graph, parse_graph_format(format), document.document_id)
    return Response(await document.derive(make), media_type=JSON)


def _graph(chosen: GraphFormat, document_id: str, tree: Tree) -> Any:
    graph = tree_to_graph(tree)
    return graph_to_neo4j(graph, document_id=document_id) if chosen is GraphFormat.NEO4J else graph


@router.operation(f"GET {DOCUMENT}/export/context", "export_context", READ, ContextDigest)
async def export_context(document: PublishedDep, max_tokens: MaxTokens = DEFAULT_TOKENS) -> Response:
    """Export a digest within a token budget: outline and content in reading order, with a list of omissions."""
    tokenizer = document.call.running.resources.tokenizer
    make = partial(tree_to_context, max_tokens=max_tokens, tokenizer=tokenizer)
    return Response(await document.derive(make), media_type=JSON)


def _add_export(name: str, output: TreeOutput) -> None:
    """Add the operation of an output without parameters."""

    @router.operation(
        f"GET {DOCUMENT}/{output.path}",
        f"export_{name}",
        READ,
        media_type=output.media_type.partition(";")[0],
        description=output.about,
    )
    async def export(document: PublishedDep) -> Response:
        tokenizer = document.call.running.resources.tokenizer
        content = await document.derive(partial(output.make, title=document.name, tokenizer=tokenizer))
        headers = {"X-Content-Type-Options": "nosniff"} | document.omitted_header()
        return Response(content, media_type=output.media_type, headers=headers)


for _name, _output in OUTPUTS.items():
    if _output.path.startswith("export/") and f"{DOCUMENT}/{_output.path}" not in {
        route.path for route in read_operations(router.routes)
    }:
        _add_export(_name, _output)
