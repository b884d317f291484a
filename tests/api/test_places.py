"""Files that name an operation by its id or its path: definitions, tables and callers, without generated files."""

import re
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from quire.serve_apps.access.scopes import DOCUMENT
from quire.serve_apps.api.app import list_operations

ROOT = Path(__file__).parents[2]
ROOMS = ("serve_apps", "storage", "models", "actors", "cluster", "configs")
GENERATED = re.compile(
    r"swagger_ui|node_modules|guide/built/|operations\.(py|ts)$|types\.(py|ts)$|examples\.json$|/dist/"
)
LARGE = 300_000  # bytes: weights and vocabularies are larger than any source
SUFFIXES = {".py", ".ts", ".js", ".html", ".json", ".yaml", ".toml"}
MOST_IN_A_FILE = 21
"""Operations that one file outside the routes names; the dashboard's forms call that many."""


def normalised(text: str) -> str:
    """Return the text with paths written as in the routes and every parameter as `{}`."""
    text = text.replace("{{", "{").replace("}}", "}").replace("{DOCUMENT}", DOCUMENT)
    return re.sub(r"\{[^{}\n]*\}", "{}", text)


def product_files() -> Iterator[tuple[str, str]]:
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*")):
            name = str(path.relative_to(ROOT))
            if path.suffix not in SUFFIXES or GENERATED.search(name) or not path.is_file():
                continue
            if path.stat().st_size < LARGE:
                yield name, normalised(path.read_text(errors="replace"))


def find_places() -> dict[str, list[str]]:
    """Return the files that name each operation, by its id."""
    patterns = {}
    for id, operation in list_operations().items():
        named = rf"\b{id}\b" if "_" in id else rf"[\"']{id}[\"']"
        patterns[id] = re.compile(rf"{named}|{re.escape(normalised(operation.path))}(?![\w/{{.-])")
    texts = list(product_files())
    return {id: [name for name, text in texts if pattern.search(text)] for id, pattern in patterns.items()}


def test_operation_is_named_at_its_route_and_by_its_callers_only() -> None:
    places = find_places()
    counted = [name for names in places.values() for name in names if "/api/routes/" not in name]
    tables = {name for name in set(counted) if counted.count(name) > MOST_IN_A_FILE}
    assert tables == set(), "a second table of operations"
    assert median(len(names) for names in places.values()) <= 3
    assert sum(len(names) > 4 for names in places.values()) <= 26
