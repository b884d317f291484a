"""Map characters of symbol fonts (Symbol, Wingdings) to Unicode: font and code in, text out."""

import re
from functools import lru_cache
from typing import Final

_GREEK: Final = dict(
    zip(
        range(0x41, 0x5B), "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ", strict=True
    )
) | dict(zip(range(0x61, 0x7B), "αβχδεφγηιϕκλμνοπθρστυϖωξψζ", strict=True))  # fmt: skip
_SYMBOL: Final = {
    0x22: "∀", 0x24: "∃", 0x27: "∋", 0x2A: "∗", 0x2D: "−", 0x40: "≅", 0x5C: "∴", 0x5E: "⊥", 0x7E: "∼", 0xA0: "€",
    0xA1: "ϒ", 0xA2: "′", 0xA3: "≤", 0xA4: "⁄", 0xA5: "∞", 0xA6: "ƒ", 0xA7: "♣", 0xA8: "♦", 0xA9: "♥", 0xAA: "♠",
    0xAB: "↔", 0xAC: "←", 0xAD: "↑", 0xAE: "→", 0xAF: "↓", 0xB0: "°", 0xB1: "±", 0xB2: "″", 0xB3: "≥", 0xB4: "×",
    0xB5: "∝", 0xB6: "∂", 0xB7: "•", 0xB8: "÷", 0xB9: "≠", 0xBA: "≡", 0xBB: "≈", 0xBC: "…", 0xBF: "↵", 0xC0: "ℵ",
    0xC1: "ℑ", 0xC2: "ℜ", 0xC3: "℘", 0xC4: "⊗", 0xC5: "⊕", 0xC6: "∅", 0xC7: "∩", 0xC8: "∪", 0xC9: "⊃", 0xCA: "⊇",
    0xCB: "⊄", 0xCC: "⊂", 0xCD: "⊆", 0xCE: "∈", 0xCF: "∉", 0xD0: "∠", 0xD1: "∇", 0xD2: "®", 0xD3: "©", 0xD4: "™",
    0xD5: "∏", 0xD6: "√", 0xD7: "⋅", 0xD8: "¬", 0xD9: "∧", 0xDA: "∨", 0xDB: "⇔", 0xDC: "⇐", 0xDD: "⇑", 0xDE: "⇒",
    0xDF: "⇓", 0xE0: "◊", 0xE1: "〈", 0xE5: "∑", 0xF1: "〉", 0xF2: "∫",
}  # fmt: skip
_WINGDINGS: Final = {
    0x21: "✏", 0x22: "✂", 0x28: "☎", 0x29: "✆", 0x2A: "✉", 0x36: "⌛", 0x3F: "✍", 0x41: "✌", 0x45: "☜", 0x46: "☞",
    0x47: "☝", 0x48: "☟", 0x4A: "☺", 0x4C: "☹", 0x51: "✈", 0x52: "☼", 0x54: "❄", 0x6C: "●", 0x6E: "■", 0x6F: "□",
    0x71: "❑", 0x72: "❒", 0x73: "⬧", 0x74: "⧫", 0x75: "◆", 0x76: "❖", 0x77: "◆", 0x78: "☒", 0x9F: "•", 0xA0: "▪",
    0xA1: "○", 0xA3: "◉", 0xA7: "▪", 0xA8: "☐", 0xAB: "★", 0xD8: "➢", 0xDF: "←", 0xE0: "→", 0xE1: "↑", 0xE2: "↓",
    0xE3: "↖", 0xE4: "↗", 0xE5: "↙", 0xE6: "↘", 0xE8: "➔", 0xEF: "⇦", 0xF0: "⇨", 0xF1: "⇧", 0xF2: "⇩", 0xF3: "⇔",
    0xFB: "✗", 0xFC: "✓", 0xFD: "☒", 0xFE: "☑",
} | dict(zip(range(0x80, 0x96), "⓪①②③④⑤⑥⑦⑧⑨⑩⓿❶❷❸❹❺❻❼❽❾❿", strict=True))  # fmt: skip
_WINGDINGS_2: Final = {0x50: "✓", 0x4F: "✗", 0x52: "☑", 0x53: "☒", 0x51: "☒", 0xA3: "☐", 0x2A: "☐"}
_FONTS: Final = {
    "symbol": _SYMBOL | _GREEK,
    "wingdings": _WINGDINGS,
    "wingdings 2": _WINGDINGS_2,
}

_ZAPF_DINGBATS: Final = (
    "✁✂✄☎✆✝✞✟✠✡☛☞✌✍✎✏✑✒✓✔✕✖✗✘✙✚✛✜✢✣✤✥✦✧★✩✪✫✬✭✮✯✰✱✲✳✴✵✶✷✸✹✺✻✼"
    "✽✾✿❀❁❂❃❄❅❆❇❈❉❊❋●❍■❏❑▲▼◆❖ ◗❘❙❚❯❱❲❳❨❩❬❭❪❫❴❵❛❜❝❞❡❢❣❤✐❥❦❧♠♥"
    "♦♣    ✉✈✇①②③④⑤⑥⑦⑧⑨⑩❶❷❸❹❺❻❼❽❾❿➀➁➂➃➄➅➆➇➈➉➊➋➌➍➎➏➐➑➒➓➔→➣↔↕➙"
    "➛➜➝➞➟➠➡➢➤➥➦➧➨➩➫➭➯➲➳➵➸➺➻➼➽➾➚➪➶➹➘➴➷➬➮➱✃❐❒❮❰"
)
"""Signs of Zapf Dingbats by the number in their glyph names, a1 to a206 (Adobe's zapfdingbats.txt); unused ones blank.

The engine gives this number as the character where a file states no other."""

_NAME: Final = re.compile(
    r"(?:[A-Z]{6}\+)?(symbol|wingdings ?[23]?|webdings|(?:itc ?)?zapf ?dingbats)(?![a-z]{3})", re.IGNORECASE
)
"""Names of symbol fonts in files: with a subset mark before and the style after."""
_PICTURES: Final = re.compile(
    r"dingbat|[a-z]dings\b|pictos?\b|pictogra|ornament|checkmark|check ?box|fontawesome|glyphicon|icons?\b|icomoon"
    r"|bullets?\b|marlett",
    re.IGNORECASE,
)
"""Parts of the names of fonts that have pictures in place of letters."""
_PRIVATE: Final = range(0xF020, 0xF100)
_MOST_REMEMBERED: Final = 1024
"""Font names whose kind is cached: more than any document has."""


@lru_cache(maxsize=_MOST_REMEMBERED)
def symbol_font(name: str) -> str | None:
    """Return the symbol font that a font name means; None for a font of letters."""
    match = _NAME.match(name)
    return match[1].lower().replace("wingdings2", "wingdings 2") if match is not None else None


@lru_cache(maxsize=_MOST_REMEMBERED)
def is_picture_font(name: str) -> bool:
    """Return whether a font name means a font of pictures in place of letters, with a table of its signs or without."""
    return symbol_font(name) is not None or _PICTURES.search(name) is not None


def shown_symbol(font: str, point: int) -> int:
    """Return the code point of the picture that a symbol font shows for a code; unknown codes unchanged.

    Fonts of pictures have no letters: a letter in the text layer is only the key of a picture.
    """
    name = symbol_font(font)
    if name is not None and name.endswith("dingbats"):
        sign = _ZAPF_DINGBATS[point - 1] if 0 < point <= len(_ZAPF_DINGBATS) else " "
        return point if sign == " " else ord(sign)
    if name is None or not (point in _PRIVATE or (name != "symbol" and 0x20 < point <= 0xFF)):
        return point
    shown = symbol_text(name, f"{point:X}")
    return ord(shown) if len(shown) == 1 and shown != "\ufffd" else point


def decode_symbols(text: str, font: str) -> str:
    """Return the text with private-use characters (U+F020 … U+F0FF) replaced by the symbol font's characters."""
    return "".join(symbol_text(font, f"{ord(char):X}") if "\uf020" <= char <= "\uf0ff" else char for char in text)


def symbol_text(font: str, code: str) -> str:
    """Return the character of a `w:sym`; U+FFFD for an unknown character of the font, "" for an invalid code."""
    try:
        point = int(code, 16)
    except ValueError:
        return ""
    table = _FONTS.get(font.strip().lower())
    low = point & 0xFF if 0xF000 <= point <= 0xF0FF else point
    if table is not None and low in table:
        return table[low]
    if 0xF000 <= point <= 0xF0FF:
        return chr(low) if table is _FONTS["symbol"] and low >= 0x20 else "\ufffd"
    return chr(point) if 0x20 <= point < 0xD800 or 0xE000 <= point <= 0x10FFFF else ""
