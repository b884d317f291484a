"""Stored trees: a long one is read piece by piece and is the same tree."""

from dataclasses import replace

import pytest
from pydantic import TypeAdapter, ValidationError

from quire.models.cdom import tree as module
from quire.models.cdom.tree import (
    Block,
    BlockType,
    DamagedTree,
    Span,
    Tree,
    Warning,
    dump_tree,
    load_tree,
    tree_adapter,
)
from tests.builders import make_block, make_tree, table_block

MARKS = ('},{"id":"b1"', '"blocks":[', '],"warnings":[', "\\", '"', "\x00\n é 苹果")


def _long_tree() -> Tree:
    texts = [make_block(BlockType.PARAGRAPH, mark * 3, spans=(Span(start=0, end=1, bold=True),)) for mark in MARKS]
    tree = make_tree(*texts * 20, table_block([["a", MARKS[0]], ["b", MARKS[2]]]), title=MARKS[1])
    return replace(tree, warnings=(Warning(code="x"),))


@pytest.mark.parametrize("piece", [1, 300, 5_000])
def test_a_tree_read_in_pieces_is_the_tree(monkeypatch: pytest.MonkeyPatch, piece: int) -> None:
    stored = dump_tree(_long_tree())
    monkeypatch.setattr(module, "PIECE_BYTES", piece)
    assert load_tree(stored) == tree_adapter().validate_json(stored) == _long_tree()


def test_invalid_tree_is_refused_with_the_place_of_the_error(monkeypatch: pytest.MonkeyPatch) -> None:
    stored = dump_tree(_long_tree())
    monkeypatch.setattr(module, "PIECE_BYTES", 300)
    broken = stored.replace(b'"order":7,', b'"order":"seven",')
    with pytest.raises(DamagedTree) as refused:
        load_tree(broken)
    assert isinstance(refused.value.__cause__, ValidationError)
    assert refused.value.__cause__.errors()[0]["loc"] == ("blocks", 7, "order")
    for nothing in (stored[:-400], b"[" * 400, b'"blocks":[],"warnings":[' * 20):
        with pytest.raises(DamagedTree):
            load_tree(nothing)


def test_a_tree_without_blocks_and_other_orders_of_its_fields_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PIECE_BYTES", 10)
    bare = make_tree()
    turned = b'{"blocks":[],' + dump_tree(bare)[1:].replace(b'"blocks":[],', b"")
    assert load_tree(dump_tree(bare)) == load_tree(turned) == bare


class _Recorder:
    """The adapter of blocks, with the size of every piece it was given."""

    def __init__(self, adapter: TypeAdapter[list[Block]]) -> None:
        self._adapter, self.sizes = adapter, list[int]()

    def validate_json(self, piece: bytes) -> list[Block]:
        self.sizes.append(len(piece))
        return self._adapter.validate_json(piece)


def test_no_piece_of_a_long_tree_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = _Recorder(TypeAdapter(list[Block]))
    monkeypatch.setattr(module, "_blocks_adapter", lambda: recorder)
    text = "word " * 200
    stored = dump_tree(make_tree(*[make_block(BlockType.PARAGRAPH, text)] * 2_000))
    assert len(load_tree(stored).blocks) == 2_000
    assert max(recorder.sizes) < module.PIECE_BYTES + 2 * len(text)
    assert len(recorder.sizes) > len(stored) // module.PIECE_BYTES // 2
