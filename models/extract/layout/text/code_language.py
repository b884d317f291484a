"""The language of a listing, by words and signs that few other languages have."""

import json
import re
from typing import Final

_JSON_STARTS: Final = ("{", "[")
_FLAGS: Final = re.MULTILINE
_SIGNS: Final = {
    "python": (
        r"^[ \t]*(?:async\s+)?def \w+\(.*:\s*$", r"^[ \t]*class \w+(?:\(.*\))?:\s*$", r"^[ \t]*from [\w.]+ import \w",
        r"^import \w+(?: as \w+)?$", r"\bself\.\w", r"^[ \t]*(?:if|elif|for|while|with|try|else)\b[^{;\n]*:\s*$",
        r"\bprint\(", r"\bf'[^']*\{", r'\bf"[^"]*\{', r"\b(?:None|True|False)\b", r"\blambda \w+:",
        r"\[\w+ for \w+ in ",
    ),
    "cpp": (
        r"^[ \t]*#include <\w+>", r"\bstd::", r"\b(?:cout|cin)\s*[<>]{2}", r"\btemplate\s*<", r"\bnamespace \w+",
        r"^[ \t]*(?:int|void|double|float|bool|auto|char) \w+(?:::\w+)?\(.*\)\s*[{;]",
        r"\b\w+\.\w+\((?:int|double|float|char|bool)\s[\w, ]+\);", r"\bconst \w+\s?&",
    ),
    "c": (r"^[ \t]*#include <\w+\.h>", r"\bprintf\(", r"\b(?:malloc|sizeof)\(", r"\bstruct \w+ \{", r"\bchar \*\w+"),
    "java": (
        r"\bpublic (?:static |final )*(?:class|void|interface|int|String)\b", r"\bSystem\.out\.", r"^import java",
        r"\bprivate (?:static |final )*\w+ \w+", r"\bnew \w+(?:<\w*>)?\(.*\);", r"@Override\b",
    ),
    "javascript": (
        r"\bfunction\s*\w*\(", r"\b(?:const|let) \w+\s*=", r"=>\s*[{(\w]", r"\bconsole\.\w+\(", r"===", r"\brequire\('",
        r"\bdocument\.\w",
    ),
    "go": (r"^package \w+$", r"^func (?:\(.*\) )?\w+\(", r":= ", r"\bfmt\.\w+\(", r"\bchan \w+"),
    "rust": (r"\bfn \w+(?:<.*>)?\(", r"\blet mut \w", r"\bimpl\b", r"\b(?:println|vec)!", r"->\s*\w+ \{", r"&mut "),
    "sql": (
        r"(?i)^[ \t]*select\b[\s\S]+\bfrom\b", r"(?i)\binsert into\b", r"(?i)\bcreate table\b", r"(?i)^[ \t]*where\b",
        r"(?i)^[ \t]*update \w+ set\b", r"(?i)\b(?:inner|left) join\b", r"(?i)\b(?:group|order) by\b",
    ),
    "bash": (
        r"^#!/.*sh\b",
        r"^[ \t]*(?:sudo|apt|apt-get|pip|npm|git|docker|curl|cd|mkdir|export|chmod|echo|ls|cp|rm) [\w./$~'-]",
        r"^[ \t]*\$ \w", r"\$\{\w+\}", r"^[ \t]*fi$|\bthen$", r"\|\s*(?:grep|awk|sed|head|sort)\b",
    ),
    "html": (r"(?i)^[ \t]*<!doctype html", r"(?i)<(?:html|head|body|div|span|table|script|p|ul|a)\b[^>]*>",
             r"(?i)</(?:div|body|html|p|ul|a)>"),
    "xml": (r"^[ \t]*<\?xml", r"<\w+:\w+[\s>]", r"\bxmlns\b", r"^[ \t]*<(\w[\w.-]*)(?: [^<>]*)?>[^<]*</\1>\s*$"),
    "css": (r"^[ \t]*[.#]?[\w-][ ,>.:#\w-]*\{\s*$", r"^[ \t]*[a-z-]+:\s*[^;{}]+;\s*$", r"@media\b"),
    "yaml": (r"^---$", r"^[ \t]*- \w+:(?: \S|$)", r"^\w[\w-]*:\s*$", r"^[ \t]+\w[\w-]*: \S+$"),
}  # fmt: skip
_COMPILED: Final = {name: [re.compile(sign, _FLAGS) for sign in signs] for name, signs in _SIGNS.items()}
_MOST_CHARS: Final = 4000
"""Characters of a listing that are looked at."""


def guess_language(text: str) -> str | None:
    """Return the name of the language as it stands after a fence, None without a clear sign of one."""
    text = text[:_MOST_CHARS]
    if text.lstrip().startswith(_JSON_STARTS):
        try:
            json.loads(text)
        except ValueError:
            pass
        else:
            return "json"
    scores = {name: sum(sign.search(text) is not None for sign in signs) for name, signs in _COMPILED.items()}
    best, following = sorted(scores.items(), key=lambda item: -item[1])[:2]
    return best[0] if best[1] > following[1] else None
