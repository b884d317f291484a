"""`quire status`: warnings are shown, and a service that a cluster serves is found through this machine's runtime."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from click.testing import CliRunner

from quire.cluster.cli.main import cli
from quire.cluster.runtime import Runtime, write_runtime
from quire.configs.parsing import parse_settings
from tests.conftest import SIGNING_KEY

HEALTH: dict[str, Any] = {
    "status": "ok",
    "cluster": {"pools": {"api": {"status": "HEALTHY", "running": 1}}},
    "warnings": ["vlm_ocr: no node with arch=amd64, accelerator=cuda, 1 CPU and 1 GPU"],
}


@pytest.fixture
def address() -> Iterator[str]:
    """A service that answers deep health with `HEALTH`."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(HEALTH).encode())

        def log_message(self, format: str, *args: object) -> None:
            """Quiet."""

    server = HTTPServer(("127.0.0.1", 0), Answer)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def joined(workdir: Path, dsn: str, address: str) -> None:
    """Write the files that `quire up --address` leaves on its machine."""
    write_runtime(
        Runtime(
            settings=parse_settings(
                {"SVC_WORKDIR": str(workdir), "SVC_DATABASE_URL": "postgresql://quire:pw@127.0.0.1:1/quire"}
            ),
            dsn=dsn,
            dsn_file=workdir / "dsn",
            base_url=address,
            license_file=workdir / "license",
            signing_key=SIGNING_KEY,
        )
    )


def status(workdir: Path, *arguments: str) -> tuple[int, str]:
    done = CliRunner(env={"SVC_WORKERS": "0"}).invoke(cli, ["status", "--workdir", str(workdir), *arguments])
    return done.exit_code, done.output


def test_selector_without_a_matching_node_is_a_warning(tmp_path: Path, dsn: str, address: str) -> None:
    joined(tmp_path, dsn, address)
    code, text = status(tmp_path)
    assert code == 0
    assert f"quire is up: {address}" in text
    assert f"warning     {HEALTH['warnings'][0]}" in text
    assert json.loads(status(tmp_path, "--json")[1])["warnings"] == HEALTH["warnings"]


def test_a_cluster_that_does_not_answer_is_down(tmp_path: Path, dsn: str) -> None:
    joined(tmp_path, dsn, "http://127.0.0.1:9")
    assert status(tmp_path) == (1, f"quire is down ({tmp_path})\n")
