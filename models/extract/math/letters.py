"""Convert one glyph to an item: its LaTeX by character and font, and its role."""

import re
import unicodedata

from quire.models.extract.math.glyphs import MathGlyph, MathItem, MathRole
from quire.models.extract.math.symbols import DELIMITERS, OPERATORS, SYMBOLS

_ALPHABETS = (
    (re.compile(r"msbm|bbold|doublestroke|dsrom|bbm\d|ams-?regular.*bb"), "\\mathbb"),
    (re.compile(r"eufm|fraktur"), "\\mathfrak"),
    (re.compile(r"cmsy|cmbsy|caligraphic|rsfs|eusm|eucal|script|mathematicalpi|lmmathsymbols|mtsy"), "\\mathcal"),
)
_BOLD = re.compile(r"bold|cmbx|cmmib|cmb10|lmroman\d+-bold|-bd|black")
_ITALIC = re.compile(r"ital|obli|cmmi|cmti|math-?it|mathitalic|mtmi|rtxmi|txmi|pxmi|eurm|slant")
_UNICODE_STYLES = (
    ("DOUBLE-STRUCK", "\\mathbb"), ("FRAKTUR", "\\mathfrak"), ("SCRIPT", "\\mathcal"), ("BOLD", "\\mathbf"),
)  # fmt: skip
_OWN = {
    "∥": "\\|", "‖": "\\|", "∣": "|", "·": "\\cdot", "µ": "\\mu", "Ω": "\\Omega", "∆": "\\Delta", "∶": ":",
    "⟨": "\\langle", "⟩": "\\rangle", "〈": "\\langle", "〉": "\\rangle", "⌊": "\\lfloor", "⌋": "\\rfloor",
    "⌈": "\\lceil", "⌉": "\\rceil", "≜": "\\triangleq", "⊙": "\\odot", "⊤": "\\top", "◦": "\\circ", "⪯": "\\preceq",
    "≺": "\\prec", "≻": "\\succ", "≽": "\\succeq", "≼": "\\preceq", "⪰": "\\succeq", "⊖": "\\ominus", "†": "\\dagger",
    "‡": "\\ddagger", "⊢": "\\vdash", "⊨": "\\models", "⇝": "\\leadsto", "□": "\\square", "⋆": "\\star", "ı": "\\imath",
    "ȷ": "\\jmath", "⩽": "\\leqslant", "⩾": "\\geqslant", "≲": "\\lesssim", "≳": "\\gtrsim", "⟵": "\\longleftarrow",
    "⟹": "\\Longrightarrow", "⟺": "\\Longleftrightarrow", "↪": "\\hookrightarrow", "≃": "\\simeq", "≐": "\\doteq",
    "⊔": "\\sqcup", "⊓": "\\sqcap", "⊊": "\\subsetneq", "⊎": "\\uplus", "≍": "\\asymp", "∘": "\\circ", "ℎ": "h",
    "−": "-", "–": "-", "ﬁ": "fi", "ﬂ": "fl", "∖": "\\setminus", "⇌": "\\rightleftharpoons", "§": "\\S",
    "⟶": "\\longrightarrow", "⌢": "\\frown", "⋄": "\\diamond", "△": "\\triangle", "▽": "\\triangledown", "℘": "\\wp",
    "⊁": "\\nsucc", "∤": "\\nmid", "∦": "\\nparallel", "⊈": "\\nsubseteq", "≰": "\\nleq", "≱": "\\ngeq",
    "⟦": "\\llbracket", "⟧": "\\rrbracket", "⋉": "\\ltimes", "⋊": "\\rtimes", "⊇": "\\supseteq", "⊋": "\\supsetneq",
}  # fmt: skip
ACCENTS = {
    "ˆ": "\\hat", "^": "\\hat", "\u0302": "\\hat", "˜": "\\tilde", "~": "\\tilde", "\u0303": "\\tilde",
    "¯": "\\bar", "ˉ": "\\bar", "\u0304": "\\bar", "˙": "\\dot", "\u0307": "\\dot", "¨": "\\ddot", "\u0308": "\\ddot",
    "ˇ": "\\check", "˘": "\\breve", "´": "\\acute", "`": "\\grave", "⃗": "\\vec", "→": "\\vec",
}  # fmt: skip
_ALWAYS_ACCENTS = frozenset("ˆ\u0302˜\u0303¯ˉ\u0304˙\u0307¨\u0308ˇ˘⃗")
_DELIMITERS = frozenset("()[]{}|‖∥∣⟨⟩〈〉⌊⌋⌈⌉")
_TALL = 1.35
"""A bracket this much taller than its font's size encloses the items between."""


def make_item(glyph: MathGlyph) -> MathItem | None:
    """Return the item of a glyph; None if its character has no meaning."""
    char = glyph.char
    latex = name_char(char, glyph.font)
    if latex is None:
        return None
    tall = glyph.y1 - glyph.y0 > _TALL * glyph.size
    role = MathRole.PLAIN
    if char == "√":
        role = MathRole.ROOT
    elif char in OPERATORS:
        role = MathRole.OPERATOR
    elif char in _DELIMITERS and tall:
        role = MathRole.DELIMITER
    elif char in _ALWAYS_ACCENTS:
        role = MathRole.ACCENT
    elif char.isascii() and char.isalpha() and latex == char and not _ITALIC.search(glyph.font):
        role = MathRole.NAMELESS if glyph.font.startswith("type3") else MathRole.LETTER
    return MathItem(latex, glyph.x0, glyph.y0, glyph.x1, glyph.y1, glyph.base, glyph.size, role, char, glyph.font)


def name_char(char: str, font: str) -> str | None:
    """Return the LaTeX of one character in a font; None for characters without meaning (private use, U+FFFD)."""
    if char in OPERATORS:
        return OPERATORS[char]
    known = _OWN.get(char) or SYMBOLS.get(char)
    if known is not None:
        return f"\\boldsymbol{{{known}}}" if known[1:].isalpha() and char.isalpha() and _BOLD.search(font) else known
    if char.isascii():
        return _write_in_alphabet(char, font) if char.isprintable() else None
    return _name_styled(char)


def _write_in_alphabet(char: str, font: str) -> str:
    """Return a letter or digit in its mathematical alphabet."""
    if not char.isalnum():
        return DELIMITERS.get(char, char).strip()
    if char.isalpha():
        for pattern, command in _ALPHABETS:
            if pattern.search(font):
                return f"{command}{{{char}}}"
    return f"\\mathbf{{{char}}}" if _BOLD.search(font) else char


def _name_styled(char: str) -> str | None:
    """Return letters of Unicode's mathematical alphabets as LaTeX, and other letters and signs unchanged."""
    category = unicodedata.category(char)
    if char == "\ufffd" or category in ("Co", "Cn", "Cc", "Cs"):
        return None
    plain = unicodedata.normalize("NFKC", char)
    if plain == char or len(plain) != 1:
        return char
    letter = SYMBOLS.get(plain, plain)
    name = unicodedata.name(char, "")
    for word, command in _UNICODE_STYLES:
        if word in name:
            return f"{command}{{{letter}}}" if len(letter) == 1 else f"\\boldsymbol{{{letter}}}"
    return letter


def latex_text(text: str) -> str:
    """Return characters of a formula without structure as LaTeX; a space closes a command before a letter."""
    parts: list[str] = []
    for char in text:
        symbol = SYMBOLS.get(char, char)
        if parts and parts[-1][:1] == "\\" and parts[-1][-1].isalpha() and symbol[:1].isalnum():
            parts.append(" ")
        parts.append(symbol)
    if parts and len(parts[-1]) > 1 and parts[-1][0] == "\\" and parts[-1][-1].isalpha():
        parts.append(" ")
    return "".join(parts)
