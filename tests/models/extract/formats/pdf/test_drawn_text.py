"""Text is visible when its pixels are: Type 3 glyphs, gradients, copies for a shadow, blanks and signs."""

import io
from typing import Any

import pytest
from pikepdf import Array, Dictionary, Name, Pdf

from quire.models.cdom.flags import HIDDEN_TEXT
from quire.models.cdom.tree import Tree
from tests.models.extract.formats.pdf.paper import read_tree

STROKES = {
    "A": b"0 0 m 300 700 l 600 0 l S",
    "H": b"0 0 m 0 700 l 500 0 m 500 700 l 0 350 m 500 350 l S",
    "L": b"0 700 m 0 0 l 400 0 l S",
    "T": b"0 700 m 500 700 l 250 700 m 250 0 l S",
}


def type3_font(pdf: Pdf, scale: float, *, coloured: bool, up: int = 1) -> Any:
    """A font of four stroked letters; `scale` is its matrix, and `up` -1 hangs them from the baseline."""
    head = b"650 0 d0 60 w 1 0 0 RG " if coloured else b"650 0 0 0 650 700 d1 60 w "
    glyphs = {f"/{name}": pdf.make_stream(head + stroke) for name, stroke in STROKES.items()}
    codes = [code for name in STROKES for code in (ord(name), Name(f"/{name}"))]
    return pdf.make_indirect(
        Dictionary(
            Type=Name.Font, Subtype=Name.Type3, FontBBox=Array([0, 0, 700, 800]), CharProcs=Dictionary(glyphs),
            FontMatrix=Array([scale, 0, 0, up * scale, 0, 0]), FirstChar=65, LastChar=84, Widths=Array([650] * 20),
            Encoding=Dictionary(Type=Name.Encoding, Differences=Array(codes)),
        )
    )  # fmt: skip


def helvetica(pdf: Pdf, **more: Any) -> Any:
    return pdf.make_indirect(
        Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica, Encoding=Name.WinAnsiEncoding, **more)
    )


def page_of(pdf: Pdf, content: str, **resources: Any) -> Tree:
    page = pdf.add_blank_page(page_size=(400, 300))
    page.Resources = Dictionary({f"/{name}": value for name, value in resources.items()})
    page.Contents = pdf.make_stream(content.encode())
    data = io.BytesIO()
    pdf.save(data)
    return read_tree(data.getvalue(), ocr="never")


def visible(tree: Tree) -> str:
    return "\n".join(block.text for block in tree.blocks if HIDDEN_TEXT not in block.flags)


def excluded(tree: Tree) -> dict[str, int]:
    assert tree.coverage is not None
    counts = tree.coverage.characters
    assert counts.painted == counts.placed + sum(counts.excluded.values()) + counts.lost
    assert counts.lost == 0
    return counts.excluded


@pytest.mark.parametrize("coloured", [False, True])
@pytest.mark.parametrize(("scale", "size"), [(0.001, 20), (1.0, 0.02), (0.01, 2), (0.05, 0.4), (0.1, 0.2)])
def test_type3_text_is_visible_for_each_matrix(scale: float, size: float, coloured: bool) -> None:
    pdf = Pdf.new()
    font = type3_font(pdf, scale, coloured=coloured)
    tree = page_of(pdf, f"BT /F1 {size} Tf 20 200 Td (HALT) Tj ET", Font=Dictionary(F1=font))
    assert (visible(tree), excluded(tree)) == ("HALT", {})


@pytest.mark.parametrize("up", [1, -1])
@pytest.mark.parametrize(("scale", "size"), [(0.00001, 2000), (0.00005, 400), (1.0, 0.02)])
def test_type3_font_of_odd_units_hides_no_other_text(scale: float, size: float, up: int) -> None:
    pdf = Pdf.new()
    font = type3_font(pdf, scale, coloured=True, up=up)
    plain = helvetica(pdf)
    content = (
        f"BT /F1 {size} Tf 20 200 Td (HALT) Tj ET BT /F2 12 Tf 20 120 Td (Below) Tj ET"
        f" BT /F1 {size} Tf 20 60 Td (LATH) Tj ET 0.9 g 0 240 400 30 re f BT 0 g /F2 12 Tf 20 250 Td (Above) Tj ET"
    )
    tree = page_of(pdf, content, Font=Dictionary(F1=font, F2=plain))
    assert (sorted(visible(tree).split()), excluded(tree)) == (["Above", "Below", "HALT", "LATH"], {})


def test_text_filled_with_a_gradient_or_a_pattern_is_visible() -> None:
    pdf = Pdf.new()
    function = Dictionary(FunctionType=2, Domain=Array([0, 1]), C0=Array([0, 0, 1]), C1=Array([0.6, 0, 0]), N=1)
    shading = Dictionary(
        ShadingType=2, ColorSpace=Name.DeviceRGB, Coords=Array([0, 0, 400, 0]), Extend=Array([True, True]),
        Function=function,
    )  # fmt: skip
    gradient = pdf.make_indirect(Dictionary(Type=Name.Pattern, PatternType=2, Shading=shading))
    tile = pdf.make_stream(b"1 0 0 rg 0 0 2 2 re f 0 0 1 rg 2 2 2 2 re f")
    tile.stream_dict.update(
        Dictionary(
            Type=Name.Pattern, PatternType=1, PaintType=1, TilingType=1, BBox=Array([0, 0, 4, 4]), XStep=4, YStep=4,
            Resources=Dictionary(),
        )
    )  # fmt: skip
    content = (
        "/Pattern cs /P1 scn BT /F1 24 Tf 20 250 Td (Festival) Tj ET /P2 scn BT /F1 24 Tf 20 200 Td (Harbour) Tj ET"
    )
    patterns = Dictionary(P1=gradient, P2=pdf.make_indirect(tile))
    tree = page_of(pdf, content, Font=Dictionary(F1=helvetica(pdf)), Pattern=patterns)
    assert (visible(tree).split(), excluded(tree)) == (["Festival", "Harbour"], {})


def test_text_that_only_clips_stays_hidden() -> None:
    pdf = Pdf.new()
    content = "q BT 7 Tr /F1 24 Tf 20 250 Td (Nothing) Tj ET Q BT /F1 12 Tf 20 200 Td (Words) Tj ET"
    tree = page_of(pdf, content, Font=Dictionary(F1=helvetica(pdf)))
    assert (visible(tree), excluded(tree)) == ("Words", {"invisible": 7})


@pytest.mark.parametrize(
    ("content", "text", "copied"),
    [
        ("/F1 18 Tf .7 g 62 198 Td (Shadow Title) Tj 0 g -2 2 Td (Shadow Title) Tj", "Shadow Title", 11),
        ("/F1 11 Tf 60 200 Td (Bold 1122) Tj .4 0 Td (Bold 1122) Tj", "Bold 1122", 8),
        ("2 Tr /F1 11 Tf 60 200 Td (Outline) Tj 0 Tr 0 0 Td (Outline) Tj", "Outline", 0),
        ("/F1 11 Tf 60 200 Td (Glossy ) Tj .2 -.2 Td (Glossy paper) Tj", "Glossy paper", 6),
        ("/F1 11 Tf 60 200 Td (1100 22 is not 7777) Tj", "1100 22 is not 7777", 0),
        ("/F1 11 Tf 60 200 Td (same) Tj 0 -14 Td (same) Tj", "same same", 0),
        ("/F1 11 Tf 60 200 Td (ll) Tj 5 0 Td (ll) Tj", "llll", 0),
    ],
)
def test_copies_at_one_place_are_read_once(content: str, text: str, copied: int) -> None:
    pdf = Pdf.new()
    tree = page_of(pdf, f"BT {content} ET", Font=Dictionary(F1=helvetica(pdf)))
    assert (visible(tree), excluded(tree)) == (text, {"overprint": copied} if copied else {})


def test_undecoded_glyph_without_ink_is_a_blank() -> None:
    pdf = Pdf.new()
    cmap = (
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def"
        b" 1 begincodespacerange <00> <FF> endcodespacerange 2 beginbfchar <20> <FFFD> <7E> <FFFD> endbfchar"
        b" 1 beginbfrange <21> <7D> <0021> endbfrange endcmap end end"
    )
    font = helvetica(pdf, ToUnicode=pdf.make_stream(cmap))
    content = "BT /F1 12 Tf 20 200 Td (The count of the harbour went to sea) Tj 0 -30 Td (price ~ 12) Tj ET"
    tree = page_of(pdf, content, Font=Dictionary(F1=font))
    assert visible(tree).split("\n")[0].startswith("The count of the harbour went to sea")
    assert "price \ufffd 12" in visible(tree)


@pytest.mark.parametrize(("code", "sign"), [("4", "✔"), ("8", "✘"), ("H", "★"), ("\\254", "①"), ("\\300", "➀")])
def test_signs_of_zapf_dingbats_are_read_as_drawn(code: str, sign: str) -> None:
    pdf = Pdf.new()
    dingbats = pdf.make_indirect(Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.ZapfDingbats))
    content = f"BT /F2 12 Tf 20 200 Td ({code}) Tj /F1 12 Tf 90 0 Td (Search) Tj ET"
    tree = page_of(pdf, content, Font=Dictionary(F1=helvetica(pdf), F2=dingbats))
    assert sign in visible(tree)
