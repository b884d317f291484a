"""Licence tokens: forgeries are refused, each with its own reason; renewal, expiry and a clock that was set back."""

import hashlib
import hmac
import json
import re
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from quire.cluster.cli.operate.license import license_group
from quire.serve_apps.access.development import (
    DevelopmentLicenseRefused,
    check_development_allowed,
    development_license,
)
from quire.serve_apps.access.errors import ClockRolledBack, FeatureNotLicensed, LicenseExpired
from quire.serve_apps.access.license import (
    MAX_PAGES,
    License,
    LicenseRefused,
    issue_license,
    read_license,
    renew_license,
    verify_license,
)
from quire.serve_apps.access.license_holder import LicenseHolder
from quire.serve_apps.access.license_keys import raw_public

NOW = datetime(2026, 6, 1, tzinfo=UTC)
KEY, OTHER = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()
PINNED = {"k1": raw_public(KEY)}
GROUP_ORDER = 2**252 + 27742317777372353535851937790883648493


def a_license(**changes: Any) -> License:
    facts: dict[str, Any] = {
        "license_id": "lic-1",
        "customer": "Acme",
        "plan": "personal",
        "features": ("audit_export",),
        "max_pages_per_month": 1000,
        "issued_at": NOW,
        "not_before": NOW,
        "expires_at": NOW + timedelta(days=90),
        "kid": "k1",
    }
    return License(**(facts | changes))


def b64(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


HEADER = {"alg": "EdDSA", "kid": "k1", "typ": "quire-license"}
CLAIMS = {
    "customer": "Acme",
    "expires_at": int(NOW.timestamp()) + 86400,
    "features": [],
    "issued_at": int(NOW.timestamp()),
    "license_id": "lic-1",
    "max_pages_per_month": 1000,
    "not_before": int(NOW.timestamp()),
    "plan": "personal",
    "product": "quire",
}


def signed(header: bytes, payload: bytes, key: Ed25519PrivateKey = KEY) -> str:
    text = f"{b64(header)}.{b64(payload)}"
    return f"{text}.{b64(key.sign(text.encode()))}"


def token(*, header: dict[str, Any] | None = None, drop: str = "", key: Ed25519PrivateKey = KEY, **claims: Any) -> str:
    body = {name: value for name, value in (CLAIMS | claims).items() if name != drop}
    return signed(canonical(HEADER | (header or {})), canonical(body), key)


def hs256() -> str:
    text = f"{b64(canonical(HEADER | {'alg': 'HS256'}))}.{b64(canonical(CLAIMS))}"
    return f"{text}.{b64(hmac.new(PINNED['k1'], text.encode(), hashlib.sha256).digest())}"


def with_signature(change: Any) -> str:
    head, payload, signature = token().split(".")
    return f"{head}.{payload}.{b64(change(urlsafe_b64decode(signature + '==')))}"


def unreduced(signature: bytes) -> bytes:
    s = int.from_bytes(signature[32:], "little") + GROUP_ORDER
    return signature[:32] + s.to_bytes(32, "little")


def stray_bits() -> str:
    """The last character of the signature with other unused bits: it decodes to the same bytes."""
    text = token()
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    return text[:-1] + alphabet[alphabet.index(text[-1]) ^ 1]


RAW = canonical(CLAIMS)
FORGED = {
    "alg none": (token(header={"alg": "none"}), "algorithm"),
    "alg none without signature": (f"{b64(canonical(HEADER | {'alg': 'none'}))}.{b64(RAW)}.", "malformed"),
    "HS256 keyed with the public key": (hs256(), "algorithm"),
    "alg in other case": (token(header={"alg": "eddsa"}), "algorithm"),
    "unknown kid": (token(header={"kid": "k2"}), "unknown-kid"),
    "kid as a path": (token(header={"kid": "../../x"}), "unknown-kid"),
    "kid as a list": (token(header={"kid": ["k1"]}), "unknown-kid"),
    "two kids": (signed(b'{"alg":"EdDSA","kid":"k1","kid":"k1","typ":"quire-license"}', RAW), "duplicate-key"),
    "embedded jwk": (token(header={"jwk": {"kty": "OKP"}}), "header"),
    "other typ": (token(header={"typ": "JWT"}), "header"),
    "signed by another key": (token(key=OTHER), "signature"),
    "payload changed": (token(plan="gold").rsplit(".", 1)[0] + "." + token().rsplit(".", 1)[1], "signature"),
    "signature cut": (with_signature(lambda s: s[:-1]), "signature"),
    "signature with trailing byte": (with_signature(lambda s: s + b"\0"), "signature"),
    "signature with S not reduced": (with_signature(unreduced), "signature"),
    "all-zero signature": (with_signature(lambda s: bytes(64)), "signature"),
    "other product": (token(product="other"), "product"),
    "a product whose name goes on": (token(product="quire-two"), "product"),
    "an algorithm below": (token(header={"alg": "ED25519"}), "algorithm"),
    "a typ that goes on": (token(header={"typ": "quire-license-2"}), "header"),
    "no typ": (signed(canonical({"alg": "EdDSA", "kid": "k1"}), RAW), "header"),
    "expired one second ago": (token(expires_at=int(NOW.timestamp()) - 1), "expired"),
    "expires now": (token(expires_at=int(NOW.timestamp())), "expired"),
    "not yet valid": (token(not_before=int(NOW.timestamp()) + 60), "not-yet-valid"),
    "no expiry": (token(drop="expires_at"), "claims"),
    "expiry as text": (token(expires_at="4102444800"), "times"),
    "expiry as a fraction": (token(expires_at=4102444800.0), "times"),
    "expiry 1e308": (token(expires_at=1e308), "times"),
    "expiry beyond the calendar": (token(expires_at=2**63), "times"),
    "expiry NaN": (token(expires_at=float("nan")), "claims"),
    "expiry true": (token(expires_at=True), "times"),
    "extra claim": (token(admin=True), "claims"),
    "duplicated claim": (signed(canonical(HEADER), RAW[:-1] + b',"plan":"gold"}'), "duplicate-key"),
    "features no list": (token(features="audit_export"), "features"),
    "features of numbers": (token(features=[1]), "features"),
    "features of no names": (token(features=["Audit Export"]), "features"),
    "issued at the first second": (token(issued_at=0), "times"),
    "customer of 201 characters": (token(customer="a" * 201), "claims"),
    "customer of none": (token(customer=""), "claims"),
    "pages 0": (token(max_pages_per_month=0), "max-pages"),
    "pages beyond the most": (token(max_pages_per_month=MAX_PAGES + 1), "max-pages"),
    "pages -1": (token(max_pages_per_month=-1), "max-pages"),
    "pages 2^63": (token(max_pages_per_month=2**63), "max-pages"),
    "pages true": (token(max_pages_per_month=True), "max-pages"),
    "base64 with padding": (token() + "==", "malformed"),
    "standard base64 alphabet": (token().replace("-", "+").replace("_", "/") + "+", "malformed"),
    "stray bits in base64": (stray_bits(), "not-canonical"),
    "spaces in the JSON": (signed(canonical(HEADER), json.dumps(CLAIMS, sort_keys=True).encode()), "not-canonical"),
    "trailing newline": (token() + "\n", "malformed"),
    "a fourth part": (token() + ".AA", "malformed"),
    "payload a list": (signed(canonical(HEADER), b"[]"), "malformed"),
    "deep JSON": (signed(canonical(HEADER), b"[" * 3000 + b"]" * 3000), "malformed"),
    "customer with a newline": (token(customer="a\nb"), "claims"),
    "empty": ("", "malformed"),
    "huge": ("a" * 100_000, "malformed"),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_licence_is_refused_with_its_reason(name: str) -> None:
    text, reason = FORGED[name]
    with pytest.raises(LicenseRefused) as caught:
        verify_license(text, PINNED, NOW)
    assert caught.value.reason == reason


def test_a_licence_at_its_bounds_is_taken() -> None:
    taken = verify_license(token(customer="a" * 200, plan="p", max_pages_per_month=MAX_PAGES, issued_at=1), PINNED, NOW)
    assert (len(taken.customer), taken.plan, taken.max_pages_per_month) == (200, "p", MAX_PAGES)
    assert verify_license(token(max_pages_per_month=1, features=["audit_export"]), PINNED, NOW).features == (
        "audit_export",
    )


def test_issued_licence_verifies_and_an_old_key_is_refused_after_rotation() -> None:
    text = issue_license(a_license(), KEY)
    assert verify_license(text, PINNED, NOW) == a_license()
    with pytest.raises(LicenseRefused, match="unknown-kid"):
        verify_license(text, {"k2": raw_public(OTHER)}, NOW)


def test_a_renewal_keeps_its_identity_and_is_taken_without_restart() -> None:
    clock = {"now": NOW}
    renewed = issue_license(renew_license(a_license(), NOW + timedelta(days=80)), KEY)
    holder = LicenseHolder(a_license(), PINNED, read_token=lambda: renewed, clock=lambda: clock["now"])
    clock["now"] = NOW + timedelta(days=85)
    holder.refresh()
    assert holder.current.license_id == "lic-1"
    assert holder.current.expires_at == NOW + timedelta(days=170)
    with pytest.raises(LicenseRefused, match="other-license"):
        holder.renew(issue_license(renew_license(a_license(license_id="lic-2"), clock["now"]), KEY))


def test_a_refused_renewal_changes_nothing() -> None:
    holder = LicenseHolder(a_license(), PINNED, read_token=lambda: "nonsense", clock=lambda: NOW)
    holder.refresh()
    assert holder.current == a_license()


def test_expiry_while_running_stops_intake_only() -> None:
    clock = {"now": NOW}
    holder = LicenseHolder(a_license(), PINNED, clock=lambda: clock["now"])
    holder.require_intake()
    clock["now"] = NOW + timedelta(days=90)
    with pytest.raises(LicenseExpired):
        holder.require_intake()
    assert holder.refusal() == "license-expired"


@pytest.mark.parametrize(
    ("back", "refused"), [(3599, False), (3600, False), (3601, True), (86400, True), (7862400, True)]
)
def test_a_clock_set_back_is_borne_for_an_hour(back: int, refused: bool) -> None:
    clock = {"now": NOW + timedelta(days=10)}
    holder = LicenseHolder(a_license(), PINNED, clock=lambda: clock["now"])
    holder.observe(NOW + timedelta(days=10))
    clock["now"] -= timedelta(seconds=back)
    if refused:
        with pytest.raises(ClockRolledBack):
            holder.require_intake()
    else:
        holder.require_intake()


def test_observed_time_expires_a_licence_when_the_clock_is_set_back() -> None:
    end = a_license().expires_at
    holder = LicenseHolder(a_license(), PINNED, clock=lambda: end - timedelta(minutes=30))
    holder.observe(end)
    with pytest.raises(LicenseExpired):
        holder.require_intake()


def test_a_feature_that_is_not_listed_is_refused() -> None:
    holder = LicenseHolder(a_license(), PINNED, clock=lambda: NOW)
    holder.require_feature("audit_export")
    with pytest.raises(FeatureNotLicensed):
        holder.require_feature("sso")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "[::1]"])
def test_a_development_licence_is_allowed_on_loopback(host: str) -> None:
    check_development_allowed(host=host, external_database=False, joined_cluster=False)


@pytest.mark.parametrize(
    ("host", "database", "joined"),
    [
        ("0.0.0.0", False, False),
        ("203.0.113.9", False, False),
        ("example.org", False, False),
        ("127.0.0.1", True, False),
        ("127.0.0.1", False, True),
    ],
)
def test_a_development_licence_is_refused_where_others_come(host: str, database: bool, joined: bool) -> None:
    with pytest.raises(DevelopmentLicenseRefused, match="SVC_LICENSE"):
        check_development_allowed(host=host, external_database=database, joined_cluster=joined)


def test_a_development_licence_renews_itself_and_keeps_its_identity(tmp_path: Path) -> None:
    first_token, keys = development_license(tmp_path, NOW)
    first = verify_license(first_token, keys, NOW)
    assert (first.plan, first.features, first.max_pages_per_month) == ("development", (), 100_000)
    assert first.kid.startswith("local-")
    assert development_license(tmp_path, NOW + timedelta(days=1))[0] == first_token
    later = NOW + timedelta(days=400)
    second = verify_license(development_license(tmp_path, later)[0], keys, later)
    assert second.license_id == first.license_id
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / "license").iterdir()} == {0o600}


def run(*words: str) -> str:
    result = CliRunner().invoke(license_group, list(words))
    assert result.exit_code == 0, result.output
    return result.output


def test_the_command_line_makes_keys_issues_shows_and_renews(tmp_path: Path) -> None:
    keys, private = str(tmp_path / "keys"), tmp_path / "k.pem"
    run("keygen", "--kid", "acme-1", "--out", str(private), "--public-dir", keys)
    assert private.stat().st_mode & 0o777 == 0o600
    key = ["--key", str(private), "--kid", "acme-1"]
    text = run("issue", *key, "--customer", "Acme", "--feature", "audit_export").strip()
    shown = json.loads(run("show", text, "--public-dir", keys))
    assert shown["customer"] == "Acme"
    assert shown["valid_now"]
    again = run("renew", text, *key, "--days", "200", "--workdir", str(tmp_path)).strip()
    renewed = json.loads(run("show", "--workdir", str(tmp_path), "--public-dir", keys))
    assert renewed["license_id"] == shown["license_id"]
    assert again == (tmp_path / "license.token").read_text().strip()


def test_the_command_line_refuses_without_a_traceback(tmp_path: Path) -> None:
    result = CliRunner().invoke(license_group, ["show", "x.y.z", "--public-dir", str(tmp_path)])
    assert result.exit_code == 1
    assert re.search("Error: licence refused", result.output)
    second = CliRunner().invoke(license_group, ["keygen", "--kid", "../x", "--out", str(tmp_path / "k")])
    assert second.exit_code == 1


def test_expired_token_can_be_read_for_renewal() -> None:
    text = issue_license(a_license(license_id=f"lic-{secrets.token_hex(4)}"), KEY)
    assert read_license(text, PINNED).customer == "Acme"
