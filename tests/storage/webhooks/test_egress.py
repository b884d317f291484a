"""The outbound guard: every spelling of an address that is not public is refused, and nothing is sent to it."""

import socket
import threading
import time
from collections.abc import Sequence
from ipaddress import ip_address

import pytest

from quire.storage.values.errors import UrlRefused
from quire.storage.webhooks.egress import Egress, Unreachable, is_public
from tests.storage.receivers import Received, receiving
from tests.waiting import PATIENCE_S

DENIED_HOSTS = [
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "0",
    "0.0.0.0",
    "①②⑦.0.0.1",
    "localhost",
    "localhost.",
    "LOCALHOST",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[64:ff9b::a9fe:a9fe]",
    "[64:ff9b:1::a9fe:a9fe]",
    "[2002:7f00:1::1]",
    "[2001:0:7f00:1::]",
    "[fe80::1%25lo]",
    "[fe80::1]",
    "[fec0::1]",
    "[fd00:ec2::254]",
    "[ff02::1]",
    "[2001:db8::1]",
    "[3fff::1]",
    "[5f00::1]",
    "10.0.0.1",
    "10.255.255.255",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "100.64.0.1",
    "100.127.255.255",
    "100.100.100.200",
    "169.254.169.254",
    "169.254.170.2",
    "168.63.129.16",
    "192.0.0.192",
    "192.88.99.1",
    "198.18.0.1",
    "203.0.113.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "ok\\@127.0.0.1",
    "a@127.0.0.1",
    "127.0.0.1\t",
    "127.0.0.1\n",
    "127。0。0。1",
    "ａ.example",
]
DENIED_URLS = [
    *(f"http://{host}/hook" for host in DENIED_HOSTS),
    *(f"https://{host}/hook" for host in ("127.0.0.1", "[::1]", "0x7f.1")),
    "http://127.0.0.1#@8.8.8.8/",
    *(f"http://8.8.8.8:{port}/" for port in (22, 25, 6379, 8265, 10001, 0, 65536)),
    *(f"{scheme}://8.8.8.8/" for scheme in ("file", "gopher", "ftp", "ws", "HTTPx")),
    "file:///etc/passwd",
    "//8.8.8.8/",
    "8.8.8.8",
    "",
    "http://",
    "http://8.8.8.8/" + "a" * 8192,
    "http://user:secret@8.8.8.8/",
]


def named(*addresses: str) -> Egress:
    """A guard whose resolver gives these addresses for every name."""
    return Egress(resolve=lambda host, port: addresses)


@pytest.mark.parametrize("url", DENIED_URLS)
def test_private_address_is_refused_without_a_packet(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[object] = []
    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, lambda _, *to: sent.append(to))
    guard = Egress()
    with pytest.raises(UrlRefused):
        guard.check(url)
    with pytest.raises(UrlRefused):
        guard.post(url, b"{}", {})
    assert sent == []


@pytest.mark.parametrize("text", ["8.8.8.8", "100.63.255.254", "100.128.0.1", "2606:4700:4700::1111", "::ffff:8.8.8.8"])
def test_public_addresses_pass(text: str) -> None:
    assert is_public(ip_address(text))
    assert named(text).check("https://receiver.example/hook").addresses == (text,)


@pytest.mark.parametrize("addresses", [("8.8.8.8", "::1"), ("8.8.8.8", "10.0.0.1"), (), ("not an address",)])
def test_one_denied_address_of_a_name_refuses_the_name(addresses: tuple[str, ...]) -> None:
    with pytest.raises(UrlRefused):
        named(*addresses).check("https://receiver.example/")


def test_a_name_that_does_not_resolve_is_refused() -> None:
    def nothing(host: str, port: int) -> Sequence[str]:
        raise socket.gaierror

    with pytest.raises(UrlRefused, match="resolved"):
        Egress(resolve=nothing).check("https://receiver.example/")


def test_name_with_a_changed_address_is_refused_at_delivery() -> None:
    answers = iter((["8.8.8.8"], ["127.0.0.1"]))
    with receiving() as receiver:
        guard = Egress(resolve=lambda host, port: next(answers))
        guard.check("http://receiver.example:8080/hook")
        with pytest.raises(UrlRefused):
            guard.post("http://receiver.example:8080/hook", b"{}", {})
    assert receiver.got == []


def test_the_checked_address_is_called_under_the_name() -> None:
    with receiving() as receiver:
        guard = Egress([f"receiver.example:{receiver.port}"], resolve=lambda host, port: ["127.0.0.1"])
        answer = guard.post(f"http://receiver.example:{receiver.port}/hook?a=b", b'{"a":1}', {"X-Svc-Event": "e"})
    assert answer.status == 204
    assert (receiver.got[0].path, receiver.got[0].body) == ("/hook?a=b", b'{"a":1}')
    assert receiver.got[0].headers["host"] == f"receiver.example:{receiver.port}"


def test_an_allowed_receiver_is_one_host_and_where_said_one_port() -> None:
    guard = Egress(["127.0.0.1:9000", "10.1.2.3"])
    assert guard.check("http://127.0.0.1:9000/").address.port == 9000
    assert guard.check("http://10.1.2.3:12345/").address.host == "10.1.2.3"
    for url in ("http://127.0.0.1:9001/", "http://10.1.2.4/", "http://localhost:9000/"):
        with pytest.raises(UrlRefused):
            guard.check(url)


@pytest.mark.parametrize(
    "address",
    [
        *("169.254.169.254", "0.0.0.0", "224.0.0.1", "fe80::1", "::ffff:169.254.169.254"),
        *("fd00:ec2::254", "100.100.100.200", "168.63.129.16", "192.0.0.192"),
    ],
)
def test_metadata_services_are_refused_even_behind_an_allowed_name(address: str) -> None:
    with pytest.raises(UrlRefused):
        Egress(["inside.example"], resolve=lambda host, port: [address]).check("http://inside.example/")


def test_redirects_are_not_followed_and_the_environments_proxy_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    with receiving() as target:

        def elsewhere(_: Received) -> tuple[int, dict[str, str]]:
            return 307, {"Location": target.url}

        with receiving(elsewhere) as receiver:
            assert Egress(["127.0.0.1"]).post(receiver.url, b"{}", {}).status == 307
    assert (len(receiver.got), target.got) == (1, [])


def test_a_receiver_that_drips_is_cut_off() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    ended = threading.Event()

    def drip() -> None:
        peer, _ = listener.accept()
        with peer:
            try:
                for byte in b"HTTP/1.1 200 OK\r\n" + b"X-A: b\r\n" * 1000:
                    peer.send(bytes([byte]))
                    time.sleep(0.05)
            except OSError:
                ended.set()

    thread = threading.Thread(target=drip)
    thread.start()
    guard = Egress(["127.0.0.1"], timeout_s=0.5)
    with pytest.raises(Unreachable, match="timeout"):
        guard.post(f"http://127.0.0.1:{listener.getsockname()[1]}/", b"{}", {})
    thread.join(PATIENCE_S)
    assert ended.is_set()
    listener.close()


def test_an_endless_answer_is_read_to_64_kib_only() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    sent = 0

    def pour() -> None:
        nonlocal sent
        peer, _ = listener.accept()
        with peer:
            peer.recv(65536)
            peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
            try:
                while sent < 200_000_000:
                    sent += peer.send(b"a" * 65536)
            except OSError:
                return

    thread = threading.Thread(target=pour)
    thread.start()
    assert Egress(["127.0.0.1"]).post(f"http://127.0.0.1:{listener.getsockname()[1]}/", b"{}", {}).status == 200
    thread.join(PATIENCE_S)
    assert sent < 50_000_000
    listener.close()


def test_closed_port_is_unreachable() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(Unreachable, match="connection-refused"):
        Egress(["127.0.0.1"]).post(f"http://127.0.0.1:{port}/", b"{}", {})
