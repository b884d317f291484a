"""Lines of AsciiDoc told apart: headings, list markers, fences, attributes. Patterns only."""

import re
from typing import Final

HEADING: Final = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*?)(?:[ \t]+\1)?[ \t]*$")
UNDERLINE: Final = re.compile(r"([=~^+-])\1{2,}[ \t]*$")
UNDERLINED: Final = {"=": 1, "-": 2, "~": 3, "^": 4, "+": 5}
"""Levels of titles that have a line of signs below them, about as long as they are."""
ATTRIBUTE: Final = re.compile(r":(!?)([A-Za-z0-9_][\w-]*)(!?):(?:[ \t]+(.*))?$")
BLOCK_ATTRIBUTES: Final = re.compile(r"\[(?:[\w\"'.#%,=\s:;<>^*+|/{}()!?@&~$\\-]*)\]$")
ANCHOR: Final = re.compile(r"\[\[[\w:.-]+(?:,.*)?\]\]$")
TITLE: Final = re.compile(r"\.(?![.\s])(.+)$")
FENCE: Final = re.compile(r"(-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|--|```+\w*|~~~+)[ \t]*$")
TABLE: Final = re.compile(r"([|,:!]===+)[ \t]*$")
BULLET: Final = re.compile(r"[ \t]*(\*{1,5}|-|•)[ \t]+(\S.*)$")
NUMBER: Final = re.compile(r"[ \t]*(\.{1,5}|\d{1,9}[.)]|[a-zA-Z][.)]|[ivxIVX]{1,6}\))[ \t]+(\S.*)$")
CALLOUT: Final = re.compile(r"<(?:\d{1,4}|\.)>[ \t]+(\S.*)$")
TERM: Final = re.compile(r"[ \t]*(\S.*?)(:{2,4}|;;)(?:[ \t]+(\S.*))?$")
ADMONITION: Final = re.compile(r"(NOTE|TIP|IMPORTANT|WARNING|CAUTION):[ \t]+(\S.*)$")
IMAGE: Final = re.compile(r"(image|video|audio|include|toc)::(\S*?)\[(.*)\]$")
CONDITION: Final = re.compile(r"(ifdef|ifndef|ifeval|endif)::([^\[\s]*)\[(.*)\]$")
RULE: Final = re.compile(r"(?:'{3,}|-{3}|\*{3}|<{3,})$")
CALLOUT_MARK: Final = re.compile(
    r"(?<![ \t])[ \t]{0,80}(?:(?://|#|;;|--)[ \t]{0,80})?(?:<!--)?<(?:\d{1,4}|\.)>(?:-->)?(?=[ \t]{0,80}(?:$|<\d))",
    re.M,
)
CHECK: Final = re.compile(r"\[([ x*])\][ \t]+")


def parse_attributes(line: str) -> tuple[list[str], dict[str, str], set[str]]:
    """What stands in the brackets before a block: by place, by name, and options."""
    inside = line.strip()[1:-1]
    placed: list[str] = []
    named: dict[str, str] = {}
    flags: set[str] = set()
    for part in re.findall(r"(?:[^,\"]|\"[^\"]*\")+", inside):
        name, equal, value = part.partition("=")
        if equal and re.fullmatch(r"\s*[\w-]+\s*", name):
            named[name.strip()] = value.strip().strip('"')
        else:
            head = re.split(r"[#.%]", part.strip().strip('"'))[0]
            flags |= set(re.findall(r"%([\w-]+)", part))
            placed.append(head)
    flags |= {one.strip() for one in re.split(r"[,;]", named.get("options", named.get("opts", ""))) if one.strip()}
    return placed, named, flags
