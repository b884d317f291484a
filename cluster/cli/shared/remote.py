"""A running service as commands reach it: `--url` and `--token`, and errors that name the address.

Imports neither Ray nor database; on the service's own machine its default token is found by itself.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
import httpx

from quire.cluster.cli.shared.options import CommandStopped
from quire.cluster.state import running_state
from quire.configs.settings import default_workdir

if TYPE_CHECKING:
    import httpx

F = TypeVar("F", bound=Callable[..., Any])
DEFAULT_PORT = 8000
"""Port of a service without SVC_PORT."""
_PATIENCE_S = 60.0
"""Seconds an answer may take: exports of a long document take a few."""


def service_options(command: F) -> F:
    """`--url` and `--token`, also from QUIRE_URL and QUIRE_TOKEN."""
    url = click.option(
        "--url", envvar="QUIRE_URL", default=find_url,
        help="The service (QUIRE_URL). The default is the one of the workdir, else of SVC_PORT, else port 8000.",
    )  # fmt: skip
    token = click.option(
        "--token",
        envvar="QUIRE_TOKEN",
        help="API key of the service (QUIRE_TOKEN). The default is the local default token.",
    )
    return url(token(command))


def find_url() -> str:
    """Return the address of the service that runs on this machine, or the one at which it would run."""
    state = running_state(_workdir())
    return state.base_url if state is not None else f"http://127.0.0.1:{os.environ.get('SVC_PORT', DEFAULT_PORT)}"


def _workdir() -> Path:
    return Path(os.environ.get("SVC_WORKDIR") or default_workdir())


@contextmanager
def service_at(url: str, token: str | None) -> Iterator["httpx.Client"]:
    """Yield a client of the service; refusals and a lost connection end the command with one line."""
    key = token or local_token(url)
    headers = {"X-API-Key": key} if key else {}
    try:
        with httpx.Client(base_url=url.rstrip("/"), headers=headers, timeout=_PATIENCE_S, trust_env=False) as client:
            yield client
    except httpx.TransportError as error:
        text = str(error) or type(error).__name__
        raise CommandStopped(
            f"no service answers at {url} ({text}); start one with `quire up`, or set --url or QUIRE_URL"
        ) from None


def require_good(answer: "httpx.Response") -> "httpx.Response":
    """Return the answer if it succeeded.

    Raises:
        CommandStopped: The service refused the request.
    """
    if answer.is_success:
        return answer
    answer.read()
    address = f"{answer.request.url.scheme}://{answer.request.url.netloc.decode()}"
    if answer.status_code == 401:
        was_sent = "X-API-Key" in answer.request.headers
        if was_sent:
            raise CommandStopped(f"{address} refused the key: check --token or QUIRE_TOKEN")
        raise CommandStopped(f"{address} requires a key: pass --token or set QUIRE_TOKEN")
    try:
        body = answer.json()
        detail = body["detail"]
        message = detail if isinstance(detail, str) else detail[0]["msg"]
        code = body.get("code") or detail[0]["type"]
    except (ValueError, KeyError, IndexError, TypeError):
        raise CommandStopped(f"{address} answered {answer.status_code}") from None
    raise CommandStopped(f"{address} answered {answer.status_code} {code}: {message}")


def local_token(url: str) -> str | None:
    """Return the default token of a service on this machine, or None."""
    if not url.startswith(("http://127.0.0.1", "http://localhost", "http://[::1]")):
        return None
    try:
        return (_workdir() / "token").read_text().strip()
    except OSError:
        return None
