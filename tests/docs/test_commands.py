"""Commands, operations and bodies that the documentation names exist, with these options and fields."""

import hashlib
import hmac
import importlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from jsonschema import Draft202012Validator

from quire.cluster.cli.main import cli
from quire.serve_apps.clients.generate import describe_service
from tests.lab.__main__ import BENCHES, DRILLS

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
HISTORY = ("decisions", "examples")
"""Folders of pages about other times or programs."""
_CODE = re.compile(r"^```\w*\n(.*?)^```|`([^`\n]+)`", re.DOTALL | re.MULTILINE)
_PART = re.compile(r"\{\w+\}|\$\w+")
_JOB = re.compile(r"python -m quire\.cluster\.jobs\.(\w+) ?([^\n`]*)")
_QUIRE = re.compile(r"(?<![\w./:-])(?<!install )(?:\.venv/bin/)?quire ((?!up --address|import )[a-z][^\n|;&`#)]*)")
_MAKE = re.compile(r"(?<![\w-])make ([a-z][a-z-]+)")
_LAB = re.compile(r"make (?:bench SUITE|drill NAME)=([a-z-]+)")
_OPERATION = re.compile(r"\b(GET|POST|PUT|PATCH|DELETE) +(/v1/[^\s?`,;)\"']*)")
_BODY = re.compile(r"\b(POST|PUT|PATCH) +(/v1/[\w/{}-]+)(?:\?\S+)? +(\{.*?\})(?:\s{2,}#.*)?$", re.MULTILINE)


def pages() -> list[Path]:
    return [page for page in PAGES if not set(page.parts) & set(HISTORY)]


def codes(page: Path) -> Iterator[str]:
    """Yield the code blocks of a page, with continued lines joined, and the code inside its sentences."""
    for block, inline in _CODE.findall(page.read_text()):
        yield (block or inline).replace("\\\n", " ")


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.fixture(scope="module")
def description() -> dict[str, Any]:
    return describe_service()


def find_command(words: list[str]) -> tuple[click.Command | None, list[str]]:
    """Return the command that the words call and the words that follow it."""
    command: click.Command = cli
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        found = command.get_command(click.Context(command), words[0])
        if found is None:
            return None, words
        command, words = found, words[1:]
    return command, words


def lacks(command: click.Command, words: list[str]) -> set[str]:
    """Return the options among the words that the command does not have."""
    known = {name for option in command.params for name in (*option.opts, *option.secondary_opts)}
    used = {re.split(r"[=\]]", word.strip("[]"))[0] for word in words if word.startswith(("--", "[--"))}
    return used - known - {"--help"}


@pytest.mark.parametrize("page", pages(), ids=named)
def test_commands_of_quire_have_the_options_named(page: Path) -> None:
    wrong = []
    for call in (call for code in codes(page) for call in _QUIRE.findall(code)):
        words = call.split()
        command, following = find_command(["extract", *words] if "." in words[0] else words)
        if command is None or lacks(command, following):
            wrong.append(call)
    assert wrong == []


def test_jobs_have_the_options_named() -> None:
    calls = [call for page in pages() for code in codes(page) for call in _JOB.findall(code)]
    assert len(calls) > 5
    for name, following in calls:
        job = importlib.import_module(f"quire.cluster.jobs.{name}").main
        assert isinstance(job, click.Command)
        assert lacks(job, following.split()) == set(), (name, following)


@pytest.mark.parametrize("page", pages(), ids=named)
def test_every_code_block_names_its_language(page: Path) -> None:
    fences = re.findall(r"^```(.*)$", page.read_text(), re.MULTILINE)
    assert "" not in fences[::2]


def test_every_make_target_named_is_there() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    asked = {(name, named(page)) for page in pages() for code in codes(page) for name in _MAKE.findall(code)}
    assert len(asked) > 20
    assert {(name, page) for name, page in asked if name not in targets} == set()


def test_benches_and_drills_named_in_the_documentation_exist() -> None:
    asked = {name for page in pages() for code in codes(page) for name in _LAB.findall(code)}
    assert len(asked) > 10
    assert asked <= {*BENCHES, *DRILLS}


def test_every_operation_named_is_there(description: dict[str, Any]) -> None:
    known = [(method.upper(), path) for path, methods in description["paths"].items() for method in methods]
    asked = {(*found, named(page)) for page in pages() for code in codes(page) for found in _OPERATION.findall(code)}
    assert len(asked) > 30
    assert [each for each in asked if not any(is_named(each[0], each[1], *route) for route in known)] == []


def is_named(method: str, path: str, known_method: str, known_path: str) -> bool:
    """Return whether a path, in which parts may be shortened to dots, is that of the operation."""
    parts = re.split(r"(…|\*)", _PART.sub("*", path.rstrip("/.")))
    pattern = "".join(".*" if part in ("…", "*") else re.escape(part) for part in parts)
    return method == known_method and re.fullmatch(pattern, known_path) is not None


def test_bodies_shown_fit_the_description(description: dict[str, Any]) -> None:
    checked = 0
    for page in pages():
        for method, path, text in (found for code in codes(page) for found in _BODY.findall(code)):
            try:
                body = json.loads(text)
            except ValueError:
                continue  # the shape of a body, with dots
            content = description["paths"][path][method.lower()]["requestBody"]["content"]
            schema = content["application/json"]["schema"] | {"components": description["components"]}
            errors = [error.message for error in Draft202012Validator(schema).iter_errors(body)]
            assert errors == [], (named(page), text)
            checked += 1
    assert checked >= 3


def test_the_check_of_a_webhook_accepts_genuine_bodies_only() -> None:
    (block,) = re.findall(
        r"^```python\n(.*?)^```", (ROOT / "docs" / "webhooks.md").read_text(), re.DOTALL | re.MULTILINE
    )
    scope: dict[str, Any] = {}
    exec(compile(block, "docs/webhooks.md", "exec"), scope)
    signature = "sha256=" + hmac.new(b"whsec_a", b"{}", hashlib.sha256).hexdigest()
    assert scope["is_genuine"]("whsec_a", b"{}", signature)
    assert not scope["is_genuine"]("whsec_b", b"{}", signature)
