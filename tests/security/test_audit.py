"""The audit of dependencies reads the lock file and is skipped without a network."""

import json
import urllib.request
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.security.audit import LOCKS, find_stored_advisories, main, read_pins


def test_every_pinned_package_is_read() -> None:
    pins = read_pins("httpx[http2]==0.28.1 \\\n    --hash=sha256:aa\n# x==1\nclick==8.1.7 ; python_version < '4'\n")
    assert pins == [("httpx", "0.28.1"), ("click", "8.1.7")]
    assert len(read_pins(LOCKS[0].parent.joinpath("run.lock").read_text())) > 50


def test_audit_is_skipped_with_a_message_without_a_network(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError("no network")

    monkeypatch.setattr(urllib.request, "urlopen", fail)
    assert main(["--strict"]) == 0
    assert "skipped" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("affected", "is_found"),
    [
        ({"versions": ["1.2.0"]}, True),
        ({"versions": ["1.2.1"]}, False),
        ({"ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "1.2.1"}]}]}, True),
        ({"ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "1.2.0"}]}]}, False),
        ({"ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "1.10"}]}]}, False),
        ({"ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "1.0"}, {"last_affected": "1.2.0"}]}]}, True),
        ({"ranges": [{"type": "GIT", "events": [{"introduced": "0"}]}]}, False),
    ],
)
def test_stored_advisories_are_compared_with_the_pins(tmp_path: Path, affected: dict[str, Any], is_found: bool) -> None:
    entry = {"id": "PYSEC-1", "affected": [{"package": {"ecosystem": "PyPI", "name": "Some_Package"}} | affected]}
    (tmp_path / "PYSEC-1.json").write_text(json.dumps(entry))
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.write(tmp_path / "PYSEC-1.json", "PYSEC-1.json")
    expected = {"some-package 1.2.0": ["PYSEC-1"]} if is_found else {}
    for place in (tmp_path, tmp_path / "all.zip"):
        assert find_stored_advisories([("some.package", "1.2.0")], place) == expected
