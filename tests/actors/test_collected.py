"""False claims of a taken-over child are refused."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgpack
import pytest

from quire.actors.reading.partial_document import PartialDocument
from quire.actors.sandbox.assemble_document import finish_tree
from quire.actors.sandbox.frames import BadFrame, Frame, TooMuchOutput
from quire.actors.sandbox.limits import SandboxLimits
from quire.models.cdom.original import Format, ReadOptions
from quire.models.cdom.tree import Block, BlockId, BlockType, Source, Tree, dump_tree
from quire.models.extract.contract import DocumentFacts, PageBlock, PageContent, dump_facts, dump_page

OPTIONS = ReadOptions(max_pages=10, max_assets=2, max_asset_bytes=100)
SOURCE = Source(format="pdf", sha256="ab" * 32, bytes=5)
FACTS = DocumentFacts(format=Format.PDF, page_count=2, page_numbers=(1, 2))
BLOCK = PageBlock(type=BlockType.PARAGRAPH, text="text")
PAGES = [PageContent(number=number, width=10.0, height=10.0, blocks=(BLOCK,), engine="e") for number in (1, 2)]
TREE = finish_tree(FACTS, PAGES, source=SOURCE, options=OPTIONS)


def frame(**fields: Any) -> Frame:
    return Frame(msgpack.packb(fields))


@pytest.fixture
def collected() -> PartialDocument:
    collected = PartialDocument(SOURCE, OPTIONS, SandboxLimits(output_bytes=1000, pixel_bytes=100))
    collected.note_facts(frame(facts=dump_facts(FACTS)))
    return collected


def test_valid_frames_are_stored(collected: PartialDocument) -> None:
    collected.note_content(frame(number=1, data=dump_page(PAGES[0])), [1, 2])
    collected.note_asset(frame(name="p1-0.png", data=b"x"))
    assert collected.note_tree(frame(data=dump_tree(TREE))) == TREE
    assert collected.contents == {1: PAGES[0]}


@pytest.mark.parametrize(
    "facts",
    [
        replace(FACTS, page_numbers=(0, 1)),
        replace(FACTS, page_numbers=(1, 3)),
        replace(FACTS, page_numbers=(2, 1)),
        replace(FACTS, page_numbers=(1, 1)),
        replace(FACTS, page_count=50, page_numbers=tuple(range(1, 20))),
        replace(FACTS, format=Format.DOCX),
        replace(FACTS, page_count=3),
    ],
)
def test_false_facts_are_refused(collected: PartialDocument, facts: DocumentFacts) -> None:
    with pytest.raises(BadFrame):
        collected.note_facts(frame(facts=dump_facts(facts)))


@pytest.mark.parametrize(
    "fields",
    [
        {"number": 3, "data": dump_page(replace(PAGES[0], number=3))},
        {"number": 2, "data": dump_page(PAGES[0])},
        {"number": 1, "data": b"{"},
        {"number": "1", "data": dump_page(PAGES[0])},
        {"number": 1},
    ],
)
def test_false_pages_are_refused(collected: PartialDocument, fields: dict[str, Any]) -> None:
    with pytest.raises(BadFrame):
        collected.note_content(frame(**fields), [1, 2])


@pytest.mark.parametrize("name", ["../x", "a/b", "", ".hidden", "a" * 200, "a\n", "ü"])
def test_asset_names_are_plain(collected: PartialDocument, name: str) -> None:
    with pytest.raises(BadFrame):
        collected.note_asset(frame(name=name, data=b""))


def test_assets_pages_and_pixels_are_counted(collected: PartialDocument) -> None:
    with pytest.raises(TooMuchOutput):
        collected.note_asset(frame(name="a", data=bytes(101)))
    with pytest.raises(TooMuchOutput):
        collected.note_pixels(frame(number=1, data=bytes(101), width=1.0, height=1.0), [1])
    large = replace(PAGES[0], reason="r" * 2000)
    with pytest.raises(TooMuchOutput):
        collected.note_content(frame(number=1, data=dump_page(large)), [1, 2])


def _second_block(**changes: Any) -> Tree:
    blocks: tuple[Block, ...] = (TREE.blocks[0], replace(TREE.blocks[1], **changes))
    return replace(TREE, blocks=blocks)


@pytest.mark.parametrize(
    "forge",
    [
        lambda: dump_tree(replace(TREE, source=replace(SOURCE, sha256="cd" * 32))),
        lambda: dump_tree(replace(TREE, provenance=replace(TREE.provenance, options_hash="0"))),
        lambda: dump_tree(replace(TREE, pages=TREE.pages[:1])),
        lambda: dump_tree(_second_block(order=5)),
        lambda: dump_tree(_second_block(id=BlockId("b0"))),
        lambda: dump_tree(_second_block(page=7)),
        lambda: dump_tree(_second_block(parent=BlockId("b9"))),
        lambda: dump_tree(TREE).replace(b'{"source"', b'{ "source"'),
        lambda: dump_tree(TREE)[:-1],
        lambda: b"null",
    ],
)
def test_forged_trees_are_refused(collected: PartialDocument, forge: Callable[[], bytes]) -> None:
    with pytest.raises(BadFrame):
        collected.note_tree(frame(data=forge()))


@pytest.mark.parametrize(
    "body", [b"", b"\xc1", b"\x93\x01\x02\x03", b"\x81\x01\x02", b"\x91" * 5000, b"\xdf\xff\xff\xff\xff"]
)
def test_invalid_message_is_refused(body: bytes) -> None:
    with pytest.raises(BadFrame):
        Frame(body)
