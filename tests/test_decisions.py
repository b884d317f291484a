"""The index of decisions is made from the decisions: every record stands in it once, with its status."""

import re
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "decisions"
INDEX = FOLDER / "README.md"
_ROW = re.compile(
    r"^\| \[(\d{4})\]\((\d{4}-[\w-]+\.md)\) \| (.+?) \| (in force|superseded by \[\d{4}\]\(\d{4}-[\w-]+\.md\)) \|$",
    re.M,
)


def records() -> dict[str, str]:
    """File name → title as its first line says it."""
    files = sorted(FOLDER.glob("[0-9]*.md"))
    return {path.name: re.sub(r"^# (?:\d{4}[ ·]+)?", "", path.read_text().splitlines()[0]) for path in files}


def rows() -> dict[str, tuple[str, str]]:
    return {file: (title, status) for _, file, title, status in _ROW.findall(INDEX.read_text())}


def test_every_decision_stands_in_the_index_under_its_own_title() -> None:
    assert {file: title for file, (title, _) in rows().items()} == records()


def test_a_superseded_decision_names_one_that_is_there() -> None:
    named = re.findall(r"superseded by \[\d{4}\]\((\d{4}-[\w-]+\.md)\)", INDEX.read_text())
    assert named
    assert set(named) <= set(records())


def test_a_number_names_one_decision() -> None:
    numbers = [name[:4] for name in records()]
    assert sorted(set(numbers)) == sorted(numbers)
