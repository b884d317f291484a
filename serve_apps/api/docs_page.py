"""GET /docs: Swagger UI over /openapi.json, served without any other network.

The files are those of the npm package swagger-ui-dist (Apache-2.0), unchanged; `start.js` belongs to this project. The
page's policy allows scripts, styles and connections of this service only.
"""

from pathlib import Path

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

FOLDER = Path(__file__).parent / "swagger_ui"
VERSION = "5.35.0"
_TYPES = {"swagger-ui-bundle.js": "text/javascript", "start.js": "text/javascript", "swagger-ui.css": "text/css"}
_FILES = {name: (FOLDER / name).read_bytes() for name in _TYPES}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_PAGE = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Quire API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/{VERSION}/swagger-ui.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="docs/{VERSION}/swagger-ui-bundle.js"></script>
<script src="docs/{VERSION}/start.js"></script>
</body>
</html>
"""


def install(app: FastAPI) -> None:
    """Add the page and its files to the app; neither is part of the OpenAPI document."""
    app.router.routes.append(Route("/docs", _page, methods=["GET"]))
    app.router.routes.append(Route("/docs/{version}/{name}", _file, methods=["GET"]))


async def _page(_: Request) -> Response:
    return HTMLResponse(_PAGE, headers={"Content-Security-Policy": POLICY})


async def _file(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in _FILES or request.path_params["version"] != VERSION:
        return Response(status_code=404)
    return Response(
        _FILES[name], media_type=_TYPES[name], headers={"Cache-Control": "public, max-age=31536000, immutable"}
    )
