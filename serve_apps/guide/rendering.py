"""Render a page of docs/ as HTML: Markdown with tables, linkable headings, and links between files as addresses."""

import re
from collections.abc import Callable, Mapping
from functools import cache
from html import escape
from itertools import pairwise
from posixpath import join, normpath
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

_PAGE = re.compile(r"(?P<file>[^#]+)\.md(?P<place>#.*)?\Z")
_OUTSIDE = re.compile(r"[a-z]+:|/|#")


def render_page(text: str, name: str, shown: Callable[[str], bool]) -> str:
    """Return the page's body as HTML. Links to files that `shown` rejects become plain text, as they are not served."""
    markdown = _markdown()
    tokens = markdown.parse(text)
    _name_headings(tokens)
    for token in tokens:
        for child in token.children or ():
            _turn_link(child, name, shown)
    return str(markdown.renderer.render(tokens, markdown.options, {}))


def describe_operations(document: Mapping[str, Any]) -> str:
    """Return Markdown about every operation of an OpenAPI document: purpose, scope, parameters."""
    lines = [
        "# Every operation",
        "",
        "Generated from `/openapi.json` of this service. Use `/docs` to try the operations.",
    ]
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            scope = operation.get("x-required-scope")
            lines += ["", f"## {method.upper()} {path}", "", str(operation.get("description", "")).strip()]
            lines += ["", f"Scope: {scope or 'none'}."]
            parameters = [parameter for parameter in operation.get("parameters", []) if parameter["in"] == "query"]
            if parameters:
                lines += ["", "| query | default | description |", "|---|---|---|", *map(_row, parameters)]
    return "\n".join(lines)


def _row(parameter: Mapping[str, Any]) -> str:
    schema = parameter.get("schema", {})
    default = "required" if parameter.get("required") else schema.get("default", "")
    text = str(parameter.get("description", "")).replace("|", "\\|")
    return f"| `{parameter['name']}` | {escape(str(default))} | {text} |"


def slug_of(text: str) -> str:
    """Return a heading's anchor as GitHub builds it: "See the Blocks" becomes "see-the-blocks"."""
    return re.sub(r"[^\w\- ]", "", text.lower()).strip().replace(" ", "-")


def _name_headings(tokens: list[Token]) -> None:
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open":
            opening.attrSet("id", slug_of(inline.content.replace("`", "")))


def _turn_link(token: Token, name: str, shown: Callable[[str], bool]) -> None:
    """Point a link to another file at its page, and a picture at its address below the guide."""
    place = "src" if token.type == "image" else "href"
    target = str(token.attrGet(place) or "")
    if token.type not in ("link_open", "image") or not target or _OUTSIDE.match(target):
        return
    match = _PAGE.match(target)
    if token.type == "image":
        token.attrSet("src", "/guide/" + normpath(join("docs", name, "..", target)).removeprefix("docs/"))
    elif match and (page := _page_of(name, match["file"])) and shown(page):
        token.attrSet("href", f"/guide/{page}{match['place'] or ''}")
    else:
        token.tag = "span"
        token.attrs = {}


def _page_of(name: str, target: str) -> str | None:
    path = normpath(join("docs", name, "..", target))
    return path.removeprefix("docs/") if path.startswith("docs/") else None


@cache
def _markdown() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable("table")
