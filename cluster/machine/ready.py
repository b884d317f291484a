"""Checks over HTTP, as a caller would, whether the API answers."""

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any

PAUSE_S = 0.2  # seconds between questions to a service that starts


def answers(base_url: str, path: str = "/v1/health?deep=true", timeout_s: float = 5.0) -> bool:
    """Return whether one request is answered with 200."""
    try:
        with urllib.request.urlopen(base_url + path, timeout=timeout_s) as response:  # noqa: S310
            return bool(response.status == 200)
    except (OSError, ValueError):
        return False


def fetch_json(base_url: str, path: str, timeout_s: float = 5.0) -> dict[str, Any] | None:
    """Return the JSON object at `path`, with any status; None without an answer."""
    try:
        with urllib.request.urlopen(base_url + path, timeout=timeout_s) as response:  # noqa: S310
            body = response.read()
    except urllib.error.HTTPError as error:
        body = error.read()
    except OSError:
        return None
    try:
        value = json.loads(body)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def wait_until_ready(base_url: str, give_up: Callable[[], bool]) -> bool:
    """Wait until readiness is 200 and return True; False if `give_up` returns true first."""
    while not give_up():
        if answers(base_url):
            return True
        time.sleep(PAUSE_S)
    return False
