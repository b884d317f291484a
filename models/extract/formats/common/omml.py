"""Office Math (OMML) to LaTeX: an `m:oMath` element in, LaTeX without delimiters out.

Keeps every character.
"""

from collections.abc import Callable
from typing import Final

from quire.models.extract.formats.common.xml import Element, M, W, tag_of
from quire.models.extract.math.letters import latex_text
from quire.models.extract.math.symbols import ACCENTS, DELIMITERS, FUNCTIONS, OPERATORS, SYMBOLS

MVAL: Final = M + "val"
_DROPPED: Final = frozenset({W + "del", W + "moveFrom", W + "rPr", W + "bookmarkStart", W + "bookmarkEnd"})


def math_to_latex(node: Element) -> str:
    """Return LaTeX of everything inside `node` (`m:oMath` or an argument of one)."""
    return "".join(_convert(child) for child in node).strip()


def _convert(node: Element) -> str:
    if tag_of(node) in _DROPPED or tag_of(node).endswith("Pr"):
        return ""
    known = _ELEMENTS.get(tag_of(node))
    return known(node) if known is not None else "".join(_convert(child) for child in node)


def _argument(node: Element, name: str) -> str:
    """Return LaTeX of the argument `m:name`; empty when it is missing."""
    argument = node.find(M + name)
    return math_to_latex(argument) if argument is not None else ""


def _group(node: Element, name: str) -> str:
    return "{" + _argument(node, name) + "}"


def _property(node: Element, name: str, default: str = "") -> str:
    """Return `m:val` of `m:<tag>Pr/m:name`; `default` when the property is missing, "" when it has no value."""
    property_ = node.find(f"{tag_of(node)}Pr/{M}{name}")
    return default if property_ is None else property_.get(MVAL, "")


def _run(node: Element) -> str:
    text = "".join(child.text or "" for child in node if child.tag in (M + "t", W + "t"))
    style = node.find(f"{M}rPr/{M}nor")
    if style is not None:
        return "\\text{" + _escape_text(text) + "}" if text.strip() else text
    return latex_text(text)


def _escape_text(text: str) -> str:
    return "".join("\\" + char if char in "{}#$%&_" else char for char in text)


def _fraction(node: Element) -> str:
    top, bottom = _group(node, "num"), _group(node, "den")
    match _property(node, "type"):
        case "lin" | "skw":
            return f"{top}/{bottom}"
        case "noBar":
            return f"\\genfrac{{}}{{}}{{0pt}}{{}}{top}{bottom}"
        case _:
            return f"\\frac{top}{bottom}"


def _base(node: Element) -> str:
    text = _argument(node, "e")
    return text if len(text) <= 1 else "{" + text + "}"


def _radical(node: Element) -> str:
    degree = _argument(node, "deg")
    return f"\\sqrt[{degree}]{_group(node, 'e')}" if degree else f"\\sqrt{_group(node, 'e')}"


def _nary(node: Element) -> str:
    char = _property(node, "chr", "∫")
    operator = OPERATORS.get(char, SYMBOLS.get(char, char))
    low, high = _argument(node, "sub"), _argument(node, "sup")
    limits = (f"_{{{low}}}" if low else "") + (f"^{{{high}}}" if high else "")
    return f"{operator}{limits}{_group(node, 'e')}"


def _delimited(node: Element) -> str:
    left, right = _property(node, "begChr", "("), _property(node, "endChr", ")")
    separator = _property(node, "sepChr", "|")
    inner = DELIMITERS.get(separator, separator).join(math_to_latex(part) for part in node.findall(M + "e"))
    return f"\\left{DELIMITERS.get(left, left) or '.'}{inner}\\right{DELIMITERS.get(right, right) or '.'}"


def _function(node: Element) -> str:
    return f"{_operator_name(_argument(node, 'fName'))}{_group(node, 'e')}"


def _operator_name(name: str) -> str:
    """Return a function's name as an upright operator; return anything but a plain word unchanged."""
    if len(name) > 1 and name.isalpha():
        return FUNCTIONS.get(name, f"\\operatorname{{{name}}}")
    return name


def _low_limit(node: Element) -> str:
    base = _argument(node, "e")
    if base.startswith(("\\underbrace", "\\lim", "\\max", "\\min")) or (len(base) > 1 and base.isalpha()):
        return f"{_operator_name(base)}_{_group(node, 'lim')}"
    return f"\\underset{_group(node, 'lim')}{{{base}}}"


def _high_limit(node: Element) -> str:
    base = _argument(node, "e")
    if base.startswith("\\overbrace"):
        return f"{base}^{_group(node, 'lim')}"
    return f"\\overset{_group(node, 'lim')}{{{base}}}"


def _accent(node: Element) -> str:
    return f"{ACCENTS.get(_property(node, 'chr', chr(0x302)), chr(92) + 'hat')}{_group(node, 'e')}"


def _bar(node: Element) -> str:
    return ("\\overline" if _property(node, "pos") == "top" else "\\underline") + _group(node, "e")


def _group_character(node: Element) -> str:
    char = _property(node, "chr", "⏟")
    name = {"⏟": "\\underbrace", "⏞": "\\overbrace"}.get(char)
    if name:
        return name + _group(node, "e")
    over = _property(node, "pos") == "top"
    return f"\\{'over' if over else 'under'}set{{{SYMBOLS.get(char, char)}}}{_group(node, 'e')}"


def _matrix(node: Element) -> str:
    rows = (" & ".join(math_to_latex(cell) for cell in row.findall(M + "e")) for row in node.findall(M + "mr"))
    return "\\begin{matrix}" + " \\\\ ".join(rows) + "\\end{matrix}"


def _equations(node: Element) -> str:
    """Return the rows of an equation array; `&` marks their alignment."""
    rows = [math_to_latex(row).replace("\\&", "&") for row in node.findall(M + "e")]
    return rows[0] if len(rows) == 1 else "\\begin{aligned}" + " \\\\ ".join(rows) + "\\end{aligned}"


def _pre_script(node: Element) -> str:
    return f"{{}}_{_group(node, 'sub')}^{_group(node, 'sup')}{_base(node)}"


_ELEMENTS: Final[dict[str, Callable[[Element], str]]] = {
    M + "r": _run,
    M + "f": _fraction,
    M + "sSup": lambda node: f"{_base(node)}^{_group(node, 'sup')}",
    M + "sSub": lambda node: f"{_base(node)}_{_group(node, 'sub')}",
    M + "sSubSup": lambda node: f"{_base(node)}_{_group(node, 'sub')}^{_group(node, 'sup')}",
    M + "sPre": _pre_script,
    M + "rad": _radical,
    M + "nary": _nary,
    M + "d": _delimited,
    M + "func": _function,
    M + "limLow": _low_limit,
    M + "limUpp": _high_limit,
    M + "acc": _accent,
    M + "bar": _bar,
    M + "groupChr": _group_character,
    M + "m": _matrix,
    M + "eqArr": _equations,
    M + "borderBox": lambda node: f"\\boxed{_group(node, 'e')}",
    M + "phant": lambda node: f"\\phantom{_group(node, 'e')}",
}
