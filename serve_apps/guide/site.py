"""GET /guide/: the documentation as a site; needs no network and no sign-in. `make guide` builds it with MkDocs."""

import base64
import hashlib
import re
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

BUILT = Path(__file__).parent / "built"
"""Where `mkdocs.yml` puts the site. Wheels and images contain it; a checkout builds it by `make up`."""
_SCRIPT = re.compile(rb"<script>(.*?)</script>", re.DOTALL)
_NOT_BUILT = "<!doctype html><title>Quire</title><p>The guide is not built. Run <code>make guide</code>.</p>"


def install(app: FastAPI) -> None:
    """Serve the site under /guide; it is no part of the OpenAPI document."""
    app.add_route(
        "/guide", lambda _: RedirectResponse("/guide/", 307), methods=["GET", "HEAD"], include_in_schema=False
    )
    app.mount("/guide", GuideFiles(directory=BUILT, html=True, check_dir=False))


class GuideFiles(StaticFiles):
    """Static files under a policy that allows the scripts of the site and nothing from elsewhere."""

    async def check_config(self) -> None:
        """Accept a missing folder: requests then answer 404 with the command that builds the site."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return a file of the site, a redirect to a folder's page, or status 404."""
        try:
            response = await super().get_response(path, scope)
        except HTTPException as error:
            if error.status_code != 404:
                raise
            response = HTMLResponse(_NOT_BUILT, 404)
        response.headers["Content-Security-Policy"] = policy_of(self._find_page(path, response))
        if location := response.headers.get("Location"):
            response.headers["Location"] = urlsplit(location).path  # a path gets the prefix of SVC_ROOT_PATH
        response.headers["Referrer-Policy"] = "no-referrer"
        response.headers["Cache-Control"] = "no-cache"
        return response

    def _find_page(self, path: str, response: Response) -> Path | None:
        """Return the page of an answer, also of a 304: a browser takes the policy from its headers too."""
        found = response.path if isinstance(response, FileResponse) else self.lookup_path(path)[0]
        file = Path(found, "index.html") if found and Path(found).is_dir() else Path(found)
        return file if file.suffix == ".html" and file.is_file() else None


@cache
def policy_of(page: Path | None) -> str:
    """Return the policy of a page: scripts from files of the site, and the page's inline scripts by their hash."""
    scripts = _SCRIPT.findall(page.read_bytes()) if page else []
    hashes = "".join(f" 'sha256-{base64.b64encode(hashlib.sha256(script).digest()).decode()}'" for script in scripts)
    return (
        f"default-src 'none'; script-src 'self'{hashes}; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
        "connect-src 'self'; worker-src 'self'; manifest-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
