"""Unicode mathematics to LaTeX commands: tables only."""

from typing import Final

_GREEK_NAMES: Final = """
alpha beta gamma delta varepsilon zeta eta theta iota kappa lambda mu nu xi pi rho varsigma sigma tau upsilon
varphi chi psi omega vartheta phi varpi varrho epsilon Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi
Omega
"""
_RELATION_NAMES: Final = """
leq geq neq approx equiv cong sim propto ll gg subset supset subseteq supseteq in notin ni wedge vee neg forall
exists nexists emptyset infty partial nabla pm mp times div cdot bullet ast circ oplus otimes perp parallel
angle rightarrow leftarrow leftrightarrow Rightarrow Leftarrow Leftrightarrow mapsto uparrow downarrow
longrightarrow cup cap setminus ldots cdots vdots ddots prime prime\\prime hbar ell Re Im aleph mathbb{R}
mathbb{C} mathbb{N} mathbb{Z} mathbb{Q} therefore because surd degree
"""
_GREEK: Final = dict(
    zip(
        "αβγδεζηθικλμνξπρςστυφχψωϑϕϖϱϵΓΔΘΛΞΠΣΥΦΨΩ",
        _GREEK_NAMES.split(),
        strict=True,
    )
)
_RELATIONS: Final = dict(
    zip(
        "≤≥≠≈≡≅∼∝≪≫⊂⊃⊆⊇∈∉∋∧∨¬∀∃∄∅∞∂∇±∓×÷⋅∙∗∘⊕⊗⊥∥∠→←↔⇒⇐⇔↦↑↓⟶∪∩∖…⋯⋮⋱′″ℏℓℜℑℵℝℂℕℤℚ∴∵√°",
        _RELATION_NAMES.split(),
        strict=True,
    )
)
SYMBOLS: Final = (
    {char: "\\" + name for char, name in (_GREEK | _RELATIONS).items()}
    | {char: "\\" + char for char in "#$%&_{}"}
    | {
        "\\": "\\backslash",
        "~": "\\sim",
        "−": "-",
        "\u2061": "",
        "\u2062": "",
        "\u2063": "",
        "\u200b": "",
        "\u00a0": "~",
    }
)
OPERATORS: Final = {
    "∑": "\\sum", "∏": "\\prod", "∐": "\\coprod", "∫": "\\int", "∬": "\\iint", "∭": "\\iiint", "∮": "\\oint",
    "∯": "\\oiint", "∰": "\\oiiint",
    "⋃": "\\bigcup", "⋂": "\\bigcap", "⋁": "\\bigvee", "⋀": "\\bigwedge", "⨁": "\\bigoplus", "⨂": "\\bigotimes",
}  # fmt: skip
DELIMITERS: Final = {
    "{": "\\{", "}": "\\}", "‖": "\\|", "⟨": "\\langle ", "⟩": "\\rangle ", "〈": "\\langle ", "〉": "\\rangle ",
    "⌊": "\\lfloor ", "⌋": "\\rfloor ", "⌈": "\\lceil ", "⌉": "\\rceil ",
}  # fmt: skip
ACCENTS: Final = {
    "\u0302": "\\hat", "^": "\\hat", "\u0303": "\\tilde", "~": "\\tilde", "\u0304": "\\bar", "\u0305": "\\overline",
    "\u0306": "\\breve", "\u0307": "\\dot", "\u0308": "\\ddot", "\u030c": "\\check", "\u0301": "\\acute",
    "\u0300": "\\grave", "\u20d7": "\\vec", "\u20d1": "\\vec", "¯": "\\bar", "→": "\\vec", "˙": "\\dot",
}  # fmt: skip
_NAMES: Final = """
arccos arcsin arctan arg cos cosh cot coth csc deg det dim exp gcd hom inf ker lg lim ln log max min Pr sec sin sinh sup
tan tanh
"""
FUNCTIONS: Final = {name: "\\" + name for name in _NAMES.split()}
