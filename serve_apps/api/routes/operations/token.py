"""GET /v1/token: return the default token to an admin or to a caller on this machine."""

from fastapi import Request
from starlette.responses import Response

from quire.serve_apps.access.caller import find_key, org_of, secret_of
from quire.serve_apps.access.loopback import is_local_caller, is_own_user
from quire.serve_apps.access.operations import Operations
from quire.serve_apps.access.scopes import KeyScope
from quire.serve_apps.api.context.deps import RunningDep
from quire.serve_apps.api.context.resources import ApiLimits
from quire.serve_apps.api.http.refusals import NoDefaultToken, TokenRefused
from quire.serve_apps.api.shapes.bodies import ProblemBody, TokenBody
from quire.serve_apps.api.shapes.rendering import json_response

router = Operations("system")
_PROBLEM = {"content": {"application/problem+json": {"schema": ProblemBody.model_json_schema()}}}


@router.operation(
    "GET /v1/token",
    "get_token",
    None,
    refusals={409: "The operator manages the keys."},
    responses={200: {"model": TokenBody}, 409: {"description": "No default token.", **_PROBLEM}},
)
async def read_token(request: Request, running: RunningDep) -> Response:
    """Return the default token. 401 for a bad key; 403 without an admin key unless the caller is on this machine.

    409 if the operator manages the keys.
    """
    resources = running.resources
    secret = secret_of(request.scope["headers"])
    key = find_key(secret, resources.keys) if secret is not None else None
    org_of(request.scope["headers"])
    if not (key and key.scope is KeyScope.ADMIN) and not is_own_caller(request, resources.limits):
        raise TokenRefused("only an admin, root or the user of the service on this machine can read the token")
    token = resources.default_token
    if token is None:
        raise NoDefaultToken("keys are managed by the operator; there is no default token")
    return json_response({"name": token.name, "token": token.token, "scopes": KeyScope.ADMIN.included()})


def is_own_caller(request: Request, limits: ApiLimits) -> bool:
    """Return whether the caller is on this machine, as root or as the user of the service."""
    client = request.scope.get("client")
    return client is not None and is_local(request, limits) and is_own_user(client[0], client[1])


def is_local(request: Request, limits: ApiLimits) -> bool:
    """Return whether the caller is certainly on this machine."""
    client = request.scope.get("client")
    return limits.loopback_token and is_local_caller(
        client[0] if client else None,
        request.scope["headers"],
        allowed_hosts=limits.allowed_hosts,
        trusted_proxies=limits.trusted_proxies,
    )
