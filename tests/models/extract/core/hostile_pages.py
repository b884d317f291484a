"""Pages made by seed whose glyphs have hostile places, sizes, widths and codes.

`python -m tests.models.extract.core.hostile_pages [--interpreted]` prints a digest of their trees.
"""

import hashlib
import os
import random
import sys
from typing import Any

from quire.models.extract.formats.pdf.engine import pymupdf

_CODES = (
    "/CIDInit /ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange <00><FF> endcodespacerange"
    " 7 beginbfchar <41> <D800> <42> <0000> <43> <FFFF> <44> <D83DDE00> <45> <200D> <46> <05D0> <47> <00A0>"
    " endbfchar endcmap end end"
)
"""A surrogate, no character, a pair of surrogates, a joiner, a Hebrew letter, a hard blank."""
_SONG = (
    "/Type/Font/Subtype/Type0/BaseFont/Song/DescendantFonts[<</Type/Font/Subtype/CIDFontType0/BaseFont/Song"
    "/CIDSystemInfo<</Registry(Adobe)/Ordering(GB1)/Supplement 2>>>>]"
)
_PLAIN = "1 0 0 1"
_MATRICES = (_PLAIN, "0 1 -1 0", "-1 0 0 1", "1 0 0 -1", "0 0 0 0", "1 0 0 0", ".7 .7 -.7 .7", "1 0 .3 1")
_STATES = ("", "", "", "3 Tr", "1 Tr", "50 Tz", "0 Tz", "-100 Tz", "7 Ts", ".5 g", "1 0 0 rg", "5 Tc")
_WILD = ("0", "1e38", "9" * 41, "-" + "9" * 60, "0.00001", "-0.0001", "-1000010", "999995", "1500000")


class HostilePage:
    """A page under construction; `wild` is the share of numbers that no layout has."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.file = pymupdf.open()
        self.page: Any = self.file.new_page(width=600, height=800)
        self.wild = self.chance.choice((0.0, 0.0, 0.02, 0.3))
        fonts = self._make_fonts()
        self.fonts = self.chance.sample(list(fonts), self.chance.choice((1, 1, 2, 3)))
        named = "".join(f"/{name} {self._add(text)}" for name, text in fonts.items())
        self.file.xref_set_key(self.page.xref, "Resources", f"<</Font<<{named}>>>>")

    def make(self, parts: int) -> bytes:
        """Return the file with text and vectors on its page."""
        content = "\n".join(self._draw() if self.chance.random() < 0.2 else self._write() for _ in range(parts))
        self.file.xref_set_key(self.page.xref, "Contents", self._add("<<>>", content))
        return bytes(self.file.tobytes())

    def scatter(self, words: int, *, apart: bool) -> bytes:
        """Return the file with small words on its page, at places without order or all at one place."""
        chance, shown = self.chance, list[str]()
        for number in range(words):
            place = f"{chance.uniform(0, 590):.2f} {chance.uniform(0, 790):.2f}" if apart else "300 400"
            shown.append(f"BT /{chance.choice(self.fonts)} 2 Tf {_PLAIN} {place} Tm (w{number:04d}) Tj ET")
        self.file.xref_set_key(self.page.xref, "Contents", self._add("<<>>", "\n".join(shown)))
        return bytes(self.file.tobytes(deflate=True))

    def _add(self, text: str, stream: str | None = None) -> str:
        number = self.file.get_new_xref()
        self.file.update_object(number, text)
        if stream is not None:
            self.file.update_stream(number, stream.encode("latin-1"))
        return f"{number} 0 R"

    def _make_fonts(self) -> dict[str, str]:
        pick = self.chance.choice
        widths = " ".join(pick(("0", "500", "-300")) for _ in range(256))
        lines = f"/Ascent {pick(('0', '400', '900', '-5', '99999'))}/Descent {pick(('0', '-200', '100'))}"
        glyph = self._add("<<>>", "500 0 0 0 400 400 d1 0 0 400 400 re f")
        names = {"he": "Helvetica", "ti": "Times-BoldItalic", "co": "Courier", "sy": "Symbol"}
        return {name: f"<</Type/Font/Subtype/Type1/BaseFont/{base}>>" for name, base in names.items()} | {
            "od": f"<</Type/Font/Subtype/Type1/BaseFont/ABCDEF+Odd#5cu0041#20#e9/FirstChar 0/LastChar 255"
            f"/Widths[{widths}]/FontDescriptor<</Type/FontDescriptor/FontName/Odd{lines}/Flags 4/FontBBox[0 0 0 0]>>>>",
            "tu": f"<</Type/Font/Subtype/TrueType/BaseFont/Arial/ToUnicode {self._add('<<>>', _CODES)}>>",
            "so": f"<<{_SONG}/Encoding/UniGB-UCS2-H>>",
            "ve": f"<<{_SONG}/Encoding/UniGB-UCS2-V>>",
            "t3": f"<</Type/Font/Subtype/Type3/FontBBox[0 0 {pick(('0 0', '500 500', '1e38 1e38'))}]"
            f"/FontMatrix[.001 0 0 .001 0 0]/CharProcs<</a {glyph}>>/Encoding<</Differences[97/a/a/a]>>"
            f"/FirstChar 97/LastChar 99/Widths[{pick(('500 0 500', '0 0 0', '1e38 1 1'))}]/Resources<<>>>>",
        }

    def _number(self) -> str:
        chance = self.chance
        return chance.choice(_WILD) if chance.random() < self.wild else f"{chance.uniform(0, 600):.2f}"

    def _draw(self) -> str:
        a, b, c, d = (self._number() for _ in range(4))
        return self.chance.choice((f"{a} {b} {c} {d} re f", f"{a} {b} m {c} {d} l S", f"0 w {a} 50 m {b} 50 l S"))

    def _write(self) -> str:
        chance = self.chance
        text = "".join(chance.choice("abc ifi ABCDEFG12.%\\u0041\xe9~\x01") for _ in range(chance.randrange(30)))
        matrix = chance.choice(_MATRICES) if chance.random() < self.wild else _PLAIN
        size = chance.choice(("8", "10", "12", self._number()))
        fonts = [f"/{chance.choice(self.fonts)} {size} Tf" for _ in range(2)]
        shown = text.replace("\\", "\\\\")
        return (
            f"q BT {fonts[0]} {chance.choice(_STATES)} {matrix} {self._number()} {self._number()} Tm ({shown}) Tj"
            f" 0 -2 Td 7 TL (fi) ' {fonts[1]} (ab\\\\u00e9 c) Tj ET Q"
        )


def make_hostile_page(seed: int) -> bytes:
    """Return a page of up to 160 texts and vectors."""
    page = HostilePage(seed)
    return page.make(page.chance.randrange(1, 160))


def make_crowded_page(seed: int) -> bytes:
    """Return a page of thousands of such texts, or of as many small words at places without order or at one place."""
    page = HostilePage(seed)
    count = page.chance.randrange(2000, 6000)
    return page.scatter(count, apart=seed % 3 == 1) if seed % 3 else page.make(count)


if __name__ == "__main__":
    os.environ["QUIRE_COMPILED"] = "" if "--interpreted" in sys.argv else "1"
    from tests.golden.counts import read_document

    digest = hashlib.sha256()
    for made in (*map(make_hostile_page, range(20)), *map(make_crowded_page, range(6))):
        digest.update(repr(read_document(made)).encode())
    print(sys.modules["quire.models.extract.core.steps"].__file__, digest.hexdigest())
