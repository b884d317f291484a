"""Length of lines and paragraphs in the documentation. Tables, code blocks and headings are exempt."""

from pathlib import Path

import pytest
from markdown_it import MarkdownIt

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted((ROOT / "docs").glob("**/*.md")),
]
MAX_LINE = 120
"""Characters of a line of prose."""
MAX_PARAGRAPH = 5
"""Lines of a paragraph or list item."""


def find_violations(text: str) -> list[str]:
    """Return one message for each line of prose that is too long and each paragraph with too many lines."""
    lines = text.splitlines()
    violations = []
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        if token.type != "paragraph_open" or token.map is None:
            continue
        first, end = token.map
        violations += [
            f"line {number + 1}: {len(lines[number])} characters"
            for number in range(first, end)
            if len(lines[number]) > MAX_LINE
        ]
        if end - first > MAX_PARAGRAPH:
            violations.append(f"line {first + 1}: paragraph of {end - first} lines")
    return violations


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_page_has_short_lines_and_paragraphs(page: Path) -> None:
    assert find_violations(page.read_text()) == []


def test_long_line_is_reported() -> None:
    assert find_violations("word " * 30) == ["line 1: 150 characters"]


def test_long_paragraph_is_reported() -> None:
    assert find_violations("Title\n=====\n\n" + "a line\n" * 6) == ["line 4: paragraph of 6 lines"]


def test_tables_and_code_are_exempt() -> None:
    assert find_violations("| a |\n|---|\n| " + "x" * 200 + " |\n\n```\n" + "x" * 200 + "\n```\n") == []
