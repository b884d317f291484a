"""Documents with planted personal data in every hiding place; each is made from a number alone."""

import io
import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import docx
import pymupdf
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import nsdecls, qn
from PIL import Image, PngImagePlugin

from tests.security.leaks import letters

LEAST_NEEDLE = 6
"""Letters and digits of the shortest part that counts as a leak."""


@dataclass
class Case:
    """One document: its bytes, its name, the lines an OCR would read (images), and what must not be seen."""

    kind: str
    data: bytes = b""
    name: str = ""
    lines: list[str] = field(default_factory=list)
    needles: dict[str, str] = field(default_factory=dict)
    """Letters and digits → the hiding place."""

    def plant(self, place: str, *parts: str) -> None:
        for part in parts:
            if len(found := letters(part)) >= LEAST_NEEDLE:
                self.needles[found] = place


def make_value(dice: random.Random) -> str:
    """Personal data of a kind whose checksum or shape is right."""
    token = "".join(dice.choices("bcdfghjkmnpqrtvwxz", k=7)) + str(dice.randint(10, 99))
    return dice.choice(
        (
            lambda: f"{token}@mail.example.com",
            lambda: _card(dice),
            lambda: _iban(dice),
            lambda: f"https://{token}.example.com/u/{token}",
            lambda: (
                f"+33 1 {dice.randint(10, 99)} {dice.randint(10, 99)} {dice.randint(10, 99)} {dice.randint(10, 99)}"
            ),
            lambda: "AKIA" + "".join(dice.choices("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", k=16)),
        )
    )()


def _card(dice: random.Random) -> str:
    body = "4" + "".join(str(dice.randint(0, 9)) for _ in range(14))
    doubled = [int(d) * (2 - i % 2) for i, d in enumerate(body)]
    check = -sum(n - 9 if n > 9 else n for n in doubled) % 10
    return " ".join(re.findall("....", f"{body}{check}"))


def _iban(dice: random.Random) -> str:
    account = "".join(str(dice.randint(0, 9)) for _ in range(18))
    check = 98 - int(account + "131400") % 97
    return f"DE{check:02}{account}"


def _broken(value: str, dice: random.Random) -> tuple[str, str]:
    """Two parts, broken where a line would break."""
    at = value.rfind(" ", 0, len(value) // 2 + 3) if " " in value else len(value) // 2
    return value[:at].rstrip(), value[at:].lstrip()


@lru_cache(maxsize=256)
def make_case(number: int) -> Case:
    """Case `number`; the same every time."""
    dice = random.Random(number)
    case = Case(kind=("pdf", "docx", "png")[number % 3])
    token = "".join(dice.choices("bcdfghjkmnpqrtvwxz", k=9))
    case.name = f"{token}@mail.example.com.{case.kind}"
    case.plant("file name", token)
    {"pdf": _fill_pdf, "docx": _fill_docx, "png": _fill_image}[case.kind](case, dice)
    return case


Place = Callable[[pymupdf.Document, pymupdf.Page, str, float, random.Random], tuple[str, ...]]


def _write(page: pymupdf.Page, at: tuple[float, float], text: str, **style: Any) -> None:
    page.insert_text(at, text, fontsize=style.pop("fontsize", 11), **style)


def _text(_: Any, page: pymupdf.Page, value: str, y: float, dice: random.Random) -> tuple[str, ...]:
    _write(page, (72, y), f"Please note {value} for later.")
    return (value,)


def _heading(_: Any, page: pymupdf.Page, value: str, y: float, dice: random.Random) -> tuple[str, ...]:
    _write(page, (72, y), f"About {value}", fontsize=20)
    return (value,)


def _spans(_: Any, page: pymupdf.Page, value: str, y: float, dice: random.Random) -> tuple[str, ...]:
    at = len(value) // 2
    _write(page, (72, y), value[:at], fontname="helv")
    _write(page, (72 + pymupdf.get_text_length(value[:at], "helv", 11), y), value[at:], fontname="hebo")
    return (value,)


def _lines(_: Any, page: pymupdf.Page, value: str, y: float, dice: random.Random) -> tuple[str, ...]:
    first, second = _broken(value, dice)
    _write(page, (72, y), f"The number we were given in the letter of last week is {first}")
    _write(page, (72, y + 13), f"{second} and it should be used from now on in all letters.")
    return (first, second)


def _pages(
    document: pymupdf.Document, page: pymupdf.Page, value: str, y: float, dice: random.Random
) -> tuple[str, ...]:
    first, second = _broken(value, dice)
    _write(page, (72, 790), f"Continued: {first}")
    _write(document.new_page(), (72, 72), f"{second} as said on the page before.")
    return (first, second)


def _white(_: Any, page: pymupdf.Page, value: str, y: float, dice: random.Random) -> tuple[str, ...]:
    _write(page, (72, y), value, color=(1, 1, 1))
    return (value,)


def _tiny(_: Any, page: pymupdf.Page, value: str, y: float, dice: random.Random) -> tuple[str, ...]:
    _write(page, (72, y), value, fontsize=0.5)
    return (value,)


def _off_page(_: Any, page: pymupdf.Page, value: str, y: float, dice: random.Random) -> tuple[str, ...]:
    _write(page, (-400, y), value)
    return (value,)


def _under_box(_: Any, page: pymupdf.Page, value: str, y: float, dice: random.Random) -> tuple[str, ...]:
    _write(page, (72, y), value)
    page.draw_rect((70, y - 12, 500, y + 4), color=(0, 0, 0), fill=(0, 0, 0))
    return (value,)


def _annotation(_: Any, page: pymupdf.Page, value: str, y: float, dice: random.Random) -> tuple[str, ...]:
    if dice.random() < 0.5:
        page.add_text_annot((72, y), f"See {value}")
    else:
        page.add_freetext_annot((72, y - 10, 400, y + 8), f"See {value}")
    return (value,)


def _form(_: Any, page: pymupdf.Page, value: str, y: float, dice: random.Random) -> tuple[str, ...]:
    widget = pymupdf.Widget()
    widget.field_name, widget.field_type = f"field{int(y)}", pymupdf.PDF_WIDGET_TYPE_TEXT
    widget.rect, widget.field_value = pymupdf.Rect(72, y - 10, 400, y + 8), value
    page.add_widget(widget)
    return (value,)


def _bookmark(document: pymupdf.Document, page: pymupdf.Page, value: str, y: float, dice: Any) -> tuple[str, ...]:
    document.set_toc([[1, f"About {value}", 1]])
    return (value,)


def _attachment(document: pymupdf.Document, page: pymupdf.Page, value: str, y: float, dice: Any) -> tuple[str, ...]:
    document.embfile_add(f"{letters(value)}.txt", value.encode(), desc=value)
    return (value,)


def _metadata(document: pymupdf.Document, page: pymupdf.Page, value: str, y: float, dice: Any) -> tuple[str, ...]:
    names = ("title", "author", "subject", "keywords", "creationDate")
    document.set_metadata({name: value for name in names})
    return (value,)


def _link(_: Any, page: pymupdf.Page, value: str, y: float, dice: random.Random) -> tuple[str, ...]:
    _write(page, (72, y), "Write to us here today.")
    target = value if value.startswith("http") else f"mailto:{letters(value)}@mail.example.com"
    page.insert_link({"kind": pymupdf.LINK_URI, "from": pymupdf.Rect(72, y - 12, 200, y + 4), "uri": target})
    return (value,)


def _table(_: Any, page: pymupdf.Page, value: str, y: float, dice: random.Random) -> tuple[str, ...]:
    cells = [["Name", value], ["Sum", "12.00"]] if dice.random() < 0.5 else [["Name", "Value"], ["Entry", value]]
    for row, texts in enumerate(cells):
        for column, text in enumerate(texts):
            box = pymupdf.Rect(72 + 200 * column, y + 18 * row - 12, 272 + 200 * column, y + 18 * row + 6)
            page.draw_rect(box, color=(0, 0, 0))
            _write(page, (box.x0 + 4, box.y1 - 5), text, fontsize=9)
    return (value,)


PDF_PLACES: dict[str, Place] = {
    "text": _text,
    "heading": _heading,
    "two spans": _spans,
    "two lines": _lines,
    "two pages": _pages,
    "white text": _white,
    "tiny text": _tiny,
    "text off the page": _off_page,
    "text under a box": _under_box,
    "annotation": _annotation,
    "form value": _form,
    "bookmark": _bookmark,
    "attachment": _attachment,
    "metadata": _metadata,
    "link target": _link,
    "table cell": _table,
}


def _fill_pdf(case: Case, dice: random.Random) -> None:
    with pymupdf.open() as document:
        page = document.new_page()
        _write(page, (72, 60), "Report of the year", fontsize=20)
        names = dice.sample(list(PDF_PLACES), k=6)
        for number, name in enumerate(sorted(names, key="two pages".__eq__)):
            case.plant(name, *PDF_PLACES[name](document, page, make_value(dice), 100.0 + 60 * number, dice))
        case.data = document.tobytes()


def _hidden_forms(value: str, dice: random.Random) -> str:
    """The value in a writing that looks the same or nearly so."""
    return dice.choice(
        (
            lambda: "\u200b".join(value),
            lambda: value[:3] + "\u00ad" + value[3:],
            lambda: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in value),
            lambda: value.translate(str.maketrans("aeopcx", "аеорсх")),
            lambda: value.translate(str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")),
            lambda: value.replace(" ", "\u00a0"),
            lambda: value,
        )
    )()


def _docx_body(document: Any, value: str, dice: random.Random) -> tuple[str, ...]:
    document.add_paragraph(f"Please note {_hidden_forms(value, dice)} for later.")
    return (value,)


def _docx_heading(document: Any, value: str, dice: random.Random) -> tuple[str, ...]:
    document.add_heading(f"About {value}", 1)
    document.add_paragraph("Some words under the heading, so that a chunk carries its path.")
    return (value,)


def _docx_runs(document: Any, value: str, dice: random.Random) -> tuple[str, ...]:
    paragraph = document.add_paragraph("Please note ")
    for char in value:
        paragraph.add_run(char).bold = dice.random() < 0.5
    return (value,)


def _docx_paragraphs(document: Any, value: str, dice: random.Random) -> tuple[str, ...]:
    first, second = _broken(value, dice)
    document.add_paragraph(f"Please note {first}")
    document.add_paragraph(f"{second} for later.")
    return (first, second)


def _docx_table(document: Any, value: str, dice: random.Random) -> tuple[str, ...]:
    table = document.add_table(2, 2)
    table.cell(dice.randint(0, 1), dice.randint(0, 1)).text = value
    return (value,)


def _docx_cells(document: Any, value: str, dice: random.Random) -> tuple[str, ...]:
    first, second = _broken(value, dice)
    table = document.add_table(1, 2)
    table.cell(0, 0).text, table.cell(0, 1).text = first, second
    return (first, second)


def _docx_furniture(document: Any, value: str, dice: random.Random) -> tuple[str, ...]:
    section = document.sections[0]
    (section.header if dice.random() < 0.5 else section.footer).paragraphs[0].text = f"Ask {value}"
    return (value,)


def _docx_hidden(document: Any, value: str, dice: random.Random) -> tuple[str, ...]:
    document.add_paragraph("Nothing to see. ").add_run(value).font.hidden = True
    return (value,)


def _docx_properties(document: Any, value: str, dice: random.Random) -> tuple[str, ...]:
    properties = document.core_properties
    properties.author = properties.title = properties.subject = properties.keywords = value
    properties.language = value
    return (value,)


def _docx_link(document: Any, value: str, dice: random.Random) -> tuple[str, ...]:
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink"
    target = value if value.startswith("http") else f"mailto:{letters(value)}@mail.example.com"
    paragraph = document.add_paragraph("Write ")
    link = OxmlElement("w:hyperlink")
    link.set(qn("r:id"), document.part.relate_to(target, kind, is_external=True))
    link.append(parse_xml(f"<w:r {nsdecls('w')}><w:t>to us here</w:t></w:r>"))
    paragraph._p.append(link)
    return (value,)


def _docx_deleted(document: Any, value: str, dice: random.Random) -> tuple[str, ...]:
    deleted = f'<w:del {nsdecls("w")} w:id="7" w:author="{value}"><w:r><w:delText>{value}</w:delText></w:r></w:del>'
    document.add_paragraph("Before ")._p.append(parse_xml(deleted))
    return (value,)


def _docx_picture(document: Any, value: str, dice: random.Random) -> tuple[str, ...]:
    picture = io.BytesIO()
    Image.new("RGB", (40, 40), "white").save(picture, "PNG")
    picture.seek(0)
    shape = document.add_picture(picture)
    shape._inline.docPr.set("descr", f"Portrait of {value}")
    shape._inline.docPr.set("title", value)
    return (value,)


def _docx_comment(document: Any, value: str, dice: random.Random) -> tuple[str, ...]:
    run = document.add_paragraph("A remark follows.").runs[0]
    document.add_comment(run, text=f"Call {value}", author=value, initials="x")
    return (value,)


DOCX_PLACES: dict[str, Callable[[Any, str, random.Random], tuple[str, ...]]] = {
    "text, perhaps disguised": _docx_body,
    "heading": _docx_heading,
    "many runs": _docx_runs,
    "two paragraphs": _docx_paragraphs,
    "table cell": _docx_table,
    "two cells": _docx_cells,
    "header or footer": _docx_furniture,
    "hidden run": _docx_hidden,
    "properties": _docx_properties,
    "link target": _docx_link,
    "tracked deletion": _docx_deleted,
    "alt text": _docx_picture,
    "comment": _docx_comment,
}


def _fill_docx(case: Case, dice: random.Random) -> None:
    document = docx.Document()
    for name in dice.sample(list(DOCX_PLACES), k=6):
        case.plant(name, *DOCX_PLACES[name](document, make_value(dice), dice))
    written = io.BytesIO()
    document.save(written)
    case.data = written.getvalue()


def _fill_image(case: Case, dice: random.Random) -> None:
    """Fill a case whose pixels show `lines`; the file itself hides values in its metadata."""
    whole, torn, secret = make_value(dice), make_value(dice), make_value(dice)
    first, second = _broken(torn, dice)
    case.lines = ["A scanned letter", f"Please note {whole} for later.", f"and also {first}", f"{second} as agreed."]
    case.plant("a line", whole)
    case.plant("two lines", first, second)
    case.plant("metadata", secret)
    facts = PngImagePlugin.PngInfo()
    facts.add_text("Author", secret)
    written = io.BytesIO()
    Image.new("RGB", (600, 400), "white").save(written, "PNG", pnginfo=facts)
    case.data = written.getvalue()
