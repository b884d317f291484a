"""Redacted files of text, marked-up text, slides, workbooks and OpenDocument: nothing of the value is left anywhere."""

import re
import zipfile
from collections.abc import Callable
from email.message import EmailMessage
from io import BytesIO

import pytest
from lxml import etree

from quire.models.pii.flagging.flag import flag_tree
from quire.models.pii.letters import letters
from quire.models.pii.patterns.kind_patterns import RegexDetector
from quire.models.redaction.office import sheets, slides
from quire.models.redaction.planning.errors import NotRedactable, RedactionUnproven
from quire.models.redaction.redact import REDACTABLE, redact_original
from quire.models.redaction.texts import html, mails, odf, plain, rtf
from tests.models.extract.formats.opendocument.test_odf import ITEM, book, opendocument
from tests.models.extract.formats.sheets.workbooks import number_cell, sheet, text_cell, workbook
from tests.models.extract.formats.slides.decks import deck, paragraph, shape, slide
from tests.models.redaction.papers import SECRET, SHOWN, read, redact

CARD = "4111111111111111"
HALF, REST = SECRET[:7], SECRET[7:]
SPLIT = f"<b>{HALF}</b><i>{REST}</i>"
_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_TYPE = "application/vnd.openxmlformats-officedocument."


def types(**parts: str) -> dict[str, str | bytes]:
    """Return the content types of parts; names are given with `__` for `/`."""
    lines = "".join(
        f'<Override PartName="/{name.replace("__", "/")}.xml" ContentType="{_TYPE}{kind}+xml"/>'
        for name, kind in parts.items()
    )
    return {"[Content_Types].xml": f'<Types xmlns="{_TYPES}">{lines}</Types>'}


def a_deck() -> bytes:
    runs = f"<a:p><a:r><a:t>Ask {HALF}</a:t></a:r><a:r><a:t>{REST} soon</a:t></a:r></a:p>"
    named = shape(paragraph("Named")).replace("name='x'", f"name='{SECRET}' descr='{SECRET}'")
    link = shape(f'<a:p><a:r><a:rPr><a:hlinkClick tooltip="{SECRET}"/></a:rPr><a:t>here</a:t></a:r></a:p>')
    more = types(ppt__presentation="presentationml.presentation.main", ppt__slides__slide1="presentationml.slide")
    more |= {"docProps/core.xml": f"<a>{SECRET}</a>", "ppt/comments/comment1.xml": f"<a>{SECRET}</a>"}
    return deck(slide(shape(paragraph(SHOWN)), shape(runs), named, link), more=more)


def a_workbook() -> bytes:
    rows = (
        f'<row r="1">{text_cell("A1", SHOWN)}{text_cell("B1", f"Ask {SECRET} soon")}</row>'
        f'<row r="2">{text_cell("A2", "Card")}{number_cell("B2", CARD)}</row>'
        f'<row r="3"><c r="A3" t="str"><f>"{HALF}"&amp;"{REST}"</f><v>{SECRET}</v></c></row>'
    )
    after = f'<headerFooter><oddHeader>{SECRET}</oddHeader></headerFooter><hyperlinks><hyperlink ref="A1" display="{SECRET}"/></hyperlinks>'  # noqa: E501
    more = types(
        xl__workbook="spreadsheetml.sheet.main",
        xl__worksheets__sheet1="spreadsheetml.worksheet",
        xl__styles="spreadsheetml.styles",
    )
    more |= {"docProps/core.xml": f"<a>{SECRET}</a>"}
    return workbook(sheet(rows, after=after), more=more)


def a_text_document(kind: str = "text") -> bytes:
    inner = (
        f"<text:p>{SHOWN}</text:p><text:p>Ask {HALF}<text:span>{REST}</text:span> soon</text:p>"
        f"<text:p>x<office:annotation><text:p>{SECRET}</text:p></office:annotation>y</text:p>"
    )
    return opendocument(kind, inner, **{"meta.xml": f"<a>{SECRET}</a>", "Thumbnails/thumbnail.png": SECRET})


def a_sheet_document() -> bytes:
    cells = f'<table:table-cell office:value-type="string" office:string-value="{SECRET}"><text:p>Ask {SECRET} soon</text:p></table:table-cell>'  # noqa: E501
    number = (
        f'<table:table-cell office:value-type="float" office:value="{CARD}"><text:p>{CARD}</text:p></table:table-cell>'
    )
    rows = f"<table:table-row><table:table-cell><text:p>{SHOWN}</text:p></table:table-cell>{cells}{number}</table:table-row>"  # noqa: E501
    return opendocument("spreadsheet", f'<table:table table:name="{SECRET}">{rows}</table:table>')


def a_page() -> bytes:
    return (
        f"<html><head><title>Page of {SECRET}</title><meta name='author' content='{SECRET}'>"
        f"<script>var x='{SECRET}'</script></head><body><!-- {SECRET} --><p>{SHOWN}</p><p>Ask {SPLIT} soon</p>"
        f"<p><a href='mailto:{SECRET}' title='{SECRET}'>here</a></p><img alt='{SECRET}' src='x.png'>"
        f"<div style='display: none'>{SECRET}</div></body></html>"
    ).encode()


def a_book() -> bytes:
    head = f"<head><title/><meta name='author' content='{SECRET}'/></head>"
    first = f"<p>{SHOWN}</p><p>Ask {SPLIT} soon</p><img src='x.png' alt='{SECRET}'/><!-- {SECRET} -->"
    second = f"<h1>Two</h1><p title='{SECRET}'>Or <a href='mailto:{SECRET}'>here</a></p>"
    return book(
        '<itemref idref="a"/><itemref idref="b"/>',
        ITEM.format("a") + ITEM.format("b") + f'<item id="c" href="{SECRET}.css" media-type="text/css"/>',
        a=f'<html xmlns="http://www.w3.org/1999/xhtml">{head}<body>{first}</body></html>',
        b=f'<html xmlns="http://www.w3.org/1999/xhtml">{head}<body>{second}</body></html>',
        unused=SECRET,
    )


def a_mail(html: bool) -> bytes:
    body = f"<html><body><p>{SHOWN}</p><p>Ask {SPLIT} soon</p></body></html>" if html else f"{SHOWN}\n\nAsk {SECRET}\n"
    message = EmailMessage()
    message["Subject"], message["From"], message["To"] = f"Übung for {SECRET}", f"Jane <{SECRET}>", "ann@other.example"
    message["Received"] = message["X-Mailer"] = f"by way of {SECRET}"
    message["Date"] = "Sun, 18 Nov 2007 19:56:00 +1100"
    message.set_content(f"Plain for {SECRET}", cte="base64")
    if html:
        message.add_alternative(body, subtype="html", cte="quoted-printable")
    else:
        message.set_content(body, cte="base64")
    message.add_attachment(SECRET.encode(), maintype="application", subtype="pdf", filename=f"{SECRET}.pdf")
    return message.as_bytes()


def a_saved_page() -> bytes:
    message = EmailMessage()
    message["Subject"], message["Snapshot-Content-Location"] = f"Page of {SECRET}", f"https://x.example/{SECRET}"
    message["From"] = "<Saved by Blink>"
    message.set_content(a_page().decode(), subtype="html", cte="quoted-printable")
    message.add_related(SECRET.encode(), maintype="image", subtype="png", cid=f"<{SECRET}>")
    return message.as_bytes()


def a_rich_text() -> bytes:
    hidden = rf"{{\info{{\author {SECRET}}}}}{{\*\unknown {SECRET}}}{{\v {SECRET}}}"
    field = rf'{{\field{{\*\fldinst HYPERLINK "mailto:{SECRET}"}}{{\fldrslt here}}}}'
    row = rf"\trowd\cellx4000\cellx8000\pard\intbl Card\cell {CARD}\cell\row"
    text = (
        rf"\pard {SHOWN}\par \pard Ask {{\b {HALF}}}{REST} soon \{{braces\}} gr\'fc\u223?e\par \pard {field}\par {row}"
    )
    return rf"{{\rtf1\ansi\ansicpg1252{hidden}{text}\pard end\par}}".encode("ascii")


FILES: dict[str, Callable[[], bytes]] = {
    "txt": lambda: f"{SHOWN}\n\nAsk {SECRET} soon\nand jane . zaq (at) leak . example too\n".encode(),
    "txt in utf-16": lambda: f"{SHOWN}\n\nAsk {SECRET} soon\n".encode("utf-16"),
    "txt in cp1252": lambda: f"{SHOWN} Grüße\n\nAsk {SECRET} soon\n".encode("cp1252"),
    "markdown": lambda: (
        f"# Notes\n\n{SHOWN}\n\n<!-- {SECRET} -->\n\nAsk **{HALF}**{REST} soon, [here](mailto:{SECRET})\n".encode()
    ),
    "csv": lambda: f'Who,Mail\n"Ann, B.",{SECRET}\nBob,"{SHOWN}"\nEve,none\n'.encode(),
    "html": a_page,
    "pptx": a_deck,
    "xlsx": a_workbook,
    "odt": a_text_document,
    "ods": a_sheet_document,
    "epub": a_book,
    "mail of text": lambda: a_mail(html=False),
    "mail of html": lambda: a_mail(html=True),
    "mail in cp1252": lambda: (
        f"From: Jane <{SECRET}>\r\nTo: ann@other.example\r\nSubject: x\r\nMIME-Version: 1.0\r\n"
        f"Content-Type: text/plain; charset=windows-1252\r\n\r\n{SHOWN}\r\nGr\xfc\xdfe an {SECRET}\r\n".encode("cp1252")
    ),
    "mhtml": a_saved_page,
    "rtf": a_rich_text,
}


def everything(data: bytes) -> str:
    found = [data.decode("latin-1"), data.decode("utf-8", "replace"), data.decode("utf-16", "replace")]
    if zipfile.is_zipfile(BytesIO(data)):
        with zipfile.ZipFile(BytesIO(data)) as file:
            for name in file.namelist():
                text = file.read(name).decode("utf-8", "replace")
                found += [name, text, re.sub(r"<[^>]*>", "", text)]
    return "\n".join([*found, re.sub(r"<[^>]*>", "", found[1])])


@pytest.mark.parametrize("name", FILES)
def test_the_value_is_nowhere_and_the_rest_is_read_again(name: str) -> None:
    original = FILES[name]()
    assert SECRET in "".join(block.text for block in read(original).blocks) or SECRET in everything(original)
    clean = redact(original)
    assert letters(SECRET) not in letters(everything(clean))
    assert CARD not in everything(clean)
    again, before = read(clean), read(original)
    assert again.source.format == before.source.format
    said = " ".join(b.text + " ".join(c.text for c in (b.table.cells if b.table else ())) for b in again.blocks)
    assert SHOWN in said
    assert "█████" in said


@pytest.mark.parametrize("name", FILES)
def test_the_same_file_gives_the_same_bytes(name: str) -> None:
    original = FILES[name]()
    assert redact(original) == redact(original)


@pytest.mark.parametrize(
    ("name", "module", "function"),
    [
        ("txt", plain, "mask_places"),
        ("html", html, "mask_spelled"),
        ("pptx", slides, "mask_runs"),
        ("xlsx", sheets, "mask_runs"),
        ("odt", odf, "_mask"),
        ("html", html, "_clean"),
        ("pptx", slides, "clean_slide"),
        ("xlsx", sheets, "_clean"),
        ("epub", html, "mask_spelled"),
        ("mhtml", html, "mask_spelled"),
        ("mail of html", html, "mask_spelled"),
        ("mail of text", mails, "mask_places"),
        ("rtf", rtf, "mask_places"),
    ],
)
def test_without_masking_or_cleaning_the_file_is_refused(
    name: str, module: object, function: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    unchanged = (lambda text, _: text) if function == "mask_places" else lambda *_: None
    monkeypatch.setattr(module, function, unchanged)
    monkeypatch.setattr(module, "mask_parts", lambda *_: None, raising=False)
    with pytest.raises(RedactionUnproven):
        redact(FILES[name]())


def test_text_in_an_undetectable_character_set_is_refused() -> None:
    original = "日本語の文章です。電話番号は 090-1234-5678 です。どうぞよろしくお願いします。\n".encode("shift_jis")
    tree = flag_tree(read(b"plain" + b"\n"), RegexDetector())
    found = flag_tree(read(f"Ask {SECRET}\n".encode()), RegexDetector())
    assert tree.blocks
    with pytest.raises(RedactionUnproven):
        redact_original(original, found, {}, read)


def test_the_pages_of_a_redacted_book_are_xhtml_without_prefixes() -> None:
    with zipfile.ZipFile(BytesIO(redact(a_book()))) as book_:
        pages = [etree.fromstring(book_.read(name)) for name in book_.namelist() if name.endswith(".xhtml")]
    assert [page.tag for page in pages] == ["{http://www.w3.org/1999/xhtml}html"] * 2
    assert [page.prefix for page in pages] == [None] * 2


def test_mail_with_other_words_than_those_read_is_refused() -> None:
    """A name decoded in another character set would stay next to its mask, misspelled."""
    tree = flag_tree(read(a_mail(html=False)), RegexDetector())
    for other in (b"From: a@b.example\r\nTo: c@d.example\r\nSubject: x\r\n\r\nOther words\r\n", b"", b"\0\0\0"):
        with pytest.raises(RedactionUnproven):
            redact_original(other, tree, {}, read)


def test_a_broken_package_is_refused() -> None:
    tree = flag_tree(read(a_deck()), RegexDetector())
    for broken in (b"PK\x03\x04 nothing", a_text_document()):
        with pytest.raises(RedactionUnproven):
            redact_original(broken, tree, {}, read)


def test_other_formats_say_that_no_redacted_file_is_made_of_them() -> None:
    notes = flag_tree(read(b"= Notes\n\nNothing *here*.\n\n== More\n\n* one\n* two\n"), RegexDetector())
    assert notes.source.format not in REDACTABLE
    with pytest.raises(NotRedactable):
        redact_original(b"", notes, {}, read)


def test_mail_with_an_empty_page_as_its_body_is_redacted() -> None:
    message = EmailMessage()
    message["Subject"], message["From"] = f"Ask {SECRET}", "b@leak.example"
    message.set_content("\n", subtype="html")
    message.add_attachment(b"1", maintype="application", subtype="octet-stream", filename="a.bin")
    assert SECRET.encode() not in redact(message.as_bytes())
