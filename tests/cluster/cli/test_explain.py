"""`quire explain`: its output for the sample is that of the guide, and passes can be left out."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from quire.cluster.cli.documents.inspect import explain

ROOT = Path(__file__).parents[3]
SAMPLE = "docs/sample/quire-sample.pdf"
SHOWN = re.findall(r"\$ quire explain (.*)\n((?:.+\n)+?)```", (ROOT / "docs/design/passes.md").read_text())


def run(*arguments: str) -> Result:
    return CliRunner().invoke(explain, [str(ROOT / SAMPLE), *arguments])


@pytest.mark.parametrize(("command", "printed"), SHOWN, ids=[command for command, _ in SHOWN])
def test_explain_prints_outputs_of_the_guide(command: str, printed: str) -> None:
    file, *arguments = command.split()
    assert file == SAMPLE
    assert run(*arguments).output == printed


def test_guide_shows_three_pages() -> None:
    assert len(SHOWN) == 3


def test_explain_reads_without_a_pass() -> None:
    done = run("--page", "3", "--block", "b10", "--without", "furniture", "--without", "running-heads")
    assert done.output.startswith("b10 paragraph, page 3")


def test_explain_lists_timings_and_limits() -> None:
    timed = run("--block", "b0", "--timings").output
    assert timed.splitlines()[-1].endswith(" ms  all passes")
    assert "HeadingThresholds.text = 0.5" in CliRunner().invoke(explain, ["--limits"]).output


@pytest.mark.parametrize("arguments", [["--block", "b999"], ["--without", "nothing"]])
def test_explain_refuses_an_unknown_name(arguments: list[str]) -> None:
    assert run(*arguments).exit_code != 0
