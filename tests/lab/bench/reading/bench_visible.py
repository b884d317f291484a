"""Text that a person sees and the reader calls hidden, and pages with ink whose empty result says complete.

`python -m tests.lab.bench.reading.bench_visible [--made 500]` makes pages by seed with text in Type 3 fonts, gradients,
patterns, clips, masks, layers and below covers. Whether a text is seen is decided by pixels: the page is drawn with it
and without it. `python -m tests.lab.bench.reading.bench_visible --made 0 FOLDER... [--pages 2] [--cpu 600]` reads every
PDF below the folders and counts pages that have ink, no text in the result, and a statement that says complete.
"""

import argparse
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from quire.models.cdom.errors import ExtractError
from quire.models.cdom.original import OcrMode, ReadOptions
from quire.models.extract.contract import PageContent
from quire.models.extract.formats.pdf.engine import pymupdf
from quire.models.extract.registry import open_document

OPTIONS = ReadOptions(ocr=OcrMode.NEVER)
SEEN_LEVELS = 40
"""Levels (of 255) by which a pixel must change to be seen; the reader counts 20."""
SEEN_PIXELS = 12
"""Pixels that must change: specks are not seen."""
SCALE = 2.0
"""Pixels per point of the drawings that are compared."""
MOST_PIXELS = 1000.0
"""Pixels of the longer side of a page that is searched for ink."""
GLYPHS = {
    "A": (0x0E, 0x11, 0x1F, 0x11), "B": (0x1E, 0x1E, 0x11, 0x1E), "C": (0x0F, 0x10, 0x10, 0x0F),
    "D": (0x1E, 0x11, 0x11, 0x1E), "E": (0x1F, 0x1C, 0x10, 0x1F), "F": (0x1F, 0x1C, 0x10, 0x10),
    "H": (0x11, 0x1F, 0x11, 0x11), "L": (0x10, 0x10, 0x10, 0x1F), "N": (0x19, 0x15, 0x13, 0x11),
    "O": (0x0E, 0x11, 0x11, 0x0E), "S": (0x0F, 0x18, 0x03, 0x1E), "T": (0x1F, 0x04, 0x04, 0x04),
}  # fmt: skip
"""Letters as four rows of five bits, for Type 3 fonts."""
LETTERS = tuple(GLYPHS)
PAGE_HEAD = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 420 420] /Contents 4 0 R"
"""Start of the page's dictionary."""


@dataclass(slots=True)
class MadePage:
    """Parts of a page: content before all texts, and for each text its words and content; resources are shared."""

    texts: list[tuple[str, str, str]] = field(default_factory=list)
    resources: dict[str, dict[str, str]] = field(default_factory=dict)
    objects: list[bytes] = field(default_factory=list)

    def add_object(self, body: str, stream: bytes | None = None) -> str:
        """Add an object and return its reference; the first three numbers are the catalog, the pages and the page."""
        if stream is None:
            self.objects.append(body.encode())
        else:
            head = f"{body[:-2]} /Length {len(stream)} >>\nstream\n".encode()
            self.objects.append(head + stream + b"\nendstream")
        return f"{len(self.objects) + 4} 0 R"

    def add_resource(self, kind: str, body: str, stream: bytes | None = None) -> str:
        """Add a named resource and return its name."""
        names = self.resources.setdefault(kind, {})
        name = f"{kind[0]}{len(names)}"
        names[name] = self.add_object(body, stream)
        return name

    def write(self, content: str) -> bytes:
        """Return the file with that content."""
        resources = " ".join(
            f"/{kind} << {' '.join(f'/{name} {ref}' for name, ref in names.items())} >>"
            for kind, names in self.resources.items()
        )
        bodies = [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            f"{PAGE_HEAD} /Resources << {resources} >> >>".encode(),
            f"<< /Length {len(content)} >>\nstream\n{content}\nendstream".encode(),
            *self.objects,
        ]
        out, offsets = bytearray(b"%PDF-1.7\n"), list[int]()
        for number, body in enumerate(bodies, 1):
            offsets.append(len(out))
            out += b"%d 0 obj\n%b\nendobj\n" % (number, body)
        start = len(out)
        out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(bodies) + 1)
        out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
        out += b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(bodies) + 1, start)
        return bytes(out)


def add_font(page: MadePage, chance: random.Random) -> tuple[str, float]:
    """Add a standard font; return its name and a size."""
    name = chance.choice(("Helvetica", "Times-Roman", "Courier", "Helvetica-Bold"))
    font = page.add_resource("Font", f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>")
    return font, chance.uniform(9, 22)


def add_type3(page: MadePage, chance: random.Random) -> tuple[str, float]:
    """Add a Type 3 font of a matrix chosen by chance; return its name and the size for letters of 8 to 20 points."""
    unit = chance.choice((1000.0, 100.0, 40.0, 8.0, 1.0))
    scale = chance.choice((0.001, 0.01, 0.024, 1.0, 1 / unit))
    flip = chance.choice((1, -1))
    coloured = chance.random() < 0.5
    color = chance.choice(("", "0.8 0 0 rg 0.8 0 0 RG", "0 0 0.6 rg"))
    stroked = chance.random() < 0.3
    procs: list[str] = []
    for letter, rows in GLYPHS.items():
        head = f"{unit:g} 0 d0 {color}" if coloured else (f"{unit:g} 0 0 0 {unit:g} {unit:g} d1")
        parts: list[str] = []
        for row, bits in enumerate(rows):
            for column in range(5):
                if bits >> (4 - column) & 1:
                    x, y = column * unit / 6, (3 - row if flip > 0 else row) * unit / 5
                    parts.append(f"{x:g} {y:g} {unit / 7:g} {unit / 6:g} re")
        paint = f"{unit / 20:g} w S" if stroked else "f"
        reference = page.add_object("<< >>", f"{head} {' '.join(parts)} {paint}".encode())
        procs.append(f"/{letter} {reference}")
    codes = " ".join(f"{ord(letter)} /{letter}" for letter in LETTERS)
    widths = " ".join(f"{unit:g}" if chr(code) in GLYPHS else "0" for code in range(65, 85))
    font = page.add_resource(
        "Font",
        f"<< /Type /Font /Subtype /Type3 /FontBBox [0 0 {unit:g} {unit:g}]"
        f" /FontMatrix [{scale:g} 0 0 {scale * flip:g} 0 0]"
        f" /CharProcs << {' '.join(procs)} >> /Encoding << /Type /Encoding /Differences [{codes}] >>"
        f" /FirstChar 65 /LastChar 84 /Widths [{widths}] >>",
    )
    return font, chance.uniform(8, 20) / (unit * scale)


def add_pattern(page: MadePage, chance: random.Random) -> str:
    """Return the content that sets a gradient or a tiling as the colour of fills and strokes."""
    colors = [" ".join(f"{chance.uniform(0, 0.8):.2f}" for _ in range(3)) for _ in range(2)]
    function = f"<< /FunctionType 2 /Domain [0 1] /C0 [{colors[0]}] /C1 [{colors[1]}] /N 1 >>"
    kind = chance.choice(("axial", "radial", "tiling", "uncoloured"))
    if kind in ("axial", "radial"):
        coords = "[20 0 400 0]" if kind == "axial" else "[200 200 0 200 200 300]"
        shading = (
            f"<< /ShadingType {2 if kind == 'axial' else 3} /ColorSpace /DeviceRGB /Coords {coords}"
            f" /Extend [true true] /Function {function} >>"
        )
        name = page.add_resource("Pattern", f"<< /Type /Pattern /PatternType 2 /Shading {shading} >>")
        return f"/Pattern cs /{name} scn /Pattern CS /{name} SCN"
    paint = 1 if kind == "tiling" else 2
    body = (
        f"<< /Type /Pattern /PatternType 1 /PaintType {paint} /TilingType 1 /BBox [0 0 4 4] /XStep 4 /YStep 4"
        " /Resources << >> >>"
    )
    tile = f"{colors[0]} rg 0 0 4 3 re f" if kind == "tiling" else "0 0 4 3 re f"
    name = page.add_resource("Pattern", body, tile.encode())
    if kind == "tiling":
        return f"/Pattern cs /{name} scn"
    space = page.add_resource("ColorSpace", "[/Pattern /DeviceRGB]")
    return f"/{space} cs {colors[0]} /{name} scn"


Paint = Callable[[MadePage, random.Random, str, float, str, float, float], str]
"""Content of a text: page, chance, font, size, words, x and y."""


def show(font: str, size: float, words: str, x: float, y: float, before: str = "") -> str:
    """Return the content that shows the words."""
    return f"BT {before} /{font} {size:g} Tf 1 0 0 1 {x:g} {y:g} Tm ({words}) Tj ET"


def paint_plain(page: MadePage, chance: random.Random, font: str, size: float, words: str, x: float, y: float) -> str:
    """Paint in a colour, sometimes white on white, sometimes white on a bar."""
    color = chance.choice(("0 g", "0.4 g", "0.9 0 0 rg", "1 g", "0.97 g"))
    bar = chance.choice(("", "", f"0.1 0.2 0.5 rg 0 {y - 8:g} 420 34 re f "))
    return f"{bar}{color} {show(font, size, words, x, y)}"


def paint_pattern(page: MadePage, chance: random.Random, font: str, size: float, words: str, x: float, y: float) -> str:
    """Paint with a gradient or a pattern, filled or stroked too."""
    mode = chance.choice((0, 0, 2))
    return f"{add_pattern(page, chance)} {show(font, size, words, x, y, f'{mode} Tr')}"


def paint_clipped(page: MadePage, chance: random.Random, font: str, size: float, words: str, x: float, y: float) -> str:
    """Clip to the text and paint an area, a gradient or nothing through it."""
    through = chance.choice(("area", "shading", "nothing"))
    after = ""
    if through == "area":
        after = f"0.6 0 0.2 rg 0 {y - 10:g} 420 40 re f"
    elif through == "shading":
        function = "<< /FunctionType 2 /Domain [0 1] /C0 [0 0 0.8] /C1 [0.7 0 0] /N 1 >>"
        name = page.add_resource(
            "Shading",
            f"<< /ShadingType 2 /ColorSpace /DeviceRGB /Coords [0 0 420 0] /Extend [true true] /Function {function} >>",
        )
        after = f"/{name} sh"
    return f"{show(font, size, words, x, y, '7 Tr')} {after}"


def paint_transparent(
    page: MadePage, chance: random.Random, font: str, size: float, words: str, x: float, y: float
) -> str:
    """Paint with an opacity, a blend mode or a soft mask."""
    kind = chance.choice(("alpha", "blend", "mask"))
    if kind == "alpha":
        state = f"<< /ca {chance.choice((0, 0.03, 0.2, 0.5, 0.9))} /CA 1 >>"
    elif kind == "blend":
        state = f"<< /BM /{chance.choice(('Multiply', 'Screen', 'Difference', 'Darken', 'Luminosity'))} >>"
    else:
        group = page.add_object(
            "<< /Type /XObject /Subtype /Form /BBox [0 0 420 420] /Group << /S /Transparency /CS /DeviceGray >>"
            " /Resources << >> >>",
            f"{chance.choice((0, 0.3, 1))} g 0 0 420 420 re f".encode(),
        )
        state = f"<< /SMask << /S /Luminosity /G {group} >> >>"
    name = page.add_resource("ExtGState", state)
    bar = chance.choice(("", f"0.2 g 0 {y - 8:g} 420 34 re f "))
    color = chance.choice(("0 g", "1 0.2 0.2 rg", "0.9 g"))
    return f"{bar}/{name} gs {color} {show(font, size, words, x, y)}"


def paint_covered(page: MadePage, chance: random.Random, font: str, size: float, words: str, x: float, y: float) -> str:
    """Paint an area over the text, opaque or not, all over it or beside it, or clip it away."""
    kind = chance.choice(("opaque", "glass", "beside", "clip", "white"))
    text = f"0 g {show(font, size, words, x, y)}"
    if kind == "clip":
        return f"{chance.choice((0, 500))} 0 420 420 re W n {text}"
    if kind == "beside":
        return f"{text} 0.7 g {x + 200:g} {y - 8:g} 90 30 re f"
    state = page.add_resource("ExtGState", "<< /ca 0.4 >>") if kind == "glass" else ""
    color = "1 g" if kind == "white" else "0.9 0.9 0.4 rg"
    return f"{text} {f'/{state} gs' if state else ''} {color} 0 {y - 8:g} 420 34 re f"


def paint_mode(page: MadePage, chance: random.Random, font: str, size: float, words: str, x: float, y: float) -> str:
    """Paint in one of the render modes, in a form, or off the page."""
    kind = chance.choice(("mode", "mode", "form", "off"))
    if kind == "off":
        return f"0 g {show(font, size, words, x + chance.choice((0, 600)), y)}"
    if kind == "mode":
        return f"0 g 0.5 w {show(font, size, words, x, y, f'{chance.choice((1, 2, 3, 4, 5, 6))} Tr')}"
    fonts = " ".join(f"/{name} {ref}" for name, ref in page.resources["Font"].items())
    name = page.add_resource(
        "XObject",
        f"<< /Type /XObject /Subtype /Form /BBox [0 0 420 420] /Resources << /Font << {fonts} >> >> >>",
        f"0 0 0.5 rg {show(font, size, words, x, y)}".encode(),
    )
    return f"/{name} Do"


PAINTS: dict[str, Paint] = {
    "plain": paint_plain,
    "pattern": paint_pattern,
    "clipped": paint_clipped,
    "transparent": paint_transparent,
    "covered": paint_covered,
    "mode": paint_mode,
}


def make_page(seed: int) -> MadePage:
    """Return a page of three to seven texts, each of its own word, some with a letter twice."""
    chance = random.Random(seed)
    page = MadePage()
    words: set[str] = set()
    for row in range(chance.randrange(3, 8)):
        word = "".join(chance.sample(LETTERS, k=7))
        word = word[:3] + word[2] + word[4:] if chance.random() < 0.2 else word
        if word in words:
            continue
        words.add(word)
        is_type3 = chance.random() < 0.4
        font, size = add_type3(page, chance) if is_type3 else add_font(page, chance)
        kind = chance.choice(tuple(PAINTS))
        y = 370 - 50 * row
        content = PAINTS[kind](page, chance, font, size, word, chance.uniform(20, 60), y)
        page.texts.append((word, f"{kind}{' type3' if is_type3 else ''}", f"q {content} Q"))
    return page


def draw(data: bytes) -> npt.NDArray[np.int16]:
    """Return the first page as rows × columns × colours."""
    with pymupdf.open(stream=data, filetype="pdf") as file:
        pixmap = file[0].get_pixmap(matrix=pymupdf.Matrix(SCALE, SCALE), alpha=False)
        return np.frombuffer(pixmap.samples, np.uint8).reshape(pixmap.height, pixmap.width, 3).astype(np.int16)


def take_word(content: str, word: str, kind: str) -> str:
    """Return the content of a text without its word; what is painted through the word alone goes with it."""
    return "" if kind == "clipped" else content.replace(f"({word})", "()")


def find_seen(page: MadePage) -> list[bool]:
    """Return for each text whether its pixels differ from those of the page without it."""
    whole = draw(page.write("\n".join(content for _, _, content in page.texts)))
    seen: list[bool] = []
    for index, (word, _, _) in enumerate(page.texts):
        other = MadePage(
            page.texts, page.resources, [body.replace(f"({word})".encode(), b"()") for body in page.objects]
        )
        parts = [take_word(text, word, kind) if i == index else text for i, (_, kind, text) in enumerate(page.texts)]
        changed = np.abs(whole - draw(other.write("\n".join(parts)))).max(axis=2) >= SEEN_LEVELS
        seen.append(int(changed.sum()) >= SEEN_PIXELS)
    return seen


def read_pages(data: bytes, most: int) -> Iterator[PageContent]:
    """Yield the first pages of a PDF as they are read."""
    document = open_document(data, OPTIONS)
    try:
        for number in document.facts.page_numbers[:most]:
            yield document.read_page(number).content
    finally:
        document.close()


def text_of(content: PageContent) -> str:
    """Return the visible text of a page without blanks."""
    texts = [block.text for block in content.blocks if block.unseen is None]
    texts += [cell.text for block in content.blocks if block.table is not None for cell in block.table.cells]
    return "".join("".join(texts).split())


def is_complete(content: PageContent) -> bool:
    """Return whether the page's statement says that nothing is missing."""
    stated = content.coverage
    return stated is not None and stated.judged and not stated.characters.lost


def count_made(count: int) -> Counter[str]:
    """Count texts of made pages: seen, seen but called hidden (by kind), hidden but read, and empty pages with ink."""
    counts: Counter[str] = Counter()
    for seed in range(count):
        page = make_page(seed)
        seen = find_seen(page)
        (content,) = read_pages(page.write("\n".join(text for _, _, text in page.texts)), 1)
        text = text_of(content)
        counts["pages"] += 1
        counts["empty and complete"] += any(seen) and not text and is_complete(content)
        for (word, kind, _), is_seen in zip(page.texts, seen, strict=True):
            counts["seen" if is_seen else "hidden"] += 1
            if is_seen and word not in text:
                counts["seen, called hidden"] += 1
                counts[f"  {kind} (seed {seed})"] += 1
            counts["hidden, read as text"] += not is_seen and word in text
    return counts


def has_ink(path: Path, number: int) -> bool:
    """Return whether a page of a file is not of one colour; False for a page that only the reader's repair shows."""
    with pymupdf.open(path) as file:
        if number > len(file):
            return False
        page = file[number - 1]
        scale = min(1.0, MOST_PIXELS / max(page.rect.width, page.rect.height, 1.0))
        pixmap = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), alpha=False)
    return len(set(pixmap.samples[::3])) > 1 or len(set(pixmap.samples[1::3])) > 1


def count_files(folders: list[Path], pages: int, cpu: float) -> Counter[str]:
    """Count the pages of files, and those with ink, an empty result and a complete statement."""
    counts: Counter[str] = Counter()
    until = time.process_time() + cpu
    paths = sorted(path for folder in folders for path in folder.rglob("*.pdf"))
    random.Random(0).shuffle(paths)
    for path in paths:
        if time.process_time() > until:
            counts["files left out"] += 1
            continue
        counts["files"] += 1
        try:
            for content in read_pages(path.read_bytes(), pages):
                counts["pages"] += 1
                if not text_of(content) and has_ink(path, content.number):
                    counts["empty pages with ink"] += 1
                    if is_complete(content):
                        counts["empty and complete"] += 1
                        counts[f"  {path.name} page {content.number}"] += 1
        except ExtractError:
            counts["refused"] += 1
    return counts


def main() -> None:
    """Print the counts of made pages and of the files below the folders."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--made", type=int, default=500)
    parser.add_argument("--pages", type=int, default=2)
    parser.add_argument("--cpu", type=float, default=600)
    options = parser.parse_args()
    parts: list[tuple[str, Any]] = []
    if options.made:
        parts.append(("made", count_made(options.made)))
    if options.folders:
        parts.append(("files", count_files(options.folders, options.pages, options.cpu)))
    for name, counts in parts:
        print(name, *(f"{key}: {count}" for key, count in counts.items() if count), sep="\n  ")


if __name__ == "__main__":
    main()
