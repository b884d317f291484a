"""Documents with several values in several places, made from a number, and the search that finds a value again."""

import random
import re
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO

import pikepdf
import pymupdf
import pypdfium2

from tests.lab.bench.redaction.pdf_file import start
from tests.lab.bench.redaction.pdf_objects import OBJECT_PLACES
from tests.lab.bench.redaction.pdf_places import CONTENT_PLACES, at
from tests.lab.bench.redaction.word_file import WORD_PLACES, WordFile, paragraph, run
from tests.security import canaries

LEAST = 6
"""Letters and figures of the shortest part of a value that counts as found."""
SHOWN = "The rope was measured twice."
PDF_PLACES = {**CONTENT_PLACES, **OBJECT_PLACES}
_STEP = 46
"""Points of height for each place."""


@dataclass
class CanaryFile:
    """A file with planted values. `needles`: letters and figures of each value, and its hiding place."""

    kind: str
    data: bytes = b""
    needles: dict[str, str] = field(default_factory=dict)


def _make_value(dice: random.Random) -> str:
    """Make a value of a kind that is searched by default, which excludes web addresses."""
    value = canaries.make_value(dice)
    while value.startswith("http"):
        value = canaries.make_value(dice)
    return value


def make_pdf(number: int) -> CanaryFile:
    """Ten of the places, by chance; one value is shown in every file, so that a redaction has something to do."""
    dice = random.Random(number)
    made, file = CanaryFile("pdf"), start(packed=dice.random() < 0.5)
    file.content.append(at(f"({SHOWN})", 750))
    for place, name in enumerate(["text", *dice.sample(sorted(PDF_PLACES), 9)]):
        value = _make_value(dice)
        PDF_PLACES[name](file, value, 700 - _STEP * place, dice)
        made.needles[folded(value)] = name
    made.data = file.finish()
    return made


def make_docx(number: int) -> CanaryFile:
    dice = random.Random(number)
    made, file = CanaryFile("docx"), WordFile(body=[paragraph(run(SHOWN))])
    for name in dice.sample(sorted(WORD_PLACES), 8):
        value = _make_value(dice)
        WORD_PLACES[name](file, value, dice)
        made.needles[folded(value)] = name
    made.data = file.finish()
    return made


def folded(text: str) -> str:
    """Return letters and figures in a uniform spelling. Shares no code with the product."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text)).casefold()


def search_pdf(data: bytes) -> dict[str, str]:
    """Return the folded text seen by MuPDF and pdfium, qpdf's decoded streams, and the raw bytes."""
    with pymupdf.open(stream=data) as document:
        seen = "\n".join(page.get_text(clip=pymupdf.INFINITE_RECT()) for page in document)
        seen += "".join(str(value) for value in (document.metadata or {}).values())
    other = pypdfium2.PdfDocument(data)
    shown = "\n".join(page.get_textpage().get_text_range() for page in other)
    other.close()
    decoded = BytesIO()
    with pikepdf.open(BytesIO(data)) as pdf:
        level = pikepdf.StreamDecodeLevel.all
        pdf.save(decoded, stream_decode_level=level, compress_streams=False, static_id=True)
    found = {"MuPDF": seen, "pdfium": shown, "qpdf": _spelled(decoded.getvalue()), "bytes": _spelled(data)}
    return {way: folded(text) for way, text in found.items()}


def search_docx(data: bytes) -> dict[str, str]:
    """The bytes, and every part with and without its markup."""
    with zipfile.ZipFile(BytesIO(data)) as file:
        parts = [file.read(name).decode("utf-8", "replace") for name in file.namelist()]
    plain = [re.sub(r"<[^>]*>", "", part) for part in parts]
    return {"parts": folded("\n".join(parts)), "text": folded("".join(plain)), "bytes": folded(data.decode("latin-1"))}


def _spelled(data: bytes) -> str:
    """The bytes as text, with what is written in other ways spelled out as well.

    Packed streams, strings in hexadecimal, octal codes, 16 bits a letter, codes in names.
    """
    text = data.decode("latin-1") + "\n".join(_unpacked(data))
    hexed = "\n".join(_of_hex(one) for one in re.findall(r"<([0-9A-Fa-f\s]{12,})>", text))
    octal = re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8) & 0xFF), text) if "\\" in text else ""
    named = re.sub(r"#([0-9A-Fa-f]{2})", lambda code: chr(int(code[1], 16)), text) if "#" in text else ""
    return "\n".join((text, hexed, octal, named, text.replace("\0", "")))


def _unpacked(data: bytes) -> Iterator[str]:
    """Every stream that can be unpacked, whether anything refers to it or not."""
    for begin in re.finditer(rb"stream\r?\n", data):
        try:
            yield zlib.decompressobj().decompress(data[begin.end() :]).decode("latin-1")
        except zlib.error:
            continue


def _of_hex(digits: str) -> str:
    plain = re.sub(r"\s", "", digits)
    return bytes.fromhex(plain[: len(plain) // 2 * 2]).replace(b"\0", b"").decode("latin-1")
