"""Outlook messages: fields, body, recipients, attachments, and packed text that means harm."""

import struct

import pytest

from quire.models.cdom.errors import ResourceLimit
from quire.models.cdom.original import ReadOptions
from quire.models.cdom.tree import BlockType
from quire.models.extract.formats.flow.document import FlowFile
from quire.models.rare_formats.outlook import msg as message
from quire.models.rare_formats.outlook.mapi import unpack_rtf
from tests.models.extract.flow_trees import read_tree, texts
from tests.models.extract.formats.common.compound_files import compound

FIXED = "__properties_version1.0"
Streams = dict[tuple[str, ...], bytes]


def properties(header: int, *values: tuple[int, int, bytes]) -> bytes:
    return bytes(header) + b"".join(
        struct.pack("<HHI", kind, number, 6) + value.ljust(8, b"\0") for number, kind, value in values
    )


def text(number: int) -> str:
    return f"__substg1.0_{number:04X}001F"


def person(at: int, kind: int, name: str, address: str) -> Streams:
    home = f"__recip_version1.0_#{at:08X}"
    return {
        (home, FIXED): properties(8, (0xC15, 3, struct.pack("<I", kind))),
        (home, text(0x3001)): name.encode("utf-16-le"),
        (home, text(0x39FE)): address.encode("utf-16-le"),
    }


def outlook(**more: Streams) -> bytes:
    sent = struct.pack("<Q", 132_223_104_000_000_000)
    streams: Streams = {
        (FIXED,): properties(32, (0x39, 0x40, sent)),
        (text(0x37),): "Zwölf Häuser".encode("utf-16-le"),
        (text(0xC1A),): "Ann".encode("utf-16-le"),
        (text(0x5D01),): "ann@x.org".encode("utf-16-le"),
        (text(0x1000),): "Body.\r\n\r\n> old".encode("utf-16-le"),
    }
    for found in more.values():
        streams |= found
    return compound(streams | person(0, 1, "Bo", "bo@x.org") | person(1, 2, "Cy", "cy@x.org"))


def read_file(data: bytes) -> FlowFile:
    return message._read(data)


def test_fields_and_body_are_those_of_a_mail() -> None:
    tree = read_tree(outlook())
    assert tree.source.format == "msg"
    assert texts(tree, BlockType.KEY_VALUE) == [
        "Subject: Zwölf Häuser", "From: Ann <ann@x.org>", "To: Bo <bo@x.org>", "Cc: Cy <cy@x.org>",
        "Date: 2020-01-01 00:00 +00:00",
    ]  # fmt: skip
    assert texts(tree, BlockType.PARAGRAPH) == ["Body.", "> old"]
    assert (tree.metadata.title, tree.metadata.author) == ("Zwölf Häuser", "Ann")


def test_html_comes_before_plain_text_and_has_its_own_code_page() -> None:
    page: Streams = {("__substg1.0_10130102",): "<p>Grüße</p>".encode("cp1252")}
    assert texts(read_tree(outlook(html=page)), BlockType.PARAGRAPH) == ["Grüße"]


def test_attachments_are_files_and_messages_in_messages_are_mails() -> None:
    home = "__attach_version1.0_#00000000"
    inner = (home, "__substg1.0_3701000D")
    nested: Streams = {(*inner, FIXED): properties(24), (*inner, text(0x37)): "Inner".encode("utf-16-le")}
    nested |= {
        (*inner, text(0x1000)): "Words.".encode("utf-16-le"),
        (home, text(0x3707)): "../in.msg".encode("utf-16-le"),
    }
    other = "__attach_version1.0_#00000001"
    plain: Streams = {(other, "__substg1.0_37010102"): b"%PDF-", (other, text(0x3707)): "a/b.pdf".encode("utf-16-le")}
    found = read_file(outlook(nested=nested, plain=plain)).embedded
    assert [(one.path, one.name) for one in found] == [("1/in.msg", "in.msg"), ("2/b.pdf", "b.pdf")]
    assert found[1].data == b"%PDF-"
    assert texts(read_tree(found[0].data), BlockType.PARAGRAPH) == ["Words."]


def test_packed_rich_text_is_the_body_without_another_body() -> None:
    rtf = rb"{\rtf1 only\par rich}"
    literals = b"".join(b"\0" + rtf[at : at + 8] for at in range(0, len(rtf), 8))
    packed = struct.pack("<II", len(literals) + 12, len(rtf)) + b"LZFu" + bytes(4) + literals
    body: Streams = {("__substg1.0_10090102",): packed, (text(0x1000),): b""}
    assert texts(read_tree(outlook(body=body)), BlockType.PARAGRAPH) == ["only", "rich"]
    assert unpack_rtf(packed) == rtf


def test_rtf_unpacking_is_limited_by_stated_size_and_always_ends() -> None:
    with pytest.raises(ResourceLimit):
        unpack_rtf(struct.pack("<II", 20, 0xFFFFFFFF) + b"LZFu" + bytes(8))
    assert len(unpack_rtf(struct.pack("<II", 20, 100) + b"LZFu" + bytes(4) + b"\xff\x00\x1f" * 100)) < 10_000


def test_messages_in_messages_are_bounded() -> None:
    streams: Streams = {}
    path: tuple[str, ...] = ()
    for _ in range(message.MAX_NESTING + 2):
        path = (*path, "__attach_version1.0_#00000000", "__substg1.0_3701000D")
        streams[(*path, FIXED)] = properties(24)
    with pytest.raises(ResourceLimit):
        read_tree(outlook(deep=streams), ReadOptions())
