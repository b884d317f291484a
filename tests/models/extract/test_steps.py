"""A fault of ours costs one step: for every optional step, a page is kept when the step raises."""

import ast
import importlib
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import NoReturn

import numpy as np
import pytest

from quire.models.cdom.errors import ResourceLimit
from quire.models.cdom.original import ReadOptions
from quire.models.cdom.ports import RecognisedPage, Word
from quire.models.cdom.tree import PageStatus, Tree
from quire.models.extract.contract import PageContent
from quire.models.extract.formats.pdf.engine import pymupdf
from quire.models.extract.pipeline import recognised
from quire.models.extract.pipeline.passes import LAYOUT, LAYOUT_PASSES, PAGE_PASSES
from quire.models.extract.pipeline.recognised import apply_recognition
from quire.models.extract.registry import open_document
from quire.models.extract.steps import STEP_FAILED, StepFailed, Steps, read_in_steps
from tests.conftest import FaultInStep
from tests.models.extract.formats.pdf.paper import LOREM, Paper, read_tree
from tests.models.extract.formats.pdf.tagged import Element, Words, make_tagged
from tests.models.extract.layout.chart_makers import STYLES, make_pdf, make_spec
from tests.models.extract.passes import find_pass

ROOT = Path(__file__).parents[3]
FAULTS: tuple[Callable[[], object], ...] = (
    lambda: np.concatenate([np.zeros((1, 2)), np.zeros((2, 2))], axis=1),
    lambda: next(iter(())),
    lambda: dict[str, int]()["missing"],
    lambda: LOREM[: len(LOREM)][len(LOREM)],
    lambda: None.missing,  # type: ignore[attr-defined]
    lambda: 1 / 0,
    lambda: "ä".encode("ascii"),
    lambda: pymupdf.open(stream=b"", filetype="pdf"),
    lambda: (_ for _ in ()).throw(Exception("bad PDF")),
    lambda: (_ for _ in ()).throw(RecursionError),
)
"""Ways to fail that were met or are likely: numpy, an empty iterator, Python's own errors, the engine's wrapper."""


@dataclass(frozen=True)
class Site:
    """A call of an optional step: its name, and the function that it calls, as the module names it."""

    step: str
    module: str
    function: str


def find_sites() -> Iterator[Site]:
    """Every call of `Steps.run` in the readers."""
    for path in sorted((ROOT / "models/extract").rglob("*.py")):
        for call in ast.walk(ast.parse(path.read_text())):
            if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and len(call.args) > 2):
                continue
            name, step = call.args[0], call.args[2]
            if call.func.attr == "run" and isinstance(name, ast.Constant) and isinstance(step, ast.Name):
                yield Site(str(name.value), "quire." + ".".join(path.relative_to(ROOT).with_suffix("").parts), step.id)


SITES = sorted(set(find_sites()), key=lambda site: (site.module, site.step, site.function))
PASSES = [item.name for item in PAGE_PASSES if item.fails == item.name]
UNREACHED = {
    "returned-letters", "parted-lines", "opinion", "line-numbers", "numbered-lines", "number-block", "stamps",
    "garbled-text", "formula-lines", "find_fold", "add_fields", "slanted-text", "icon-blocks",
    "table-parts",
}  # fmt: skip
"""Passes and functions that only recognised pages, garbled fonts and rare pages need."""


def make_form() -> bytes:
    """A page with prose, a table, a picture, a link, a note, a field and an attached file."""
    paper = Paper()
    paper.text(50, 40, "Harbour report", size=16)
    paper.prose(50, 70, 6)
    for row in range(4):
        paper.rule(50, 170 + 15 * row, 350, 170 + 15 * row)
        if row < 3:
            paper.text(55, 181 + 15 * row, f"Quay {row}").text(200, 181 + 15 * row, f"{row * 17}")
    for x in (50, 195, 350):
        paper.rule(x, 170, x, 215)
    paper.picture(50, 230, 150, 280)
    paper.prose(50, 310, 5)
    page = paper.page
    page.insert_link({"kind": pymupdf.LINK_URI, "from": pymupdf.Rect(50, 60, 200, 75), "uri": "https://example.org"})
    page.add_text_annot((380, 40), "a note")  # a note in a window of its own
    widget = pymupdf.Widget()
    widget.rect, widget.field_name, widget.field_value = pymupdf.Rect(50, 420, 200, 436), "ship", "Margarethe"
    widget.field_type = pymupdf.PDF_WIDGET_TYPE_TEXT
    page.add_widget(widget)
    paper.file.embfile_add("plan", b"x", filename="plan.txt")
    paper.text(50, 470, "bad \x01\x02 signs")
    return paper.save()


def make_tagged_page() -> bytes:
    """A tagged page with a heading, prose and a table."""
    prose = Element("P", [Words(50, 80 + 12 * row, LOREM[55 * row : 55 * row + 52]) for row in range(3)])
    cells = [Element("TR", [Element("TD", [Words(x, y, f"cell {x} {y}")]) for x in (50, 200)]) for y in (150, 165, 180)]
    return make_tagged([Element("H1", [Words(50, 50, "Scope of the work", size=16)]), prose, Element("Table", cells)])


def words_of(tree: Tree) -> set[str]:
    """All words of a tree, of which those at line ends may be joined."""
    cells = [cell.text for block in tree.blocks if block.table for cell in block.table.cells]
    return set(" ".join([*(block.text for block in tree.blocks), *cells]).split())


CHART = make_spec("bar", 1)
DOCUMENTS = {"form": make_form(), "tagged": make_tagged_page(), "chart": make_pdf(CHART, STYLES[0])}
MUST_STAY = {
    "form": {"report", "Quay", "quick", "village"},
    "tagged": {"Scope", "quick", "cell"},
    "chart": set(CHART.title.split()),
}


@pytest.mark.usefixtures("steps_may_fail")
@pytest.mark.parametrize("site", SITES, ids=lambda site: f"{site.step}-{site.function}")
def test_page_is_kept_when_a_step_raises(monkeypatch: pytest.MonkeyPatch, site: Site) -> None:
    fail, calls = make_fault(f"{site.step} {site.function}")
    module: ModuleType = importlib.import_module(site.module)
    monkeypatch.setattr(module, site.function, fail)
    check_documents(site.step, calls)
    assert calls or site.function in UNREACHED


@pytest.mark.usefixtures("steps_may_fail")
@pytest.mark.parametrize("name", PASSES)
def test_page_is_kept_when_a_pass_raises(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    fail, calls = make_fault(name)
    monkeypatch.setattr(find_pass(name), "function", fail)
    check_documents(name, calls)
    assert calls or name in UNREACHED


def make_fault(seed: str) -> tuple[Callable[..., NoReturn], list[int]]:
    """A function that fails, and a list with an entry for each call of it."""
    fault, calls = random.Random(seed).choice(FAULTS), []

    def fail(*args: object, **kwargs: object) -> NoReturn:
        calls.append(1)
        fault()
        raise AssertionError("the fault did not raise")

    return fail, calls


def check_documents(step: str, calls: list[int]) -> None:
    """Read all documents: their words stay, and those that called the step warn."""
    for name, data in DOCUMENTS.items():
        before = len(calls)
        tree = read_tree(data, second_opinion=True, words=True)
        codes = {warning.code for warning in tree.warnings}
        assert [page.status for page in tree.pages] == [PageStatus.OK]
        assert words_of(tree) >= MUST_STAY[name]
        assert {block.provenance.engine.partition("+")[0] for block in tree.blocks} == {"mupdf"}
        assert ({STEP_FAILED, f"step-{step}"} <= codes) == (len(calls) > before)


@pytest.mark.usefixtures("steps_may_fail")
@pytest.mark.parametrize("name", [item.name for item in LAYOUT_PASSES if item.fails == LAYOUT])
def test_lines_are_paragraphs_when_a_needed_pass_raises(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    fail, calls = make_fault(name)
    monkeypatch.setattr(find_pass(name), "function", fail)
    check_documents(LAYOUT, calls)
    assert calls or name in {"entries", "mirrored-back", "turned-back"}


def test_enough_steps_are_injected_with_faults() -> None:
    assert len({*PASSES, *(site.step for site in SITES)}) >= 60


@pytest.mark.usefixtures("steps_may_fail")
def test_recognised_page_is_kept_when_a_step_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    words = tuple(
        Word(text=f"word{n}", bbox=(50, 50 + 20 * n, 120, 62 + 20 * n), confidence=0.9, line=n) for n in range(5)
    )
    page = RecognisedPage(number=1, words=words, engine="test", model=None, version="1")
    blank = PageContent(number=1, width=400, height=600)
    for owner, name in ((recognised, "find_fold"), (find_pass("tables"), "function")):
        with monkeypatch.context() as patched:
            patched.setattr(owner, name, next(iter([lambda *_: 1 / 0])))
            content = apply_recognition(blank, page)
        assert STEP_FAILED in content.warnings
        assert "word4" in " ".join(block.text for block in content.blocks)


@pytest.mark.usefixtures("steps_may_fail")
def test_several_failing_steps_are_all_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("tables", "relations", "formulas"):
        monkeypatch.setattr(find_pass(name), "function", 7)
    read = open_document(DOCUMENTS["form"], ReadOptions()).read_page(1)
    named = {warning for warning in read.content.warnings if warning.startswith("step-")}
    assert named == {STEP_FAILED, "step-tables", "step-relations", "step-formulas"}
    assert "step tables: TypeError at models/extract/steps.py:" in (read.fault or "")


@pytest.mark.usefixtures("steps_may_fail")
def test_step_that_changed_half_of_the_page_leaves_it_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    good = {block.text for block in read_tree(DOCUMENTS["form"]).blocks}

    def spoil(marks: object, *args: object) -> None:
        for line in getattr(marks, "lines", ()):
            line.text = "spoilt"
        raise ValueError

    monkeypatch.setattr(find_pass("strikes"), "function", spoil)
    tree = read_tree(DOCUMENTS["form"])
    assert "step-strikes" in {warning.code for warning in tree.warnings}
    assert {block.text for block in tree.blocks} == good


@pytest.mark.usefixtures("steps_may_fail")
def test_memory_error_in_a_step_is_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find_pass("tables"), "function", lambda *_: bytearray(1 << 62))
    with pytest.raises(ResourceLimit):
        open_document(DOCUMENTS["form"], ReadOptions()).read_page(1)


def test_limit_that_a_step_reports_is_not_left_out() -> None:
    def exceed() -> None:
        raise ResourceLimit("memory")

    with pytest.raises(ResourceLimit):
        read_in_steps(lambda steps: steps.run("any", None, exceed))


def test_failing_step_ends_the_reading_in_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find_pass("tables"), "function", 7)
    with pytest.raises(FaultInStep):
        open_document(DOCUMENTS["form"], ReadOptions()).read_page(1)


def test_step_outside_a_reading_raises_with_its_cause() -> None:
    with pytest.raises(StepFailed) as caught:
        Steps().run("any", None, lambda: 1 / 0)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
