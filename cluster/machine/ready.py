"""Checks over HTTP, as a caller would, whether the API answers."""

import http.client
import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any

PAUSE_S = 0.2  # seconds between questions to a service that starts


def fetch_json(base_url: str, path: str, timeout_s: float = 5.0) -> dict[str, Any] | None:
    """Return the JSON object at `path`, with any status; None without an answer."""
    try:
        with urllib.request.urlopen(base_url + path, timeout=timeout_s) as response:  # noqa: S310
            body = response.read()
    except urllib.error.HTTPError as error:
        body = error.read()
    except (OSError, http.client.HTTPException):
        return None
    try:
        value = json.loads(body)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def find_obstacle(base_url: str) -> str:
    """Return why the service is not ready, or "" if it is.

    A disk that is nearly full stops uploads only, and a queue may stand from before the start.
    """
    body = fetch_json(base_url, "/v1/health?deep=true")
    if body is None:
        return "the API does not answer"
    checks = body.get("checks")
    if not isinstance(checks, dict):
        return str(body.get("detail") or "the API is starting")
    return "; ".join(
        f"{name}: {check['detail']}"
        for name, check in checks.items()
        if check["status"] != "ok" and name not in ("disk", "index_queue", "reading_queue")
    )


def wait_until_ready(base_url: str, give_up: Callable[[], bool]) -> str:
    """Wait until the service is ready, and return ""; if `give_up` returns true first, the obstacle."""
    while obstacle := find_obstacle(base_url):
        if give_up():
            return obstacle
        time.sleep(PAUSE_S)
    return ""
