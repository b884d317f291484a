"""Where a request comes from: TLS or not, this site or another. Headers in, answers out."""

from collections.abc import Mapping
from hmac import compare_digest
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection

CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; frame-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


class ForeignRequest(Exception):
    """A change was asked for by another site, or without this session's token."""

    code = "foreign-request"


def over_tls(request: HTTPConnection) -> bool:
    """True when the browser speaks TLS. A forged header harms its sender alone: the cookie then has another name."""
    return request.scope["scheme"] == "https" or request.headers.get("x-forwarded-proto") == "https"


def require_same_site(headers: Mapping[str, str]) -> None:
    """Raises `ForeignRequest` unless the browser says that a page of this site asks."""
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site not in {None, "same-origin"}:
        raise ForeignRequest("the request comes from another site")
    if origin is None and site is None:
        raise ForeignRequest("the request does not say which site it comes from")
    if origin is not None and urlsplit(origin).netloc.lower() != headers.get("host", "").lower():
        raise ForeignRequest("the request comes from another site")


def require_token(sent: str | None, expected: str) -> None:
    """Raises `ForeignRequest` unless the session's token was sent."""
    if sent is None or not compare_digest(sent.encode(), expected.encode()):
        raise ForeignRequest("the form is not of this session; load the page again")
