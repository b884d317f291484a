"""Add the dashboard to the API's app: pages under /ui, their files, and the gateway to the API."""

import json

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from quire.serve_apps.api.context.resources import Resources
from quire.serve_apps.api.http.problems import NOT_FOUND_TEXT, PROBLEM_JSON, problem_response
from quire.serve_apps.ui.browser.gateway import ApiRefused, Gateway
from quire.serve_apps.ui.browser.login import Login
from quire.serve_apps.ui.browser.session import Sessions
from quire.serve_apps.ui.browser.theme import choose_theme
from quire.serve_apps.ui.browser.visit import FILES, SignedIn, Visit
from quire.serve_apps.ui.pages import (
    account,
    comparing,
    document_list,
    documents,
    extracting,
    locked,
    operating,
    reviewing,
    targets,
)
from quire.serve_apps.ui.pages import work as pages
from quire.serve_apps.ui.pages.actions import act

_DOCUMENT = "/ui/jobs/{job_id}/documents/{document_id}"
SHOWN = {
    "/ui": document_list.list_all,
    "/ui/overview": pages.overview,
    "/ui/upload": pages.show_upload,
    "/ui/jobs": pages.list_jobs,
    "/ui/jobs/{job_id}": pages.show_job,
    _DOCUMENT: documents.show_document,
    f"{_DOCUMENT}/preview": documents.preview,
    f"{_DOCUMENT}/review": reviewing.review_document,
    f"{_DOCUMENT}/extract": extracting.show_extraction,
    f"{_DOCUMENT}/extract/file": extracting.download_extraction,
    "/ui/compare": comparing.show_comparison,
    "/ui/review": reviewing.list_inbox,
    "/ui/review/documents": reviewing.list_doubtful,
    "/ui/dead-letters": pages.list_dead_letters,
    "/ui/search": pages.search,
    "/ui/sources": operating.list_sources,
    "/ui/webhooks": operating.list_webhooks,
    "/ui/webhooks/deliveries": operating.list_deliveries,
    "/ui/webhooks/{webhook_id}": operating.show_webhook,
    "/ui/targets": targets.list_targets,
    "/ui/targets/{target_id}": targets.show_target,
    "/ui/audit": operating.list_audit,
    "/ui/usage": account.show_usage,
    "/ui/access": account.show_access,
}
SENT = {
    "/ui/act": act,
    f"{_DOCUMENT}/extract": extracting.change_extraction,
    "/ui/check-upload": locked.check_upload,
    "/ui/act-on-many": document_list.act_on_many,
    "/ui/sources": operating.add_source,
    "/ui/webhooks": operating.add_webhook,
    "/ui/targets": targets.add_target,
    "/ui/webhooks/{webhook_id}": operating.rotate_secret,
}


def install(app: FastAPI, resources: Resources) -> None:
    """Add the routes to the app; none of them is part of the OpenAPI document."""
    sessions = Sessions(resources.store.signer, resources.keys)
    login, signed_in = Login(sessions, resources), SignedIn(sessions, resources, app.router)
    routes: list[BaseRoute] = [Route(path, signed_in(handler), methods=["GET"]) for path, handler in SHOWN.items()]
    routes += [Route(path, signed_in(handler), methods=["POST"]) for path, handler in SENT.items()]
    routes += [
        Route("/", _from_root, methods=["GET"]),
        Route("/ui/", _to_documents, methods=["GET"]),
        Route("/ui/login", login.show, methods=["GET"]),
        Route("/ui/login", login.sign_in, methods=["POST"]),
        Route("/ui/logout", login.sign_out, methods=["POST"]),
        Route("/ui/theme", choose_theme, methods=["POST"]),
        Route("/ui/static/{version}/{name}", _static, methods=["GET"]),
        Route("/ui/v1/{rest:path}", Gateway(app.router, sessions)),
        Route("/ui/{rest:path}", signed_in(_no_page), methods=["GET"]),
    ]
    app.router.routes.extend(routes)


async def _to_documents(_: Request) -> Response:
    return RedirectResponse("/ui", 303)


_DOORS = {"dashboard": "/ui", "api": "/docs", "description": "/openapi.json", "health": "/v1/health"}


async def _from_root(request: Request) -> Response:
    """Redirect a browser to the dashboard; answer programs with 404 and links."""
    if "text/html" in request.headers.get("accept", ""):
        return RedirectResponse("/ui", 303)
    problem = json.loads(bytes(problem_response(404, "not-found", NOT_FOUND_TEXT).body))
    return Response(json.dumps(problem | {"links": _DOORS}), 404, media_type=PROBLEM_JSON)


async def _no_page(_: Visit) -> Response:
    raise ApiRefused(404, "not-found", "There is no such page.")


async def _static(request: Request) -> Response:
    """Return a static file. Its address changes with its content, so a browser may cache it."""
    answer = FILES.answer(request.path_params["version"], request.path_params["name"])
    return answer or Response(status_code=404)
