"""Signs that a file paints apart from their letter: clusters of ten scripts, and accents of old TeX fonts."""

import io
import random
import unicodedata

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, Pdf

from quire.models.export.markdown import tree_to_markdown
from tests.models.extract.flow_trees import read_tree

SCRIPTS = {
    "Devanagari": ("कगचजतदनपमरलवसह", "ािीुेैोौ"),
    "Bengali": ("কগচজতদনপমরলসহ", "ািীুেৈ"),
    "Gurmukhi": ("ਕਗਚਜਤਦਨਪਮਰਲਵਸਹ", "ਾਿੀੁੇੈੋੌ"),
    "Gujarati": ("કગચજતદનપમરલવસહ", "ાિીુેૈોૌ"),
    "Oriya": ("କଗଚଜତଦନପମରଲସହ", "ାିୀୁେ"),
    "Tamil": ("கஙசஞடணதநபமயரலவழளறன", "ாிீுூெேைொோ"),
    "Telugu": ("కగచజతదనపమరలవసహ", "ాిీుూెేొో"),
    "Kannada": ("ಕಗಚಜತದನಪಮರಲವಸಹ", "ಾಿುೂೆೃ"),
    "Malayalam": ("കഗചജതദനപമരലവസഹ", "ാിീുെേൈൊ"),
    "Thai": ("กขคงจชซดตถทนบปผพมยรลวสห", "ะาิีึืุู"),
}
"""Letters and vowel signs."""
PAGES_PER_SCRIPT = 20


class Painter:
    """A page in a font whose glyphs and widths (thousandths of an em) it makes as they are needed."""

    def __init__(self, size: float) -> None:
        self.size = size
        self.glyphs: dict[tuple[str, int], int] = {}
        self.content = b""

    def glyph(self, text: str, width: int) -> bytes:
        return b"<%04x>" % self.glyphs.setdefault((text, width), len(self.glyphs) + 1)

    def pdf(self) -> bytes:
        pdf = Pdf.new()
        rows = [(code, text, width) for (text, width), code in self.glyphs.items()]
        shown = "\n".join(f"<{code:04x}> <{text.encode('utf-16-be').hex()}>" for code, text, _ in rows if text)
        head = "/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <0000> <ffff> endcodespacerange"
        cmap = f"{head}\n{sum(bool(text) for _, text, _ in rows)} beginbfchar\n{shown}\nendbfchar endcmap end"
        system = Dictionary(Registry=pikepdf.String("Adobe"), Ordering=pikepdf.String("Identity"), Supplement=0)
        inner = Dictionary(Type=Name.Font, Subtype=Name.CIDFontType2, BaseFont=Name.Made, CIDSystemInfo=system)
        inner.W = Array([value for code, _, width in rows for value in (code, Array([width]))])
        inner.FontDescriptor = Dictionary(Type=Name.FontDescriptor, FontName=Name.Made, Flags=4, Ascent=800)
        font = Dictionary(Type=Name.Font, Subtype=Name.Type0, BaseFont=Name.Made, Encoding=Name("/Identity-H"))
        font.DescendantFonts = Array([pdf.make_indirect(inner)])
        font.ToUnicode = pdf.make_stream(cmap.encode())
        page = pdf.add_blank_page(page_size=(595, 842))
        page.Resources = Dictionary(Font=Dictionary(F1=pdf.make_indirect(font)))
        page.Contents = pdf.make_stream(self.content)
        out = io.BytesIO()
        pdf.save(out, deterministic_id=True)
        return out.getvalue()


def clusters_page(letters: str, signs: str, seed: int) -> tuple[bytes, list[str]]:
    """Lines of words; every second cluster is painted by two or three glyphs, and its text stated for all of them."""
    rng = random.Random(f"{letters}{seed}")
    painter = Painter(rng.choice((9, 10.5, 12, 14)))
    lines: list[str] = []
    for row in range(3):
        out = [b"BT /F1 %g Tf 60 %d Td" % (painter.size, 760 - 40 * row)]
        words: list[str] = []
        for _ in range(rng.randint(3, 5)):
            if words:
                out.append(painter.glyph(" ", 260) + b" Tj")
            word = ""
            for _ in range(rng.randint(2, 4)):
                letter, sign = rng.choice(letters), rng.choice(signs)
                word += letter + sign
                width = rng.randint(500, 900)
                if rng.random() < 0.5:
                    out.append(painter.glyph(letter + sign, width) + b" Tj")
                    continue
                stated = b"/Span <</ActualText <feff" + (letter + sign).encode("utf-16-be").hex().encode() + b">>> BDC"
                rest = rng.choice(((300,), (450,), (700,), (500, 600)))
                if unicodedata.category(sign) == "Mn":
                    rest = rest[:1]
                if rng.random() < 0.3:  # browsers map the glyph of a sign, and no other form of its letter
                    parts = [painter.glyph("", width), painter.glyph(sign, rest[0])]
                else:
                    parts = [painter.glyph(letter, width), *(painter.glyph("", more) for more in rest)]
                out.append(stated + b" " + b" ".join(part + b" Tj" for part in parts) + b" EMC")
            words.append(word)
        painter.content += b"\n".join([*out, b"ET\n"])
        lines.append(" ".join(words))
    return painter.pdf(), lines


@pytest.mark.parametrize("script", SCRIPTS)
def test_no_blank_stands_inside_a_word(script: str) -> None:
    wrong = []
    for seed in range(PAGES_PER_SCRIPT):
        data, lines = clusters_page(*SCRIPTS[script], seed)
        read = " ".join(tree_to_markdown(read_tree(data)).split())
        if unicodedata.normalize("NFC", read) != unicodedata.normalize("NFC", " ".join(lines)):
            wrong.append((seed, lines, read))
    assert not wrong, (len(wrong), wrong[0])


ACCENTED = "àáâãäåçèéêëìíîïñòóôõöùúûüýčďěňřšžāēīōūăőűłøßæ"
APART = {"\u0300": "`", "\u0301": "´", "\u0302": "ˆ", "\u0303": "˜", "\u0308": "¨", "\u030a": "˚", "\u0327": "¸",
         "\u030c": "ˇ", "\u0304": "¯", "\u0306": "˘", "\u030b": "˝"}  # fmt: skip


def accents_page(seed: int) -> tuple[bytes, str]:
    """A line of words whose accents are glyphs over their letters, before or after them in the file."""
    rng = random.Random(seed)
    painter = Painter(rng.choice((9, 10, 12)))
    comes_first, words = seed % 3 > 0, []
    out = [b"BT /F1 %g Tf 60 760 Td" % painter.size]
    for number in range(rng.randint(5, 9)):
        word = "".join(
            rng.choice(ACCENTED if rng.random() < 0.3 else "bdegklmnoprstu") for _ in range(rng.randint(3, 8))
        )
        word = word.capitalize() if rng.random() < 0.3 else word
        if number:
            out.append(painter.glyph(" ", 250) + b" Tj")
        for char in word:
            width = 280 if char in "ìíîïī" else 500
            letter, *marks = list(unicodedata.normalize("NFD", char))
            letter = "ı" if marks and letter == "i" and seed % 2 else letter
            shown = painter.glyph(letter, width)
            if not marks:
                out.append(shown + b" Tj")
                continue
            mark, off = painter.glyph(APART[marks[0]], 333), (width - 333) // 2 + rng.randint(-40, 40)
            lift = 2 if letter.isupper() else 0
            accent = b"[%d %s %d] TJ" % (-off, mark, 333 + off)
            if lift:
                accent = b"%d Ts %s 0 Ts" % (lift, accent)
            if comes_first:
                out.append(accent + b" " + shown + b" Tj")
            else:
                out.append(shown + b" Tj [%d] TJ " % width + accent + b" [%d] TJ" % -width)
        words.append(word)
    painter.content = b"\n".join([*out, b"ET"])
    return painter.pdf(), " ".join(words)


def test_accents_of_old_fonts_stand_on_their_letters() -> None:
    wrong = []
    for seed in range(40):
        data, line = accents_page(seed)
        read = tree_to_markdown(read_tree(data)).strip()
        if read != line:
            wrong.append((seed, line, read))
    assert not wrong, (len(wrong), wrong[:3])


def test_accents_that_stand_alone_stay() -> None:
    painter = Painter(10)
    text = "x ^ 2 and `name` or ~user costs"
    shown = b" ".join(painter.glyph(char, 500) + b" Tj" for char in text)
    painter.content = b"BT /F1 10 Tf 60 760 Td " + shown + b" ET"
    (block,) = read_tree(painter.pdf()).blocks
    assert block.text == text
