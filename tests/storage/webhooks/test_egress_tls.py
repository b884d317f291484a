"""HTTPS through the guard: the checked address is called, the name is what certificate, SNI and Host are about."""

import ssl
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from ipaddress import IPv4Address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from quire.storage.webhooks.egress import Egress, Unreachable

NAME = "receiver.example"


def make_certificate(folder: Path, *, ended: bool = False) -> tuple[Path, Path]:
    """A self-signed one for NAME and loopback, and its key; `ended`: it was good until an hour ago."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    names = [x509.DNSName(NAME), x509.IPAddress(IPv4Address("127.0.0.1"))]
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, NAME)])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(hours=-1 if ended else 24))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    paths = folder / "cert.pem", folder / "key.pem"
    paths[0].write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    pem = serialization.PrivateFormat.TraditionalOpenSSL
    paths[1].write_bytes(key.private_bytes(serialization.Encoding.PEM, pem, serialization.NoEncryption()))
    return paths


class Seen:
    """The server's view of a request."""

    port: int
    certificate: Path
    context: ssl.SSLContext
    names: list[str]
    hosts: list[str]


@pytest.fixture
def seen(tmp_path: Path) -> Iterator[Seen]:
    """An HTTPS server on loopback."""
    seen = Seen()
    seen.names, seen.hosts = [], []
    seen.certificate, key = make_certificate(tmp_path)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            seen.hosts.append(self.headers["Host"])
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            return

    class Server(HTTPServer):
        def handle_error(self, request: object, client_address: object) -> None:
            return

    context = seen.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(seen.certificate, key)
    context.sni_callback = lambda _, name, __: seen.names.append(str(name))
    server = Server(("127.0.0.1", 0), Handler)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=True)
    seen.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield seen
    server.shutdown()
    thread.join()
    server.server_close()


def guard(seen: Seen, *, trusting: bool) -> Egress:
    made = Egress([NAME, "other.example"], resolve=lambda host, port: ["127.0.0.1"], timeout_s=5)
    if trusting:
        made._tls.load_verify_locations(seen.certificate)
    return made


def test_certificate_sni_and_host_are_about_the_name(seen: Seen) -> None:
    assert guard(seen, trusting=True).post(f"https://{NAME}:{seen.port}/", b"{}", {}).status == 200
    assert (seen.names, seen.hosts) == ([NAME], [f"{NAME}:{seen.port}"])


@pytest.mark.parametrize(("name", "trusting"), [(NAME, False), ("other.example", True)])
def test_untrusted_or_mismatched_certificate_is_refused(seen: Seen, name: str, trusting: bool) -> None:
    with pytest.raises(Unreachable, match="tls"):
        guard(seen, trusting=trusting).post(f"https://{name}:{seen.port}/", b"{}", {})
    assert seen.hosts == []


def test_a_certificate_that_expired_is_refused_and_its_renewal_is_taken(seen: Seen, tmp_path: Path) -> None:
    egress = guard(seen, trusting=True)
    (tmp_path / "ended").mkdir()
    ended, key = make_certificate(tmp_path / "ended", ended=True)
    egress._tls.load_verify_locations(ended)
    seen.context.load_cert_chain(ended, key)
    with pytest.raises(Unreachable, match="tls"):
        egress.post(f"https://{NAME}:{seen.port}/", b"{}", {})
    assert seen.hosts == []
    seen.context.load_cert_chain(seen.certificate, tmp_path / "key.pem")
    assert egress.post(f"https://{NAME}:{seen.port}/", b"{}", {}).status == 200
