"""Machine code is taken for the sources it was made of, or not at all."""

import json
import sys
from importlib.machinery import ExtensionFileLoader
from pathlib import Path

import pytest

from models.cdom.faults import own_fault
from models.compiled import (
    ABI,
    LIBRARY,
    SOURCES,
    SUFFIX,
    VARIABLE,
    CompiledFinder,
    digest_source,
    is_compiled,
    prefer_compiled,
)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Code with one module that was compiled: to a library that no machine can load."""
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    monkeypatch.delenv(VARIABLE, raising=False)
    (tmp_path / "quirk").mkdir()
    (tmp_path / "quirk" / "slow.py").write_text("ANSWER = 42\n")
    folder = tmp_path / "compiled" / ABI
    folder.mkdir(parents=True)
    (folder / SOURCES).write_text(json.dumps({"quirk.slow": digest_source(tmp_path, "quirk.slow")}))
    (folder / (LIBRARY + SUFFIX)).write_bytes(b"no library")
    return tmp_path


def test_code_that_nobody_compiled_is_read_from_its_sources(tmp_path: Path) -> None:
    before = list(sys.meta_path)
    assert not prefer_compiled(tmp_path)
    assert sys.meta_path == before


def test_a_library_that_does_not_load_leaves_the_sources(root: Path) -> None:
    before = list(sys.meta_path)
    assert not prefer_compiled(root)
    assert sys.meta_path == before


def test_who_wants_machine_code_is_told_that_there_is_none(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "always")
    with pytest.raises(ImportError, match="make compiled"):
        prefer_compiled(root)


@pytest.mark.parametrize("listed", ["{", '{"quirk.gone": ""}', '{"quirk.slow": "another digest"}', "{}"])
def test_a_list_that_does_not_fit_the_sources_counts_for_nothing(
    root: Path, monkeypatch: pytest.MonkeyPatch, listed: str
) -> None:
    monkeypatch.setattr("models.compiled._load_library", lambda *_: True)
    assert prefer_compiled(root)
    (root / "compiled" / ABI / SOURCES).write_text(listed)
    assert not prefer_compiled(root)


def test_a_source_that_changed_since_is_read_itself(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("models.compiled._load_library", lambda *_: True)
    assert prefer_compiled(root)
    (root / "quirk" / "slow.py").write_text("ANSWER = 43\n")
    assert not prefer_compiled(root)


def test_nobody_gets_machine_code_who_does_not_want_it(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("models.compiled._load_library", lambda *_: True)
    monkeypatch.setenv(VARIABLE, "never")
    assert not prefer_compiled(root)


def test_the_finder_knows_the_compiled_modules_and_no_others(tmp_path: Path) -> None:
    finder = CompiledFinder(tmp_path, ["quirk.slow"])
    found = finder.find_spec("quirk.slow")
    assert found is not None
    assert isinstance(found.loader, ExtensionFileLoader)
    assert found.origin == str(tmp_path / "quirk" / f"slow{SUFFIX}")
    assert finder.find_spec("quirk") is None


def test_a_module_of_sources_is_not_compiled() -> None:
    assert not is_compiled(sys.modules["models.compiled"])


def test_a_fault_in_compiled_code_is_our_own() -> None:
    code = compile("[][1]", "models/extract/layout/page.py", "exec")  # compiled code names its source like this
    with pytest.raises(IndexError) as caught:
        exec(code)
    assert caught.value.__traceback__ is not None
    caught.value.__traceback__ = caught.value.__traceback__.tb_next
    assert own_fault(caught.value) == "IndexError at models/extract/layout/page.py:1"
