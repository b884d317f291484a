"""Certificates that have expired: said by their own name with what to do, and tried again when they are renewed."""

import socket
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from quire.storage.objects.bucket import open_bucket
from quire.storage.postgres.database import Database
from quire.storage.postgres.schema import migrate
from quire.storage.values.errors import CertificateRefused, StoreUnavailable
from tests.storage.webhooks.test_egress_tls import NAME, make_certificate

SSL_REQUEST = 8
"""Bytes with which a client asks a PostgreSQL server for TLS."""


class TlsServer(threading.Thread):
    """Shakes hands on loopback, as PostgreSQL does (`asked` first) or as HTTPS does, and hangs up."""

    def __init__(self, folder: Path, *, asked: bool) -> None:
        super().__init__(daemon=True)
        self._asked, self._door = asked, socket.create_server(("127.0.0.1", 0))
        self.port: int = self._door.getsockname()[1]
        self.show(folder, ended=True)

    def show(self, folder: Path, *, ended: bool) -> Path:
        """From now on with this certificate, which is its own authority."""
        certificate, key = make_certificate(folder, ended=ended)
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(certificate, key)
        return certificate

    def run(self) -> None:
        while True:
            try:
                link, _ = self._door.accept()
            except OSError:
                return
            with link:
                self._greet(link)

    def _greet(self, link: socket.socket) -> None:
        try:
            if self._asked:
                link.recv(SSL_REQUEST)
                link.sendall(b"S")
            self._context.wrap_socket(link, server_side=True).close()
        except OSError:  # the client has refused
            return

    def end(self) -> None:
        self._door.shutdown(socket.SHUT_RDWR)
        self._door.close()


@pytest.fixture
def database_server(tmp_path: Path) -> Iterator[TlsServer]:
    server = TlsServer(tmp_path, asked=True)
    server.start()
    yield server
    server.end()


def dsn(server: TlsServer, authority: Path) -> str:
    return (
        f"host={NAME} hostaddr=127.0.0.1 port={server.port} dbname=quire user=quire "
        f"sslmode=verify-full sslrootcert={authority}"
    )


def test_expired_database_certificate_is_reported_until_renewed(database_server: TlsServer, tmp_path: Path) -> None:
    authority = tmp_path / "cert.pem"
    db = Database(dsn(database_server, authority))
    for _ in range(2):
        with pytest.raises(CertificateRefused, match="expired") as refused:
            db.fetch_one("select 1")
    assert (refused.value.code, refused.value.retryable) == ("certificate-refused", True)
    assert NAME not in str(refused.value)
    assert str(tmp_path) not in str(refused.value)
    database_server.show(tmp_path, ended=False)
    with pytest.raises(StoreUnavailable) as beyond:  # the certificate is good; there is no database behind it
        db.fetch_one("select 1")
    assert beyond.value.code == "unavailable"
    db.close()


def test_a_start_says_that_the_certificate_has_expired(database_server: TlsServer, tmp_path: Path) -> None:
    with pytest.raises(CertificateRefused, match="renew it"):
        migrate(dsn(database_server, tmp_path / "cert.pem"))


def test_an_expired_certificate_of_a_bucket_is_named(tmp_path: Path) -> None:
    server = TlsServer(tmp_path, asked=False)
    server.start()
    blobs, _ = open_bucket(
        "s3://bucket/prefix", tmp_path / "spool", endpoint=f"https://localhost:{server.port}",
        access_key_id="key", secret_access_key="secret", region="us-east-1",
    )  # fmt: skip
    with pytest.raises(CertificateRefused, match="object store: a certificate is not accepted") as refused:
        blobs.exists("ab" * 32)
    assert "localhost" not in str(refused.value)
    server.end()
