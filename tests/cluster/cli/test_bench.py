"""`quire bench` measures and reports; a long command shows its progress on a terminal only."""

import io
import json
import re
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from quire.cluster.cli.documents.bench import BenchRun, Timing, render_report
from quire.cluster.cli.main import cli
from quire.cluster.cli.shared.progress import ProgressBar
from quire.models.cdom.errors import ErrorCode
from quire.models.derive.quality import rate_failure
from tests.hostile import pdfs

SAMPLE = Path(__file__).parents[3] / "docs" / "sample" / "quire-sample.pdf"


class Terminal(io.StringIO):
    """A standard error that says it is one."""

    def isatty(self) -> bool:
        return True


def on_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """From now on; not as a fixture, for pytest puts its own standard error back before the test."""
    one = Terminal()
    monkeypatch.setattr(sys, "stderr", one)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "120")
    return one


def bench(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["bench", *map(str, arguments)])


def test_documents_are_measured_and_the_report_has_plots(tmp_path: Path) -> None:
    (tmp_path / "good.pdf").write_bytes(pdfs.good())
    (tmp_path / "locked.pdf").write_bytes(pdfs.encrypted("secret"))
    page = tmp_path / "report.html"
    result = bench(SAMPLE, tmp_path, "-o", page, "--json")
    assert result.exit_code == 1
    told = json.loads(result.stdout)
    assert told["speed"]["pages"] == 4
    assert told["speed"]["cpu_s"] > 0
    rows = {row["source_file"]: row for row in told["documents"]}
    assert rows["quire-sample.pdf"]["tables"] == 1
    assert rows["quire-sample.pdf"]["seconds"] > 0
    assert (rows["locked.pdf"]["error"], rows["locked.pdf"]["seconds"]) == ("encrypted", None)
    assert re.search(r"2 read, 1 failed: 4 pages in [\d.]+ s", result.stderr)
    text = page.read_text()
    assert text.count('<figure class="plot">') == 2
    assert "Pages a CPU second" in text
    assert "<title>quire-sample.pdf: " in text


def test_a_report_of_nothing_but_failures_is_a_page_too() -> None:
    assert "Speed" in render_report(BenchRun(ratings={"a": rate_failure("a", ErrorCode.ENCRYPTED)}))


def test_report_shows_pages_by_second_of_completion() -> None:
    timings = {"a": Timing(0.5, 0.5, 3), "b": Timing(2.5, 2.0, 4)}
    text = render_report(BenchRun(timings=timings, wall_s=3.0, cpu_s=2.0))
    assert 'aria-label="Pages done, over the run: 7 in all; most: 2 s (4)"' in text
    assert "<title>b: 500</title>" in text


@pytest.mark.parametrize("wrong", ["missing.pdf", "."])
def test_unsupported_file_is_a_usage_error(wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert bench(wrong).exit_code == 2


def test_terminal_shows_count_and_name_of_several_files(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    with ProgressBar(3).shown() as bar:
        bar.step("first.pdf")
        bar.step("second.pdf")
    assert "2/3" in terminal.getvalue()
    assert "second.pdf" in terminal.getvalue()


def test_terminal_shows_the_pages_of_a_long_single_document(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    with ProgressBar(1).shown() as bar:
        bar.count_pages("long.pdf", 0, 400)
        bar.count_pages("long.pdf", 37, 400)
        bar.step("long.pdf")
    assert "37/400" in terminal.getvalue()
    assert "pages of long.pdf" in terminal.getvalue()


def test_a_short_document_and_a_pipe_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    with ProgressBar(1).shown() as bar:
        bar.count_pages("short.pdf", 2, 3)
        bar.step("short.pdf")
    assert terminal.getvalue() == ""
    pipe = io.StringIO()
    monkeypatch.setattr(sys, "stderr", pipe)
    with ProgressBar(50).shown() as bar:
        bar.step("a.pdf")
        bar.print_line("a line that stays")
    assert pipe.getvalue() == "a line that stays\n"
