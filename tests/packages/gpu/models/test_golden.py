"""Published or documented answers of each model through prompt, parser and Markdown, against kept results.

Each file of `golden` names the origin of its answers. `python -m tests.packages.gpu.models.test_golden` writes the
results again after a change that is meant to alter them; read the difference before you commit it.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from quire.actors.sandbox.assemble_document import finish_tree
from quire.actors.vlm.models.contract import Answer, PageRegion
from quire.actors.vlm.models.dots import PROMPT as DOTS_PROMPT
from quire.actors.vlm.models.registry import ARCHITECTURES, HUB_NAMES, VLM_MODELS, load_model
from quire.models.cdom.original import Format, ReadOptions
from quire.models.cdom.ports import PictureKind, PixelPage, RecognisedBlock, RecognisedPage
from quire.models.cdom.tree import BlockType, Source
from quire.models.export.markdown import tree_to_markdown
from quire.models.extract.contract import DocumentFacts, PageContent
from quire.models.extract.pipeline.recognised import apply_recognition
from tests.packages.gpu.models.pages import make_page

GOLDEN = Path(__file__).parent / "golden"
REGISTERED = (GOLDEN / "vllm-0.33.0-architectures.txt").read_text().split()
PAGE = make_page(840, 1092)
"""A picture that the grid of dots leaves as it is."""


def read_golden(name: str) -> dict[str, Any]:
    golden: dict[str, Any] = json.loads((GOLDEN / f"{name}.json").read_text("utf-8"))
    return golden


def make_region(facts: dict[str, Any]) -> PageRegion:
    """A region whose box is in thousandths of the page."""
    x0, y0, x1, y1 = (side / 1000 for side in facts["bbox"])
    return PageRegion(
        type=BlockType(facts["type"]),
        bbox=(x0 * PAGE.width, y0 * PAGE.height, x1 * PAGE.width, y1 * PAGE.height),
        picture=PictureKind(facts["picture"]) if "picture" in facts else None,
    )


def read_page(name: str, golden: dict[str, Any]) -> tuple[list[str], list[RecognisedBlock]]:
    model, regions = load_model(name), [make_region(facts) for facts in golden["regions"]]
    asks = model.ask(PAGE, regions)
    return [ask.prompt for ask in asks], model.read(PAGE, regions, asks, [Answer(text=a) for a in golden["answers"]])


def outline_blocks(blocks: list[RecognisedBlock]) -> list[list[Any]]:
    return [
        [block.type.value, block.level, block.text or None, block.bbox and [round(side, 1) for side in block.bbox]]
        + ([[cell.row, cell.col, cell.row_span, cell.col_span, cell.header, cell.text] for cell in block.table.cells]
           if block.table else [])
        for block in blocks
    ]  # fmt: skip


def write_markdown(page: PixelPage, blocks: list[RecognisedBlock]) -> str:
    recognised = RecognisedPage(number=1, words=(), blocks=tuple(blocks), engine="vllm", model="m", version="1")
    content = apply_recognition(PageContent(number=1, width=page.width, height=page.height), recognised)
    source = Source(format="png", sha256="0" * 64, bytes=1)
    facts = DocumentFacts(format=Format.PNG, page_count=1, page_numbers=(1,))
    tree = finish_tree(facts, [content], source=source, options=ReadOptions())
    return tree_to_markdown(tree)


@pytest.mark.parametrize("name", VLM_MODELS)
def test_answer_becomes_the_kept_blocks_and_markdown(name: str) -> None:
    golden = read_golden(name)
    prompts, blocks = read_page(name, golden)
    assert prompts == [DOTS_PROMPT if prompt == "$DOTS" else prompt for prompt in golden["prompts"]]
    assert outline_blocks(blocks) == golden["blocks"]
    assert write_markdown(PAGE, blocks) == golden["markdown"]
    assert golden["origin"] in ("published", "documented", "published and documented")
    assert golden["source"]


def test_every_model_has_a_checkpoint_and_a_registered_architecture() -> None:
    assert set(HUB_NAMES) == set(ARCHITECTURES) == set(VLM_MODELS)
    assert set(ARCHITECTURES.values()) <= set(REGISTERED)


if __name__ == "__main__":
    for model in VLM_MODELS:
        kept = read_golden(model)
        _, made = read_page(model, kept)
        kept |= {"blocks": outline_blocks(made), "markdown": write_markdown(PAGE, made)}
        (GOLDEN / f"{model}.json").write_text(json.dumps(kept, ensure_ascii=False, indent=1) + "\n", "utf-8")
