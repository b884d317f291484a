"""`quire redact` as a user meets it: a file in, one that may be handed out, and exit codes."""

from io import BytesIO
from pathlib import Path

import pikepdf
import pymupdf
import pytest
from click.testing import CliRunner, Result

from quire.cluster.cli.documents.redact import redact
from tests.hostile import pdfs

pytestmark = pytest.mark.long
TEXT = "Angela Whitmore writes from ann.canary@example.com that the rope was measured twice."


def run(*arguments: object) -> Result:
    return CliRunner().invoke(redact, [str(argument) for argument in arguments])


@pytest.fixture
def letter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page of prose; the operator chose no engine."""
    monkeypatch.delenv("SVC_PII_ENGINE", raising=False)
    document = pymupdf.open()
    document.new_page().insert_textbox((72, 90, 500, 300), TEXT)
    document.set_metadata({"author": "Angela Whitmore"})
    path = tmp_path / "letter.pdf"
    path.write_bytes(document.tobytes())
    return path


def locked(path: Path, password: str) -> bytes:
    written = BytesIO()
    with pikepdf.open(path) as pdf:
        pdf.save(written, encryption=pikepdf.Encryption(user=password, owner=password))
    return written.getvalue()


def test_names_and_addresses_are_gone_and_the_rest_can_be_selected(letter: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.pdf"
    result = run(letter, "-o", out)
    assert result.exit_code == 0
    assert result.stderr == f"masked 2 values: 1 email, 1 person; read again by two engines → {out}\n"
    with pymupdf.open(out) as made:
        text, metadata = made[0].get_text(), made.metadata
    assert "the rope was measured twice" in " ".join(text.split())
    assert not any(word in text for word in ("Angela", "Whitmore", "canary"))
    assert metadata is not None
    assert metadata["author"] == ""


def test_an_operator_keeps_names_off(letter: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SVC_PII_ENGINE", "patterns")
    assert run(letter, "-o", tmp_path / "out.pdf").exit_code == 0
    with pymupdf.open(tmp_path / "out.pdf") as made:
        text = made[0].get_text()
    assert ("Whitmore" in text, "canary" in text) == (True, False)


def test_encrypted_file_is_redacted_with_its_password_and_refused_without(letter: Path, tmp_path: Path) -> None:
    letter.write_bytes(locked(letter, "open sesame"))
    refused = run(letter, "-o", tmp_path / "out.pdf")
    assert (refused.exit_code, "encrypted" in refused.stderr) == (1, True)
    assert not (tmp_path / "out.pdf").exists()
    done = run(letter, "--password", "open sesame", "-o", tmp_path / "out.pdf")
    assert (done.exit_code, done.stderr.startswith("masked 2 values")) == (0, True)
    with pymupdf.open(tmp_path / "out.pdf") as made:
        assert not made.needs_pass


def test_unreadable_file_leaves_no_output_file(tmp_path: Path) -> None:
    (tmp_path / "broken.pdf").write_bytes(pdfs.good()[:200])
    result = run(tmp_path / "broken.pdf", "-o", tmp_path / "out.pdf")
    assert result.exit_code == 1
    assert result.stderr.startswith(f"{tmp_path / 'broken.pdf'}: ")
    assert [path.name for path in tmp_path.iterdir()] == ["broken.pdf"]
