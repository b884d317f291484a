"""Files whose text layer does not say what they show, made from one that does."""

import random
from collections.abc import Callable
from typing import Any

from quire.models.extract.formats.pdf.engine import pymupdf

PROSE = (
    "The harbour office keeps a list of every crane on the north quay and of the people who may work with it. "
    "Each spring the ropes are measured, the brakes are tested under load, and the results are written down. "
    "Where a rope is thinner than the limit the crane stands still until a new one has been fitted and approved. "
)


def make_page(body: str, map_code: Callable[[int], str | None] | None, *, other: str = "") -> bytes:
    """A page of `body` whose font says `map_code(code)` of each code; `other` below it in a font that is sound."""
    document = pymupdf.open()
    page = document.new_page(width=400, height=600)
    page.insert_textbox((40, 40, 360, 300), body, fontsize=11, fontname="helv")
    if other:
        page.insert_textbox((40, 320, 360, 580), other, fontsize=11, fontname="tiro")
    if map_code is not None:
        map_font(document, page, "Helvetica", map_code)
    return bytes(document.tobytes())


def map_font(
    document: Any, page: Any, font: str, map_code: Callable[[int], str | None], *, named: str = "", blank: str = ""
) -> None:
    """The page's font says `map_code(code)` of each code, `blank` of the space, and is called `named`."""
    found = next(xref for xref, _, _, base, *_ in page.get_fonts() if base == font)
    stream = document.get_new_xref()
    document.update_object(stream, "<<>>")
    document.update_stream(stream, _write_map(map_code, blank))
    document.xref_set_key(found, "ToUnicode", f"{stream} 0 R")
    if named:
        document.xref_set_key(found, "BaseFont", f"/{named}")


def _write_map(map_code: Callable[[int], str | None], blank: str = "") -> bytes:
    rows = [f"<{code:02x}> <{char.encode('utf-16-be').hex()}>" for code in range(33, 127) if (char := map_code(code))]
    rows += [f"<20> <{blank.encode('utf-16-be').hex()}>"] if blank else []
    return "\n".join(
        [
            "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def",
            "1 begincodespacerange <00> <ff> endcodespacerange",
            f"{len(rows)} beginbfchar",
            *rows,
            "endbfchar endcmap CMapName currentdict /CMap defineresource pop end end",
        ]
    ).encode()


def shuffled(seed: int) -> Callable[[int], str]:
    """Letters in the place of other letters."""
    letters = [chr(code) for code in range(33, 127) if chr(code).isalpha()]
    others = letters.copy()
    random.Random(seed).shuffle(others)
    table = dict(zip(letters, others, strict=True))
    return lambda code: table.get(chr(code), chr(code))


def moved(step: int) -> Callable[[int], str]:
    return lambda code: chr(code + step)


def private(code: int) -> str:
    return chr(0xE000 + code)


def latin_signs(seed: int) -> Callable[[int], str]:
    table = {code: chr(random.Random(seed * 1000 + code).randrange(0xA1, 0x17F)) for code in range(33, 127)}
    return lambda code: table[code]
