"""The lists of passes: a pass reads and writes only columns that it declares, in an order that can run."""

import random
import sys
from collections import defaultdict
from dataclasses import fields
from typing import Any

import pytest

from quire.models.cdom.original import OcrMode, ReadOptions
from quire.models.extract.formats.pdf import marks as pdf_marks
from quire.models.extract.layout.lines.marks import PageMarks
from quire.models.extract.pipeline.explain import list_limits
from quire.models.extract.pipeline.page import PageColumns
from quire.models.extract.pipeline.passes import DOCUMENT_PASSES, PAGE_INPUTS, PAGE_PASSES
from quire.models.extract.registry import open_document
from quire.models.extract.steps import Pass, Steps, find_disorder, load_target
from tests.golden.made import make_documents
from tests.models.extract.test_steps import DOCUMENTS

LINES = {
    "lines",
    "ordered",
    "groups",
    "typed",
    "slanted",
    "marks.lines",
    "upright.lines",
    "tables.lines",
    "spans.boxes",
}
"""Columns of lines; a pass that changes a line in place declares one of them."""
UNSEEN = {"text_page", "spans", "draw", "frame", "stored", "referee", "page", "options"}
"""Columns of the engine, which are changed inside."""


def list_documents() -> list[bytes]:
    made = [data for name, data in make_documents().items() if data.startswith(b"%PDF") and "statement" not in name]
    return [*DOCUMENTS.values(), *made]


def test_every_pass_has_a_function_and_a_name_of_its_own() -> None:
    passes = (*PAGE_PASSES, *DOCUMENT_PASSES)
    assert all(callable(item.load()) for item in passes)
    assert all(callable(load_target(item.instead)) for item in passes if item.instead)
    assert len({item.name for item in passes}) == len(passes)


def test_limits_are_listed_for_every_pass() -> None:
    listed = list(list_limits())
    assert sum(not line.startswith(" ") for line in listed) == len(PAGE_PASSES) + len(DOCUMENT_PASSES)
    assert any("HeadingThresholds.heading = 0.1" in line for line in listed)


@pytest.mark.parametrize("seed", range(25))
def test_pass_before_its_columns_are_written_is_reported(seed: int) -> None:
    moved = random.Random(seed).choice([item for item in PAGE_PASSES if set(item.reads) - set(PAGE_INPUTS)])
    others = [item for item in PAGE_PASSES if item is not moved]
    assert find_disorder((*PAGE_PASSES,), PAGE_INPUTS) == []
    assert any(fault.startswith(f"{moved.name} reads") for fault in find_disorder((moved, *others), PAGE_INPUTS))


class WatchedMarks(PageMarks):
    """Marks that note which of their fields are read, except to copy them."""

    read: set[str] = set()  # noqa: RUF012 - one for all

    def __getattribute__(self, name: str) -> Any:
        if sys._getframe(1).f_code.co_name != "replace":
            WatchedMarks.read.add(name)
        return super().__getattribute__(name)


class Watcher:
    """Runs passes and keeps what they read and change without having declared it."""

    def __init__(self) -> None:
        self.faults: dict[str, set[str]] = defaultdict(set)
        self.ran: set[str] = set()

    def run(self, item: Pass, record: object) -> None:
        if not isinstance(record, PageColumns):
            item.apply(record, item.load())
            return
        before, texts = self._list_columns(record), self._write_lines(record)
        WatchedMarks.read = set()
        item.apply(record, item.load())
        read = WatchedMarks.read & {field.name for field in fields(PageMarks)}
        self.ran.add(item.name)
        declared = {*item.reads, *item.writes}
        if not declared & {"marks", "upright"}:
            known = {column.partition(".")[2] for column in declared if column.startswith(("marks.", "upright."))}
            self.faults[item.name] |= {f"reads {name}" for name in read - known}
        roots = {column.partition(".")[0] for column in item.writes}
        for column, value in self._list_columns(record).items():
            root, _, name = column.partition(".")
            same = {column, root if root in item.writes else "", f"marks.{name}", f"upright.{name}"}
            if value != before.get(column, value) and not same & {*item.writes, *(roots if not name else ())}:
                self.faults[item.name].add(f"writes {column}")
        now = self._write_lines(record)
        if any(texts[key] != now.get(key, texts[key]) for key in texts) and not LINES & {*item.writes}:
            self.faults[item.name].add("changes lines")

    @staticmethod
    def _list_columns(page: PageColumns) -> dict[str, object]:
        """Identities of the values in each column, by its name."""
        columns: dict[str, object] = {}
        for field in fields(page):
            value = getattr(page, field.name)
            if isinstance(value, PageMarks):
                inner = {f"{field.name}.{name}": getattr(value, name) for name in PageMarks.__slots__}
                columns |= {name: flatten(part) for name, part in inner.items()} | {field.name: id(value)}
            elif field.name not in UNSEEN:
                columns[field.name] = flatten(value)
        return columns

    @staticmethod
    def _write_lines(page: PageColumns) -> dict[int, str]:
        return {id(line): repr(line) for line in (*page.marks.lines, *page.upright.lines)}


def flatten(value: object) -> object:
    """The values of a list or dict by identity, so that a change of the container shows."""
    if isinstance(value, list):
        return [
            flatten(part) if isinstance(part, list) else part if isinstance(part, tuple) else id(part) for part in value
        ]
    return dict(value) if isinstance(value, dict) and all(isinstance(key, int) for key in value) else id(value)


@pytest.fixture
def watcher(monkeypatch: pytest.MonkeyPatch) -> Watcher:
    watching = Watcher()
    monkeypatch.setattr(pdf_marks, "PageMarks", WatchedMarks)
    monkeypatch.setattr(Steps, "recorder", watching)
    return watching


def test_passes_read_and_write_only_declared_columns(watcher: Watcher) -> None:
    for data in list_documents():
        document = open_document(data, ReadOptions(ocr=OcrMode.NEVER, second_opinion=True))
        for number in document.facts.page_numbers:
            document.read_page(number)
    assert {name: sorted(faults) for name, faults in watcher.faults.items() if faults} == {}
    assert len(watcher.ran) >= 60
