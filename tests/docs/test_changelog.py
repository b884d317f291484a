"""Form of CHANGELOG.md: Keep a Changelog sections, dates and short lines."""

import re
import tomllib
from collections.abc import Iterator
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KINDS = ("Added", "Changed", "Fixed", "Removed", "Security")
MAX_LINE = 120
SMALLEST_PERCENTAGE = 20
"""Smaller gains in CPU time are within the noise of a user's machine."""

CPU_PERCENTAGE = re.compile(r"(\d+)(?:\.\d+)? ?%[^.]*\bCPU\b")
VERSION = re.compile(r"## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)")


def find_violations(text: str) -> list[str]:
    """Return one message for each line that breaks the form, and for versions and sections out of order."""
    return [*_check_lines(text), *_check_releases(text), *_check_sections(text)]


def _check_lines(text: str) -> Iterator[str]:
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > MAX_LINE:
            yield f"line {number}: {len(line)} characters"
        if any(int(whole) < SMALLEST_PERCENTAGE for whole in CPU_PERCENTAGE.findall(line)):
            yield f"line {number}: CPU percentage below {SMALLEST_PERCENTAGE}"


def _check_releases(text: str) -> Iterator[str]:
    headings = [line for line in text.splitlines() if line.startswith("## ")]
    if headings[:1] != ["## [Unreleased]"]:
        yield "the first section is not Unreleased"
    matches = [VERSION.fullmatch(heading) for heading in headings[1:]]
    yield from (
        f"{heading}: not a version with a date"
        for heading, match in zip(headings[1:], matches, strict=True)
        if not match
    )
    versions = [tuple(map(int, match[1].split("."))) for match in matches if match]
    dates = [date.fromisoformat(match[2]) for match in matches if match]
    if versions != sorted(set(versions), reverse=True) or dates != sorted(dates, reverse=True):
        yield "versions are not unique or not sorted from new to old"


def _check_sections(text: str) -> Iterator[str]:
    kinds: list[str] = []
    may_break = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("## "):
            kinds = []
        elif line.startswith("### "):
            kinds.append(line.removeprefix("### "))
            may_break = kinds[-1] == "Changed"
            if kinds[-1] not in KINDS or kinds != sorted(set(kinds), key=KINDS.index):
                yield f"line {number}: section {kinds[-1]} is unknown, repeated or out of order"
        elif line.startswith("- ") and not line.startswith("- **Breaking:**"):
            may_break = False
        elif line.startswith("- ") and not may_break:
            yield f"line {number}: breaking changes belong to the start of Changed"


def test_changelog_keeps_the_form() -> None:
    assert find_violations((ROOT / "CHANGELOG.md").read_text()) == []


def test_version_of_the_package_has_a_section() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert version in [match[1] for match in VERSION.finditer((ROOT / "CHANGELOG.md").read_text())]


START = "# Changelog\n\n## [Unreleased]\n\n## [1.1.0] - 2026-02-01\n\n"


def test_well_formed_changelog_passes() -> None:
    changed = "### Changed\n\n- **Breaking:** A field is new.\n- Reading needs 25 % less CPU time.\n"
    assert find_violations(f"{START}### Added\n\n- A command.\n\n{changed}\n## [1.0.0] - 2026-01-31\n") == []


def test_violations_are_reported() -> None:
    for text, message in (
        ("## [1.0.0] - 2026-01-31\n", "the first section is not Unreleased"),
        (START + "- " + "x" * 119, "line 7: 121 characters"),
        (START + "- Reading needs 7.5 % less CPU time.", "line 7: CPU percentage below 20"),
        (START + "## 1.0.0\n", "## 1.0.0: not a version with a date"),
        (START + "### News\n", "line 7: section News is unknown, repeated or out of order"),
        (START + "### Fixed\n### Added\n", "line 8: section Added is unknown, repeated or out of order"),
        (START + "### Changed\n- A.\n- **Breaking:** B.", "line 9: breaking changes belong to the start of Changed"),
        (START + "## [1.2.0] - 2026-01-31\n", "versions are not unique or not sorted from new to old"),
    ):
        assert message in "\n".join(find_violations(text))
