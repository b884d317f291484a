"""A page of pictures with a few words of text: the words stay, what was recognised elsewhere is added."""

from quire.models.cdom.ports import RecognisedPage, Word
from quire.models.cdom.tree import BlockType, Route
from quire.models.extract.contract import PageBlock, PageContent
from quire.models.extract.pipeline.plan import PICTURE_TEXT
from quire.models.extract.pipeline.recognised import apply_recognition

TITLE = PageBlock(type=BlockType.PARAGRAPH, text="A title in the text layer", bbox=(50, 50, 250, 64))
PICTURE = PageBlock(type=BlockType.PICTURE, bbox=(0, 0, 400, 600), asset_ref="p1-0-0-400-600")


def recognise(reason: str) -> PageContent:
    words = (
        Word(text="A tit1e in the text layer", bbox=(51, 51, 249, 63), confidence=0.8, line=0),
        Word(text="Drawn words", bbox=(100, 300, 220, 316), confidence=0.9, line=1),
    )
    page = RecognisedPage(number=1, words=words, engine="test", model=None, version="1")
    content = PageContent(number=1, width=400, height=600, reason=reason, blocks=(TITLE, PICTURE))
    return apply_recognition(content, page)


def test_text_layer_of_picture_page_stays_and_is_not_read_twice() -> None:
    read = recognise(PICTURE_TEXT)
    assert [block.text for block in read.blocks] == ["A title in the text layer", "", "Drawn words"]
    assert read.route is Route.OCR


def test_the_text_layer_of_other_pages_is_replaced() -> None:
    assert [block.text for block in recognise("hidden-text").blocks] == ["A tit1e in the text layer", "Drawn words"]


def test_text_layer_words_on_a_picture_are_not_read_twice() -> None:
    cover = PageBlock(type=BlockType.PICTURE, bbox=(0, 0, 400, 600), text="THE POWER OF STORIES\nFor leaders")
    words = (
        Word(text="POWER", bbox=(60, 400, 120, 420), confidence=1.0, line=0),
        Word(text="OFSTORIES", bbox=(130, 400, 220, 420), confidence=1.0, line=0),
        Word(text="Vision", bbox=(100, 30, 160, 50), confidence=1.0, line=1),
    )
    page = RecognisedPage(number=1, words=words, engine="test", model=None, version="1")
    content = PageContent(number=1, width=400, height=600, reason=PICTURE_TEXT, blocks=(cover,))
    read = apply_recognition(content, page)
    assert [(block.type, block.text) for block in read.blocks] == [
        (BlockType.PICTURE, cover.text),
        (BlockType.PARAGRAPH, "Vision"),
    ]
