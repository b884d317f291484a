"""GET /guide/: the files of docs/ as a site in reading order; needs no network and no sign-in."""

import re
from functools import cache
from html import escape
from pathlib import Path

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from serve_apps.guide.contents import CONTENTS, DOCS, GENERATED, title_of
from serve_apps.guide.rendering import describe_operations, render_page

FIRST = "get-started"
POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {"Content-Security-Policy": POLICY, "Cache-Control": "no-cache", "Referrer-Policy": "no-referrer"}
_STYLE = (Path(__file__).parent / "guide.css").read_bytes()
_PICTURES = {".png": "image/png", ".svg": "image/svg+xml"}
_DECISION = re.compile(r"decisions/\d{4}-[a-z0-9-]+\Z")


def install(app: FastAPI) -> None:
    """Add the pages to the app; none of them is part of the OpenAPI document."""

    async def page(request: Request) -> Response:
        return _answer(app, request.path_params["name"])

    app.router.routes += [
        Route("/guide", _to_first, methods=["GET"]),
        Route("/guide/", _to_first, methods=["GET"]),
        Route("/guide/guide.css", _style, methods=["GET"]),
        Route("/guide/{name:path}", page, methods=["GET"]),
    ]


def is_page(name: str) -> bool:
    """Return whether the guide serves a page under this name."""
    return name == GENERATED or (
        (title_of(name) is not None or _DECISION.match(name) is not None) and (DOCS / f"{name}.md").is_file()
    )


def _answer(app: FastAPI, name: str) -> Response:
    if name == GENERATED:
        return _page(name, render_page(describe_operations(app.openapi()), name, is_page))
    if is_page(name):
        return _page(name, _rendered(name))
    picture = (DOCS / name).resolve()
    if picture.suffix in _PICTURES and picture.is_relative_to(DOCS) and picture.is_file():
        return FileResponse(picture, media_type=_PICTURES[picture.suffix], headers=_HEADERS)
    return _page(name, '<h1>This page does not exist</h1><p><a href="/guide/">Go to the first page</a></p>', 404)


@cache
def _rendered(name: str) -> str:
    return render_page((DOCS / f"{name}.md").read_text(), name, is_page)


def _page(name: str, body: str, status: int = 200) -> Response:
    title = escape(title_of(name) or name.rpartition("/")[2])
    text = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} · Quire</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/guide/guide.css"></head>
<body><a class="skip" href="#main">Skip to content</a>
<nav aria-label="Guide"><p class="brand"><a href="/guide/">Quire</a></p>{_navigation(name)}
<p class="doors"><a href="/ui">Dashboard</a> <a href="/docs">API to try</a></p></nav>
<main id="main">{body}</main></body></html>"""
    return HTMLResponse(text, status, _HEADERS)


def _navigation(current: str) -> str:
    parts = []
    for heading, pages in CONTENTS.items():
        links = "".join(
            f'<li><a href="/guide/{name}"{" aria-current=page" if name == current else ""}>{escape(title)}</a></li>'
            for name, title in pages.items()
        )
        parts.append(f"<h2>{heading}</h2><ul>{links}</ul>")
    return "".join(parts)


async def _to_first(_: Request) -> Response:
    return RedirectResponse(f"/guide/{FIRST}", 307)


async def _style(_: Request) -> Response:
    return Response(_STYLE, headers=_HEADERS, media_type="text/css")
