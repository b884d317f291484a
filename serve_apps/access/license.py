"""Signed licence tokens: parse a text into a `License` or refuse it with a reason. Offline, Ed25519 only.

Token: base64url(header).base64url(payload).base64url(signature), without padding. The algorithm is fixed and never
taken from the token; `kid` is looked up in a given map of pinned public keys. This module uses no file or setting.
"""

import json
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

PRODUCT = "quire"
TERM_DAYS = 90  # default days of a licence: a quarter
MAX_PAGES = 10**12  # maximum pages a month in a token
_ALGORITHM, _TYPE = "EdDSA", "quire-license"
_KID = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_SEGMENT = re.compile(r"[A-Za-z0-9_-]+")
_FEATURE = re.compile(r"[a-z][a-z0-9_]{0,63}")
_TIMES = frozenset({"issued_at", "not_before", "expires_at"})
_CLAIMS = _TIMES | {"license_id", "customer", "plan", "product", "features", "max_pages_per_month"}
_LONGEST_TOKEN = 8192  # bytes; a token has 600
_LAST_SECOND = 253_402_300_799  # 9999-12-31


class Reason(StrEnum):
    """Reasons for refusing a token, shown to the operator."""

    MALFORMED = "malformed"
    NOT_CANONICAL = "not-canonical"
    DUPLICATE_KEY = "duplicate-key"
    HEADER = "header"
    ALGORITHM = "algorithm"
    UNKNOWN_KID = "unknown-kid"
    SIGNATURE = "signature"
    CLAIMS = "claims"
    PRODUCT = "product"
    TIMES = "times"
    FEATURES = "features"
    MAX_PAGES = "max-pages"
    EXPIRED = "expired"
    NOT_YET_VALID = "not-yet-valid"
    OTHER_LICENSE = "other-license"


class LicenseRefused(Exception):
    """The token is not a valid licence for this service now. `reason` says why; `detail` never quotes the token."""

    code = "license-refused"

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(f"licence refused ({reason}): {detail}")
        self.reason, self.detail = reason, detail


@dataclass(frozen=True, slots=True, kw_only=True)
class License:
    """Signed content of a licence. Times are UTC in whole seconds; `license_id` stays the same over renewals."""

    license_id: str
    customer: str
    plan: str
    features: tuple[str, ...]
    max_pages_per_month: int
    issued_at: datetime
    not_before: datetime
    expires_at: datetime
    kid: str = ""


def verify_license(token: str, keys: Mapping[str, bytes], now: datetime) -> License:
    """Return the licence in `token` after checking its signature and term.

    Args:
        token: The signed token.
        keys: Public keys by key id (32 raw bytes each).
        now: Current time, timezone-aware.

    Raises:
        LicenseRefused: The token is malformed, not signed by one of the keys, or not valid at `now`.
    """
    license = read_license(token, keys)
    check_term(license, now)
    return license


def read_license(token: str, keys: Mapping[str, bytes]) -> License:
    """Return the licence in `token` without checking its term, for display and renewal.

    Raises:
        LicenseRefused: The token is malformed or not signed by one of the keys.
    """
    header_text, payload_text, signature_text = _split(token)
    header = _object(_decode(header_text))
    kid = _check_header(header, keys)
    _check_signature(keys[kid], f"{header_text}.{payload_text}", _decode(signature_text))
    payload = _object(_decode(payload_text))
    license = _read_claims(payload)
    if _encode(header) != header_text or _encode(payload) != payload_text:
        raise LicenseRefused(Reason.NOT_CANONICAL, "the JSON is not in canonical form")
    return replace(license, kid=kid)


def check_term(license: License, now: datetime) -> None:
    """Check that the licence is valid at `now`. The end of its term is exclusive.

    Raises:
        LicenseRefused: It is not valid yet, or has expired.
    """
    if now < license.not_before:
        raise LicenseRefused(Reason.NOT_YET_VALID, f"valid from {license.not_before.isoformat()}")
    if now >= license.expires_at:
        raise LicenseRefused(Reason.EXPIRED, f"expired at {license.expires_at.isoformat()}")


def issue_license(license: License, key: Ed25519PrivateKey) -> str:
    """Return the signed token of `license`; its `kid` names the public half of `key`."""
    claims: dict[str, Any] = asdict(license) | {"product": PRODUCT, "features": sorted(set(license.features))}
    for name in ("issued_at", "not_before", "expires_at"):
        claims[name] = int(claims[name].timestamp())
    kid = claims.pop("kid")
    _read_claims(claims)
    signed = f"{_encode({'alg': _ALGORITHM, 'kid': kid, 'typ': _TYPE})}.{_encode(claims)}"
    return f"{signed}.{_base64(key.sign(signed.encode()))}"


def renew_license(license: License, now: datetime, days: int = TERM_DAYS) -> License:
    """Return the same licence (id, customer, plan…) with a new term of `days` from `now`."""
    start = now.astimezone(UTC).replace(microsecond=0)
    return replace(license, issued_at=start, not_before=start, expires_at=start + timedelta(days=days))


def _split(token: str) -> tuple[str, str, str]:
    parts = token.split(".")
    if len(token) > _LONGEST_TOKEN or len(parts) != 3 or not all(_SEGMENT.fullmatch(part) for part in parts):
        raise LicenseRefused(Reason.MALFORMED, "expected three base64url parts joined by dots")
    return parts[0], parts[1], parts[2]


def _base64(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def _decode(part: str) -> bytes:
    """Decode one part. Only its canonical spelling is accepted (no stray bits, no wrong length)."""
    try:
        data = urlsafe_b64decode(part + "=" * (-len(part) % 4))
    except ValueError:
        raise LicenseRefused(Reason.MALFORMED, "a part is not base64url") from None
    if _base64(data) != part:
        raise LicenseRefused(Reason.NOT_CANONICAL, "a part is not canonical base64url")
    return data


def _encode(value: dict[str, Any]) -> str:
    return _base64(json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode())


def _object(data: bytes) -> dict[str, Any]:
    try:
        value = json.loads(data.decode("utf-8"), object_pairs_hook=_unique_pairs, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise LicenseRefused(Reason.MALFORMED, "a part is not JSON") from None
    if not isinstance(value, dict):
        raise LicenseRefused(Reason.MALFORMED, "a part is not a JSON object")
    return value


def _unique_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise LicenseRefused(Reason.DUPLICATE_KEY, "a JSON object contains a key twice")
    return value


def _refuse_constant(name: str) -> Any:
    raise LicenseRefused(Reason.CLAIMS, f"{name} is not a number")


def _check_header(header: dict[str, Any], keys: Mapping[str, bytes]) -> str:
    if header.get("alg") != _ALGORITHM:
        raise LicenseRefused(Reason.ALGORITHM, "the algorithm must be EdDSA with Ed25519")
    if header.keys() != {"alg", "kid", "typ"} or header["typ"] != _TYPE:
        raise LicenseRefused(Reason.HEADER, "the header must contain exactly alg, kid and typ")
    kid = header["kid"]
    if not isinstance(kid, str) or not _KID.fullmatch(kid) or kid not in keys:
        raise LicenseRefused(Reason.UNKNOWN_KID, "the signing key is not among the pinned keys")
    return kid


def _check_signature(public: bytes, signed: str, signature: bytes) -> None:
    """Check the signature. OpenSSL refuses an S that is not reduced, so a signature has only one valid form."""
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, signed.encode())
    except (InvalidSignature, ValueError):
        raise LicenseRefused(Reason.SIGNATURE, "the signature is invalid") from None


def _read_claims(claims: dict[str, Any]) -> License:
    if claims.keys() != _CLAIMS:
        raise LicenseRefused(Reason.CLAIMS, "claims are missing or unknown")
    if claims["product"] != PRODUCT:
        raise LicenseRefused(Reason.PRODUCT, "issued for another product")
    return License(
        license_id=_text(claims, "license_id"),
        customer=_text(claims, "customer"),
        plan=_text(claims, "plan"),
        features=_features(claims["features"]),
        max_pages_per_month=_pages(claims["max_pages_per_month"]),
        issued_at=_time(claims, "issued_at"),
        not_before=_time(claims, "not_before"),
        expires_at=_time(claims, "expires_at"),
    )


def _text(claims: dict[str, Any], name: str) -> str:
    value = claims[name]
    if not isinstance(value, str) or not 1 <= len(value) <= 200 or not value.isprintable():
        raise LicenseRefused(Reason.CLAIMS, f"{name} must be printable text of 1 to 200 characters")
    return value


def _time(claims: dict[str, Any], name: str) -> datetime:
    value = claims[name]
    if type(value) is not int or not 0 < value <= _LAST_SECOND:
        raise LicenseRefused(Reason.TIMES, f"{name} must be whole seconds since 1970")
    return datetime.fromtimestamp(value, UTC)


def _features(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(name, str) and _FEATURE.fullmatch(name) for name in value):
        raise LicenseRefused(Reason.FEATURES, "features must be a list of names")
    return tuple(value)


def _pages(value: Any) -> int:
    if type(value) is not int or not 0 < value <= MAX_PAGES:
        raise LicenseRefused(Reason.MAX_PAGES, f"max_pages_per_month must be 1 to {MAX_PAGES}")
    return value
