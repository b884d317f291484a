"""Adds the dashboard to the API's app: pages under /ui, their files, and the gateway to the API."""

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from serve_apps.api.resources import Resources
from serve_apps.ui import documents, pages
from serve_apps.ui.acts import act
from serve_apps.ui.gateway import Gateway
from serve_apps.ui.login import Login
from serve_apps.ui.session import Sessions
from serve_apps.ui.visit import STATIC, VERSION, SignedIn

_TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
_DOCUMENT = "/ui/jobs/{job_id}/documents/{document_id}"


def install(app: FastAPI, resources: Resources) -> None:
    """The routes; none of them is part of the OpenAPI document."""
    sessions = Sessions(resources.store.signer, resources.keys)
    login, signed_in = Login(sessions, resources), SignedIn(sessions, resources, app.router)
    shown = {
        "/ui": pages.overview,
        "/ui/jobs": pages.list_jobs,
        "/ui/jobs/{job_id}": pages.show_job,
        _DOCUMENT: documents.show_document,
        f"{_DOCUMENT}/review": documents.review_document,
        "/ui/review": documents.list_inbox,
        "/ui/dead-letters": pages.list_dead_letters,
        "/ui/search": pages.search,
        "/ui/lists/{name}": pages.show_list,
    }
    routes: list[BaseRoute] = [Route(path, signed_in(handler), methods=["GET"]) for path, handler in shown.items()]
    routes += [
        Route("/ui/", _to_overview, methods=["GET"]),
        Route("/ui/login", login.show, methods=["GET"]),
        Route("/ui/login", login.enter, methods=["POST"]),
        Route("/ui/logout", login.leave, methods=["POST"]),
        Route("/ui/act", signed_in(act), methods=["POST"]),
        Route("/ui/static/{name}", _static, methods=["GET"]),
        Route("/ui/v1/{rest:path}", Gateway(app.router, sessions)),
    ]
    app.router.routes.extend(routes)


async def _to_overview(_: Request) -> Response:
    return RedirectResponse("/ui", 303)


async def _static(request: Request) -> Response:
    """A file of ours; its address changes with its content, so a browser may keep it."""
    name = request.path_params["name"]
    if name not in STATIC:
        return Response(status_code=404)
    kept = "public, max-age=31536000, immutable" if request.query_params.get("v") == VERSION else "no-cache"
    return Response(STATIC[name], headers={"Cache-Control": kept}, media_type=_TYPES[name.rpartition(".")[2]])
