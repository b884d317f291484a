"""Files made to keep the statement busy: it ends, it balances, and unjudged text is unknown, not complete."""

import pytest

from quire.models.cdom.coverage import Coverage
from quire.models.cdom.original import ReadOptions
from quire.models.cdom.tree import Source
from quire.models.extract.formats.pdf.visibility.clipped import MOST_LAYERS
from quire.models.extract.pipeline.assemble import assemble
from quire.models.extract.registry import open_document

MANY_LAYERS, MANY_GLYPHS, MANY_RANGES, MANY_PICTURES = 100_000, 1_000_000, 20_000, 5_000
TEXT = b"BT /F1 12 Tf 40 700 Td (Twelve ropes) Tj ET"
FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"


def stream(content: bytes, entries: bytes = b"") -> bytes:
    return b"<< %s /Length %d >>\nstream\n%s\nendstream" % (entries, len(content), content)


def make_pdf(objects: dict[int, bytes]) -> bytes:
    """A file of those objects: 1 is the catalogue."""
    out, places = bytearray(b"%PDF-1.7\n"), dict[int, int]()
    for number, content in objects.items():
        places[number] = len(out)
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    start, size = len(out), max(objects) + 1
    out += b"xref\n0 %d\n0000000000 65535 f \n" % size
    for number in range(1, size):
        out += b"%010d 00000 n \n" % places[number] if number in places else b"0000000000 65535 f \n"
    return bytes(out + b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (size, start))


def page(resources: bytes, content: bytes, catalogue: bytes = b"", **more: bytes) -> dict[int, bytes]:
    return {
        1: b"<< /Type /Catalog /Pages 2 0 R %s >>" % catalogue,
        2: b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        3: b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << %s >> /Contents 4 0 R >>" % resources,
        4: stream(content),
        5: FONT,
    } | {int(name[1:]): data for name, data in more.items()}


def layers() -> bytes:
    """A hundred thousand layers, all off, the text on one of them."""
    first = 10
    refs = b" ".join(b"%d 0 R" % number for number in range(first, first + MANY_LAYERS))
    catalogue = b"/OCProperties << /OCGs [%s] /D << /BaseState /OFF >> >>" % refs
    marked = b"/OC /L BDC BT /F1 12 Tf 40 600 Td (on a layer) Tj ET EMC " + TEXT
    resources = b"/Font << /F1 5 0 R >> /Properties << /L %d 0 R >>" % first
    groups = {number: b"<< /Type /OCG /Name (x) >>" for number in range(first, first + MANY_LAYERS)}
    return make_pdf(page(resources, marked, catalogue) | groups)


def glyphs() -> bytes:
    """A font that states the width of a million glyphs."""
    widths = b"[0 [" + b"500 " * MANY_GLYPHS + b"]]"
    font = (
        b"<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /DescendantFonts ["
        b"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /X /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) "
        b"/Supplement 0 >> /W %s >>] >>" % widths
    )
    content = b"BT /F2 12 Tf 40 600 Td <00480049004a> Tj ET " + TEXT
    return make_pdf(page(b"/Font << /F1 5 0 R /F2 6 0 R >>", content, _6=font))


def ranges() -> bytes:
    """A map to Unicode of twenty thousand ranges over each other, and one of a code to five hundred letters."""
    rows = b"\n".join(b"<%02x> <ff> <%04x>" % (at % 200, 0x100 + at % 999) for at in range(MANY_RANGES))
    long = b"<41> <%s>" % (b"0041" * 500)
    cmap = (
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def\n"
        b"1 begincodespacerange <00> <ff> endcodespacerange\n%d beginbfrange\n%s\nendbfrange\n"
        b"1 beginbfchar\n%s\nendbfchar endcmap CMapName currentdict /CMap defineresource pop end end"
        % (MANY_RANGES, rows, long)
    )
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 7 0 R >>"
    content = b"BT /F2 2 Tf 40 600 Td (%s) Tj ET " % (b"AB" * 200) + TEXT
    return make_pdf(page(b"/Font << /F1 5 0 R /F2 6 0 R >>", content, _6=font, _7=stream(cmap)))


def pictures() -> bytes:
    """A page of text, and thousands of pictures that lie over each other and over some of it."""
    lines = b" ".join(
        b"BT /F1 12 Tf 40 %d Td (Twelve ropes and a knot in each) Tj ET" % (40 + 20 * at) for at in range(30)
    )
    image = stream(b"\xff", b"/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray "
                   b"/BitsPerComponent 8")  # fmt: skip
    content = lines + b" q 500 0 0 350 20 20 cm /I Do Q" * MANY_PICTURES
    return make_pdf(page(b"/Font << /F1 5 0 R >> /XObject << /I 6 0 R >>", content, _6=image))


def read(data: bytes) -> Coverage:
    options = ReadOptions()
    document = open_document(data, options)
    pages = [document.read_page(number).content for number in document.facts.page_numbers]
    tree = assemble(document.facts, pages, source=Source(format="pdf", sha256="", bytes=len(data)), options=options)
    assert tree.coverage is not None
    return tree.coverage


@pytest.mark.parametrize("make", [layers, glyphs, ranges, pictures])
def test_the_statement_ends_and_balances(make: object) -> None:
    assert callable(make)
    stated = read(make())
    for counts in (stated.characters, *(page.characters for page in stated.pages)):
        assert counts.painted == counts.placed + sum(counts.excluded.values()) + counts.lost
    assert stated.characters.painted > 0
    assert stated.complete == (not stated.unknown and not stated.characters.lost)


def test_more_layers_than_anybody_looks_at_leave_the_page_unknown() -> None:
    assert MANY_LAYERS > MOST_LAYERS
    stated = read(layers())
    assert stated.unknown == (1,)
    assert not stated.complete


def test_pictures_over_pictures_leave_the_page_unknown() -> None:
    stated = read(pictures())
    assert stated.unknown == (1,)
    assert not stated.complete
