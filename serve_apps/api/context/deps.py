"""Dependencies of routes: the call (caller, app state, request id) and well-formed ids.

One dependency instead of several, because each costs 15 µs of CPU per request.
"""

from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, cast, get_args, get_origin
from urllib.parse import parse_qsl

from fastapi import Depends, Path, Request
from fastapi.dependencies.models import Dependant
from pydantic import AfterValidator

from quire.serve_apps.access.caller import Caller, identify
from quire.serve_apps.access.errors import (
    AccessRefused,
    FeatureNotLicensed,
    PrincipalsUnsupported,
    ScopeMissing,
    Unauthenticated,
)
from quire.serve_apps.access.operations import Operation
from quire.serve_apps.access.scopes import KeyScope
from quire.serve_apps.api.context.app_state import AppState
from quire.serve_apps.api.http.refusals import InvalidField, RepeatedParameter, UnknownParameter
from quire.serve_apps.api.http.request_span import CONTEXT
from quire.serve_apps.api.lanes.fair_places import TENANT
from quire.storage.access.principals import check_visible
from quire.storage.store import Store
from quire.storage.values.errors import NotFound
from quire.storage.values.ids import is_document_id, is_job_id
from quire.storage.values.rows import Actor, DocumentId, JobId, Scope

_PARAMETERS: dict[str, Mapping[str, bool]] = {}  # by the operation's id: routes cannot be keys
_SHOWN_CHARS = 64  # of a parameter's name in a refusal
UNKNOWN = "unknown callers"
"""Stands for a tenant where callers with a wrong key share lanes with others."""
_WORDS = "q"
"""The parameter of a search that holds what people look for."""


SCAN_WAIT_S = 55.0
"""Seconds that a request waits for a search for names unless it states `wait`: proxies wait for about 60."""


@dataclass(slots=True)
class Call:
    """One request of an admitted caller. `scan_wait_s`: seconds that it waits for searches for personal data."""

    running: AppState
    caller: Caller
    request_id: str
    traceparent: str | None = None
    operation: str = ""
    scan_wait_s: float = SCAN_WAIT_S

    @property
    def store(self) -> Store:
        """Return the store of the service."""
        return self.running.resources.store

    @property
    def scope(self) -> Scope:
        """Return the tenant and organisation whose data this call may see."""
        return self.caller.data

    @property
    def actor(self) -> Actor:
        """Return the actor that audit rows of this call name."""
        return self.caller.actor(self.request_id, self.traceparent)

    def limit_principals(self, asked: Sequence[str] | None) -> Sequence[str] | None:
        """Return the principals that a request asks for, without those that its header does not name."""
        allowed = self.caller.principals
        if allowed is None:
            return asked
        return allowed if asked is None else [name for name in asked if name in allowed]

    def require_feature(self, feature: str) -> None:
        """Require a licensed feature and record a refusal in the audit trail.

        Raises:
            FeatureNotLicensed: The licence does not include the feature.
        """
        try:
            self.running.resources.license.require_feature(feature)
        except FeatureNotLicensed as refused:
            self.running.denials.note(self.caller, self.request_id, self.operation, refused.code)
            raise

    def require_scope(self, needed: KeyScope) -> None:
        """Check a scope that only some parameters of an operation need, and record a refusal. Raises `ScopeMissing`."""
        if not self.caller.scope.covers(needed):
            self.running.denials.note(self.caller, self.request_id, self.operation, ScopeMissing.code)
            self.caller.require(needed)


async def find_running(request: Request) -> AppState:
    """Return the state of the app that received the request."""
    running: AppState = request.app.state.running
    return running


async def admit(request: Request) -> Call:
    """Identify the caller, apply its rate limit, and check its scope and the query parameters.

    Raises:
        Unauthenticated: The key is missing or unknown.
        InvalidOrg: The organisation header is malformed.
        RateLimited: The key has used up its requests.
        ScopeMissing: The key's scope does not cover the operation.
        PrincipalsUnsupported: The request is limited to principals, and the operation cannot be.
        NotFound: The request is limited to principals, and the document has others.
    """
    scope = request.scope
    running: AppState = scope["app"].state.running
    caller = await _identify(running, scope)
    TENANT.set(caller.tenant)
    await running.rate_limit.admit(caller.key_name)
    operation: Operation = scope["route"]
    named = f"{scope['method']} {operation.path}"
    call = Call(running, caller, scope.get("request_id", ""), scope.get(CONTEXT), named)
    scope["caller"] = caller
    if (needed := operation.needed) is not None and not caller.scope.covers(needed):
        running.denials.note(caller, call.request_id, call.operation, ScopeMissing.code)
        caller.require(needed)
    if scope["query_string"]:
        _check_query(operation, scope["query_string"])
    if caller.principals is not None:
        await _check_principals(call, caller.principals, operation, scope["path_params"])
    return call


async def _check_principals(
    call: Call, principals: Sequence[str], operation: Operation, named: Mapping[str, str]
) -> None:
    """Check a request that is limited to the documents of some principals.

    Raises:
        PrincipalsUnsupported: The operation does not check principals.
        NotFound: The document, or one of the job's documents, has other principals.
    """
    ids = {name: named[name] for name in ("job_id", "document_id") if name in named}
    if operation.principals is False or not (operation.principals or ids):
        raise PrincipalsUnsupported(f"{call.operation} cannot be limited to principals")
    if ids:
        await call.running.sql.run(check_visible, call.store.db, call.scope, principals, **ids)


def _check_query(operation: Operation, query: bytes) -> None:
    """Reject unknown, repeated and malformed query parameters.

    Raises:
        UnknownParameter: The operation has no such parameter.
        RepeatedParameter: The operation takes the parameter once.
        InvalidField: A value contains NUL.
    """
    parameters, seen = _parameters(operation), set[str]()
    for name, value in parse_qsl(query.decode("latin-1"), keep_blank_values=True):
        if name not in parameters:
            raise UnknownParameter(name[:_SHOWN_CHARS])
        if name in seen and not parameters.get(name):
            raise RepeatedParameter(name[:_SHOWN_CHARS])
        _check_value(name, value)
        seen.add(name)


def _check_value(name: str, value: str) -> None:
    """Reject NUL, which no store accepts, except in search words, which may contain any character."""
    if "\0" in value and name != _WORDS:
        raise InvalidField(name, "contains NUL", "query")


def _parameters(operation: Operation) -> Mapping[str, bool]:
    """Return the query parameters of an operation, each with whether it may be repeated."""
    if (parameters := _PARAMETERS.get(operation.id)) is None:
        parameters = _PARAMETERS[operation.id] = dict(_query_names(operation.dependant))
    return parameters


def _query_names(dependant: Dependant) -> Iterator[tuple[str, bool]]:
    for field in dependant.query_params:
        yield field.alias, _is_list(field.field_info.annotation)
    for below in dependant.dependencies:
        yield from _query_names(below)


def _is_list(annotation: Any) -> bool:
    return get_origin(annotation) in (list, tuple, set) or any(_is_list(part) for part in get_args(annotation))


async def _identify(running: AppState, scope: MutableMapping[str, Any]) -> Caller:
    """Identify the caller. Addresses that sent many unknown keys are refused before the next key is checked."""
    if (signed_in := scope.get("session_caller")) is not None:  # set by serve_apps/ui alone, for its own session
        return cast(Caller, signed_in)
    address = running.true_address(scope)
    if address is None:
        return identify(scope["headers"], running.resources.keys)
    running.failed_auth.check(address)
    try:
        return identify(scope["headers"], running.resources.keys)
    except Unauthenticated:
        TENANT.set(UNKNOWN)
        await running.failed_auth.note(address)
        raise


async def check_caller(running: AppState, scope: MutableMapping[str, Any]) -> None:
    """Check the key of a request to `/v1` before its body is sent. The dashboard checks its sessions itself.

    Raises:
        Unauthenticated: The key is missing or unknown.
        InvalidOrg: The organisation header is malformed.
    """
    if scope["path"].startswith("/v1/"):
        await _identify(running, scope)


def find_tenant(running: AppState, scope: MutableMapping[str, Any]) -> str:
    """Return the tenant of a request by its key, or `UNKNOWN`."""
    try:
        return identify(scope["headers"], running.resources.keys).tenant
    except AccessRefused:
        return UNKNOWN


def check_job_id(text: str) -> JobId:
    """Return the job id. A malformed id raises `NotFound`, as an unknown one does."""
    if not is_job_id(text):
        raise NotFound("no such job")
    return JobId(text)


def check_document_id(text: str) -> DocumentId:
    """Return the document id. A malformed id raises `NotFound`, as an unknown one does."""
    if not is_document_id(text):
        raise NotFound("no such document")
    return DocumentId(text)


CallDep = Annotated[Call, Depends(admit)]
RunningDep = Annotated[AppState, Depends(find_running)]
JobIdDep = Annotated[JobId, AfterValidator(check_job_id), Path(description="Opaque identifier of a job.")]
DocumentIdDep = Annotated[
    DocumentId, AfterValidator(check_document_id), Path(description="Opaque identifier of a document.")
]
