"""Other documents inside a Word file: pages, rich text, Word files, text; pictures in them; what is refused."""

import pytest

from quire.models.cdom.errors import ResourceLimit
from quire.models.cdom.tree import BlockType
from quire.models.export.markdown import tree_to_markdown
from quire.models.extract.formats.word.docx import wordfile as chunks
from tests.models.extract.flow_trees import read_tree
from tests.models.extract.formats.word.docx.files import PNG, make_docx, paragraph

PAGE = b"<html><body><h2>Inner head</h2><ul><li>inner item</li></ul></body></html>"
SAVED = (
    b"From: <Saved by Blink>\nSnapshot-Content-Location: x\nMIME-Version: 1.0\n"
    b"Content-Type: multipart/related; boundary=B\n\n--B\nContent-Type: text/html\n\n"
    b'<p>Saved</p><img src="cid:p" alt="lion">\n--B\nContent-Type: image/png\nContent-ID: <p>\n'
    b"Content-Transfer-Encoding: binary\n\n" + PNG + b"\n--B--\n"
)


def with_chunk(data: bytes, *, name: str = "afchunk.bin", target: str = "", times: int = 1) -> bytes:
    body = paragraph("before") + '<w:altChunk r:id="c1"/>' * times + paragraph("after")
    return make_docx(body, relations=[("c1", "aFChunk", target or name)], files={f"word/{name}": data})


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (PAGE, [("heading", "Inner head"), ("list_item", "inner item")]),
        (rb"{\rtf1\ansi rich text\par}", [("paragraph", "rich text")]),
        (make_docx(paragraph("inner word")), [("paragraph", "inner word")]),
        (b"plain words of another\n", [("paragraph", "plain words of another")]),
    ],
)
def test_a_document_inside_stands_in_its_place(data: bytes, expected: list[tuple[str, str]]) -> None:
    tree = read_tree(with_chunk(data))
    assert [(block.type.value, block.text) for block in tree.blocks] == [
        ("paragraph", "before"), *expected, ("paragraph", "after"),
    ]  # fmt: skip
    assert (tree.blocks[1].provenance.path or "").startswith("word/afchunk.bin")
    assert tree.warnings == ()
    assert "before\n\n" in tree_to_markdown(tree)


def test_pictures_of_a_page_inside_come_along() -> None:
    tree = read_tree(with_chunk(SAVED))
    assert [block.text for block in tree.blocks] == ["before", "Saved", "lion", "after"]
    assert [block.asset_ref for block in tree.blocks if block.type is BlockType.PICTURE] == ["image-1.png"]


@pytest.mark.parametrize(
    "data",
    [
        with_chunk(PAGE),
        b"%PDF-1.4 a page",
        b"PK\x03\x04 broken",
        b"\x00\x01\x02",
        b"",
    ],
)
def test_nested_or_unreadable_chunk_gets_a_warning(data: bytes) -> None:
    tree = read_tree(with_chunk(data))
    assert [block.text for block in tree.blocks][:: len(tree.blocks) - 1] == ["before", "after"]
    assert "Inner head" not in tree_to_markdown(tree)
    assert [warning.code for warning in tree.warnings] == ["embedded-document"]


def test_a_document_outside_is_never_fetched_and_their_number_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = read_tree(with_chunk(PAGE, target="http://127.0.0.1/x.html"))
    assert [warning.code for warning in tree.warnings] == ["embedded-document"]
    monkeypatch.setattr(chunks, "MAX_CHUNKS", 1)
    assert len(read_tree(with_chunk(PAGE)).blocks) == 4
    with pytest.raises(ResourceLimit):
        read_tree(with_chunk(PAGE, times=2))
