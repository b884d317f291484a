"""A separate source folder behind the fence."""

from pathlib import Path

import pytest

from quire.storage.store import Store
from tests.storage.sources.place import Place


@pytest.fixture
def place(store: Store, tmp_path: Path) -> Place:
    (tmp_path / "root").mkdir()
    return Place(store, tmp_path / "root")
