"""Origin of a request: TLS or not, this site or another, according to its headers."""

from collections.abc import Mapping

from starlette.requests import HTTPConnection

from quire.serve_apps.access.browser import Sender, find_sender, is_token


class ForeignRequest(Exception):
    """Another site requested a change, or the request lacks this session's token."""

    code = "foreign-request"


def over_tls(request: HTTPConnection) -> bool:
    """Return whether the browser uses TLS. A forged header harms only its sender: the cookie then has another name."""
    return request.scope["scheme"] == "https" or request.headers.get("x-forwarded-proto") == "https"


def require_same_site(headers: Mapping[str, str]) -> None:
    """Check that the browser states that a page of this site sent the request.

    Raises:
        ForeignRequest: Another site sent it, or the origin is unknown.
    """
    match find_sender(headers, lambda host: host.lower() == headers.get("host", "").lower()):
        case Sender.FOREIGN:
            raise ForeignRequest("the request comes from another site")
        case Sender.UNKNOWN:
            raise ForeignRequest("the request does not say which site it comes from")


def require_token(sent: str | None, expected: str) -> None:
    """Check that the session's token was sent.

    Raises:
        ForeignRequest: It was not.
    """
    if not is_token(sent, expected):
        raise ForeignRequest("the form belongs to another session; reload the page")
