"""Inline markup of AsciiDoc as HTML: emphasis, code, links, attributes and typographic replacements."""

import re
from collections.abc import Callable, Mapping
from html import escape
from typing import Final

_PASS: Final = re.compile(
    r"\+\+\+(.{1,300}?)\+\+\+|pass:[a-z,]{0,40}\[(.{0,300}?)\]|(?<![\w+])\+(\S|\S.{0,300}?\S)\+(?![\w+])"
)
_CODE: Final = re.compile(r"``(.{1,300}?)``|(?<![\w`])`(\S|\S.{0,300}?\S)`(?![\w`])")
_HELD: Final = re.compile("\ue000(\\d+)\ue001")
_ATTRIBUTE: Final = re.compile(r"(?<!\\)\{([A-Za-z0-9_][\w-]*)\}")
_FOOTNOTE: Final = re.compile(r"footnote(?:ref)?:[\w-]*\[((?:[^\[\]]|\[[^\[\]]*\])*)\]")
_MACRO: Final = re.compile(r"\b(link|xref|mailto|kbd|btn|menu|image|icon|stem|latexmath|asciimath|indexterm2?|anchor):"
                           r"([^\s\[\]]*)\[((?:[^\[\]\\]|\\.|\[[^\[\]]*\])*)\]")  # fmt: skip
_URL: Final = re.compile(r"(?<![\w\"'>])(?:&lt;)?((?:https?|ftp|irc)://[^\s\[\]<>&]*(?:&amp;[^\s\[\]<>&]*)*)"
                         r"(?:\[((?:[^\[\]\\]|\\.|\[[^\[\]]*\])*)\]|(?:&gt;))?")  # fmt: skip
_REFERENCE: Final = re.compile(r"&lt;&lt;([^,&>]{1,200})(?:,\s*(.*?))?&gt;&gt;")
_INDEX: Final = re.compile(r"\(\(\([^()\n]{0,300}\)\)\)")
_INDEX_SHOWN: Final = re.compile(r"\(\(([^()\n]{1,300})\)\)")
_ANCHOR: Final = re.compile(r"\[\[[\w:.-]+(?:,[^\]]*)?\]\]|\[\[\[([\w-]+)\]\]\]")
_ROLE: Final = r"(?:\[[^\[\]\n]{0,80}\])?"
_DOUBLE: Final = tuple((re.compile(_ROLE + mark + r"(.{1,1000}?)" + mark), tag) for mark, tag in (
    (r"\*\*", "strong"), ("__", "em"), ("##", "span")))  # fmt: skip
_SINGLE: Final = tuple(
    (re.compile(r"(?<![\w&;:}" + mark + "])" + _ROLE + mark + r"(\S|\S[^\n]{0,1000}?\S)" + mark + r"(?!\w)"), tag)
    for mark, tag in ((r"\*", "strong"), ("_", "em"), ("#", "span"))
)
_RAISED: Final = (re.compile(r"\^(\S+?)\^"), re.compile(r"~(\S+?)~"))
_SIGNS: Final = (
    ("(C)", "©"), ("(R)", "®"), ("(TM)", "™"), ("-&gt;", "→"), ("&lt;-", "←"), ("=&gt;", "⇒"), ("&lt;=", "⇐"),
    ("...", "…\u200b"),
)  # fmt: skip
_DASH: Final = re.compile(r"(?<=\w)--(?=\w)|(?<=\s)--(?=\s)|^--(?=\s)")
_APOSTROPHE: Final = re.compile(r"(?<=\w)'(?=[A-Za-z])")
_DOUBLE_QUOTED: Final = re.compile(r"&quot;`(.+?)`&quot;|\"`(.+?)`\"")
_SINGLE_QUOTED: Final = re.compile(r"(?<!\w)'`(.+?)`'")
_CURVED: Final = re.compile(r"(?<=\w)`'")
_BUILT_IN: Final = {"nbsp": "\xa0", "zwsp": "", "empty": "", "sp": " ", "blank": "", "lt": "<", "gt": ">", "amp": "&",
                    "asterisk": "*", "plus": "+", "vbar": "|", "startsb": "[", "endsb": "]", "caret": "^", "tilde": "~",
                    "backslash": "\\", "backtick": "`", "apos": "'", "quot": '"', "lsquo": "‘", "rsquo": "’",
                    "ldquo": "“", "rdquo": "”", "deg": "°", "cpp": "C++", "two-colons": "::",
                    "two-semicolons": ";;", "wj": "", "zwj": "", "brvbar": "¦"}  # fmt: skip
MAX_ROUNDS: Final = 5
"""Nesting depth of attributes that refer to attributes."""


def replace_attributes(text: str, attributes: Mapping[str, str]) -> str:
    """Replace `{name}` by its value; an unset name stays."""
    for _ in range(MAX_ROUNDS):
        changed = _ATTRIBUTE.sub(
            lambda match: attributes.get(match.group(1).lower(), _BUILT_IN.get(match.group(1).lower(), match.group())),
            text,
        )
        if changed == text or len(changed) > 100_000:
            break
        text = changed
    return text


def to_html(text: str, attributes: Mapping[str, str], notes: list[str]) -> str:
    """Return a paragraph's text as HTML; add footnotes to `notes` as HTML."""
    held: list[str] = []

    def hold(html: str) -> str:
        held.append(html)
        return f"\ue000{len(held) - 1}\ue001"

    text = text.replace("\ue000", "").replace("\ue001", "")
    text = _PASS.sub(lambda match: hold(escape(next(part for part in match.groups() if part is not None), False)), text)
    text = _DOUBLE_QUOTED.sub(lambda match: f"“{match.group(1) or match.group(2)}”", text)
    text = _CURVED.sub("’", _SINGLE_QUOTED.sub(r"‘\1’", text))
    text = replace_attributes(text, attributes)
    text = _CODE.sub(
        lambda match: hold("<code>" + escape(match.group(1) or match.group(2), quote=False) + "</code>"), text
    )
    text = escape(text, quote=False)

    def note(match: re.Match[str]) -> str:
        notes.append(restore(_shape(match.group(1), hold)))
        return ""

    def restore(html: str) -> str:
        for _ in range(MAX_ROUNDS):
            if "\ue000" not in html:
                break
            html = _HELD.sub(lambda match: held[int(match.group(1))], html)
        return html

    return restore(_shape(_FOOTNOTE.sub(note, text), hold))


def _shape(text: str, hold: Callable[[str], str]) -> str:
    text = _MACRO.sub(lambda match: hold(_macro(match.group(1), match.group(2), _label(match.group(3)))), text)
    text = _URL.sub(lambda match: hold(_link(match.group(1), _label(match.group(2) or ""))), text)
    text = _REFERENCE.sub(lambda match: hold(match.group(2) or f"[{match.group(1).lstrip('#')}]"), text)
    text = _INDEX_SHOWN.sub(r"\1", _INDEX.sub("", text))
    text = _ANCHOR.sub(lambda match: f"[{match.group(1)}]" if match.group(1) else "", text)
    for pattern, tag in (*_DOUBLE, *_SINGLE):
        text = pattern.sub(rf"<{tag}>\1</{tag}>", text)
    text = _RAISED[1].sub(r"<sub>\1</sub>", _RAISED[0].sub(r"<sup>\1</sup>", text))
    for written, sign in _SIGNS:
        text = text.replace(written, sign)
    text = _APOSTROPHE.sub("’", _DASH.sub("—", text))
    return re.sub(r"\\(?=[*_`#^~{\[<])", "", re.sub(r" \+$", "<br>", text, flags=re.MULTILINE))


def _macro(name: str, target: str, label: str) -> str:
    match name:
        case "link" | "xref" | "mailto":
            shown = label or target.removeprefix("#")
            href = target if name != "xref" else ""
            return _link(("mailto:" if name == "mailto" else "") + href, shown) if href else shown
        case "image":
            return f'<img alt="{escape(label.partition(",")[0])}">'
        case "stem" | "latexmath" | "asciimath":
            return f"${label}$"
        case "icon" | "anchor" | "indexterm":
            return ""
        case "menu":
            return " › ".join([target, *(part.strip() for part in label.split("&gt;") if part.strip())])
        case _:
            return f"<b>{label}</b>" if name in ("kbd", "btn") else label


def _link(href: str, label: str) -> str:
    return f'<a href="{href.replace(chr(34), "%22")}">{label or href}</a>'


def _label(text: str) -> str:
    """Return the text of a link, without the mark for a new window and attributes after it."""
    text = text.replace("\\]", "]").strip()
    if text.startswith('"') and text.count('"') >= 2:
        return text.split('"')[1]
    words = re.split(r",\s*[\w-]+=", text)[0]
    return words.removesuffix("^")


HEADING: Final = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*?)(?:[ \t]+\1)?[ \t]*$")
UNDERLINE: Final = re.compile(r"([=~^+-])\1{2,}[ \t]*$")
UNDERLINED: Final = {"=": 1, "-": 2, "~": 3, "^": 4, "+": 5}
"""Levels of titles that have a line of signs of similar length below them."""
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
    """Return the attributes in the brackets before a block: positional ones, named ones, and options."""
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
    flags |= {
        option.strip() for option in re.split(r"[,;]", named.get("options", named.get("opts", ""))) if option.strip()
    }
    return placed, named, flags
