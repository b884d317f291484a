"""Hostile and odd packages: judged before they are read, never believed, never fetched from."""

import io
import struct
import zipfile
from collections.abc import Callable

import pytest

from quire.models.cdom.errors import ErrorCode, ExtractError, Malformed, ResourceLimit
from quire.models.cdom.original import ReadOptions
from quire.models.cdom.tree import BlockType
from quire.models.extract.formats.common import opc as package
from quire.models.extract.formats.common.xml import parse_xml
from quire.models.extract.formats.word.docx import open_docx
from tests.models.extract.formats.word.docx.files import (
    NAMESPACES,
    make_docx,
    paragraph,
    read_tree,
    relationships,
    shape,
    style,
    wrap,
)


def zip_of(entries: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return out.getvalue()


def refuse(data: bytes) -> ErrorCode:
    """The code with which these bytes are refused."""
    with pytest.raises(ExtractError) as caught:
        open_docx(data, ReadOptions())
    return caught.value.code


def test_bytes_other_than_a_package_are_malformed() -> None:
    whole = make_docx(paragraph("a"))
    for data in (b"", b"PK\x03\x04", whole[: len(whole) // 2], b"PK\x05\x06" + bytes(18)):
        assert refuse(data) is ErrorCode.MALFORMED


def test_an_encrypted_package_is_encrypted() -> None:
    assert refuse(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le")) is ErrorCode.ENCRYPTED
    assert refuse(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 an old binary file") is ErrorCode.MALFORMED


def test_another_package_is_unsupported() -> None:
    workbook = zip_of(
        {"_rels/.rels": relationships([("r", "officeDocument", "xl/w.xml")]).encode(), "xl/w.xml": b"<x/>"}
    )
    assert refuse(workbook) is ErrorCode.UNSUPPORTED_FORMAT
    assert refuse(zip_of({"a.txt": b"a"})) is ErrorCode.MALFORMED


def test_too_many_entries_are_refused_before_their_directory_is_built() -> None:
    many = {f"x/{at}": b"" for at in range(package.MAX_ENTRIES + 1)}
    assert refuse(make_docx("", files=many)) is ErrorCode.RESOURCE_LIMIT


def test_an_entry_that_unpacks_two_hundredfold_is_refused() -> None:
    assert refuse(make_docx("", files={"word/media/x": bytes(11_000_000)})) is ErrorCode.RESOURCE_LIMIT


def test_a_stated_total_past_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package, "MAX_TOTAL_BYTES", 1000)
    assert refuse(make_docx(paragraph("x" * 2000))) is ErrorCode.RESOURCE_LIMIT


def test_entry_with_a_false_size_is_malformed() -> None:
    data = make_docx(paragraph("text " * 500))
    directory = data.find(b"PK\x01\x02")
    at = data.rfind(b"PK\x01\x02", 0, data.find(b"word/document.xml", directory))
    lying = data[: at + 24] + struct.pack("<I", 10) + data[at + 28 :]
    assert refuse(lying) is ErrorCode.MALFORMED


def test_bytes_are_counted_while_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = package.Package(make_docx(paragraph("a")))
    monkeypatch.setattr(package, "MAX_TOTAL_BYTES", 10)
    with pytest.raises(ResourceLimit):
        opened.read("word/document.xml")


def test_too_many_paragraphs_are_counted_before_they_are_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package, "MAX_PARAGRAPHS", 100)
    monkeypatch.setattr(package, "parse_xml", lambda data: pytest.fail("was built"))
    opened = package.Package(make_docx("<w:p/>" * 200))
    with pytest.raises(ResourceLimit):
        opened.xml("word/document.xml")


def test_one_and_a_half_million_paragraphs_are_refused() -> None:
    assert refuse(make_docx("<w:p/>" * 1_500_000)) is ErrorCode.RESOURCE_LIMIT


@pytest.mark.parametrize("name", ["../evil", "C:/drive", "a/../../b", "WORD/DOCUMENT.XML", "word/document.xml"])
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_unsafe_and_double_names_are_left_out_with_a_warning(name: str) -> None:
    opened = package.Package(make_docx(paragraph("said"), files={name: b"x"}))
    assert opened.warnings == (package.MEMBER_LEFT_OUT,)
    assert b"said" in opened.read("word/document.xml")
    assert not opened.has("../evil")


def test_names_with_backslashes_are_those_of_folders() -> None:
    opened = package.Package(make_docx("", files={"back\\slash": b"x", "/absolute": b"y"}))
    assert (opened.read("back/slash"), opened.read("absolute"), opened.warnings) == (b"x", b"y", ())


def test_links_are_ignored_and_encrypted_or_odd_entries_are_malformed() -> None:
    link = zipfile.ZipInfo("word/link")
    link.external_attr = 0o120777 << 16
    out = io.BytesIO(make_docx(""))
    with zipfile.ZipFile(out, "a") as archive:
        archive.writestr(link, "document.xml")
    assert not package.Package(out.getvalue()).has("word/link")
    data = make_docx("")
    at = data.find(b"PK\x01\x02")
    assert refuse(data[: at + 8] + b"\x01" + data[at + 9 :]) is ErrorCode.MALFORMED
    assert refuse(zip_of({"word/document.xml": b"<x/>"}, zipfile.ZIP_LZMA)) is ErrorCode.MALFORMED


def test_overlapping_entries_are_malformed() -> None:
    data = make_docx("", files={"word/a": b"1" * 50})
    first, second = (data.find(b"PK\x01\x02"), data.rfind(b"PK\x01\x02"))
    overlapping = data[: second + 42] + data[first + 42 : first + 46] + data[second + 46 :]
    assert refuse(overlapping) is ErrorCode.MALFORMED


DOCTYPES: list[Callable[[str], bytes]] = [
    lambda root: f'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hosts">]>{root}'.encode(),
    lambda root: f'<!DOCTYPE x [<!ENTITY % p SYSTEM "http://127.0.0.1/x"> %p;]>{root}'.encode(),
    lambda root: f'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>{root}'.encode(),
    lambda root: f"<!DOCTYPE x>{root}".encode(),
    lambda root: f'<?xml version="1.0" encoding="UTF-16"?><!DOCTYPE x>{root}'.encode("utf-16"),
    lambda root: f'<?xml version="1.0" encoding="UTF-7"?><!DOCTYPE x>{root}'.encode("utf-7"),
]


@pytest.mark.parametrize("part", ["word/document.xml", "word/styles.xml", "_rels/.rels", "docProps/core.xml"])
@pytest.mark.parametrize("make", DOCTYPES)
def test_any_document_type_is_malformed(part: str, make: Callable[[str], bytes]) -> None:
    entries = {
        "_rels/.rels": relationships([("r1", "officeDocument", "word/document.xml")]).encode(),
        "word/document.xml": wrap("document", "<w:body/>").encode(),
        part: make(f"<w:document {NAMESPACES}/>"),
    }
    assert refuse(zip_of(entries)) is ErrorCode.MALFORMED


def nested(tag: str, depth: int) -> str:
    return f"<w:{tag}>" * depth + f"</w:{tag}>" * depth


DEEP = {
    "elements": nested("ins", 10_000),
    "tables": "<w:tbl><w:tr><w:tc>" * 80 + "</w:tc></w:tr></w:tbl>" * 80,
    "long text": paragraph("x" * 11_000_000 + "".join(map(str, range(40_000)))),
    "attributes": "<w:p " + " ".join(f'a{at}=""' for at in range(2000)) + "/>",
    "columns": '<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="99999999"/></w:tcPr></w:tc></w:tr></w:tbl>',
    "left out": '<w:tbl><w:tr><w:trPr><w:gridBefore w:val="99999999"/></w:trPr></w:tr></w:tbl>',
    "formulas": "<w:p><m:oMath>"
    + "<m:f><m:num><m:d><m:e>" * 61
    + "</m:e></m:d></m:num></m:f>" * 61
    + "</m:oMath></w:p>",
    "links": "<w:p>" + '<w:hyperlink w:anchor="a">' * 245 + "</w:hyperlink>" * 245 + "</w:p>",
}


def outcome(data: bytes) -> ErrorCode | None:
    """None for a tree."""
    try:
        open_docx(data, ReadOptions())
    except ExtractError as error:
        return error.code
    return None


@pytest.mark.parametrize("body", DEEP.values(), ids=DEEP.keys())
def test_depth_and_width_end_as_a_limit_or_a_tree_never_as_a_crash(body: str) -> None:
    assert outcome(make_docx(body)) in (None, ErrorCode.RESOURCE_LIMIT)


def test_depth_past_256_is_a_resource_limit() -> None:
    for body in (DEEP["elements"], DEEP["tables"], DEEP["attributes"], DEEP["columns"]):
        assert refuse(make_docx(body)) is ErrorCode.RESOURCE_LIMIT


def test_broken_document_part_is_malformed_and_other_parts_are_warnings() -> None:
    relation = [("s", "styles", "broken.xml")]
    tree = read_tree(make_docx(paragraph("a"), relations=relation, files={"word/broken.xml": b"<x>"}))
    assert [warning.code for warning in tree.warnings] == ["part-unreadable"]
    assert shape(tree.blocks) == [(BlockType.PARAGRAPH, None, "a")]
    assert refuse(make_docx("<w:p>")) is ErrorCode.MALFORMED


def test_document_and_its_parts_are_found_by_relationship() -> None:
    data = make_docx(
        paragraph("A", style="X"), parts={"styles": style("X", "heading 1")}, document="content/main_part.xml"
    )
    assert shape(read_tree(data).blocks) == [(BlockType.HEADING, 1, "A")]


def test_missing_relationships_fall_back_to_the_usual_names() -> None:
    entries = {
        "word/document.xml": wrap("document", f"<w:body>{paragraph('A', style='X')}</w:body>").encode(),
        "word/styles.xml": wrap("styles", style("X", "heading 2")).encode(),
    }
    assert shape(read_tree(zip_of(entries)).blocks) == [(BlockType.HEADING, 2, "A")]


def test_strict_namespaces_are_read_like_transitional_ones() -> None:
    strict = "http://purl.oclc.org/ooxml/"
    names = f'xmlns:w="{strict}wordprocessingml/main" xmlns:m="{strict}officeDocument/math"'
    body = "<w:p><w:pPr><w:pStyle w:val='Heading1'/></w:pPr><w:r><w:t>A</w:t></w:r></w:p>"
    math = "<w:p><m:oMath><m:r><m:t>x</m:t></m:r></m:oMath></w:p>"
    rels = relationships([("r", "officeDocument", "word/document.xml")]).replace(
        "http://schemas.openxmlformats.org/officeDocument/2006/relationships", f"{strict}officeDocument/relationships"
    )
    document = f"<w:document {names}><w:body>{body}{math}</w:body></w:document>"
    data = zip_of({"_rels/.rels": rels.encode(), "word/document.xml": document.encode()})
    assert shape(read_tree(data).blocks) == [(BlockType.HEADING, 1, "A"), (BlockType.FORMULA, None, "x")]


def test_utf_16_parts_are_read() -> None:
    document = wrap("document", f"<w:body>{paragraph('žluť')}</w:body>").replace("UTF-8", "UTF-16").encode("utf-16")
    assert [block.text for block in read_tree(zip_of({"word/document.xml": document})).blocks] == ["žluť"]


def test_wrong_content_types_and_macros_do_not_stop_reading() -> None:
    data = make_docx(
        paragraph("a"),
        relations=[("m", "vbaProject", "vbaProject.bin")],
        files={"[Content_Types].xml": b"nonsense", "word/vbaProject.bin": b"x"},
    )
    tree = read_tree(data)
    assert ([block.text for block in tree.blocks], [w.code for w in tree.warnings]) == (["a"], ["macros"])


def test_relationship_targets_cannot_leave_the_package() -> None:
    relations = [("s", "styles", "../../../../etc/hosts"), ("n", "numbering", "file:///etc/hosts")]
    assert [block.text for block in read_tree(make_docx(paragraph("a"), relations=relations)).blocks] == ["a"]


def test_an_xml_declaration_of_an_unknown_encoding_is_malformed() -> None:
    with pytest.raises(Malformed):
        parse_xml(b'<?xml version="1.0" encoding="no-such"?><a/>')
