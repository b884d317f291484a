"""Callers on this machine: proxies, forwarding headers, rebinding hosts and mapped addresses."""

import os
import socket
from typing import Any

import pytest

from quire.serve_apps.access.loopback import is_local_caller, is_own_user

HOST = (b"host", b"127.0.0.1:8000")


@pytest.mark.parametrize(
    ("peer", "headers", "options", "local"),
    [
        ("127.0.0.1", [HOST], {}, True),
        ("127.8.9.1", [HOST], {}, True),
        ("::1", [(b"host", b"[::1]:8000")], {}, True),
        ("::1", [(b"host", b"[::1]")], {}, True),
        ("::ffff:127.0.0.1", [(b"host", b"LOCALHOST")], {}, True),
        ("127.0.0.1", [(b"host", b"quire.internal:8000")], {"allowed_hosts": ["Quire.Internal"]}, True),
        ("127.0.0.1", [(b"host", b"quire.internal:8000")], {}, False),
        ("127.0.0.1", [(b"host", b"evil.example")], {}, False),
        ("127.0.0.1", [(b"host", b"localhost.evil.example")], {}, False),
        ("127.0.0.1", [(b"host", b"127.0.0.1.nip.io")], {}, False),
        ("127.0.0.1", [(b"host", b"localhost."), HOST], {}, False),
        ("127.0.0.1", [HOST, HOST], {}, False),
        ("127.0.0.1", [], {}, False),
        ("127.0.0.1", [HOST, (b"x-forwarded-for", b"127.0.0.1")], {}, False),
        ("127.0.0.1", [HOST, (b"x-forwarded-for", b"127.0.0.1, 203.0.113.9")], {}, False),
        ("127.0.0.1", [HOST, (b"x-forwarded-host", b"localhost")], {}, False),
        ("127.0.0.1", [HOST, (b"x-forwarded-proto", b"https")], {}, False),
        ("127.0.0.1", [HOST, (b"forwarded", b"for=127.0.0.1")], {}, False),
        ("127.0.0.1", [HOST, (b"x-real-ip", b"127.0.0.1")], {}, False),
        ("127.0.0.1", [HOST, (b"via", b"1.1 proxy")], {}, False),
        ("127.0.0.1", [HOST, (b"cdn-loop", b"cdn")], {}, False),
        ("127.0.0.1", [HOST, (b"x-original-forwarded-for", b"203.0.113.9")], {}, False),
        ("127.0.0.1", [HOST, (b"x-cluster-client-ip", b"203.0.113.9")], {}, False),
        ("127.0.0.1", [HOST, (b"x-envoy-external-address", b"203.0.113.9")], {}, False),
        ("127.0.0.1", [HOST, (b"fastly-client-ip", b"203.0.113.9")], {}, False),
        ("127.0.0.1", [HOST, (b"fly-client-ip", b"203.0.113.9")], {}, False),
        ("127.0.0.1", [HOST, (b"cloudfront-viewer-address", b"203.0.113.9:1")], {}, False),
        ("127.0.0.1", [HOST], {"trusted_proxies": ["127.0.0.1"]}, False),
        ("127.0.0.1", [HOST, (b"origin", b"http://127.0.0.1:8000")], {}, True),
        ("127.0.0.1", [HOST, (b"origin", b"null"), (b"sec-fetch-site", b"same-origin")], {}, True),
        ("127.0.0.1", [HOST, (b"sec-fetch-site", b"none")], {}, True),
        ("127.0.0.1", [HOST, (b"origin", b"https://app.example")], {}, False),
        ("127.0.0.1", [HOST, (b"origin", b"http://127.0.0.1:3000")], {}, False),
        ("127.0.0.1", [HOST, (b"origin", b"null")], {}, False),
        ("127.0.0.1", [HOST, (b"sec-fetch-site", b"cross-site")], {}, False),
        ("127.0.0.1", [HOST, (b"sec-fetch-site", b"same-site")], {}, False),
        ("203.0.113.9", [HOST], {}, False),
        ("::ffff:203.0.113.9", [HOST], {}, False),
        ("10.0.0.1", [(b"host", b"localhost")], {}, False),
        ("0.0.0.0", [HOST], {}, False),
        ("localhost", [HOST], {}, False),
        ("", [HOST], {}, False),
        (None, [HOST], {}, False),
    ],
)
def test_only_a_direct_local_peer_with_a_local_host_counts_as_loopback(
    peer: str | None, headers: list[tuple[bytes, bytes]], options: dict[str, Any], local: bool
) -> None:
    assert is_local_caller(peer, headers, **options) is local


@pytest.mark.parametrize(("family", "address"), [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")])
def test_caller_of_the_same_user_or_of_root_is_an_own_user(
    family: socket.AddressFamily, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server((address, 0), family=family) as server, socket.socket(family) as caller:
        caller.connect(server.getsockname())
        peer, port = caller.getsockname()[:2]
        assert is_own_user(peer, port)
        assert is_own_user("::ffff:127.0.0.1", port) or family is socket.AF_INET6
        owner = os.geteuid()
        monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
        assert is_own_user(peer, port) is (owner == 0)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a socket to another user")
def test_caller_of_another_user_is_no_own_user() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket() as caller:
        os.fchown(caller.fileno(), 65534, 65534)
        caller.connect(server.getsockname())
        assert not is_own_user(*caller.getsockname())
