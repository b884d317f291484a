from quire.models.cdom.ports import RecognisedBlock, RecognisedPage
from quire.models.cdom.tree import BlockType, Route
from quire.models.extract.contract import PageContent
from quire.models.extract.pipeline.recognised import apply_recognition

PAGE = PageContent(number=2, width=600, height=800, warnings=("seen",))


def recognised(*blocks: RecognisedBlock) -> RecognisedPage:
    return RecognisedPage(
        number=2, words=(), blocks=blocks, warnings=("not-reproducible",), engine="vllm", model="dots", version="1"
    )


def test_blocks_of_a_recogniser_that_lays_out_are_taken_as_they_are() -> None:
    page = apply_recognition(
        PAGE,
        recognised(
            RecognisedBlock(type=BlockType.HEADING, text="Head", level=2, bbox=(10, 10, 90, 30)),
            RecognisedBlock(type=BlockType.PICTURE, bbox=(-5, 700, 900, 801)),
            RecognisedBlock(type=BlockType.PARAGRAPH, text="Text", confidence=0.5),
        ),
    )
    assert (page.route, page.engine, page.model) == (Route.VLM, "vllm", "dots")
    assert page.warnings == ("seen", "not-reproducible")
    assert page.confidence == 0.75
    assert [(block.type, block.bbox) for block in page.blocks] == [
        (BlockType.HEADING, (10, 10, 90, 30)),
        (BlockType.PICTURE, (0, 700, 600, 800)),
        (BlockType.PARAGRAPH, None),
    ]
    assert page.blocks[0].level == 2
    assert page.blocks[1].asset_ref is None


def test_a_page_read_as_empty_is_an_empty_page() -> None:
    page = apply_recognition(PAGE, recognised())
    assert (page.blocks, page.confidence, page.status.value) == ((), 0.0, "ok")
