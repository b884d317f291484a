"""Plugins are loaded by name only, and the example of docs/examples/plugin is one."""

import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from quire.actors.sandbox.limits import SandboxLimits
from quire.cluster.compose.plugins import Detectors, load_plugins
from quire.cluster.errors import StartRefused
from quire.models.cdom.tree import BlockType, Tree
from quire.models.neural.embed.tokenizer import load_tokenizer
from quire.models.pii.flagging.flag import flag_tree
from quire.models.pii.patterns.kind_patterns import RegexDetector
from quire.storage.store import Store
from tests.api.harness import PDF, client_of, files, make_resources, reading, serving
from tests.builders import make_block, make_tree

EXAMPLE = Path(__file__).parents[3] / "docs" / "examples" / "plugin"
POINTS = [
    EntryPoint("outline", "quire_outline:OUTLINE", "quire.exports"),
    EntryPoint("staff-numbers", "quire_outline:StaffNumbers", "quire.pii"),
    EntryPoint("docx", "quire_outline:write_outline", "quire.readers"),
    EntryPoint("scribe", "quire_outline:StaffNumbers", "quire.ocr"),
    EntryPoint("broken", "no_such_module:x", "quire.exports"),
]


@pytest.fixture(autouse=True)
def example(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(EXAMPLE)
    yield
    sys.modules.pop("quire_outline", None)


def tree(*texts: str) -> Tree:
    heading, *others = texts
    return make_tree(
        make_block(BlockType.HEADING, heading, level=1), *(make_block(BlockType.PARAGRAPH, text) for text in others)
    )


def test_nothing_is_imported_that_is_not_named() -> None:
    assert load_plugins((), POINTS) == load_plugins((), [])
    load_plugins(["outline"], POINTS)
    assert "quire_outline" in sys.modules
    assert load_plugins(["outline"], POINTS).detectors == []


def test_each_group_finds_its_place() -> None:
    plugins = load_plugins(["outline", "staff-numbers", "docx", "scribe"], POINTS)
    assert plugins.readers == {"docx": "quire_outline:write_outline"}
    assert list(plugins.exports) == ["outline"]
    assert [detector.name for detector in plugins.detectors] == ["staff-numbers"]
    assert plugins.make_recogniser is not None
    limits = SandboxLimits(readers=plugins.readers)
    assert SandboxLimits.load(limits.dump()) == limits


@pytest.mark.parametrize(
    ("allowed", "points"),
    [
        (["nobody"], POINTS),
        (["broken"], POINTS),
        (["*"], POINTS),
        (["wpd"], [EntryPoint("wpd", "quire_outline:write_outline", "quire.readers")]),
        (["x"], [EntryPoint("x", "quire_outline:StaffNumbers", "quire.exports")]),
        (["a", "b"], [EntryPoint(name, "quire_outline:StaffNumbers", "quire.ocr") for name in "ab"]),
    ],
)
def test_invalid_plugin_refuses_the_start(allowed: list[str], points: list[EntryPoint]) -> None:
    with pytest.raises(StartRefused, match="SVC_PLUGINS"):
        load_plugins(allowed, points)


def test_example_detector_works_together_with_the_built_in_one() -> None:
    detectors = Detectors([RegexDetector(), *load_plugins(["staff-numbers"], POINTS).detectors])
    flagged = flag_tree(tree("Staff", "EMP-123456 writes ann@example.com"), detector=detectors)
    assert set(flagged.blocks[1].flags) >= {"pii:email", "pii:national_id"}


def test_the_examples_export_writes_headings() -> None:
    export = load_plugins(["outline"], POINTS).exports["outline"]
    assert export.write(tree("One", "text"), load_tokenizer()) == "One\n"


async def test_an_export_of_a_plugin_is_served_and_any_other_is_404(store: Store, dsn: str) -> None:
    resources = make_resources(store, dsn=dsn, exports=load_plugins(["outline"], POINTS).exports)
    async with serving(resources) as app, client_of(app) as caller:
        with reading(store):
            body = (await caller.post("/v1/parse", files=files(PDF, part="file"))).json()
        at = f"/v1/jobs/{body['job']['id']}/documents/{body['tree']['document_id']}/export/plugin"
        assert (await caller.get(f"{at}/outline")).status_code == 200
        assert (await caller.get(f"{at}/other")).status_code == 404
