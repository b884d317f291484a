"""MathML (presentation) to LaTeX: a `math` element in, LaTeX without delimiters out. Namespaces are ignored."""

from collections.abc import Callable
from typing import Final

from quire.models.extract.formats.common.xml import Element
from quire.models.extract.math.letters import latex_text
from quire.models.extract.math.symbols import FUNCTIONS

_LEFT_OUT: Final = frozenset(("annotation", "annotation-xml", "mphantom", "maligngroup", "malignmark"))
_ACCENTS: Final = {"¯": "\\overline", "‾": "\\overline", "^": "\\hat", "ˆ": "\\hat", "~": "\\tilde", "˜": "\\tilde",
                   "→": "\\vec", "⃗": "\\vec", "˙": "\\dot", "¨": "\\ddot"}  # fmt: skip
MAX_DEPTH: Final = 60
"""Nesting depth of elements; deeper ones are converted as their text."""


def mathml_to_latex(node: Element) -> str:
    """Return the TeX that the formula itself states, else TeX made from its elements."""
    for note in node.iter():
        if _name(note) == "annotation" and "tex" in (note.get("encoding") or "").lower() and note.text:
            return " ".join(note.text.split())
    return " ".join(_convert(node, 0).split())


def _name(node: Element) -> str:
    return node.tag.rpartition("}")[2].rpartition(":")[2] if isinstance(node.tag, str) else ""


def _convert(node: Element, depth: int) -> str:
    name = _name(node)
    if not name or name in _LEFT_OUT:
        return ""
    if depth > MAX_DEPTH:
        return latex_text(" ".join("".join(node.itertext()).split()))
    if name in ("mi", "mn", "mo", "ms", "mtext"):
        return _token(name, " ".join("".join(node.itertext()).split()))
    if name == "mspace":
        return " "
    parts = [_convert(child, depth + 1) for child in node if _name(child) and _name(child) not in _LEFT_OUT]
    shape = _SHAPES.get(name)
    if shape is not None and len(parts) >= shape[0]:
        return shape[1](*parts[: shape[0]])
    if name in ("mtable", "mtr", "mlabeledtr"):
        return _rows(name, parts)
    if name == "mfenced":
        comma = (node.get("separators", ",") or "")[:1]
        return latex_text(node.get("open", "(")) + comma.join(parts) + latex_text(node.get("close", ")"))
    joined = " ".join(part for part in parts if part)
    return f"\\sqrt{{{joined}}}" if name == "msqrt" else joined


def _token(name: str, text: str) -> str:
    if name == "mtext" or name == "ms":
        return f"\\text{{{text}}}" if text else ""
    if name == "mi" and len(text) > 1 and text.isascii() and text.isalpha():
        return "\\" + text if text in FUNCTIONS else f"\\mathrm{{{text}}}"
    return latex_text(text)


def _rows(name: str, parts: list[str]) -> str:
    if name == "mtable":
        return "\\begin{matrix}" + " \\\\ ".join(parts) + "\\end{matrix}"
    return " & ".join(parts)


def _over(base: str, mark: str) -> str:
    accent = _ACCENTS.get(mark.strip())
    return f"{accent}{{{base}}}" if accent else f"\\overset{{{mark}}}{{{base}}}"


_SHAPES: Final[dict[str, tuple[int, Callable[..., str]]]] = {
    "mfrac": (2, lambda top, bottom: f"\\frac{{{top}}}{{{bottom}}}"),
    "msup": (2, lambda base, top: f"{base}^{{{top}}}"),
    "msub": (2, lambda base, low: f"{base}_{{{low}}}"),
    "msubsup": (3, lambda base, low, top: f"{base}_{{{low}}}^{{{top}}}"),
    "munder": (2, lambda base, low: f"{base}_{{{low}}}"),
    "mover": (2, _over),
    "munderover": (3, lambda base, low, top: f"{base}_{{{low}}}^{{{top}}}"),
    "mroot": (2, lambda base, index: f"\\sqrt[{index}]{{{base}}}"),
}
