"""The command group: lazy, light and silent about what it does not need."""

import subprocess
import sys

import pytest
from click.testing import CliRunner

from quire.cluster.cli.main import cli

HEAVY = ("ray", "psycopg", "sqlalchemy", "fastapi", "pymupdf")


def imported_by(*arguments: str) -> set[str]:
    code = (
        "import sys\nfrom quire.cluster.cli.main import cli\n"
        f"try:\n    cli({list(arguments)!r})\nexcept SystemExit:\n    pass\n"
        "print('MODULES', *sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.rpartition("MODULES")[2].split())


def test_help_imports_nothing_heavy() -> None:
    assert not set(HEAVY) & imported_by("--help")


def test_the_sandbox_of_extract_is_launched_before_anything_else_is_loaded() -> None:
    loaded = imported_by("extract", "--help")
    assert not {"numpy", "pydantic", "pydantic_settings", "quire.configs.settings", "quire.models.cdom.tree"} & loaded


@pytest.mark.parametrize("command", ["extract", "license", "up", "down", "status", "tour"])
def test_no_command_line_process_imports_ray(command: str) -> None:
    assert "ray" not in imported_by(command, "--help")


def test_help_names_every_command() -> None:
    shown = CliRunner().invoke(cli, ["--help"])
    assert shown.exit_code == 0
    for command in ("up", "down", "status", "extract", "license", "migrate", "tour"):
        assert f"\n  {command} " in shown.output


def test_an_unknown_command_is_a_usage_error() -> None:
    assert CliRunner().invoke(cli, ["fly"]).exit_code == 2


@pytest.mark.parametrize("command", ["up", "down", "status", "migrate", "tour", "license issue"])
def test_every_command_takes_a_workdir(command: str) -> None:
    assert "--workdir" in CliRunner().invoke(cli, [*command.split(), "--help"]).output
