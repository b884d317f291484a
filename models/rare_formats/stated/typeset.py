"""LaTeX, Org, reStructuredText and Typst: the letters and digits that their source shows, counted apart from it."""

import re
from typing import Final

from quire.models.extract.coverage.stated.text import NOT_SHOWN, StatedText, part_signs
from quire.models.extract.formats.sniffing.charset import decode_again

_ROUNDS: Final = 8
"""How often brackets are taken out, from the innermost ones on."""
_LATEX: Final = re.compile(
    r"\A.*?\\begin\s?\{document\}|\\end\s?\{document\}.*\Z|(?<!\\)%[^\n]*"
    r"|\$\$[^$]{0,5000}\$\$|(?<!\\)\$[^$]{0,2000}\$|\\\[.{0,5000}?\\\]|\\\(.{0,2000}?\\\)"
    r"|\\begin\s?\{(equation|align|gather|multline|eqnarray|displaymath|alignat|flalign|math)\*?\}.{0,9000}?\\end\s?\{\1"
    r"|\\begin\s?\{(comment|filecontents)\*?\}.{0,50000}?\\end\s?\{\2"
    r"|\\(?:re)?newcommand[^\n]*|\\def\\[^\n]*|\\new(?:theorem|environment)[^\n]*"
    r"|\\begin\s?\{(?:tabular[xy*]?|longtable|minipage|array)\}(?:\s?\[[^\]\n]{0,60}\])?"
    r"(?:\s?\{(?:[^{}\n]|\{[^{}\n]{0,80}\}){0,200}\}){1,2}"
    r"|\\begin\s?\{lstlisting\}\s?\[[^\]]{0,300}\]|\\begin\s?\{minted\}\s?\{\w{0,30}\}"
    r"|\\multi(?:column|row)\s?\{\d+\}\s?\{[^{}\n]{0,60}\}"
    r"|\\(?:begin|end)\s?\{[^{}\n]{0,60}\}(?:\s?\[[^\]\n]{0,200}\])?(?:\{[\d.\\a-z ]{0,40}\})?"
    r"|\\(?:label|[a-zA-Z]{0,20}ref|[a-zA-Z]{0,9}cite[a-zA-Z]{0,9}|bibitem|include|input|includegraphics|bibliography"
    r"|bibliographystyle|vspace|hspace|setlength|setcounter|pagestyle|thispagestyle|usepackage|color|textcolor|href|rule"
    r"|definecolor|addcontentsline|index|resizebox|scalebox|parbox|raisebox|fontsize|cline|cmidrule|phantom|nocite)\*?"
    r"(?:\s?\([^)\n]{0,60}\))?(?:\s?\[[^\]\n]{0,200}\]){0,2}(?:\s?\{[^{}]{0,400}\}){0,3}"
    r"|\\[a-zA-Z@]+\*?(?:\s?\[[^\]\n]{0,200}\])?",
    re.DOTALL,
)
_ORG: Final = re.compile(
    r"^[ \t]*#\+begin_(comment|export)\b.{0,50000}?#\+end_\1|^[ \t]*#\+[^\n]*|^[ \t]*#(?: [^\n]*)?$"
    r"|^[ \t]*:[\w-]+:[ \t]*$.{0,5000}?^[ \t]*:END:|^[ \t]*(?:SCHEDULED|DEADLINE|CLOSED|CLOCK):[^\n]*"
    r"|\[\[[^\[\]\n]{1,2000}\](?:\[|\])|\[fn:[\w-]{0,60}|\[#[A-Z]\]|[ \t]:[\w@#%:]{1,200}:[ \t]*$|<<[^<>\n]{1,200}>>"
    r"|<[lrc]?\d*>"
    r"|\\begin\{(\w+)\*?\}.{0,5000}?\\end\{\2|\\\(.{0,500}?\\\)|\\\[.{0,5000}?\\\]"
    r"|\$[^$\n]{1,300}\$|\[@\d+\]|\[[xX]\]|^[ \t]*\d+[.)]",
    re.MULTILINE | re.DOTALL | re.IGNORECASE,
)
_RST: Final = re.compile(
    r"^[ \t]*\.\.(?:[ \t][^\n]*)?(?:\n(?:[ \t]+[^\n]*|[ \t]*(?=\n[ \t])))*|:[\w:.+-]{1,60}:(?=`)|<[^<>`]{1,2000}>`__?"
    r"|^[ \t]*:[^:\n]{1,80}:"
    r"|\|[^|\n]{1,100}\|_{0,2}|:[\w:+-]{1,40}:`[^`\n]{0,300}`|^[ \t]*\(?(?:\d+|[a-zA-Z]|[ivxIVX]+|#)[.)](?=\s)"
    r"|\[[#*\w]{1,40}\]_",
    re.MULTILINE,
)
_TYPST: Final = re.compile(
    r"(?<!:)//[^\n]*|/\*.{0,50000}?\*/|^[ \t]*#(?:set|show|import|include|let) [^\n\[]*|#[A-Za-z][\w.-]*"
    r"|\$[^$]{0,5000}\$"
    r"|<[\w:.-]{1,100}>|^```[\w+#-]*|^[ \t]*\d+\.",
    re.MULTILINE | re.DOTALL,
)
_ROUND: Final = re.compile(r"\([^()\[\]]{0,20000}\)")
_SQUARE: Final = re.compile(r"\[([^()\[\]]{0,20000})\]")
"""Arguments of code, and the content in them, without brackets inside."""


def state_latex(data: bytes) -> StatedText:
    """Return the text of LaTeX; formulas, arguments of commands and the part before the document may be missing."""
    return _state(data, _LATEX)


def state_org(data: bytes) -> StatedText:
    """Return the text of Org; keywords, drawers, targets and formulas may be missing."""
    return _state(data, _ORG)


def state_rst(data: bytes) -> StatedText:
    """Return the text of reStructuredText; directives with what is indented below them may be missing."""
    return _state(data, _RST)


def state_typst(data: bytes) -> StatedText:
    """Return the text of Typst; arguments in brackets, names of functions and formulas may be missing."""
    return _state(data, _TYPST, has_code=True)


def _state(data: bytes, unspoken: re.Pattern[str], *, has_code: bool = False) -> StatedText:
    text, left_out, contents = decode_again(data).replace("\r\n", "\n"), list[str](), list[str]()

    def drop(match: re.Match[str]) -> str:
        left_out.append(match[0])
        return " "

    def keep(match: re.Match[str]) -> str:
        contents.append(match[1])
        return " "

    spoken = unspoken.sub(drop, text)
    for _ in range(_ROUNDS if has_code else 0):
        spoken = _ROUND.sub(drop, _SQUARE.sub(keep, spoken))
    letters, signs = part_signs("".join([spoken, *contents]))
    stated = StatedText(text=[letters], formed=[signs], signs_apart=True)
    stated.allow(NOT_SHOWN, "".join(left_out))
    return stated
