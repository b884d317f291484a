"""A language model that answers with JSON of a given schema (`response_format` of OpenAI-compatible endpoints)."""

import json
import time
from collections.abc import Mapping
from typing import Any

import httpx

from quire.actors.chat.endpoint import FIRST_PAUSE_S, ChatEndpoint

PORT = "llm"
TRIES = 3  # attempts for one request, the first included
MAX_ANSWER_BYTES = 1 << 20
"""Bytes of an answer that are read; five thousand references take half of them."""
MAX_TOKENS = 16_000  # tokens of an answer


class JsonModel:
    """Implements `AskModel`; thread-safe. `timeout_s` bounds a request with its retries."""

    def __init__(
        self,
        url: str,
        model: str,
        *,
        key: str | None = None,
        timeout_s: float = 60.0,
        concurrency: int = 8,
        first_pause_s: float = FIRST_PAUSE_S,
    ) -> None:
        self._endpoint = ChatEndpoint(
            url, port=PORT, tries=TRIES, key=key, concurrency=concurrency, first_pause_s=first_pause_s
        )
        self._model, self._timeout_s = model, timeout_s

    @property
    def name(self) -> str:
        """Return the name of the model."""
        return self._model

    def ask(self, system: str, user: str, answer_schema: Mapping[str, Any]) -> str:
        """Return the text of the answer, which should be JSON of that schema.

        Raises:
            WrongAnswer: The endpoint refuses the request or answers in another form.
            PortUnavailable: The endpoint is away or too slow.
        """
        body = {
            "model": self._model,
            "messages": [{"role": "system", "content": system}, {"role": "user", "content": user}],
            "temperature": 0,
            "max_tokens": MAX_TOKENS,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "references", "strict": True, "schema": answer_schema},
            },
        }
        deadline = time.monotonic() + self._timeout_s
        return self._endpoint.complete(body, deadline, lambda response: _read(response, deadline))

    def close(self) -> None:
        """Close the connections."""
        self._endpoint.close()


def _read(response: httpx.Response, deadline: float) -> str:
    """Return the content of the first choice. Raises `ValueError` for another or too long an answer."""
    data = bytearray()
    for part in response.iter_bytes():
        data += part
        if len(data) > MAX_ANSWER_BYTES:
            raise ValueError("too long")
        if time.monotonic() > deadline:
            raise httpx.ReadTimeout("too slow")
    answer = json.loads(data)
    choices = answer.get("choices") if isinstance(answer, dict) else None
    message = choices[0].get("message") if isinstance(choices, list) and choices else None
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(content, str):
        raise ValueError("no content")
    return content
