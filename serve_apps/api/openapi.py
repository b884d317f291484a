"""The OpenAPI document: FastAPI's, plus headers, errors and scopes that all operations share."""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from quire.serve_apps.access.scopes import REQUIRED
from quire.serve_apps.api.examples import add_examples
from quire.serve_apps.api.operation_ids import OPERATION_IDS
from quire.serve_apps.api.shapes.bodies import InvalidBody, ProblemBody

_SQL = ("POST", "/v1/sql")
_SCANNING = "Names are being searched for. Ask again at Location after the seconds in Retry-After."
_OPEN = ("GET", "/v1/health")
_HEADERS = [
    {"name": "X-API-Key", "in": "header", "required": False, "schema": {"type": "string"},
     "description": "API key of the caller. Authorization: Bearer is accepted too."},
    {"name": "X-DE-Org", "in": "header", "required": False,
     "schema": {"type": "string", "pattern": "^[a-z0-9][a-z0-9._-]{0,62}$"},
     "description": "Organisation of the key's tenant. The default is default."},
]  # fmt: skip
_OF_BODIES = {
    "400": "The request is not valid HTTP.",
    "402": "The page quota of this month is used up, or the licence has expired.",
    "408": "The client stopped sending.",
    "413": "A file, the request or the batch exceeds its limit.",
    "415": "The body is compressed (Content-Encoding).",
    "507": "The organisation has reached its storage limit.",
}
_SECURITY = {
    "ApiKey": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
    "Bearer": {"type": "http", "scheme": "bearer"},
}
_UNPAID = {"402": _OF_BODIES["402"]}
_DISABLED = "The webhook is disabled, because its receiver answered 410."
_CONFLICTS = "The Idempotency-Key was used for another request, or no file was sent to an upload yet."
_OWN: dict[tuple[str, str], dict[str, str]] = {
    ("GET", "/metrics"): {"404": "Metrics are disabled."},
    ("GET", "/v1/token"): {"409": "The operator manages the keys."},
    ("POST", "/v1/jobs"): {"409": _CONFLICTS},
    ("POST", "/v1/parse"): {"409": _CONFLICTS},
    ("POST", "/v1/uploads"): _UNPAID | {"409": "Originals are on a local disk (SVC_BLOBS is unset)."},
    ("DELETE", "/v1/jobs/{job_id}"): {"409": "A document of the job is not finished."},
    ("DELETE", "/v1/documents/{document_id}"): {"409": "The document is not finished."},
    ("POST", "/v1/jobs/{job_id}/documents/{document_id}/requeue"): _UNPAID
    | {"409": "The document has not failed, or its original is no longer stored."},
    ("POST", "/v1/sources"): {"409": "The source exists, or the organisation has its limit of sources."},
    ("POST", "/v1/sources/{source_id}/sync"): _UNPAID | {"409": "The source is being synced."},
    ("POST", "/v1/webhooks"): {"409": "The organisation has its limit of webhooks."},
    ("POST", "/v1/targets"): {"409": "The organisation has its limit of targets."},
    ("POST", "/v1/webhooks/{webhook_id}/test"): {"409": _DISABLED},
    ("POST", "/v1/webhooks/deliveries/{delivery_id}/redeliver"): {"409": _DISABLED},
    ("GET", "/v1/jobs/{job_id}/documents/{document_id}/original"): {"416": "The original has none of these bytes."},
    ("GET", "/v1/jobs/{job_id}/documents/{document_id}/assets/{asset_path}"): {"304": "Unchanged (If-None-Match)."},
    ("POST", "/v1/extract"): {
        "404": "The document or the stored schema is unknown, deleted, or another tenant's.",
        "502": "engine=llm, and the language model did not answer in the form that was asked for.",
    },
    ("POST", "/v1/schemas"): {"409": "The organisation has its limit of schemas, or the schema its limit of versions."},
    ("POST", "/v1/schemas/{name}/corrections"): {"409": "The schema has its limit of taught labels."},
    ("GET", "/v1/documents"): {"404": "A value is not a job id."},
    ("GET", "/v1/documents/counts"): {"404": "A value is not a job id."},
    ("GET", "/v1/archive"): {"404": "One of the documents is unknown, deleted, or another tenant's."},
    ("GET", "/v1/documents/tables.parquet"): {
        "404": "One of the documents is unknown, deleted, or another tenant's.",
        "409": "redacted=true, and the scan of a document did not finish.",
    },
    ("GET", "/v1/documents/{document_id}/changes"): {
        "404": "A document is unknown, unfinished, deleted, or another tenant's, or no earlier version is known.",
        "409": "redacted=true, and the scan of a document did not finish.",
    },
    ("POST", "/v1/sql"): {
        "404": "A document or the job is unknown, deleted, or another tenant's.",
        "409": "SQL is not installed, or redacted=true and the scan of a document did not finish.",
    },
    ("GET", "/v1/search"): {
        "404": "Unknown, deleted, or another tenant's document or job.",
        "409": "Search is not configured, or a hit's document has no finished PII scan.",
    },
}
"""Additional responses of single operations."""


def describe(app: FastAPI, root_path: str = "") -> dict[str, Any]:
    """Return the OpenAPI document of `app`, published under `root_path`, built once."""
    if app.openapi_schema is None:
        schema = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
        _add_components(schema)
        if root_path:
            schema["servers"] = [{"url": root_path}]
        for path, operations in schema["paths"].items():
            for method, operation in operations.items():
                _complete(operation, (method.upper(), path))
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


def _complete(operation: dict[str, Any], route: tuple[str, str]) -> None:
    operation["operationId"] = OPERATION_IDS[route]
    operation["summary"] = OPERATION_IDS[route].replace("_", " ").capitalize()
    responses = operation["responses"]
    responses["422"] = _answers("InvalidBody", "A parameter or the body is invalid.", "application/json")
    if "requestBody" in operation:
        for status, text in _OF_BODIES.items():
            responses.setdefault(status, _problem(text))
    for status, text in _OWN.get(route, {}).items():
        responses.setdefault(status, _problem(text))
    if any(parameter["name"].lower() == "idempotency-key" for parameter in operation.get("parameters", ())):
        responses.setdefault("409", _problem("The Idempotency-Key was used for another request."))
    if any(parameter["name"] == "redacted" for parameter in operation.get("parameters", ())):
        responses.setdefault(
            "409", _problem("A redacted output was requested, but the scan for personal data did not finish.")
        )
    if route == _SQL or {"redacted", "wait"} <= {parameter["name"] for parameter in operation.get("parameters", ())}:
        responses.setdefault("202", _problem(_SCANNING))
    responses.setdefault("503", _problem("Temporarily not available. Retry after the seconds in Retry-After."))
    if route == _OPEN:
        return
    operation.setdefault("parameters", []).extend(_HEADERS)
    scope = REQUIRED[route]
    operation["security"] = [{"ApiKey": []}, {"Bearer": []}] if scope else [{}, {"ApiKey": []}, {"Bearer": []}]
    operation["x-required-scope"] = scope.value if scope else None
    responses.setdefault("429", _problem("Too many requests. Retry after the seconds in Retry-After."))
    responses.setdefault("401", _problem("The key is missing or unknown."))
    responses.setdefault("403", _problem("The key does not have the required scope."))
    if "{" in route[1]:
        responses.setdefault("404", _problem("Unknown, deleted, or another tenant's."))


def _problem(text: str) -> dict[str, Any]:
    return _answers("ProblemBody", text, "application/problem+json")


def _answers(schema: str, text: str, media_type: str) -> dict[str, Any]:
    content = {media_type: {"schema": {"$ref": f"#/components/schemas/{schema}"}}}
    return {"description": text, "content": content}
