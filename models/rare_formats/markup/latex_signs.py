"""Signs and accents of LaTeX, and its commands by what they do to their arguments."""

import unicodedata
from typing import Final

ACCENTS: Final = {
    "'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307",
    "c": "\u0327", "v": "\u030c", "u": "\u0306", "H": "\u030b", "r": "\u030a", "k": "\u0328", "b": "\u0331",
    "d": "\u0323",
}  # fmt: skip
"""Commands that put a sign on the letter after them."""
SIGNS: Final = {
    "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "aa": "å",
    "AA": "Å", "i": "ı", "j": "ȷ", "dh": "ð", "DH": "Ð", "th": "þ", "TH": "Þ", "ldots": "…", "dots": "…",
    "textellipsis": "…", "S": "§", "P": "¶", "copyright": "©", "textcopyright": "©", "pounds": "£",
    "textregistered": "®", "texttrademark": "™", "textdegree": "°", "degree": "°", "euro": "€", "EUR": "€",
    "texteuro": "€", "textsterling": "£", "textyen": "¥", "textendash": "–", "textemdash": "—", "textbullet": "•",
    "textquotedblleft": "“", "textquotedblright": "”", "textquoteleft": "‘", "textquoteright": "’",
    "guillemotleft": "«", "guillemotright": "»", "og": "« ", "fg": " »", "glqq": "„", "grqq": "“", "flqq": "«",
    "frqq": "»", "quotedblbase": "„", "textbackslash": "\\", "textasciitilde": "~", "textasciicircum": "^",
    "textless": "<", "textgreater": ">", "textbar": "|", "textunderscore": "_", "textperiodcentered": "·",
    "textpm": "±", "texttimes": "×", "textmu": "µ", "dag": "†", "ddag": "‡", "textdagger": "†", "TeX": "TeX",
    "LaTeX": "LaTeX", "LaTeXe": "LaTeX2e", "quad": " ", "qquad": " ", "enspace": " ", "thinspace": "\u2009",
    "textquotesingle": "'", "slash": "/", "newline": "\n", "linebreak": "\n", "par": "\n\n", "lq": "‘", "rq": "’",
    "space": " ", "hfill": " ", "dotfill": " ", "checkmark": "✓", "today": "",
}  # fmt: skip
"""Commands without arguments and what they print."""
STYLES: Final = {
    "textbf": "strong", "emph": "em", "textit": "em", "textsl": "em", "texttt": "code", "underline": "u", "uline": "u",
    "textsuperscript": "sup", "textsubscript": "sub", "sout": "s", "st": "s", "hl": "mark", "lstinline": "code",
}  # fmt: skip
DECLARED: Final = {
    "bf": "strong", "bfseries": "strong", "it": "em", "itshape": "em", "em": "em", "sl": "em", "slshape": "em",
    "tt": "code", "ttfamily": "code",
}  # fmt: skip
"""Commands that hold to the end of their group."""
DROPPED: Final = {
    **dict.fromkeys(
        ("vspace", "hspace", "usepackage", "bibliographystyle", "bibliography", "pagestyle", "thispagestyle", "input",
         "hypersetup", "newcounter", "index", "color", "graphicspath", "include", "stepcounter", "refstepcounter",
         "vskip", "pagenumbering", "selectlanguage", "documentclass", "addbibresource", "phantom", "vphantom",
         "hphantom", "bibinfo", "markright", "enlargethispage", "nocite", "geometry", "label", "hyphenation", "cline",
         "rule", "fancyhf", "lstset", "sisetup", "subfile", "definition", "RequirePackage", "setstretch", "linespread",
         "parbox", "scalebox", "textcolor", "colorbox", "rotatebox", "foreignlanguage", "raisebox", "cmidrule",
         "captionsetup", "usetikzlibrary", "PassOptionsToPackage", "pagecolor", "theoremstyle"), 1),
    **dict.fromkeys(("setlength", "addtolength", "setcounter", "addtocounter", "resizebox", "markboth", "DeclareOption",
                     "fontsize", "numberwithin", "newlength", "fancyhead", "fancyfoot", "pdfbookmark"), 2),
    **dict.fromkeys(("addcontentsline", "definecolor", "titleformat", "titlespacing"), 3),
}  # fmt: skip
"""Commands and how many of their first arguments are no text."""
SECTIONS: Final = {"part": 0, "chapter": 1, "section": 2, "subsection": 3, "subsubsection": 4, "paragraph": 5,
                   "subparagraph": 6, "frametitle": 2, "framesubtitle": 3}  # fmt: skip
FORMULAS: Final = frozenset(
    ("equation", "displaymath", "align", "gather", "multline", "eqnarray", "alignat", "flalign", "math", "dmath")
)
CODE: Final = frozenset(("verbatim", "lstlisting", "minted", "Verbatim", "alltt", "BVerbatim"))
TABLES: Final = frozenset(("tabular", "tabularx", "tabulary", "longtable", "array", "supertabular", "tblr"))
DRAWINGS: Final = frozenset(("tikzpicture", "picture", "pspicture", "comment", "filecontents", "CCSXML"))
"""Parts that draw or are not shown."""
ENVIRONMENTS: Final = {
    "itemize": "ul", "compactitem": "ul", "enumerate": "ol", "compactenum": "ol", "description": "ul",
    "quote": "blockquote", "quotation": "blockquote", "verse": "blockquote", "thebibliography": "ul",
}  # fmt: skip
ARGUMENTS: Final = {
    "minipage": 1, "multicols": 1, "thebibliography": 1, "adjustwidth": 2, "list": 2, "wrapfigure": 2, "subfigure": 1,
    "subtable": 1, "wraptable": 2, "spacing": 1, "otherlanguage": 1, "threeparttable": 0, "adjustbox": 1,
}  # fmt: skip
"""Environments and how many arguments after their name are no text."""


def put_accent(mark: str, letters: str) -> str:
    """Return the letters with a sign on the first one.

    >>> put_accent('"', "ul")
    'ül'
    """
    letters = {"ı": "i", "ȷ": "j"}.get(letters, letters)
    return unicodedata.normalize("NFC", letters[:1] + ACCENTS[mark]) + letters[1:]
