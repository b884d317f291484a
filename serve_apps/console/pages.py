"""Pages for people: templates in, HTML out, with the strictest policy a page with its own script can have."""

from pathlib import Path
from typing import Any

from fastapi import Request
from jinja2 import Environment, FileSystemLoader, select_autoescape
from starlette.responses import Response

_FOLDER = Path(__file__).parent
CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
_TEMPLATES = Environment(
    loader=FileSystemLoader(_FOLDER / "templates"), autoescape=select_autoescape(default=True), trim_blocks=True
)
_STATIC = {
    name: ((_FOLDER / "static" / name).read_bytes(), kind)
    for name, kind in (("console.css", "text/css; charset=utf-8"), ("console.js", "text/javascript; charset=utf-8"))
}


def page(request: Request, template: str, status: int = 200, **values: Any) -> Response:
    """One page; `root` is where the console is mounted."""
    root = request.scope.get("root_path", "")
    html = _TEMPLATES.get_template(template).render(root=root, **({"visitor": None} | values))
    headers = {"Content-Security-Policy": CONTENT_POLICY}
    return Response(html, status, headers, "text/html; charset=utf-8")


def static(name: str) -> Response | None:
    """A file of the pages, None when there is none of that name."""
    found = _STATIC.get(name)
    if found is None:
        return None
    return Response(found[0], headers={"Cache-Control": "public, max-age=300"}, media_type=found[1])
