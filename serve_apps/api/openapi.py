"""The OpenAPI document: FastAPI's, plus headers, errors and scopes that all operations share."""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from quire.serve_apps.access.operations import SCANNING, UNPAID, Operation
from quire.serve_apps.api.examples import add_examples
from quire.serve_apps.api.shapes.bodies import InvalidBody, ProblemBody

_OPEN = "get_health"  # takes no key at all
_HEADERS = [
    {"name": "X-API-Key", "in": "header", "required": False, "schema": {"type": "string"},
     "description": "API key of the caller. Authorization: Bearer is accepted too."},
    {"name": "X-DE-Org", "in": "header", "required": False,
     "schema": {"type": "string", "pattern": "^[a-z0-9][a-z0-9._-]{0,62}$"},
     "description": "Organisation of the key's tenant. The default is default."},
    {"name": "X-DE-Principals", "in": "header", "required": False, "schema": {"type": "string"},
     "description": "Users and groups, separated by commas. Documents with other principals are hidden."},
]  # fmt: skip
_OF_BODIES = {
    "400": "The request is not valid HTTP.",
    "402": UNPAID,
    "408": "The client stopped sending.",
    "413": "A file, the request or the batch exceeds its limit.",
    "415": "The body is compressed (Content-Encoding).",
    "507": "The organisation has reached its storage limit.",
}
_SECURITY = {
    "ApiKey": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
    "Bearer": {"type": "http", "scheme": "bearer"},
}


def describe(app: FastAPI, root_path: str = "") -> dict[str, Any]:
    """Return the OpenAPI document of `app`, published under `root_path`, built once."""
    if app.openapi_schema is None:
        schema = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
        _add_components(schema)
        if root_path:
            schema["servers"] = [{"url": root_path}]
        routes = {route.unique_id: route for route in app.state.operations.values()}
        for operations in schema["paths"].values():
            for operation in operations.values():
                _complete(operation, routes[operation["operationId"]])
        add_examples(schema)
        app.openapi_schema = schema
    return app.openapi_schema


def _add_components(schema: dict[str, Any]) -> None:
    components = schema.setdefault("components", {})
    components["securitySchemes"] = _SECURITY
    schemas = components.setdefault("schemas", {})
    for body in (ProblemBody, InvalidBody):
        body_schema = body.model_json_schema(ref_template="#/components/schemas/{model}")
        schemas.update(body_schema.pop("$defs", {}))
        schemas[body.__name__] = body_schema


def _complete(operation: dict[str, Any], route: Operation) -> None:
    operation["operationId"], responses = route.id, operation["responses"]
    responses["422"] = _answers("InvalidBody", "A parameter or the body is invalid.", "application/json")
    if "requestBody" in operation:
        for status, text in _OF_BODIES.items():
            responses.setdefault(status, _problem(text))
    for refused, text in route.refusals.items():
        responses.setdefault(str(refused), _problem(text))
    if any(parameter["name"].lower() == "idempotency-key" for parameter in operation.get("parameters", ())):
        responses.setdefault("409", _problem("The Idempotency-Key was used for another request."))
    if any(parameter["name"] == "redacted" for parameter in operation.get("parameters", ())):
        responses.setdefault(
            "409", _problem("A redacted output was requested, but the scan for personal data did not finish.")
        )
    if {"redacted", "wait"} <= {parameter["name"] for parameter in operation.get("parameters", ())}:
        responses.setdefault("202", _problem(SCANNING))
    responses.setdefault("503", _problem("Temporarily not available. Retry after the seconds in Retry-After."))
    if route.repeatable:
        operation["x-repeatable"] = True
    if route.id == _OPEN:
        return
    operation.setdefault("parameters", []).extend(_HEADERS)
    operation["security"] = [{"ApiKey": []}, {"Bearer": []}] if route.needed else [{}, {"ApiKey": []}, {"Bearer": []}]
    operation["x-required-scope"] = route.needed.value if route.needed else None
    responses.setdefault("429", _problem("Too many requests. Retry after the seconds in Retry-After."))
    responses.setdefault("401", _problem("The key is missing or unknown."))
    responses.setdefault("403", _problem("The key does not have the required scope."))
    if "{" in route.path:
        responses.setdefault("404", _problem("Unknown, deleted, or another tenant's."))


def _problem(text: str) -> dict[str, Any]:
    return _answers("ProblemBody", text, "application/problem+json")


def _answers(schema: str, text: str, media_type: str) -> dict[str, Any]:
    content = {media_type: {"schema": {"$ref": f"#/components/schemas/{schema}"}}}
    return {"description": text, "content": content}
