"""The audit of dependencies reads the lock file and is skipped without a network."""

import urllib.request

import pytest

from tests.security.audit import LOCK, main, read_pins


def test_every_pinned_package_is_read() -> None:
    pins = read_pins("httpx[http2]==0.28.1 \\\n    --hash=sha256:aa\n# x==1\nclick==8.1.7 ; python_version < '4'\n")
    assert pins == [("httpx", "0.28.1"), ("click", "8.1.7")]
    assert len(read_pins(LOCK.read_text())) > 50


def test_audit_is_skipped_with_a_message_without_a_network(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError("no network")

    monkeypatch.setattr(urllib.request, "urlopen", fail)
    assert main(strict=True) == 0
    assert "skipped" in capsys.readouterr().out
