"""An OpenAI-compatible endpoint that the operator chose: `POST {url}/chat/completions`.

Connections are bounded, retries obey Retry-After, each call has a deadline, redirects and proxies of the environment
are not used. The key is sent in the header only.
"""

import json
import math
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, TypeVar

import httpx

from quire.models.cdom.ports import PortUnavailable, WrongAnswer
from quire.storage.values.address import parse_address
from quire.storage.values.backoff import BackoffPolicy

FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 30.0  # seconds
_REFUSAL_BYTES, _REFUSAL_CHARS = 4096, 200  # bytes read of a refusal, characters shown of its sentence
_AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504})

T = TypeVar("T")


class ChatEndpoint:
    """Thread-safe. `port` names the endpoint in errors; `tries` is the number of attempts of one call.

    `silence_s`: seconds without a byte of a streamed answer after which the endpoint counts as stuck.
    """

    def __init__(
        self,
        url: str,
        *,
        port: str,
        tries: int,
        key: str | None = None,
        concurrency: int = 16,
        connect_s: float = 5.0,
        first_pause_s: float = FIRST_PAUSE_S,
        silence_s: float = math.inf,
    ) -> None:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        limits = httpx.Limits(max_connections=concurrency)
        timeout = httpx.Timeout(60.0, connect=connect_s)
        self._client = httpx.Client(
            base_url=parse_address(url).url.rstrip("/"),
            headers=headers,
            limits=limits,
            timeout=timeout,
            trust_env=False,
        )
        self._port, self._tries, self._connect_s, self._silence_s = port, tries, connect_s, silence_s
        self._retries = BackoffPolicy(first_pause_s, LONGEST_PAUSE_S)

    def get_json(self, path: str, timeout_s: float) -> Any:
        """Return the JSON of a GET, or an empty object for another status than 200. Raises `PortUnavailable`."""
        try:
            response = self._client.get(path, timeout=timeout_s)
            return response.json() if response.status_code == 200 else {}
        except (httpx.HTTPError, ValueError) as error:
            raise PortUnavailable(self._port, type(error).__name__) from error

    def complete(self, body: Mapping[str, Any], deadline: float, read: Callable[[httpx.Response], T]) -> T:
        """Return what `read` makes of the answer to a chat request, before the monotonic time `deadline`.

        Raises:
            WrongAnswer: The endpoint refuses the request, or `read` raised `ValueError` in the last attempt.
            PortUnavailable: It is away or too slow.
        """
        failure: PortUnavailable = PortUnavailable(self._port, "too slow")
        for failures in range(self._tries):
            wait_s = pause = self._retries.pause_s(failures)
            if time.monotonic() >= deadline:
                raise PortUnavailable(self._port, "too slow")
            try:
                with self._client.stream(
                    "POST", "/chat/completions", json=body, timeout=self._limits(deadline)
                ) as response:
                    if response.status_code == 200:
                        return read(response)
                    wait_s, reason = _retry_after(response, pause), _refusal(response)
                    if response.status_code not in _AGAIN:
                        raise WrongAnswer(self._port, reason)
                    failure = PortUnavailable(self._port, reason)
            except httpx.ReadTimeout as error:  # asked again, it would be silent for as long
                raise PortUnavailable(self._port, "no answer") from error
            except httpx.HTTPError as error:
                failure = PortUnavailable(self._port, type(error).__name__)
            except ValueError as error:
                failure = WrongAnswer(self._port, type(error).__name__)
            if failures == self._tries - 1 or time.monotonic() + wait_s >= deadline:
                break
            time.sleep(wait_s)
        raise failure

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _limits(self, deadline: float) -> httpx.Timeout:
        left = max(0.1, deadline - time.monotonic())
        return httpx.Timeout(left, connect=min(left, self._connect_s), read=min(left, self._silence_s))


def _refusal(response: httpx.Response) -> str:
    """Return the status with the endpoint's own sentence, if it gives one."""
    sentence = ""
    with suppress(ValueError, httpx.HTTPError):
        error = json.loads(next(response.iter_bytes(_REFUSAL_BYTES), b""))
        found = error.get("error", error.get("message", "")) if isinstance(error, dict) else ""
        sentence = str(found.get("message", "") if isinstance(found, dict) else found)
    shown = "".join(letter for letter in sentence if letter.isprintable())[:_REFUSAL_CHARS]
    return f"status {response.status_code}" + (f": {shown}" if shown else "")


def _retry_after(response: httpx.Response, pause: float) -> float:
    """Return the seconds the endpoint asks for, within reason, or our own pause."""
    stated = response.headers.get("retry-after", "")
    return min(float(stated), LONGEST_PAUSE_S) if stated.isdecimal() else pause
