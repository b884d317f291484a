"""Pages for people: templates in, HTML out, with the strictest policy a page with its own script can have."""

from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from fastapi import Request
from jinja2 import Environment, FileSystemLoader, select_autoescape
from starlette.responses import Response

from serve_apps.access.browser import CONTENT_POLICY
from serve_apps.ui.browser.filters import tell_ago, tell_time

_FOLDER = Path(__file__).parents[1]
_TEMPLATES = Environment(
    loader=FileSystemLoader(_FOLDER / "templates"), autoescape=select_autoescape(default=True), trim_blocks=True
)
_KIT = _FOLDER.parent / "ui" / "static"
"""Colours, cards, tables and forms are the dashboard's; console.css holds what only the console has."""
_FILES = {
    "style.css": (_KIT, "text/css; charset=utf-8"),
    "icon.svg": (_KIT, "image/svg+xml"),
    "console.css": (_FOLDER / "static", "text/css; charset=utf-8"),
    "console.js": (_FOLDER / "static", "text/javascript; charset=utf-8"),
}
_STATIC = {name: ((folder / name).read_bytes(), kind) for name, (folder, kind) in _FILES.items()}
_VERSION = sha256(b"".join(content for content, _ in _STATIC.values())).hexdigest()[:12]


def _when(at: datetime | None) -> str:
    """From now, as the dashboard tells it: "5 min ago"."""
    return tell_ago(at.isoformat()) if at else "–"


def _stamp(at: datetime) -> str:
    """UTC, for a tooltip."""
    return tell_time(at.isoformat())


_TEMPLATES.filters.update(when=_when, stamp=_stamp)


def page(request: Request, template: str, status: int = 200, **values: Any) -> Response:
    """One page; `root` is where the console is mounted."""
    root = request.scope.get("root_path", "")
    path = request.scope["path"].removeprefix(root)
    shown = {"visitor": None, "root": root, "here": path, "version": _VERSION}
    html = _TEMPLATES.get_template(template).render(shown | values)
    headers = {"Content-Security-Policy": CONTENT_POLICY}
    return Response(html, status, headers, "text/html; charset=utf-8")


def static(name: str) -> Response | None:
    """A file of the pages, None when there is none of that name."""
    found = _STATIC.get(name)
    if found is None:
        return None
    return Response(found[0], headers={"Cache-Control": "public, max-age=300"}, media_type=found[1])
