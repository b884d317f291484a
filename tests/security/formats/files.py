"""A small file of each of the 25 built-in formats with values in every place that the format has, made from a number."""

import base64
import io
import random
import zipfile
from collections.abc import Callable
from email.message import EmailMessage
from html import escape

import docx
import pymupdf
from PIL import Image, PngImagePlugin

from tests.security.canaries import DOCX_PLACES, PDF_PLACES, Case, make_value

Take = Callable[[str], str]
"""From the name of a place to a new value for it."""

_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_ODF = "urn:oasis:names:tc:opendocument:xmlns"
_PICTURE = io.BytesIO()
Image.new("RGB", (40, 40), "white").save(_PICTURE, "PNG")


def _pack(parts: dict[str, str | bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as package:
        for name, part in parts.items():
            package.writestr(zipfile.ZipInfo(name), part)
    return made.getvalue()


def _core(take: Take) -> str:
    return (
        '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties"'
        f' xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{take("title")}</dc:title><dc:creator>{take("author")}'
        f"</dc:creator><cp:keywords>{take('keywords')}</cp:keywords></cp:coreProperties>"
    )


def _types(**overrides: str) -> str:
    vendor = "application/vnd.openxmlformats-officedocument"
    rows = "".join(
        f'<Override PartName="/{name.replace("__", ".").replace("_", "/")}" ContentType="{vendor}.{kind}+xml"/>'
        for name, kind in overrides.items()
    )
    return (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels"'
        ' ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml"'
        f' ContentType="application/xml"/><Default Extension="png" ContentType="image/png"/>{rows}</Types>'
    )


def _links(*targets: tuple[str, str]) -> str:
    rows = "".join(
        f'<Relationship Id="r{n}" Type="{_OFFICE}/{kind}" Target="{target}"{" TargetMode=" + chr(34) + "External" + chr(34) if ":" in target else ""}/>'
        for n, (kind, target) in enumerate(targets, 1)
    )
    return f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{rows}</Relationships>'


def _xlsx(take: Take) -> bytes:
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    cells = "".join(
        f'<row r="{n}"><c r="A{n}" t="inlineStr"><is><t>{text}</t></is></c></row>'
        for n, text in enumerate(("Sheet of the year", f"Note {take('cell')}", take("cell alone")), 1)
    )
    value = take("formula's value")
    cells += f'<row r="4"><c r="A4" t="str"><f>CONCATENATE("{take("formula")}","")</f><v>{value}</v></c></row>'
    hidden = f'<row r="5" hidden="1"><c r="A5" t="inlineStr"><is><t>{take("hidden row")}</t></is></c></row>'
    sheet = (
        f'<worksheet xmlns="{main}" xmlns:r="{_OFFICE}"><sheetData>{cells}{hidden}</sheetData><dataValidations count="1">'
        f'<dataValidation type="list" sqref="B1" prompt="{take("prompt")}"><formula1>"{take("list")}"</formula1></dataValidation></dataValidations>'
        f'<hyperlinks><hyperlink ref="A1" r:id="r1" tooltip="{take("tooltip")}"/></hyperlinks>'
        f"<headerFooter><oddHeader>{take('page header')}</oddHeader></headerFooter></worksheet>"
    )
    comments = (
        f'<comments xmlns="{main}"><authors><author>{take("comment author")}</author></authors><commentList><comment'
        f' ref="A1" authorId="0"><text><t>{take("comment")}</t></text></comment></commentList></comments>'
    )
    book = (
        f'<workbook xmlns="{main}" xmlns:r="{_OFFICE}"><sheets><sheet name="One" sheetId="1" r:id="r1"/></sheets><definedNames>'
        f'<definedName name="Chief">"{take("defined name")}"</definedName></definedNames></workbook>'
    )
    return _pack(
        {
            "[Content_Types].xml": _types(
                xl_workbook__xml="spreadsheetml.sheet.main", xl_worksheets_sheet1__xml="spreadsheetml.worksheet"
            ),
            "_rels/.rels": _links(("officeDocument", "xl/workbook.xml")),
            "xl/workbook.xml": book,
            "xl/_rels/workbook.xml.rels": _links(("worksheet", "worksheets/sheet1.xml")),
            "xl/worksheets/sheet1.xml": sheet,
            "xl/worksheets/_rels/sheet1.xml.rels": _links(
                ("hyperlink", f"mailto:{take('link').replace(' ', '')}@mail.example"), ("comments", "../comments1.xml")
            ),
            "xl/comments1.xml": comments,
            "docProps/core.xml": _core(take),
            f"xl/media/{take('picture name').replace(' ', '')}.png": _PICTURE.getvalue(),
        }
    )


def _pptx(take: Take) -> bytes:
    main, draw = (
        "http://schemas.openxmlformats.org/presentationml/2006/main",
        "http://schemas.openxmlformats.org/drawingml/2006/main",
    )
    spaces = f'xmlns:p="{main}" xmlns:a="{draw}" xmlns:r="{_OFFICE}"'

    def shape(number: int, text: str, alt: str) -> str:
        return (
            f'<p:sp><p:nvSpPr><p:cNvPr id="{number}" name="Text {number}" descr="{alt}"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr>'
            f"<p:spPr/><p:txBody><a:bodyPr/><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>"
        )

    tree = "<p:cSld{}><p:spTree><p:nvGrpSpPr><p:cNvPr id='1' name=''/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>{}</p:spTree></p:cSld>"
    shapes = shape(2, f"Call {take('slide text')} today", take("alt text")) + shape(
        3, take("second shape"), take("second alt text")
    )
    slide = f"<p:sld {spaces}>{tree.format('', shapes)}</p:sld>"
    notes = f"<p:notes {spaces}>{tree.format('', shape(2, take('speaker notes'), ''))}</p:notes>"
    return _pack(
        {
            "[Content_Types].xml": _types(
                ppt_presentation__xml="presentationml.presentation.main",
                ppt_slides_slide1__xml="presentationml.slide",
                ppt_notesSlides_notesSlide1__xml="presentationml.notesSlide",
            ),
            "_rels/.rels": _links(("officeDocument", "ppt/presentation.xml")),
            "ppt/presentation.xml": f'<p:presentation {spaces}><p:sldIdLst><p:sldId id="256" r:id="r1"/></p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/></p:presentation>',
            "ppt/_rels/presentation.xml.rels": _links(("slide", "slides/slide1.xml")),
            "ppt/slides/slide1.xml": slide,
            "ppt/slides/_rels/slide1.xml.rels": _links(
                ("notesSlide", "../notesSlides/notesSlide1.xml"),
                ("hyperlink", f"mailto:{take('link').replace(' ', '')}@mail.example"),
            ),
            "ppt/notesSlides/notesSlide1.xml": notes,
            "docProps/core.xml": _core(take),
        }
    )


def _odf(kind: str) -> Callable[[Take], bytes]:
    def make(take: Take) -> bytes:
        spaces = "".join(
            f' xmlns:{name}="{_ODF}:{space}:1.0"'
            for name, space in (
                ("office", "office"), ("text", "text"), ("table", "table"), ("draw", "drawing"), ("meta", "meta"), ("svg", "svg-compatible"),
            )
        ) + ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xlink="http://www.w3.org/1999/xlink"'  # fmt: skip
        lines = (
            f"<text:p>Note {take('text')} here</text:p><text:p>{take('alone')}</text:p>"
            f'<text:p><text:a xlink:href="mailto:{take("link").replace(" ", "")}@mail.example">write</text:a></text:p>'
        )

        def make_note() -> str:
            written = f"<dc:creator>{take('comment author')}</dc:creator><text:p>{take('comment')}</text:p>"
            return f"<office:annotation>{written}</office:annotation>"

        body = {
            "text": lambda: f"<office:text>{lines}<text:p>x{make_note()}</text:p></office:text>",
            "spreadsheet": lambda: (
                f'<office:spreadsheet><table:table table:name="One"><table:table-row><table:table-cell>{make_note()}{lines}'
                f"</table:table-cell></table:table-row></table:table></office:spreadsheet>"
            ),
            "presentation": lambda: (
                f'<office:presentation><draw:page draw:name="p1"><draw:frame><svg:title>{take("alt text")}</svg:title>'
                f"<draw:text-box>{lines}</draw:text-box></draw:frame></draw:page></office:presentation>"
            ),
        }[kind]()
        return _pack(
            {
                "mimetype": f"application/vnd.oasis.opendocument.{kind}",
                "content.xml": f"<office:document-content{spaces}><office:body>{body}</office:body></office:document-content>",
                "meta.xml": f"<office:document-meta{spaces}><office:meta><dc:title>{take('title')}</dc:title><meta:initial-creator>"
                f"{take('author')}</meta:initial-creator></office:meta></office:document-meta>",
                "META-INF/manifest.xml": '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
                f'<manifest:file-entry manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.{kind}"/></manifest:manifest>',
                f"Pictures/{take('picture name').replace(' ', '')}.png": _PICTURE.getvalue(),
            }
        )

    return make


def _page(take: Take) -> str:
    return (
        f'<!DOCTYPE html><html><head><title>{take("title")}</title><meta name="author" content="{take("meta")}">'
        f"<script>var a = '{take('script')}';</script><style>/* {take('style')} */</style></head><body><h1>Report</h1>"
        f'<!-- {take("comment")} --><p data-x="{take("data attribute")}">Note {take("text")} now.</p>'
        f'<p title="{take("title attribute")}"><a href="mailto:{take("link").replace(" ", "")}@mail.example">write</a></p>'
        f'<img alt="{take("alt text")}" src="data:image/png;base64,{base64.b64encode(_PICTURE.getvalue()).decode()}">'
        f'<p hidden>{take("hidden")}</p><input value="{take("form value")}"><table><tr><td>{take("cell")}</td></tr></table></body></html>'
    )


def _mail(take: Take) -> EmailMessage:
    mail = EmailMessage()
    mail["From"] = f"{take('sender').replace(' ', '').replace('@', '.')}@mail.example.com"
    mail["To"] = "somebody@mail.example.com"
    mail["Subject"] = f"About {take('subject')}"
    mail["X-Note"] = take("header")
    mail["Date"] = "Mon, 02 Nov 2026 10:00:00 +0000"
    mail.set_content(f"Please note {take('text')} now.\n\n> {take('quoted text')}\n")
    mail.add_alternative(f"<p>Please note {take('HTML text')} now.</p>", subtype="html")
    mail.add_attachment(f"See {take('attachment')}.", filename=f"{take('attachment name').replace(' ', '')}.txt")
    return mail


def _mhtml(take: Take) -> bytes:
    page = base64.encodebytes(_page(take).encode()).decode()
    return (
        f"From: <Saved by {take('saved by')}>\nSubject: {take('subject')}\nMIME-Version: 1.0\nContent-Type: multipart/related;"
        f' type="text/html"; boundary="b"\n\n--b\nContent-Type: text/html; charset="utf-8"\nContent-Transfer-Encoding: base64\n'
        f"Content-Location: https://example.com/{take('location').replace(' ', '')}\n\n{page}\n--b--\n"
    ).encode()


def _epub(take: Take) -> bytes:
    page = (
        f'<html xmlns="http://www.w3.org/1999/xhtml"><head><title>{take("page title")}</title></head><body><h1>One</h1>'
        f'<p title="{take("attribute")}">Note {take("text")} now.</p><!-- {take("comment")} --></body></html>'
    )
    return _pack(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>'
            '<rootfile full-path="b.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
            "b.opf": '<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="i"><metadata'
            f' xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{take("title")}</dc:title><dc:creator>{take("author")}</dc:creator>'
            f'<dc:identifier id="i">{take("identifier")}</dc:identifier></metadata><manifest><item id="p" href="p.xhtml"'
            ' media-type="application/xhtml+xml"/></manifest><spine><itemref idref="p"/></spine></package>',
            "p.xhtml": page,
        }
    )


def _rtf(take: Take) -> bytes:
    return (
        rf"{{\rtf1\ansi{{\info{{\title {take('title')}}}{{\author {take('author')}}}{{\doccomm {take('comment field')}}}}}"
        rf"\pard Note {take('text')} now.\par{{\v {take('hidden text')}}}\par {{\*\annotation {take('comment')}}}"
        rf"{{\header {take('header')}}}{{\footnote {take('footnote')}}}\par}}"
    ).encode()


def _jats(take: Take) -> bytes:
    return (
        '<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) Journal Publishing DTD v1.2 20190208//EN" "x.dtd"><article><front><article-meta>'
        f"<title-group><article-title>About {take('title')}</article-title></title-group><author-notes><corresp>{take('correspondence')}"
        f"</corresp></author-notes></article-meta></front><body><sec><title>One</title><p>Note {take('text')} now.</p>"
        f"<!-- {take('comment')} --><fig><caption><p>{take('caption')}</p></caption></fig></sec></body></article>"
    ).encode()


def _text(form: str) -> Callable[[Take], bytes]:
    return lambda take: form.format_map(_Places(take)).encode()


class _Places(dict[str, str]):
    def __init__(self, take: Take) -> None:
        super().__init__()
        self._take = take

    def __missing__(self, place: str) -> str:
        return self._take(place)


def _picture(kind: str) -> Callable[[Take], bytes]:
    def make(take: Take) -> bytes:
        made, facts = io.BytesIO(), PngImagePlugin.PngInfo()
        facts.add_text("Author", take("metadata") if kind == "PNG" else "")
        exif = Image.Exif()
        more = {}
        if kind in ("JPEG", "WEBP", "AVIF", "TIFF"):
            exif[0x010E], exif[0x013B] = take("description"), take("artist")
            more = {"exif": exif}
        Image.new("RGB", (600, 400), "white").save(made, kind, **({"pnginfo": facts} if kind == "PNG" else more))
        return made.getvalue()

    return make


def _bag(take: Take) -> bytes:
    return _pack(
        {"a.txt": f"Note {take('text of a part')} now.", f"{take('part name').replace(' ', '')}.csv": f"name,mail\nx,{take('cell of a part')}\n"}
    )  # fmt: skip


MAKERS: dict[str, Callable[[Take], bytes]] = {
    "xlsx": _xlsx, "pptx": _pptx, "odt": _odf("text"), "ods": _odf("spreadsheet"), "odp": _odf("presentation"),
    "html": lambda take: _page(take).encode(), "mhtml": _mhtml, "eml": lambda take: _mail(take).as_bytes(),
    "mbox": lambda take: b"From a Mon Nov  2 10:00:00 2026\n" + _mail(take).as_bytes() + b"\n", "epub": _epub, "rtf": _rtf, "jats": _jats,
    "txt": _text("Report\n\nPlease note {text} now.\n\n{alone}\n\nand {end}\n"),
    "markdown": _text("# About {heading}\n\nNote **{bold}** and `{code}`.\n\n<!-- {comment} -->\n\n- {item}\n\n| a |\n|---|\n| {cell} |\n"),
    "csv": _text("name,mail\none,{cell}\ntwo,{second cell}\n{first cell},x\n"), "zip": _bag,
    **{kind: _picture(kind.upper()) for kind in ("png", "jpeg", "tiff", "webp", "avif", "bmp", "gif")},
}  # fmt: skip
"""Of all formats but PDF and DOCX, whose places are in `canaries`."""
FORMATS = ("pdf", "docx", *MAKERS)
PICTURES = frozenset(("png", "jpeg", "tiff", "webp", "avif", "bmp", "gif"))


def make_format_case(kind: str, number: int) -> Case:
    """File `number` of a format; the same every time. Pictures show two lines that a recogniser reads."""
    dice = random.Random(f"{kind}/{number}")
    case = Case(kind=kind)

    def take(place: str) -> str:
        value = make_value(dice)
        while value.startswith("http"):
            value = make_value(dice)
        case.plant(place, value)
        return escape(value)

    name = take("file name").replace(" ", "")
    case.name = f"{name}.{kind}"
    if kind == "pdf":
        with pymupdf.open() as document:
            page = document.new_page()
            for place, fill in enumerate(sorted(dice.sample(sorted(PDF_PLACES), 8), key="two pages".__eq__)):
                case.plant(fill, *PDF_PLACES[fill](document, page, take(fill), 60.0 + 60 * place, dice))
            case.data = document.tobytes(no_new_id=True)
    elif kind == "docx":
        document, made = docx.Document(), io.BytesIO()
        for fill in dice.sample(sorted(DOCX_PLACES), 8):
            case.plant(fill, *DOCX_PLACES[fill](document, take(fill), dice))
        document.save(made)
        case.data = made.getvalue()
    else:
        case.data = MAKERS[kind](take)
    if kind in PICTURES:
        case.lines = ["A scanned letter", f"Please note {take('a line')} for later.", f"and {take('another line')}"]
    return case
