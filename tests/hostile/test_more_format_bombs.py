"""More files that are made to harm: packages, objects, mails, books, pages, pictures, files that are two things.

Each ends as it must in the sandbox, three times the same; what points outside is named and never reached.
"""

import io
import struct
import zipfile
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from quire.actors.reading.read_document import DocumentReader
from quire.models.cdom.tree import Tree, load_tree
from tests.hostile.three_times import read_three_times
from tests.models.extract.flow_trees import zipped
from tests.models.extract.formats.common.compound_files import compound
from tests.models.extract.formats.opendocument.test_odf import ITEM, book
from tests.models.extract.formats.sheets.workbooks import relations, sheet
from tests.models.extract.formats.sheets.workbooks import workbook as xlsx
from tests.models.extract.formats.slides.decks import deck, shape, slide
from tests.models.extract.formats.slides.decks import paragraph as words
from tests.models.extract.formats.word.docx.files import make_docx, paragraph

LIMIT, MALFORMED, ENCRYPTED, REFUSED = "resource-limit", "malformed", "encrypted", "unsupported-format"
MAIL = b"From: a@b.org\nTo: c@d.org\nSubject: s\nMIME-Version: 1.0\n"
HELLO = b"Content-Type: text/plain\n\nhello"
OUTSIDE = "http://127.0.0.1:9/x"


@dataclass(frozen=True)
class Case:
    """Expected end of a file: `code`, or a tree with the text `says`, without `never`, and the warning `warns`."""

    make: Callable[[], bytes]
    code: str = ""
    says: str = "hello"
    never: str = "root:"
    warns: str = ""
    inside: tuple[str, ...] = ()


def mail(*parts: bytes) -> bytes:
    head = MAIL + b"Content-Type: multipart/mixed; boundary=B\n\n"
    return head + b"".join(b"--B\n" + part + b"\n" for part in parts) + b"--B--\n"


def attached(name: bytes, data: bytes = b"x") -> bytes:
    return (
        b'Content-Type: application/octet-stream\nContent-Disposition: attachment; filename="' + name + b'"\n\n' + data
    )


def archive(*names: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        for name in names:
            package.writestr(zipfile.ZipInfo(name), "x")
    return out.getvalue()


def overlapping() -> bytes:
    """Two entries of the directory that share their bytes."""
    data = bytearray(archive("a.txt", "b.txt"))
    second = data.rfind(b"PK\x01\x02")
    data[second + 42 : second + 46] = struct.pack("<I", 3)
    return bytes(data)


def lying() -> bytes:
    data = bytearray(archive("a.txt"))
    at = data.find(b"PK\x01\x02")
    data[at + 24 : at + 28] = struct.pack("<I", 0xFFFFFFFE)
    return bytes(data)


def field(instruction: str) -> str:
    parts = (
        '<w:fldChar w:fldCharType="begin"/>', f"<w:instrText>{instruction}</w:instrText>",
        '<w:fldChar w:fldCharType="separate"/>', "<w:t>hello</w:t>", '<w:fldChar w:fldCharType="end"/>',
    )  # fmt: skip
    return "<w:p>" + "".join(f"<w:r>{part}</w:r>" for part in parts) + "</w:p>"


def linked_picture(target: str) -> bytes:
    blip = '<w:p><w:r><w:drawing><a:blip r:link="x1"/></w:drawing></w:r></w:p>'
    return make_docx(paragraph("hello") + blip, relations=[("x1", "image", target)])


def drm(algorithm: str) -> bytes:
    data = book('<itemref idref="a"/>', ITEM.format("a"), a="<html><p>hello</p></html>")
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        parts: dict[str, str | bytes] = {name: package.read(name) for name in package.namelist()}
    locked = (
        '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" '
        'xmlns:e="http://www.w3.org/2001/04/xmlenc#"><e:EncryptedData>'
        f'<e:EncryptionMethod Algorithm="{algorithm}"/><e:CipherData><e:CipherReference URI="O/a.xhtml"/>'
        "</e:CipherData></e:EncryptedData></encryption>"
    )
    return zipped(parts | {"META-INF/encryption.xml": locked})


def shared_formulas() -> bytes:
    cells = (f"<row r='{at}'><c r='A{at}'><f t='shared' si='{at - 1}'>A{at + 1}</f><v>{at}</v></c></row>"
             for at in range(1, 5000))  # fmt: skip
    return xlsx(sheet("".join(cells)))


def webp_frames() -> bytes:
    frames = b"".join(b"ANMF" + struct.pack("<I", 24) + bytes(24) for _ in range(100_000))
    body = b"WEBPVP8X" + struct.pack("<I", 10) + b"\x02" + bytes(9) + b"ANIM" + struct.pack("<I", 6) + bytes(6) + frames
    return b"RIFF" + struct.pack("<I", len(body)) + body


def avif_of_any_size() -> bytes:
    def box(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", 8 + len(data)) + kind + data

    size = box(b"ispe", struct.pack(">III", 0, 65_535, 65_535))
    meta = box(b"meta", bytes(4) + box(b"iprp", box(b"ipco", size)))
    return box(b"ftyp", b"avif\0\0\0\0avifmif1") + meta + box(b"mdat", bytes(64))


CASES: dict[str, Case] = {
    "zip: 100,000 members": Case(lambda: archive(*map(str, range(100_000))), LIMIT),
    "zip: members that overlap": Case(overlapping, MALFORMED),
    "zip: a size that is a lie": Case(lying, LIMIT),
    "zip: an absolute name": Case(lambda: archive("/etc/passwd"), says="etc/passwd", inside=("etc/passwd",)),
    "zip: a name with a zero in it": Case(
        lambda: archive("abtxt").replace(b"abtxt", b"a\0txt"), says="", warns="member-left-out"),
    "zip: archives in archives": Case(
        lambda: zipped({"a.zip": zipped({"b.zip": zipped({"c.zip": b"PK\5\6" + bytes(18)})})}),
        says="a.zip", inside=("a.zip",)),
    "ooxml: a part named twice": Case(lambda: archive("[Content_Types].xml", "word/document.xml", "WORD/document.xml"),
                                      MALFORMED),
    "docx: a picture on the web": Case(lambda: linked_picture(OUTSIDE), warns="external-image"),
    "docx: a picture on a share": Case(lambda: linked_picture("file://///host/share/x"), warns="external-image"),
    "docx: a template outside": Case(lambda: make_docx(
        paragraph("hello"), parts={"settings": '<w:attachedTemplate r:id="t"/>'},
        relations=[("t", "attachedTemplate", OUTSIDE)])),
    "docx: a field that would run a program": Case(
        lambda: make_docx(field('DDEAUTO c:\\windows\\cmd.exe "/k calc"')), never="calc", warns="external-field"),
    "docx: macros": Case(lambda: make_docx(paragraph("hello"), relations=[("v", "vbaProject", "vbaProject.bin")],
                                           files={"word/vbaProject.bin": b"x"}), warns="macros"),
    "docx: an object of another program": Case(
        lambda: make_docx(paragraph("hello", inside='<w:r><w:object><o:OLEObject r:id="o1"/></w:object></w:r>'),
                          files={"word/embeddings/oleObject1.bin": compound({("\x01Ole10Native",): b"calc.exe"})}),
        never="calc", warns="embedded-object"),
    "docx: a page outside that should be read in its place": Case(
        lambda: make_docx(paragraph("hello") + '<w:altChunk r:id="c"/>', relations=[("c", "aFChunk", OUTSIDE)]),
        warns="embedded-document"),
    "pptx: macros": Case(lambda: deck(slide(shape(words("hello"))), more={"ppt/_rels/presentation.xml.rels": relations(
        ("r1", "slide", "slides/slide1.xml"), ("v", "vbaProject", "v.bin"))}), warns="macros"),
    "pptx: a layout that is its own slide": Case(lambda: deck(slide(shape(words("hello"), kind="body")), more={
        "ppt/slides/_rels/slide1.xml.rels": relations(("m", "slideLayout", "../slides/slide1.xml"))})),
    "xlsx: formulas that share formulas": Case(shared_formulas, says="4999"),
    "eml: no boundary": Case(lambda: MAIL + b"Content-Type: multipart/mixed\n\nhello\n"),
    "eml: a charset that nobody knows": Case(lambda: MAIL + b"Content-Type: text/plain; charset=x-none\n\nhello\n"),
    "eml: rubbish for base64": Case(lambda: MAIL + b"Content-Transfer-Encoding: base64\n\n%%!!aGVsbG8==xx\n"),
    "eml: a name that leads out and turns around": Case(
        lambda: mail(HELLO, attached("../../etc/\u202efdp.exe".encode())), inside=("1.2/fdp.exe",)),
    "eml: a body that lies elsewhere": Case(
        lambda: mail(HELLO, b'Content-Type: message/external-body; access-type=URL; URL="http://127.0.0.1:9"\n\nx')),
    "eml: an envelope of S/MIME": Case(
        lambda: MAIL + b"Content-Type: application/pkcs7-mime; smime-type=enveloped-data\n\nMIIB\n",
        says="", warns="encrypted-part"),
    "eml: an envelope of PGP": Case(
        lambda: MAIL + b'Content-Type: multipart/encrypted; protocol="application/pgp-encrypted"; boundary=B\n\n'
                       b"--B\nContent-Type: application/pgp-encrypted\n\nVersion: 1\n--B--\n",
        says="", warns="encrypted-part"),
    "eml: a package of Outlook": Case(lambda: mail(HELLO, attached(b"winmail.dat", b"\x78\x9f\x3e\x22")),
                                      inside=("1.2/winmail.dat",)),
    "mhtml: a page that shows itself": Case(
        lambda: b"From: <Saved by Blink>\nSnapshot-Content-Location: x\nMIME-Version: 1.0\n"
                b"Content-Type: multipart/related; boundary=B\n\n--B\nContent-Type: text/html\nContent-ID: <a>\n\n"
                b'<p>hello</p><img src="cid:a"><iframe src="cid:a"></iframe>\n--B--\n'),
    "epub: a locked book": Case(lambda: drm("http://www.w3.org/2001/04/xmlenc#aes128-cbc"), ENCRYPTED),
    "epub: scrambled fonts only": Case(lambda: drm("http://www.idpf.org/2008/embedding")),
    "html: addresses, frames, scripts, drawings": Case(
        lambda: b"<html><head><base href='http://h/'><meta http-equiv=refresh content='0;url=http://h/'></head><p>hello</p>"
                b"<iframe srcdoc='<p>framed</p>'></iframe><svg><script>alert(1)</script><image href='http://h/x'/></svg>",
        never="alert"),
    "html: 40 MB inside an address": Case(
        lambda: b"<html><p>hello</p><img src='data:image/png;base64," + b"A" * 40_000_000 + b"'></html>"),
    "html: UTF-7": Case(lambda: b"<html><meta charset=utf-7><p>hello +ADw-b+AD4-</p></html>", never="<b>"),
    "markdown: a script": Case(lambda: b"# hello\n\n**b**\n\n- a\n\n<script>alert(1)</script>\n", never="alert"),
    "webp: 100,000 frames": Case(webp_frames, MALFORMED),
    "avif: 65,535 by 65,535": Case(avif_of_any_size, MALFORMED),
    "jpeg: cut off, called something else": Case(lambda: b"\xff\xd8\xff\xe0" + bytes(20), MALFORMED),
    "text: zeros": Case(lambda: b"hello\0\0world " * 100, REFUSED),
    "text: one line of 48 MB": Case(lambda: b"hello " * 8_000_000, LIMIT),
    "csv: line ends of every kind": Case(lambda: b"a,b\rhello,2\n3,4\r\n5,6\r\n"),
    "csv: 100,000 columns": Case(lambda: (b"hello;" * 100_000 + b"\n") * 3),
    "pdf and zip at once": Case(lambda: b"%PDF-1.4\n" + archive("a.txt"), MALFORMED),
    "zip that holds a pdf's head": Case(lambda: zipped({"a.txt": "%PDF-1.4"}), says="a.txt", inside=("a.txt",)),
    "mail and page at once": Case(lambda: MAIL + b"\n<html><p>hello</p></html>"),
}  # fmt: skip


def text_of(tree: Tree) -> str:
    cells = (cell.text for block in tree.blocks if block.table for cell in block.table.cells)
    return "\n".join([*(block.text for block in tree.blocks), *cells])


@pytest.mark.parametrize("name", CASES)
def test_hostile_file_ends_with_the_same_result_three_times(reader: DocumentReader, name: str) -> None:
    case = CASES[name]
    outcome = read_three_times(reader, case.make(), case.code)
    if case.code:
        return
    tree = load_tree(outcome.tree_json)
    assert case.says in text_of(tree)
    assert case.never not in text_of(tree)
    assert case.warns in {warning.code for warning in tree.warnings} | {""}
    assert tuple(one.path for one in outcome.embedded) == case.inside or not case.inside
