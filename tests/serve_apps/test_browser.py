"""Recognises the requesting site, and cookies that no other site can plant, for dashboard and console pages."""

import pytest

from quire.serve_apps.access.browser import BrowserCookie, Sender, find_sender, is_token

HOST = "quire.example"


@pytest.mark.parametrize(
    ("headers", "sender"),
    [
        ({}, Sender.UNKNOWN),
        ({"origin": "https://quire.example"}, Sender.OURS),
        ({"origin": "https://quire.example", "sec-fetch-site": "same-origin"}, Sender.OURS),
        ({"sec-fetch-site": "same-origin"}, Sender.OURS),
        ({"sec-fetch-site": "none"}, Sender.FOREIGN),
        ({"origin": "null", "sec-fetch-site": "same-origin"}, Sender.OURS),
        ({"origin": "null"}, Sender.FOREIGN),
        ({"origin": "null", "sec-fetch-site": "cross-site"}, Sender.FOREIGN),
        ({"origin": "https://quire.example", "sec-fetch-site": "cross-site"}, Sender.FOREIGN),
        ({"sec-fetch-site": "same-site"}, Sender.FOREIGN),
        ({"origin": "https://evil.example", "sec-fetch-site": "same-origin"}, Sender.FOREIGN),
        ({"origin": "https://evil.example"}, Sender.FOREIGN),
        ({"origin": "nonsense"}, Sender.FOREIGN),
        ({"origin": ""}, Sender.FOREIGN),
    ],
)
def test_own_pages_are_distinguished_from_other_sites(headers: dict[str, str], sender: Sender) -> None:
    assert find_sender(headers | {"host": HOST}, lambda host: host in (HOST, "")) is sender


def test_cookie_sent_twice_is_ignored() -> None:
    cookie = BrowserCookie("quire", "quire_session")
    assert cookie.read([(b"cookie", b"other=b; quire_session=c")], tls=False) == "c"
    assert cookie.read([(b"cookie", b"quire_session=a; quire_session=c")], tls=False) is None
    assert cookie.read([(b"cookie", b"__Host-quire=a"), (b"cookie", b"__Host-quire=b")], tls=True) is None


def test_behind_tls_the_cookie_is_bound_to_this_host() -> None:
    cookie = BrowserCookie("quire", "quire_session")
    flags = "Path=/; Max-Age=60; HttpOnly; SameSite=Strict"
    assert cookie.write("v", tls=False, lifetime_s=60) == f"quire_session=v; {flags}"
    assert cookie.write("v", tls=True, lifetime_s=60) == f"__Host-quire=v; {flags}; Secure"
    assert cookie.read([(b"cookie", b"quire_session=v")], tls=True) is None


@pytest.mark.parametrize("sent", [None, 1, "", "token2", "toke", "\ud800"])
def test_only_the_sessions_token_is_its_token(sent: object) -> None:
    assert is_token("token", "token")
    assert not is_token(sent, "token")
