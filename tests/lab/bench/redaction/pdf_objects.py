"""Places of a PDF outside its pages' content: what programs keep about a document."""

import random

from tests.lab.bench.redaction.pdf_file import PdfFile, literal, written
from tests.lab.bench.redaction.pdf_places import Plant, at


def _information(file: PdfFile, value: str, y: int, dice: random.Random) -> None:
    for key in ("Title", "Author", "Subject", "Keywords", "Creator", "Producer", "Company"):
        file.info[key] = written(value, dice.randrange(4))


def _xmp(file: PdfFile, value: str, y: int, dice: random.Random) -> None:
    packet = (
        "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>"
        "<rdf:Description rdf:about='' xmlns:pdf='http://ns.adobe.com/pdf/1.3/'>"
        f"<pdf:Keywords>{value}</pdf:Keywords></rdf:Description></rdf:RDF></x:xmpmeta>"
    )
    file.catalog["Metadata"] = file.stream(packet, "/Type /Metadata /Subtype /XML")
    file.page["Metadata"] = file.stream(packet, "/Type /Metadata /Subtype /XML")


def _language(file: PdfFile, value: str, y: int, dice: random.Random) -> None:
    file.catalog["Lang"] = literal(value)


def _piece(file: PdfFile, value: str, y: int, dice: random.Random) -> None:
    file.page["PieceInfo"] = f"<< /App << /Private {written(value, dice.randrange(4))} >> >>"


def _bookmark(file: PdfFile, value: str, y: int, dice: random.Random) -> None:
    number = len(file.objects)
    one = f"<< /Title {written(value, dice.randrange(4))} /Parent {number + 2} 0 R >>"
    item = file.add(one)
    file.catalog["Outlines"] = file.add(f"<< /Type /Outlines /First {item} /Last {item} /Count 1 >>")


def _page_label(file: PdfFile, value: str, y: int, dice: random.Random) -> None:
    file.catalog["PageLabels"] = f"<< /Nums [0 << /P {literal(value)} /S /D >>] >>"


def _destination(file: PdfFile, value: str, y: int, dice: random.Random) -> None:
    file.catalog["Dests"] = f"<< /{value.replace(' ', '#20').replace('@', '#40').replace('/', '#2F')} [0 /Fit] >>"


def _link(file: PdfFile, value: str, y: int, dice: random.Random) -> None:
    action = f"<< /S /URI /URI {literal('mailto:' + value)} >>"
    file.annotations.append(
        file.add(
            f"<< /Type /Annot /Subtype /Link /Rect [72 {y} 200 {y + 12}] /A {action} /Contents {literal(value)} >>"
        )
    )


def _remote(file: PdfFile, value: str, y: int, dice: random.Random) -> None:
    action = f"<< /S /GoToR /F << /Type /Filespec /F {literal(value)} /UF {written(value, 3)} >> /D [0 /Fit] >>"
    file.annotations.append(file.add(f"<< /Type /Annot /Subtype /Link /Rect [72 {y} 200 {y + 12}] /A {action} >>"))


def _note(file: PdfFile, value: str, y: int, dice: random.Random) -> None:
    said = f"/Contents {written(value, dice.randrange(4))} /T {literal(value)} /RC {literal(f'<p>{value}</p>')}"
    file.annotations.append(file.add(f"<< /Type /Annot /Subtype /Text /Rect [72 {y} 90 {y + 18}] {said} >>"))


def _free_text(file: PdfFile, value: str, y: int, dice: random.Random) -> None:
    drawn = file.form(at(literal(value), 2, 2))
    said = f"/Contents {literal(value)} /DA (/F1 11 Tf) /AP << /N {drawn} >>"
    file.annotations.append(file.add(f"<< /Type /Annot /Subtype /FreeText /Rect [72 {y} 400 {y + 18}] {said} >>"))


def _field(file: PdfFile, value: str, y: int, dice: random.Random) -> None:
    drawn = file.form(at(literal(value), 2, 2))
    said = f"/T (f{y}) /TU {literal(value)} /V {written(value, dice.randrange(4))} /DV {literal(value)}"
    field = file.add(
        f"<< /Type /Annot /Subtype /Widget /FT /Tx /Rect [72 {y} 400 {y + 18}] {said} /AP << /N {drawn} >> >>"
    )
    file.annotations.append(field)
    file.catalog["AcroForm"] = f"<< /Fields [{field}] /DA (/F1 11 Tf 0 g) >>"


def _xfa(file: PdfFile, value: str, y: int, dice: random.Random) -> None:
    data = file.stream(f"<xfa:datasets xmlns:xfa='http://www.xfa.org/schema/xfa-data/1.0/'>{value}</xfa:datasets>")
    file.catalog.setdefault("AcroForm", f"<< /Fields [] /XFA [(datasets) {data}] >>")


def _attachment(file: PdfFile, value: str, y: int, dice: random.Random) -> None:
    inner = file.stream(value, "/Type /EmbeddedFile")
    spec = f"<< /Type /Filespec /F {literal(value)} /Desc {literal(value)} /EF << /F {inner} >> >>"
    file.catalog["Names"] = f"<< /EmbeddedFiles << /Names [(a) {file.add(spec)}] >> >>"


def _file_note(file: PdfFile, value: str, y: int, dice: random.Random) -> None:
    inner = file.stream(value, "/Type /EmbeddedFile")
    spec = f"<< /Type /Filespec /F {literal(value)} /EF << /F {inner} >> >>"
    file.annotations.append(
        file.add(f"<< /Type /Annot /Subtype /FileAttachment /Rect [72 {y} 90 {y + 18}] /FS {spec} >>")
    )


def _script(file: PdfFile, value: str, y: int, dice: random.Random) -> None:
    body = file.stream(f"app.alert('{value}')")
    file.catalog["OpenAction"] = f"<< /S /JavaScript /JS {body} >>"
    file.page["AA"] = f"<< /O << /S /JavaScript /JS {literal(value)} >> >>"


def _thumbnail(file: PdfFile, value: str, y: int, dice: random.Random) -> None:
    file.page["Thumb"] = file.stream(
        value, f"/Width {len(value)} /Height 1 /BitsPerComponent 8 /ColorSpace /DeviceGray"
    )


def _structure(file: PdfFile, value: str, y: int, dice: random.Random) -> None:
    said = (
        f"/Alt {written(value, dice.randrange(4))} /ActualText {literal(value)} /E {literal(value)} /T {literal(value)}"
    )
    element = file.add(f"<< /Type /StructElem /S /Figure {said} >>")
    file.catalog["StructTreeRoot"] = file.add(f"<< /Type /StructTreeRoot /K {element} >>")
    file.catalog["MarkInfo"] = "<< /Marked true >>"


def _revision(file: PdfFile, value: str, y: int, dice: random.Random) -> None:
    """The first revision shows it, the second draws something else."""
    number = len(file.objects) + 1
    file.resource("XObject", f"R{y}", file.form(at(literal(value), y)))
    file.content.append(f"/R{y} Do")
    entries = "/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >>"
    file.later.append((number, file.stream_body(at("(As drawn anew.)", y), entries)))


def _orphan(file: PdfFile, value: str, y: int, dice: random.Random) -> None:
    file.add(f"<< /Kept {literal(value)} >>")
    file.stream(value)


def _comment(file: PdfFile, value: str, y: int, dice: random.Random) -> None:
    file.comment += f"% {value}\n"


def _threads(file: PdfFile, value: str, y: int, dice: random.Random) -> None:
    file.catalog["Threads"] = f"[<< /Type /Thread /I << /Title {literal(value)} >> >>]"


OBJECT_PLACES: dict[str, Plant] = {
    plant.__name__.strip("_"): plant
    for plant in (
        _information, _xmp, _language, _piece, _bookmark, _page_label, _destination, _link, _remote, _note, _free_text,
        _field, _xfa, _attachment, _file_note, _script, _thumbnail, _structure, _revision, _orphan, _comment,
        _threads,
    )
}  # fmt: skip
"""Around the pages."""
