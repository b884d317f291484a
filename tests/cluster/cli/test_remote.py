"""Commands that talk to a service: their output, saved files, and errors without a service."""

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner, Result

from quire.cluster.cli.main import cli
from quire.cluster.cli.shared.remote import find_url
from quire.cluster.state import ServiceState, this_process, write_state
from quire.storage.store import Store
from tests.api.harness import PDF, files, make_resources, reading
from tests.api.live import listening
from tests.waiting import PATIENCE_S


def quire(*arguments: str, url: str, token: str = "acme-write") -> Result:
    return CliRunner(env={"QUIRE_URL": url, "QUIRE_TOKEN": token}).invoke(cli, list(arguments))


@pytest.fixture
def url(store: Store, dsn: str) -> Iterator[str]:
    with listening(make_resources(store, dsn=dsn)) as address, reading(store):
        yield address


def send(url: str, content: bytes = PDF) -> tuple[str, str]:
    """Ids of a finished job and its document."""
    with httpx.Client(base_url=url, headers={"X-API-Key": "acme-write"}, timeout=PATIENCE_S) as http:
        job = http.post("/v1/jobs", files=files(content)).json()
        http.get(f"/v1/jobs/{job['id']}?wait=60")
    return job["id"], job["pending"][0]["document_id"]


def test_an_output_goes_to_standard_output_or_to_a_file(url: str, tmp_path: Path) -> None:
    _, document = send(url)
    assert "Hello" in quire("get", document, "--to", "md", url=url).stdout
    result = quire("get", document, "--to", "json", "-o", str(tmp_path / "tree.json"), url=url)
    assert result.exit_code == 0
    assert json.loads((tmp_path / "tree.json").read_text())["document_id"] == document
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_a_job_is_saved_as_a_zip(url: str, tmp_path: Path) -> None:
    job, _ = send(url)
    assert quire("get", job, "-o", str(tmp_path / "all.zip"), url=url).exit_code == 0
    assert "contents.json" in zipfile.ZipFile(tmp_path / "all.zip").namelist()


def test_a_document_that_failed_has_nothing_to_get(url: str) -> None:
    _, document = send(url, b"no document")
    result = quire("get", document, url=url)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "is failed: unsupported-format" in result.stderr


def test_refusals_name_the_service_and_its_code(url: str) -> None:
    unknown = quire("get", "doc_" + "a" * 26, url=url)
    assert (unknown.exit_code, f"{url} answered 404 not-found: " in unknown.stderr) == (1, True)
    stranger = quire("get", "doc_" + "a" * 26, url=url, token="wrong")
    assert f"{url} refused the key" in stranger.stderr
    off = quire("search", "ropes", url=url)
    assert (off.exit_code, "search-not-configured" in off.stderr) == (1, True)


@pytest.mark.parametrize("command", ["get", "search"])
def test_a_service_that_is_not_there_is_named(command: str) -> None:
    result = quire(command, "x", url="http://127.0.0.1:9")
    assert result.exit_code == 1
    assert "no service answers at http://127.0.0.1:9" in result.stderr
    assert "--url or QUIRE_URL" in result.stderr


def test_upload_sends_folders_and_waits(url: str, tmp_path: Path) -> None:
    for number in range(12):
        (tmp_path / f"paper-{number}.pdf").write_bytes(PDF)
    (tmp_path / "notes.bin").write_bytes(b"\0\1\2")
    result = quire("upload", str(tmp_path), "--wait", url=url)
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert len(lines) == 12
    assert len({line.split()[0] for line in lines}) == 2
    assert "notes.bin" in result.stderr


def test_upload_names_files_that_fail(url: str, tmp_path: Path) -> None:
    (tmp_path / "broken.pdf").write_bytes(b"no document")
    result = quire("upload", str(tmp_path / "broken.pdf"), "--wait", url=url)
    assert (result.exit_code, "broken.pdf: unsupported-format" in result.stderr) == (1, True)
    assert quire("upload", str(tmp_path / "none.pdf"), url=url).exit_code == 2


def test_address_of_the_service_follows_workdir_and_port(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SVC_WORKDIR", str(tmp_path))
    assert find_url() == "http://127.0.0.1:8000"
    monkeypatch.setenv("SVC_PORT", "9123")
    assert find_url() == "http://127.0.0.1:9123"
    write_state(tmp_path, ServiceState(supervisor=this_process(), base_url="http://127.0.0.1:7001"))
    assert find_url() == "http://127.0.0.1:7001"
