"""An MCP server over lines of JSON-RPC: what a client writes comes in, answers go out, one line each.

Knows the protocol (initialize, ping, tools/list, tools/call), not what tools do. Never writes anything else to `out`.
"""

import json
from collections.abc import Iterable
from typing import Any, TextIO

import httpx

from serve_apps.compat.schemas import InvalidArguments, check_arguments, object_schema
from serve_apps.compat.tools import TOOLS, ToolFailed

VERSIONS = ("2025-06-18", "2025-03-26", "2024-11-05")
"""Protocol revisions spoken; the newest is offered to a client that asks for another."""
PARSE_ERROR, INVALID_REQUEST, NO_METHOD, INVALID_PARAMS = -32700, -32600, -32601, -32602
MAX_LINE = 1 << 20

Json = dict[str, Any]


class _RpcError(Exception):
    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class McpServer:
    """One conversation."""

    def __init__(self, client: httpx.Client, version: str) -> None:
        self._client, self._version = client, version

    def serve(self, lines: Iterable[str], out: TextIO) -> None:
        """Answers until the input ends."""
        for line in lines:
            if line.strip() and (answer := self.answer(line)) is not None:
                out.write(json.dumps(answer, ensure_ascii=False, separators=(",", ":")) + "\n")
                out.flush()

    def answer(self, line: str) -> Json | None:
        """The answer to one message; None for notifications and for answers nobody asked for."""
        try:
            message = json.loads(line) if len(line) <= MAX_LINE else None
        except (ValueError, RecursionError):
            return _failure(None, PARSE_ERROR, "no JSON")
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            return _failure(None, INVALID_REQUEST, "no JSON-RPC 2.0 request")
        if "id" not in message or not isinstance(message.get("method"), str):
            return None
        identity = message["id"] if isinstance(message["id"], str | int) else None
        try:
            return {"jsonrpc": "2.0", "id": identity, "result": self._result(message["method"], _params(message))}
        except _RpcError as error:
            return _failure(identity, error.code, str(error))

    def _result(self, method: str, params: Json) -> Json:
        match method:
            case "initialize":
                return self._initialize(params)
            case "ping":
                return {}
            case "tools/list":
                return {"tools": [_describe(name) for name in TOOLS]}
            case "tools/call":
                return self._call(params)
        raise _RpcError(NO_METHOD, f"there is no method {method[:100]}")

    def _initialize(self, params: Json) -> Json:
        asked = params.get("protocolVersion")
        return {
            "protocolVersion": asked if asked in VERSIONS else VERSIONS[0],
            "capabilities": {"tools": {"listChanged": False}},
            "serverInfo": {"name": "quire", "version": self._version},
        }

    def _call(self, params: Json) -> Json:
        """A tool's failure is a result the model can read; only an unknown tool or wrong arguments are errors."""
        tool = TOOLS.get(str(params.get("name")))
        if tool is None:
            raise _RpcError(INVALID_PARAMS, f"there is no tool {str(params.get('name'))[:100]}")
        try:
            given = check_arguments(params.get("arguments", {}), dict(tool.takes), tool.required)
            return _content(tool.run(self._client, given))
        except InvalidArguments as error:
            raise _RpcError(INVALID_PARAMS, str(error)) from None
        except ToolFailed as error:
            return _content(str(error), failed=True)
        except httpx.HTTPError as error:
            return _content(f"the service cannot be reached: {type(error).__name__}", failed=True)


def _params(message: Json) -> Json:
    params = message.get("params", {})
    if not isinstance(params, dict):
        raise _RpcError(INVALID_PARAMS, "params must be an object")
    return params


def _describe(name: str) -> Json:
    tool = TOOLS[name]
    schema = object_schema(dict(tool.takes), tool.required)
    return {"name": name, "description": tool.description, "inputSchema": schema}


def _content(text: str, *, failed: bool = False) -> Json:
    return {"content": [{"type": "text", "text": text}], "isError": failed}


def _failure(identity: str | int | None, code: int, message: str) -> Json:
    return {"jsonrpc": "2.0", "id": identity, "error": {"code": code, "message": message}}
