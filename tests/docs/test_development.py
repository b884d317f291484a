"""The table of development.md, what a feature touches, names files and lists that exist, and no second list exists."""

import re
from collections.abc import Iterator
from pathlib import Path

from quire.models.cdom.flags import WARNINGS
from quire.models.export import OUTPUTS

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "development.md").read_text()
ROOMS = ("models", "storage", "actors", "serve_apps", "cluster", "configs")
GENERATED = re.compile(r"quire_client/(async_)?operations\.py$|quire_client/types\.py$")
MOST_FILES = {"output": 5, "warning": 3}
"""Files that are changed by hand; the changelog is one of them, and generated files are none."""


def read_rows() -> dict[str, str]:
    """Return the rows of the table by feature."""
    table = PAGE[PAGE.index("| feature | new file | changed line |") :].split("\n\n")[0].splitlines()[2:]
    return {row.split("|")[1].strip(): row for row in table}


def named_paths(row: str) -> list[str]:
    """Return the files and folders that a row names, without those of the new feature itself."""
    return [path for path in re.findall(r"`([a-z_]+/[\w./]*)`", row) if "NAME" not in path]


def sources() -> Iterator[tuple[str, str]]:
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            name = str(path.relative_to(ROOT))
            if not GENERATED.search(name):
                yield name, path.read_text()


def find_lists(words: set[str], least: int) -> set[str]:
    """Return the files that hold at least `least` of the words as whole texts."""
    return {name for name, text in sources() if sum(f'"{word}"' in text for word in words) >= least}


def test_table_names_files_that_exist() -> None:
    rows = read_rows()
    assert {"input format", "output", "endpoint", "warning", "setting"} <= rows.keys()
    paths = [path for row in rows.values() for path in named_paths(row)]
    assert len(paths) > 12
    assert [path for path in paths if not (ROOT / path).exists()] == []
    assert all(
        f"]({page})" in PAGE or (ROOT / "docs" / page).exists() for page in re.findall(r"\]\(([\w-]+\.md)", PAGE)
    )


def test_output_and_warning_touch_few_files_by_hand() -> None:
    for feature, most in MOST_FILES.items():
        _, _, new, changed, _ = read_rows()[feature].split("|")
        by_hand = [part for part in f"{changed}, {new}".split(", ") if part.strip(" –") and "python -m" not in part]
        tests = sum("its test" in part for part in by_hand)
        assert len(by_hand) + tests + len(["CHANGELOG.md"]) <= most, (feature, by_hand)


def test_outputs_and_warnings_are_listed_once() -> None:
    assert find_lists({output.path for output in OUTPUTS.values() if "/" in output.path}, 3) == {
        "models/export/__init__.py"
    }
    assert find_lists(set(WARNINGS), 6) == {"models/cdom/flags.py"}
