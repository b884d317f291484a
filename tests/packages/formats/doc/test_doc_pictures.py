"""Pictures of Word 97 files: in the text, floating, in cells, packed, outside, and lengths that lie."""

import struct
import zlib

import pytest

from quire.models.cdom.errors import ResourceLimit
from quire.models.cdom.original import ReadOptions
from quire.models.cdom.tree import BlockType
from quire.models.extract.contract import PageRead
from quire.models.extract.registry import open_document
from quire.models.rare_formats.doc import pictures as doc_pictures
from tests.models.extract.flow_trees import of_type, read_tree
from tests.models.extract.formats.word.doc.words import FIRST_STORED, IN_TABLE, row, sprm, word

PNG = b"\x89PNG\r\n\x1a\n" + b"pixels"
SPECIAL = sprm(0x0855, b"\x01")


def record(kind: int, data: bytes, *, instance: int = 0, version: int = 0) -> bytes:
    return struct.pack("<HHI", instance << 4 | version, kind, len(data)) + data


def blip(kind: int = 0xF01E, data: bytes = PNG, instance: int = 0x6E0) -> bytes:
    return record(kind, bytes(16 * (1 + instance % 2)) + b"\xff" + data, instance=instance)


def metafile(kind: int, data: bytes, *, states: int | None = None, packing: int = 0) -> bytes:
    packed = data if packing else zlib.compress(data)
    head = struct.pack(
        "<I16xiiIBB", len(data) if states is None else states, 635_000, 317_500, len(packed), packing, 254
    )
    return record(kind, bytes(16) + head + packed, instance=0x3D4)


def properties(*pairs: tuple[int, int | bytes]) -> bytes:
    fixed = b"".join(
        struct.pack("<HI", code | (0x8000 if isinstance(value, bytes) else 0),
                    len(value) if isinstance(value, bytes) else value) for code, value in pairs
    )  # fmt: skip
    behind = b"".join(value for _, value in pairs if isinstance(value, bytes))
    return record(0xF00B, fixed + behind, instance=len(pairs), version=3)


def shape(number: int, *pairs: tuple[int, int | bytes]) -> bytes:
    return record(0xF004, record(0xF00A, struct.pack("<II", number, 0)) + properties(*pairs), version=15)


def entry(inside: bytes = b"", *, offset: int = 0) -> bytes:
    return record(0xF007, bytes(28) + struct.pack("<I4x", offset) + inside, instance=6, version=2)


def in_text(*records: bytes, kind: int = 0x64, states: int | None = None, name: bytes = b"") -> bytes:
    body = name + b"".join(records)
    return struct.pack("<IHH60x", 68 + len(body) if states is None else states, 68, kind) + body


def floats(*shapes: bytes, store: bytes = b"") -> bytes:
    """A table of drawings: its store, then one drawing with a group of all shapes."""
    top = record(0xF000, record(0xF001, store, version=15), version=15)
    group = record(0xF003, shape(1024) + b"".join(shapes), version=15)
    return top + b"\0" + record(0xF002, record(0xF008, bytes(8)) + group, version=15)


def at(place: int) -> bytes:
    return SPECIAL + sprm(0x6A03, struct.pack("<i", place))


def read(data: bytes) -> PageRead:
    return open_document(data, ReadOptions()).read_page(1)


def pictures(data: bytes) -> dict[str, bytes]:
    return dict(read(data).assets)


def test_inline_picture_follows_its_text_and_has_the_alternative_text() -> None:
    alt = "Ein\r\n Löwe\0".encode("utf-16-le")
    data = in_text(shape(7, (0x0104, 1), (0x0381, alt)), entry(blip()))
    file = word([("before \x01 after\r", 0, b""), ("next\r", 0, b"")], looks=[(7, 8, at(0))], data=data)
    tree = read_tree(file)
    assert [(block.type.value, block.text) for block in tree.blocks] == [
        ("paragraph", "before  after"), ("picture", "Ein Löwe"), ("paragraph", "next"),
    ]  # fmt: skip
    assert tree.blocks[1].parent == tree.blocks[0].id
    assert tree.blocks[1].asset_ref == "image-1.png"
    assert pictures(file) == {"image-1.png": PNG}


def test_a_picture_before_all_words_comes_first_and_one_alone_needs_none() -> None:
    data = in_text(shape(7), blip())
    looks = [(0, 1, at(0)), (6, 7, at(0))]
    tree = read_tree(word([("\x01text\r", 0, b""), ("\x01\r", 0, b"")], looks=looks, data=data))
    assert [block.type.value for block in tree.blocks] == ["picture", "paragraph", "picture"]
    assert {block.asset_ref for block in tree.blocks if block.type is BlockType.PICTURE} == {"image-1.png"}


def test_a_picture_in_a_cell_belongs_to_its_table() -> None:
    parts = [("a\x01\x07", 0, IN_TABLE), ("b\x07", 0, IN_TABLE), ("\x07", 0, row(0, 1000, 2000))]
    tree = read_tree(word(parts, looks=[(1, 2, at(0))], data=in_text(shape(7), blip())))
    table, picture = tree.blocks
    assert (table.type, picture.type, picture.parent) == (BlockType.TABLE, BlockType.PICTURE, table.id)


def test_floating_pictures_are_at_their_anchor_and_groups_together() -> None:
    group = record(0xF003, shape(30) + shape(31, (0x4104, 2)) + shape(32, (0x4104, 1)), version=15)
    second = blip(0xF01D, b"\xff\xd8jpeg", 0x46A)
    drawings = floats(shape(20, (0x4104, 1)), group, store=entry(offset=FIRST_STORED) + entry(second))
    parts = [("one\r", 0, b""), ("two\x08\r", 0, b""), ("\x08three\r", 0, b"")]
    looks = [(7, 8, SPECIAL), (9, 10, SPECIAL)]
    file = word(parts, looks=looks, drawings=drawings, anchors=[(7, 20), (9, 30)], stored=blip())
    tree = read_tree(file)
    assert [block.asset_ref or block.text for block in tree.blocks] == [
        "one", "two", "image-1.png", "image-2.jpg", "image-1.png", "three",
    ]  # fmt: skip
    assert pictures(file) == {"image-1.png": PNG, "image-2.jpg": b"\xff\xd8jpeg"}


def test_metafiles_are_unpacked_and_bitmaps_have_the_head_of_a_file() -> None:
    bitmap = struct.pack("<IiiHHI20x", 40, 1, 1, 1, 24, 0) + b"\x01\x02\x03\0"
    several = [
        in_text(shape(7), metafile(0xF01A, b"enhanced" * 50)), in_text(shape(7), metafile(0xF01B, b"windows" * 50)),
        in_text(shape(7), metafile(0xF01A, b"as it is", packing=254)), in_text(shape(7), blip(0xF01F, bitmap, 0x7A8)),
    ]  # fmt: skip
    looks = [(2 * number, 2 * number + 1, at(len(b"".join(several[:number])))) for number in range(4)]
    found = pictures(word([("\x01\r", 0, b"")] * 4, looks=looks, data=b"".join(several)))
    assert found["image-1.emf"] == b"enhanced" * 50
    assert found["image-2.wmf"][:14] == struct.pack("<IHhhhh", 0x9AC6CDD7, 0, 0, 0, 1000, 500)
    assert found["image-2.wmf"][22:] == b"windows" * 50
    assert found["image-3.emf"] == b"as it is"
    assert found["image-4.bmp"] == struct.pack("<2sIHHI", b"BM", 14 + len(bitmap), 0, 0, 54) + bitmap


def test_external_picture_is_named_and_shapes_without_picture_are_ignored() -> None:
    outside = in_text(shape(7, (0x0105, b"x\0\0\0")), kind=0x66, name=b"\x05a.png")
    line = in_text(shape(8, (0x01BF, 1)))
    looks = [(0, 1, at(0)), (2, 3, at(len(outside)))]
    tree = read_tree(word([("\x01\r", 0, b"")] * 2, looks=looks, data=outside + line))
    assert [(block.type, block.asset_ref) for block in tree.blocks] == [(BlockType.PICTURE, None)]
    assert "external-image" in [warning.code for warning in tree.warnings]


@pytest.mark.parametrize("look", [at(0) + sprm(0x080A, b"\x01"), at(0) + sprm(0x0806, b"\x01"), SPECIAL,
                                  sprm(0x6A03, bytes(4)), at(0) + sprm(0x0800, b"\x01")])  # fmt: skip
def test_signs_of_objects_forms_and_deleted_pictures_are_not_pictures(look: bytes) -> None:
    tree = read_tree(word([("a\x01\r", 0, b"")], looks=[(1, 2, look)], data=in_text(shape(7), blip())))
    assert [block.type for block in tree.blocks] == [BlockType.PARAGRAPH]


BROKEN = {
    "no stream": b"",
    "shorter than its head": in_text(shape(7), blip(), states=40),
    "the head beyond the stream": in_text()[:50],
    "longer than the stream, without a picture": in_text(states=2**31 - 1),
    "a picture of nothing": in_text(shape(7, (0x0104, 1)), record(0xF01E, b"")),
    "records in front of it": in_text(*[record(0xF122, b"")] * 60, blip()),
    "an entry cut off": in_text(shape(7, (0x0104, 1)), record(0xF007, bytes(20))),
    "packed, and more than it states": in_text(shape(7), metafile(0xF01A, bytes(9000), states=100)),
    "packed, and less than it states": in_text(shape(7), metafile(0xF01A, bytes(90), states=9000)),
    "rubbish where packed bytes should be": in_text(
        shape(7), record(0xF01A, bytes(16 + 34) + b"rubbish", instance=0x3D4)
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_unreadable_picture_is_a_block_without_bytes_and_a_warning(name: str) -> None:
    file = word([("a\x01\r", 0, b"")], looks=[(1, 2, at(0))], data=BROKEN[name])
    page = read(file)
    assert [block.asset_ref for block in of_type(read_tree(file), BlockType.PICTURE)] == [None]
    assert (dict(page.assets), "picture-unreadable" in page.content.warnings) == ({}, True)


def test_oversized_picture_is_left_out_before_unpacking() -> None:
    file = word([("a\x01\r", 0, b"")], looks=[(1, 2, at(0))],
                data=in_text(shape(7), metafile(0xF01A, bytes(9000), states=2**32 - 1)))  # fmt: skip
    assert pictures(file) == {}
    assert "assets-left-out" in [warning.code for warning in read_tree(file).warnings]


def test_more_pictures_than_a_file_may_show_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    file = word([("\x01\x01\x01\r", 0, b"")], looks=[(0, 3, at(0))], data=in_text(shape(7), blip()))
    assert len(of_type(read_tree(file), BlockType.PICTURE)) == 3
    monkeypatch.setattr(doc_pictures, "MAX_PICTURES", 2)
    with pytest.raises(ResourceLimit):
        read_tree(file)


@pytest.mark.parametrize("cut", range(0, 700, 37))
def test_broken_drawings_end_as_text(cut: int) -> None:
    group = record(0xF003, shape(30) * 3 + shape(31, (0x4104, 2)), version=15)
    drawings = bytearray(floats(shape(20, (0x4104, 1)), group, store=entry(blip()) + entry(blip())))
    drawings[cut % len(drawings) : cut % len(drawings) + 6] = b"\xff" * 6
    file = word([("a\x08\r", 0, b"")], looks=[(1, 2, SPECIAL)], drawings=bytes(drawings), anchors=[(1, 20)])
    assert read_tree(file).blocks[0].text == "a"
