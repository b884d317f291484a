"""The example of docs/targets.md is a target plug-in that works as the page says."""

import re
import sqlite3
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from quire.cluster.compose.plugins import load_plugins
from quire.cluster.errors import StartRefused
from quire.storage.store import Store
from quire.storage.targets.contract import TargetRefused
from quire.storage.targets.opening import TargetKinds
from tests.storage.targets.scene import add_target, publish, send
from tests.storage.targets.sinks import make_record

DOCS = Path(__file__).parents[3] / "docs"
EXAMPLE = DOCS / "examples" / "target"
POINT = EntryPoint("sqlite", "quire_sqlite:open_target", "quire.targets")


@pytest.fixture(autouse=True)
def example(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(EXAMPLE)
    yield
    sys.modules.pop("quire_sqlite", None)


def kinds() -> TargetKinds:
    return TargetKinds(plugged=load_plugins(["sqlite"], [POINT]).targets)


def rows(path: Path) -> list[tuple[str, str]]:
    connection = sqlite3.connect(path)
    found = connection.execute("select document_id, text from chunks order by text").fetchall()
    connection.close()
    return found


def test_page_shows_example_of_at_most_sixty_lines() -> None:
    page = (DOCS / "targets.md").read_text()
    for name, language in (("quire_sqlite.py", "python"), ("pyproject.toml", "toml")):
        (shown,) = re.findall(f"```{language}\n(.*?)```", page, re.DOTALL)
        assert shown == (EXAMPLE / name).read_text()
    assert sum(len(path.read_text().splitlines()) for path in EXAMPLE.iterdir() if path.is_file()) <= 60


def test_example_stores_replaces_and_deletes(tmp_path: Path) -> None:
    values = {"path": str(tmp_path / "chunks.db")}
    kinds().check("sqlite", values, None)
    target = kinds().open("sqlite", values, None)
    target.upsert([make_record(index=index) for index in range(2)])
    target.upsert([make_record()])
    target.upsert([make_record(run="2")])
    target.delete("doc_a", "2")
    target.delete("doc_unknown", None)
    target.close()
    assert rows(tmp_path / "chunks.db") == [("doc_a", "text 0 of 2")]


def test_example_receives_documents_of_the_service(store: Store, tmp_path: Path) -> None:
    add_target(store)
    ids = publish(store, 3)
    send(store, kinds().open("sqlite", {"path": str(tmp_path / "chunks.db")}, None))
    assert sorted(document for document, _ in rows(tmp_path / "chunks.db")) == sorted(ids)


def test_example_refuses_unknown_settings_and_unreachable_files(tmp_path: Path) -> None:
    for values in ({}, {"path": str(tmp_path / "a.db"), "colour": "red"}, {"path": str(tmp_path / "no" / "a.db")}):
        with pytest.raises(TargetRefused):
            kinds().check("sqlite", values, None)


def test_plugin_cannot_replace_a_built_in_kind() -> None:
    point = EntryPoint("postgres", "quire_sqlite:open_target", "quire.targets")
    with pytest.raises(StartRefused, match="built-in kind"):
        load_plugins(["postgres"], [point])
