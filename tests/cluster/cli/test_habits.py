"""Command-line conventions: standard input and output, summaries, reports, aliases, suggestions, watching."""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from quire.cluster.cli.documents.watch import FolderWatch
from quire.cluster.cli.main import cli
from tests.api.jobs.test_by_url import good, site
from tests.hostile import pdfs
from tests.waiting import until

NO_DOCUMENT = b"\x00\x01no document\xff" * 8
"""Bytes that are no text either."""


def quire(*arguments: object, sent: bytes | None = None) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], input=sent)


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    path = tmp_path / "in" / "paper.pdf"
    path.parent.mkdir()
    path.write_bytes(pdfs.good())
    return path


def test_one_document_goes_to_standard_output_and_nothing_else_is_said(paper: Path) -> None:
    result = quire("extract", paper, "--to", "md", "-o", "-")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "Hello hostile world" in result.stdout


def test_standard_input_is_a_document(tmp_path: Path) -> None:
    result = quire("extract", "-", "--to", "json", "-o", "-", sent=pdfs.good())
    assert json.loads(result.stdout)["source"]["name"] == "stdin"
    assert quire("extract", "-", "-o", tmp_path / "out", sent=pdfs.good()).exit_code == 0
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["stdin.json"]
    broken = quire("extract", "-", "-o", "-", sent=NO_DOCUMENT)
    assert (broken.exit_code, broken.stdout) == (1, "")
    assert broken.stderr.startswith("stdin: unsupported-format: ")


def test_two_documents_do_not_fit_on_one_standard_output(paper: Path) -> None:
    (paper.parent / "other.pdf").write_bytes(pdfs.good())
    result = quire("extract", paper.parent, "-o", "-")
    assert result.exit_code == 2
    assert "takes one document, not 2" in result.stderr


def test_a_report_names_every_file_with_its_result_or_its_error(paper: Path, tmp_path: Path) -> None:
    (paper.parent / "locked.pdf").write_bytes(pdfs.encrypted("secret"))
    (paper.parent / "notes.bin").write_bytes(NO_DOCUMENT)
    result = quire("extract", paper.parent, "-o", tmp_path / "out", "--json")
    report = json.loads(result.stdout)
    assert (report["read"], report["failed"]) == (1, 1)
    assert [Path(skipped["file"]).name for skipped in report["skipped"]] == ["notes.bin"]
    assert report["skipped"][0]["reason"].startswith("unsupported-format: ")
    locked, read = report["documents"]
    assert (locked["error"], locked["result"]) == ("encrypted", None)
    assert "--password" in locked["advice"]
    assert Path(read["result"]).exists()
    assert "1 read, 1 failed, 1 skipped (notes.bin)" in result.stderr


def test_resume_reads_only_files_without_a_newer_result(paper: Path, tmp_path: Path) -> None:
    (paper.parent / "other.pdf").write_bytes(pdfs.good())
    command = ("extract", paper.parent, "-o", tmp_path / "out", "--resume")
    assert quire(*command).stderr.startswith("2 read → ")
    os.utime(paper, ns=(time.time_ns() + 10**12,) * 2)
    assert quire(*command).stderr.startswith("1 read, 1 already read → ")
    redacted = quire(*command, "--redacted")
    assert (redacted.exit_code, "--resume" in redacted.stderr) == (2, True)


def test_extract_ends_with_130_and_a_summary_when_interrupted(paper: Path, tmp_path: Path) -> None:
    out, held = tmp_path / "out", tmp_path / "held.pdf"
    os.mkfifo(held)
    command = [sys.executable, "-m", "quire.cluster.cli.main", "extract", *good_files(paper.parent, 6), held, "-o", out]
    with subprocess.Popen([*map(str, command), "--jobs", "1"], stderr=subprocess.PIPE, text=True) as run:
        assert until(lambda: len(list(out.glob("*.json"))) == 6)
        run.send_signal(signal.SIGINT)
        while run.poll() is None:
            os.close(os.open(held, os.O_RDWR))  # releases the reader that waits for the file
            time.sleep(0.05)
        assert run.stderr is not None
        summary = run.stderr.read().splitlines()[-1]
    assert run.returncode == 130
    assert re.match(r"interrupted: 6 read, (1 left|1 failed, 0 left) → ", summary)  # the pipe may end first
    resumed = quire("extract", paper.parent, "-o", out, "--resume")
    assert resumed.stderr.startswith("0 read, 6 already read")


def good_files(folder: Path, count: int) -> list[Path]:
    """Write files that can be read, next to the first one."""
    files = [folder / "paper.pdf", *(folder / f"{number}.pdf" for number in range(1, count))]
    for file in files:
        file.write_bytes(pdfs.good())
    return files


@pytest.mark.parametrize("command", [("extract",), ()])
def test_one_document_without_options_is_markdown(command: tuple[str, ...], paper: Path) -> None:
    result = quire(*command, paper)
    assert (result.exit_code, result.stdout.startswith("Hello hostile world")) == (0, True)


def test_several_documents_without_options_are_trees(paper: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(paper.parent)
    good_files(paper.parent, 2)
    assert quire("extract", paper.parent).stdout == ""
    assert len([*paper.parent.glob("*.json")]) >= 2


def test_folder_with_one_document_is_a_tree(paper: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(paper.parent)
    (paper.parent / "one").mkdir()
    paper.rename(paper.parent / "one" / paper.name)
    assert quire("extract", "one").stdout == ""
    assert [*paper.parent.glob("*.json")] != []


def test_standard_input_is_kept_below_the_workdir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", None)
    made: list[str] = []
    make = tempfile.TemporaryDirectory

    def noted(**options: Any) -> tempfile.TemporaryDirectory[str]:
        made.append(tempfile.gettempdir())
        return make(**options)

    monkeypatch.setattr(tempfile, "TemporaryDirectory", noted)
    assert quire("extract", "-", "-o", "-", "--workdir", tmp_path / "work", sent=pdfs.good()).exit_code == 0
    assert made[0] == str(tmp_path / "work" / "tmp")


def test_unknown_suffix_of_output_is_a_usage_error(paper: Path, tmp_path: Path) -> None:
    result = quire("extract", paper, "-o", tmp_path / "out.xyz")
    assert (result.exit_code, ".docx .html .json .md .txt" in result.stderr) == (2, True)
    (tmp_path / "out.xyz").mkdir()
    assert quire("extract", paper, "-o", tmp_path / "out.xyz").exit_code == 0


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "quire.toml"
    monkeypatch.setenv("QUIRE_CONFIG", str(path))
    return path


def test_config_file_gives_defaults_that_options_override(config: Path, paper: Path) -> None:
    config.write_text('[extract]\nto = "md"\noutput = "-"\n')
    assert quire("extract", paper).stdout.startswith("Hello hostile world")
    assert json.loads(quire("extract", paper, "--to", "tree").stdout)["blocks"]


def test_config_file_values_of_settings_yield_to_the_environment(
    config: Path, paper: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config.write_text("[settings]\nmax_pages = 0\n")
    monkeypatch.setattr(os, "environ", dict(os.environ))
    assert "SVC_MAX_PAGES" in quire("status").stderr
    monkeypatch.setitem(os.environ, "SVC_MAX_PAGES", "7")
    assert "SVC_MAX_PAGES" not in quire("status").stderr


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ('[extract]\ncolour = "red"\n', "[extract] has no option colour"),
        ("[extrct]\n", "no command for the table [extrct]"),
        ("jobs = 2\n", "jobs is outside of a table"),
        ("[extract\n", "quire.toml"),
    ],
)
def test_config_file_errors_are_usage_errors(config: Path, paper: Path, text: str, part: str) -> None:
    config.write_text(text)
    result = quire("extract", paper)
    assert (result.exit_code, part in result.stderr) == (2, True)


@pytest.mark.parametrize(("typed", "meant"), [("extrct", "extract"), ("statsu", "status"), ("serach", "search")])
def test_a_mistyped_command_is_guessed(typed: str, meant: str) -> None:
    result = quire(typed)
    assert result.exit_code == 2
    assert f"Did you mean {meant!r}?" in result.stderr


def test_unlike_command_gets_no_suggestion() -> None:
    assert "Did you mean" not in quire("zzz").stderr


@pytest.mark.parametrize("typed", ["nothere.pdf", "papers/nothere"])
def test_a_file_that_is_not_there_is_no_unknown_command(typed: str) -> None:
    assert f"no such file: {typed}" in quire(typed).stderr


def test_a_mistyped_format_is_guessed(paper: Path) -> None:
    result = quire("extract", paper, "--to", "markdwon")
    assert result.exit_code == 2
    assert "Did you mean 'markdown'?" in result.stderr


@pytest.mark.parametrize("command", ["extract", "search", "get", "watch"])
def test_help_shows_examples(command: str) -> None:
    shown = quire(command, "--help")
    assert "Examples:" in shown.output
    assert f"  quire {command} " in shown.output


class Inbox:
    """A watched folder, with a scripted clock for its files."""

    def __init__(self, root: Path) -> None:
        self.folder = root / "inbox"
        self.folder.mkdir()
        self.watch = FolderWatch(self.folder, root / "out", ".md")
        self.now = time.time_ns() - 10**12

    def put(self, name: str, data: bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        self.now += 10**9
        os.utime(path, ns=(self.now, self.now))
        return path


def test_file_is_read_once_unchanged_and_again_after_a_change(tmp_path: Path) -> None:
    inbox = Inbox(tmp_path)
    path = inbox.put("a/paper.pdf", pdfs.good())
    assert inbox.watch.look() == []  # it may still be copied
    inbox.put("a/paper.pdf", pdfs.good() + b"\n")
    assert inbox.watch.look() == []
    assert inbox.watch.look() == [path]
    assert inbox.watch.look() == []
    inbox.put("a/paper.pdf", pdfs.good() + b"\n\n")
    assert [inbox.watch.look(), inbox.watch.look()] == [[], [path]]


def test_hidden_files_and_unsupported_files_are_skipped(tmp_path: Path) -> None:
    inbox = Inbox(tmp_path)
    inbox.put(".partial.pdf", pdfs.good())
    inbox.put("notes.bin", NO_DOCUMENT)
    assert [inbox.watch.look(), inbox.watch.look()] == [[], []]


def test_watch_reads_new_files_and_skips_files_of_an_earlier_watch(paper: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = quire("watch", paper.parent, "-o", out, "--once")
    assert first.exit_code == 0
    assert "Hello hostile world" in (out / "paper.pdf.md").read_text()
    (paper.parent / "locked.pdf").write_bytes(pdfs.encrypted("secret"))
    second = quire("watch", paper.parent, "-o", out, "--once")
    assert second.exit_code == 1
    (told,) = second.stderr.splitlines()
    assert told == "locked.pdf: encrypted: the file needs a password; quire extract takes it with --password"


def test_an_address_is_an_input_under_the_rules_of_webhooks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with site(good(pdfs.good())) as url:
        monkeypatch.setenv("SVC_DOWNLOAD_ALLOW", url.split("/")[2])
        result = quire("extract", f"{url}/paper.pdf", "--to", "md", "-o", tmp_path / "out")
    assert result.exit_code == 0, result.stderr
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["paper.md"]
    refused = quire("extract", "http://10.0.0.1/a.pdf", "-o", "-")
    assert (refused.exit_code, "url-refused" in refused.stderr) == (1, True)
