"""PDFs with a value in one hiding place each, made here, and the way from a PDF to its redacted copy."""

import tempfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pikepdf
import pymupdf
from pikepdf import Array, Dictionary, Name, Pdf

from quire.models.cdom.original import ReadOptions
from quire.models.cdom.tree import Source, Tree
from quire.models.extract.pipeline.assemble import assemble
from quire.models.extract.registry import open_document
from quire.models.pii.flagging.flag import flag_tree
from quire.models.pii.patterns.kind_patterns import RegexDetector
from quire.models.redaction.redact import redact_original

SECRET = "jane.zaq@leak.example"
SHOWN = "The rope was measured twice."


def read(data: bytes) -> Tree:
    document = open_document(data, ReadOptions())
    contents = [document.read_page(number).content for number in document.facts.page_numbers]
    source = Source(format=document.facts.format, sha256="0" * 64, bytes=len(data))
    document.close()
    return assemble(document.facts, contents, source=source, options=ReadOptions())


def redact(data: bytes, decisions: dict[tuple[str, str, int], str] | None = None) -> bytes:
    return redact_original(data, flag_tree(read(data), RegexDetector()), decisions or {}, read)


def everything(data: bytes) -> str:
    """All a curious reader can get out of a PDF: two engines' text and every decoded byte."""
    found = [data.decode("latin-1")]
    with pymupdf.open(stream=data) as document:
        found += [page.get_text(clip=pymupdf.INFINITE_RECT()) for page in document]
    decoded = BytesIO()
    with pikepdf.open(BytesIO(data)) as pdf:
        level = pikepdf.StreamDecodeLevel.all
        pdf.save(decoded, stream_decode_level=level, compress_streams=False, static_id=True)
    found.append(decoded.getvalue().decode("latin-1"))
    return "\n".join(found)


def _sheet() -> pymupdf.Document:
    document = pymupdf.open()
    document.new_page().insert_text((72, 72), SHOWN)
    return document


def edited(edit: Callable[[Pdf], None]) -> bytes:
    made = BytesIO()
    with Pdf.open(BytesIO(_sheet().tobytes())) as pdf:
        edit(pdf)
        pdf.save(made)
    return made.getvalue()


def append(pdf: Pdf, content: bytes, **resources: pikepdf.Object) -> None:
    page = pdf.pages[0]
    page.contents_add(pdf.make_stream(content))
    for name, value in resources.items():
        page.obj.Resources[f"/{name}"] = value


def show(text: str, y: int = 200) -> bytes:
    return f"q BT /helv 11 Tf 72 {y} Td ({text}) Tj ET Q".encode()


def in_text() -> bytes:
    document = _sheet()
    document[0].insert_text((72, 100), f"Write to {SECRET} soon.")
    return bytes(document.tobytes())


def in_rotated_page() -> bytes:
    document = _sheet()
    document[0].insert_text((72, 100), f"Write to {SECRET} soon.")
    document[0].set_rotation(90)
    return bytes(document.tobytes())


def glyph_by_glyph() -> bytes:
    document = _sheet()
    for number, char in enumerate(SECRET):
        document[0].insert_text((72 + 9 * number, 120), char, fontname=("helv", "tiro")[number % 2])
    return bytes(document.tobytes())


def in_form() -> bytes:
    def edit(pdf: Pdf) -> None:
        form = pdf.make_stream(show(f"See {SECRET} here"))
        form.Type, form.Subtype, form.BBox = Name.XObject, Name.Form, Array([0, 0, 600, 800])
        form.Resources = pdf.pages[0].obj.Resources
        form.PieceInfo = Dictionary(X=Dictionary(Private=pikepdf.String(SECRET)))
        outer = pdf.make_stream(b"q 1 0 0 1 0 50 cm /Inner Do Q")
        outer.Type, outer.Subtype, outer.BBox = Name.XObject, Name.Form, Array([0, 0, 600, 800])
        outer.Resources = Dictionary(XObject=Dictionary(Inner=form))
        append(pdf, b"/Outer Do", XObject=Dictionary(Outer=outer))

    return edited(edit)


def in_pattern() -> bytes:
    def edit(pdf: Pdf) -> None:
        tile = pdf.make_stream(show(SECRET, 10))
        tile.Type, tile.PatternType, tile.PaintType, tile.TilingType = Name.Pattern, 1, 1, 1
        tile.BBox, tile.XStep, tile.YStep = Array([0, 0, 200, 50]), 200, 50
        tile.Resources = pdf.pages[0].obj.Resources
        append(pdf, b"q /Pattern cs /P1 scn 72 300 300 100 re f Q", Pattern=Dictionary(P1=tile))

    return edited(edit)


def in_layer_that_is_off() -> bytes:
    def edit(pdf: Pdf) -> None:
        layer = pdf.make_indirect(Dictionary(Type=Name.OCG, Name=pikepdf.String("notes")))
        pdf.Root.OCProperties = Dictionary(OCGs=Array([layer]), D=Dictionary(OFF=Array([layer])))
        append(pdf, b"/OC /L1 BDC " + show(SECRET) + b" EMC", Properties=Dictionary(L1=layer))

    return edited(edit)


def in_actual_text() -> bytes:
    def edit(pdf: Pdf) -> None:
        append(pdf, f"/Span <</ActualText ({SECRET})>> BDC ".encode() + show("ligature") + b" EMC")

    return edited(edit)


def in_alternate_text() -> bytes:
    def edit(pdf: Pdf) -> None:
        element = Dictionary(Type=Name.StructElem, S=Name.Figure, Alt=pikepdf.String(SECRET), E=pikepdf.String(SECRET))
        pdf.Root.StructTreeRoot = pdf.make_indirect(Dictionary(Type=Name.StructTreeRoot, K=element))
        append(pdf, f"/Figure <</Alt ({SECRET}) /MCID 0>> BDC EMC".encode())

    return edited(edit)


def invisible() -> bytes:
    return edited(lambda pdf: append(pdf, f"q BT 3 Tr /helv 11 Tf 72 200 Td ({SECRET}) Tj ET Q".encode()))


def beside_the_page() -> bytes:
    document = _sheet()
    document[0].insert_text((-500, 100), SECRET)
    return bytes(document.tobytes())


def in_metadata() -> bytes:
    def edit(pdf: Pdf) -> None:
        pdf.docinfo["/Author"] = SECRET
        pdf.Root.Metadata = pdf.make_stream(f"<x:xmpmeta xmlns:x='adobe:ns:meta/'>{SECRET}</x:xmpmeta>".encode())
        pdf.Root.Lang = pikepdf.String(SECRET)
        pdf.pages[0].obj.Metadata = pdf.make_stream(SECRET.encode())
        pdf.pages[0].obj.PieceInfo = Dictionary(A=Dictionary(Private=pikepdf.String(SECRET)))

    return edited(edit)


def in_navigation() -> bytes:
    document = _sheet()
    document.set_toc([[1, SECRET, 1]])
    link = {"kind": pymupdf.LINK_URI, "from": pymupdf.Rect(72, 160, 200, 180), "uri": f"mailto:{SECRET}"}
    document[0].insert_link(link)
    document.set_page_labels([{"startpage": 0, "prefix": SECRET, "style": "D", "firstpagenum": 1}])
    return bytes(document.tobytes())


def in_attachment_and_annotations() -> bytes:
    document = _sheet()
    document.embfile_add("x.txt", SECRET.encode(), desc=SECRET)
    document[0].add_text_annot((72, 300), SECRET)
    document[0].add_freetext_annot((72, 320, 400, 350), SECRET)
    widget = pymupdf.Widget()
    widget.field_name, widget.field_type = "mail", pymupdf.PDF_WIDGET_TYPE_TEXT
    widget.rect, widget.field_value = pymupdf.Rect(72, 400, 300, 420), SECRET
    document[0].add_widget(widget)
    return bytes(document.tobytes())


def in_script_and_thumbnail() -> bytes:
    def edit(pdf: Pdf) -> None:
        script = Dictionary(S=Name.JavaScript, JS=pikepdf.String(f"app.alert('{SECRET}')"))
        pdf.Root.OpenAction = script
        pdf.Root.Names = Dictionary(JavaScript=Dictionary(Names=Array([pikepdf.String("x"), script])))
        pdf.pages[0].obj.AA = Dictionary(O=script)
        pdf.pages[0].obj.Thumb = pdf.make_stream(SECRET.encode())

    return edited(edit)


def in_earlier_revision() -> bytes:
    """The page was replaced; the old one is still in the file."""
    with tempfile.NamedTemporaryFile(suffix=".pdf") as file:
        file.write(in_text())
        file.flush()
        document = pymupdf.open(file.name)
        content = document[0].get_contents()[-1]
        document.update_stream(content, b"BT /helv 11 Tf 72 770 Td (%s) Tj ET" % SHOWN.encode(), compress=False)
        document.saveIncr()
        return Path(file.name).read_bytes()


def in_picture() -> bytes:
    from PIL import Image, ImageDraw

    picture, written = Image.new("RGB", (400, 60), "white"), BytesIO()
    ImageDraw.Draw(picture).text((10, 10), SECRET, fill="black")
    picture.save(written, "PNG")
    document = _sheet()
    document[0].insert_image(pymupdf.Rect(72, 200, 472, 260), stream=written.getvalue())
    return bytes(document.tobytes())


def in_outlines() -> bytes:
    """A signature: curves that are not read."""
    document = _sheet()
    document[0].draw_bezier((72, 200), (90, 180), (110, 220), (130, 200))
    return bytes(document.tobytes())


PLACES: dict[str, Callable[[], bytes]] = {
    make.__name__: make
    for make in (
        in_text, in_rotated_page, glyph_by_glyph, in_form, in_pattern, in_layer_that_is_off, in_actual_text,
        in_alternate_text, invisible, beside_the_page, in_metadata, in_navigation, in_attachment_and_annotations,
        in_script_and_thumbnail,
        in_earlier_revision,
    )
}  # fmt: skip
