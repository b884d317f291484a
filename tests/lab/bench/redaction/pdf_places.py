"""Places of a PDF in which a value may stand, shown or hidden, each a function that puts it there."""

import random
from collections.abc import Callable

from tests.lab.bench.redaction.pdf_file import PdfFile, literal, written

WIDTH = 6.6
"""Points a letter of Courier takes at 11 points."""
Plant = Callable[[PdfFile, str, int, random.Random], None]
"""Puts a value into the file; the number is the height on the page of which the place may use 30 points."""


def at(text: str, y: float, x: float = 72, font: str = "F1", size: float = 11, before: str = "") -> str:
    return f"BT {before} /{font} {size} Tf 1 0 0 1 {x} {y} Tm {text} Tj ET"


def _content(draw: Callable[[str, int, random.Random], str]) -> Plant:
    def plant(file: PdfFile, value: str, y: int, dice: random.Random) -> None:
        file.content.append(draw(value, y, dice))

    return plant


def _text(value: str, y: int, dice: random.Random) -> str:
    return at(written(f"Please note {value} for later.", dice.randrange(3)), y)


def _heading(value: str, y: int, dice: random.Random) -> str:
    return at(literal(f"About {value}"), y, font="F2", size=16)


def _two_spans(value: str, y: int, dice: random.Random) -> str:
    cut = len(value) // 2
    return at(literal(value[:cut]), y) + at(literal(value[cut:]), y, 72 + WIDTH * cut, "F2")


def _kerned(value: str, y: int, dice: random.Random) -> str:
    parts = " ".join(f"{literal(char)} {dice.randint(-40, 40)}" for char in value)
    return f"BT /F1 11 Tf 72 {y} Td [{parts}] TJ ET"


def _glyph_by_glyph(value: str, y: int, dice: random.Random) -> str:
    return " ".join(at(literal(char), y, 72 + 8 * n, ("F1", "F2")[n % 2]) for n, char in enumerate(value))


def _shuffled(value: str, y: int, dice: random.Random) -> str:
    """Drawn in another order than it is read."""
    glyphs = [at(literal(char), y, 72 + WIDTH * n) for n, char in enumerate(value)]
    dice.shuffle(glyphs)
    return " ".join(glyphs)


def _white(value: str, y: int, dice: random.Random) -> str:
    return f"q 1 1 1 rg {at(literal(value), y)} Q"


def _tiny(value: str, y: int, dice: random.Random) -> str:
    return at(literal(value), y, size=0.4)


def _off_page(value: str, y: int, dice: random.Random) -> str:
    return at(literal(value), y, x=dice.choice((-500, 900)))


def _invisible(value: str, y: int, dice: random.Random) -> str:
    return f"q {at(literal(value), y, before=f'{dice.choice((3, 7))} Tr')} Q"


def _under_box(value: str, y: int, dice: random.Random) -> str:
    return f"{at(literal(value), y)} q 0 g 70 {y - 4} 480 16 re f Q"


def _clipped(value: str, y: int, dice: random.Random) -> str:
    return f"q 0 0 10 10 re W n {at(literal(value), y)} Q"


def _turned(value: str, y: int, dice: random.Random) -> str:
    return f"BT /F1 9 Tf 0 1 -1 0 {560 - y % 5 * 12} {40 + y % 7 * 20} Tm {literal(value)} Tj ET"


def _quoted(value: str, y: int, dice: random.Random) -> str:
    return f"BT /F1 11 Tf 12 TL 72 {y + 12} Td {literal(value)} ' ET"


def _two_lines(value: str, y: int, dice: random.Random) -> str:
    cut = value.find(" ", len(value) // 2 - 2)
    cut = cut if cut > 0 else len(value) // 2
    first, second = value[:cut], value[cut:].strip()
    return at(literal(f"The number in the letter of last week is {first}"), y) + at(
        literal(f"{second} and it is to be used from now on in letters."), y - 12
    )


def _cell(value: str, y: int, dice: random.Random) -> str:
    frame = f"q 0.5 w 70 {y - 5} 100 16 re S 170 {y - 5} 330 16 re S 70 {y - 21} 100 16 re S 170 {y - 21} 330 16 re S Q"
    texts = [at("(Entry)", y, 74), at(literal(value), y, 174), at("(Sum)", y - 16, 74), at("(12.00)", y - 16, 174)]
    return " ".join((frame, *texts))


def _actual_text(value: str, y: int, dice: random.Random) -> str:
    return f"/Span << /ActualText {written(value, dice.randrange(4))} >> BDC {at('(ligature)', y)} EMC"


def _marked_point(value: str, y: int, dice: random.Random) -> str:
    return f"/Note << /Contents {literal(value)} >> DP"


def _inline_picture(value: str, y: int, dice: random.Random) -> str:
    return f"q 20 0 0 20 72 {y} cm BI /W {len(value)} /H 1 /BPC 8 /CS /G ID {value} EI Q"


def _other_page(file: PdfFile, value: str, y: int, dice: random.Random) -> None:
    file.second.append(_text(value, y, dice))


def _form(file: PdfFile, value: str, y: int, dice: random.Random) -> None:
    file.resource(
        "XObject", f"X{y}", file.form(_text(value, y, dice), f"/PieceInfo << /A << /Private {literal(value)} >> >>")
    )
    file.content.append(f"q /X{y} Do Q")


def _nested_form(file: PdfFile, value: str, y: int, dice: random.Random) -> None:
    inner = file.form(_text(value, 0, dice))
    outer = file.form(f"q 1 0 0 1 0 {y} cm /In Do Q", resources=f"/XObject << /In {inner} >>")
    file.resource("XObject", f"N{y}", outer)
    file.content.append(f"/N{y} Do")


def _unused_form(file: PdfFile, value: str, y: int, dice: random.Random) -> None:
    file.resource("XObject", f"U{y}", file.form(_text(value, y, dice)))


def _pattern(file: PdfFile, value: str, y: int, dice: random.Random) -> None:
    tile = file.stream(
        at(literal(value), 4, 0),
        "/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 300 20] /XStep 300 /YStep 20"
        " /Resources << /Font << /F1 3 0 R >> >>",
    )
    file.resource("Pattern", f"P{y}", tile)
    file.content.append(f"q /Pattern cs /P{y} scn 72 {y} 300 20 re f Q")


def _soft_mask(file: PdfFile, value: str, y: int, dice: random.Random) -> None:
    group = file.form(at(literal(value), y), "/Group << /S /Transparency /CS /DeviceGray >>")
    file.resource("ExtGState", f"G{y}", f"<< /SMask << /S /Luminosity /G {group} >> >>")
    file.content.append(f"q /G{y} gs 72 {y} 300 20 re f Q")


def _layer_off(file: PdfFile, value: str, y: int, dice: random.Random) -> None:
    layer = file.add(f"<< /Type /OCG /Name {literal(value)} >>")
    file.catalog["OCProperties"] = f"<< /OCGs [{layer}] /D << /OFF [{layer}] >> >>"
    file.resource("Properties", f"L{y}", layer)
    file.content.append(f"/OC /L{y} BDC {_text(value, y, dice)} EMC")


def _layer_on(file: PdfFile, value: str, y: int, dice: random.Random) -> None:
    layer = file.add(f"<< /Type /OCG /Name {literal(value)} >>")
    file.catalog["OCProperties"] = f"<< /OCGs [{layer}] /D << /ON [{layer}] >> >>"
    file.resource("Properties", f"O{y}", layer)
    file.content.append(f"/OC /O{y} BDC {_text(value, y, dice)} EMC")


CONTENT_PLACES: dict[str, Plant] = {
    **{
        draw.__name__.strip("_"): _content(draw)
        for draw in (
            _text, _heading, _two_spans, _kerned, _glyph_by_glyph, _shuffled, _white, _tiny, _off_page, _invisible,
            _under_box, _clipped, _turned, _quoted, _two_lines, _cell, _actual_text, _marked_point, _inline_picture,
        )
    },
    **{
        plant.__name__.strip("_"): plant
        for plant in (
            _other_page, _form, _nested_form, _unused_form, _pattern, _soft_mask, _layer_off, _layer_on,
        )
    },
}  # fmt: skip
"""What a page draws, or could draw."""
