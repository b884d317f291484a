"""SVC_API_KEYS as text, the key ring, and the headers a caller comes with."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from quire.serve_apps.access.caller import identify
from quire.serve_apps.access.errors import InvalidOrg, ScopeMissing, Unauthenticated
from quire.serve_apps.access.keys import InvalidApiKeys, KeyRing, default_key, parse_api_keys
from quire.serve_apps.access.scopes import KeyScope
from tests.api.keys import ring_of

RING = ring_of("acme:read=r1,acme:write=w1,acme=a=b=c,zeta:admin=z1")
REST = "-of-twenty-characters"


@pytest.mark.parametrize(
    ("secret", "label", "name", "scope"),
    [
        ("r1", "acme:read", "acme", KeyScope.READ),
        ("w1", "acme:write", "acme", KeyScope.WRITE),
        ("a=b=c", "acme", "acme", KeyScope.ADMIN),
        ("z1", "zeta:admin", "zeta", KeyScope.ADMIN),
    ],
)
def test_a_secret_is_all_after_the_first_equals_sign(secret: str, label: str, name: str, scope: KeyScope) -> None:
    text = f"acme:read=r1{REST}, acme:read+write=w1{REST},acme=a=b=c{REST},\nzeta:admin=z1{REST}"
    key = parse_api_keys(text).find(secret + REST)
    assert key is not None
    assert (key.label, key.name, key.scope) == (label, name, scope)


def test_secret_needs_twenty_characters() -> None:
    with pytest.raises(InvalidApiKeys, match="zeta: the secret needs at least 20 characters"):
        parse_api_keys(f"acme={'a' * 20},zeta={'b' * 19}")
    assert len(parse_api_keys(f"acme={'a' * 20}")) == 1


@pytest.mark.parametrize("secret", ["", "r", "R1", "r1 ", "acme", "a", "b=c", "x" * 100_000, "\udcff"])
def test_a_secret_that_is_only_nearly_right_finds_nothing(secret: str) -> None:
    assert RING.find(secret) is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("acme=11111111111111111111,acme=22222222222222222222", "two keys"),
        ("acme=11111111111111111111,acme:admin=22222222222222222222", "two keys"),
        ("acme:write=11111111111111111111,acme:read+write=22222222222222222222", "two keys"),
        ("acme=11111111111111111111,zeta=11111111111111111111", "same secret"),
        ("acme=", "empty"),
        ("acme:read=", "empty"),
        ("acme:root=11111111111111111111", "unknown scope"),
        ("acme:=11111111111111111111", "unknown scope"),
        ("acme:read+=11111111111111111111", "unknown scope"),
        ("justasecret", "without '='"),
        ("=secret", "expected name"),
        ("na me=secret", "expected name"),
        ("acme=pass word", "printable ASCII"),
        ("acme=pässword", "printable ASCII"),
    ],
)
def test_ambiguous_or_unusable_keys_stop_the_start_and_hide_secrets(text: str, told: str) -> None:
    with pytest.raises(InvalidApiKeys, match=told) as caught:
        parse_api_keys(text)
    assert "pass word" not in str(caught.value)
    assert "justasecret" not in str(caught.value)


def test_ended_key_is_not_found() -> None:
    now = datetime.now(UTC)
    ended, lasting = (replace(default_key(text), ends_at=now + timedelta(hours=h)) for text, h in (("a", -1), ("b", 1)))
    ring = KeyRing([ended, lasting])
    assert [ring.find(secret) for secret in ("a", "b")] == [None, lasting]
    assert list(ring) == [lasting]
    assert list(ring.take_uses()) == [lasting.digest]
    assert ring.take_uses() == {}


def test_key_ring_can_be_swapped_during_use() -> None:
    ring = KeyRing([default_key("first")])
    ring.replace([default_key("second")])
    assert ring.find("first") is None
    assert ring.find("second") is not None


def test_a_bearer_and_a_key_header_that_agree_are_one_caller() -> None:
    caller = identify([(b"x-api-key", b"w1"), (b"authorization", b"Bearer w1")], RING)
    assert (caller.key_name, caller.tenant, caller.org) == ("acme:write", "acme", "default")


@pytest.mark.parametrize(
    "headers",
    [
        [],
        [(b"x-api-key", b"")],
        [(b"x-api-key", b"w1 ")],
        [(b"x-api-key", "wé".encode())],
        [(b"x-api-key", b"x" * 1_000_000)],
        [(b"x-api-key", b"w1"), (b"x-api-key", b"w1")],
        [(b"x-api-key", b"w1"), (b"authorization", b"Bearer r1")],
        [(b"authorization", b"Bearer w1"), (b"authorization", b"Bearer w1")],
        [(b"authorization", b"Basic w1")],
        [(b"authorization", b"Bearer")],
        [(b"cookie", b"x-api-key=w1")],
        [(b"x-api-key", b"nope"), (b"x-de-org", b"*")],
    ],
)
def test_a_missing_doubled_or_wrong_key_is_refused_first(headers: list[tuple[bytes, bytes]]) -> None:
    with pytest.raises(Unauthenticated):
        identify(headers, RING)


@pytest.mark.parametrize("org", ["", "*", "Acme", "-a", "a b", "ａcme", "a" * 64, "a/b", "a\n"])
def test_invalid_organisation_name_is_refused(org: str) -> None:
    with pytest.raises(InvalidOrg):
        identify([(b"x-api-key", b"w1"), (b"x-de-org", org.encode())], RING)


def test_an_org_sent_twice_is_refused_even_when_both_agree() -> None:
    with pytest.raises(InvalidOrg):
        identify([(b"x-api-key", b"w1"), (b"x-de-org", b"a"), (b"x-de-org", b"a")], RING)


def test_tenant_is_the_key_name_in_any_scope_and_the_organisation_narrows() -> None:
    reader = identify([(b"x-api-key", b"r1"), (b"x-de-org", b"team.a-1")], RING)
    writer = identify([(b"x-api-key", b"w1"), (b"x-de-org", b"team.a-1")], RING)
    assert reader.data == writer.data
    assert reader.data.tenant == "acme"
    with pytest.raises(ScopeMissing):
        reader.require(KeyScope.WRITE)
    writer.require(KeyScope.WRITE)


def test_each_scope_includes_the_weaker_ones() -> None:
    assert KeyScope.ADMIN.included() == ["read", "write", "admin"]
    assert KeyScope.READ.included() == ["read"]
    assert not KeyScope.WRITE.covers(KeyScope.ADMIN)
