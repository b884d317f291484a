"""Render HTML pages from templates with a strict content policy: only the page's own scripts."""

from datetime import datetime
from pathlib import Path
from typing import Any

from fastapi import Request
from jinja2 import ChoiceLoader, Environment, FileSystemLoader, select_autoescape
from starlette.responses import Response

from quire.serve_apps.access.browser import CONTENT_POLICY
from quire.serve_apps.viewer.kit import STATIC, TEMPLATE_FILTERS, TEMPLATE_GLOBALS, TEMPLATES, PageFiles

_FOLDER = Path(__file__).parents[1]
PAGES = Environment(
    loader=ChoiceLoader([FileSystemLoader(_FOLDER / "templates"), FileSystemLoader(TEMPLATES)]),
    autoescape=select_autoescape(default=True),
    trim_blocks=True,
    lstrip_blocks=True,
)
FILES = PageFiles(STATIC, _FOLDER / "static")
"""Colours, cards, tables, forms and the viewer are the dashboard's too; console.css and console.js are its own."""


def _iso(time: datetime) -> str:
    return time.isoformat()


PAGES.filters.update(TEMPLATE_FILTERS, iso=_iso)
PAGES.globals.update(TEMPLATE_GLOBALS)


def page(request: Request, template: str, status: int = 200, **values: Any) -> Response:
    """Return a page; `root` is the console's mount path."""
    root = request.scope.get("root_path", "")
    path = request.scope["path"].removeprefix(root)
    shown = {"visitor": None, "root": root, "here": path, "static": f"{root}/static/{FILES.version}"}
    html = PAGES.get_template(template).render(shown | values)
    headers = {"Content-Security-Policy": CONTENT_POLICY}
    return Response(html, status, headers, "text/html; charset=utf-8")
