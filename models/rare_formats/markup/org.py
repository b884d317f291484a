"""Org: its text as HTML, line by line. Nothing is included or evaluated."""

import re
from collections.abc import Iterator
from html import escape
from typing import Final

from quire.models.cdom.original import Format, ReadOptions
from quire.models.cdom.tree import Metadata
from quire.models.extract.formats.flow.document import FlowDocument
from quire.models.rare_formats.markup.writing import (
    BlockWriter,
    Converted,
    at_lines,
    formula,
    listing,
    open_markup,
    plain,
)

MAX_DEPTH: Final = 8
"""Nesting depth of emphasis in emphasis."""
_HEADING: Final = re.compile(r"(\*{1,30}) +(?:\[#[A-Z]\] +)?(.*?)(?:[ \t]+:[\w@#%:]{1,200}:)?[ \t]*$")
_KEY: Final = re.compile(r"[ \t]*#\+(\w{1,40})(?:\[[^\]\n]{0,200}\])?:[ \t]*(.*)")
_BEGIN: Final = re.compile(r"([ \t]*)#\+begin_(\w{1,40})[ \t]*([\w+#-]{0,40})", re.IGNORECASE)
_END: Final = re.compile(r"[ \t]*#\+end_(\w{1,40})", re.IGNORECASE)
_ITEM: Final = re.compile(
    r"([ \t]*)(?:([-+]|(?<=[ \t])\*)|(\d{1,6}|[A-Za-z])[.)])[ \t]+(?:\[@\d+\][ \t]+)?(\[[ xX-]\][ \t]+)?(.*)"
)
_TERM: Final = re.compile(r"(\S.{0,300}?)[ \t]+::(?:[ \t]+|$)")
_DRAWER: Final = re.compile(r"[ \t]*:[\w-]{1,60}:[ \t]*$")
_PLANNING: Final = re.compile(r"[ \t]*(?:SCHEDULED|DEADLINE|CLOSED|CLOCK): *[<\[]")
_RULE: Final = re.compile(r"[ \t]*\|-[-+:|]*[ \t]*$")
_WIDTHS: Final = re.compile(r"(?:<[lrc]?\d{0,4}>)?")
_NOTE: Final = re.compile(r"\[fn:([\w-]{1,60})\][ \t]*(.*)")
_LATEX: Final = re.compile(r"[ \t]*(?:\\begin\{(\w{1,30}\*?)\}|\\\[|\$\$)")
_BEFORE, _AFTER = r"(?<![\w*/_=~+])", r"(?![\w*/_=~+])"
_INLINE: Final = re.compile(
    r"\[\[(?P<target>[^\[\]\n]{1,2000})\](?:\[(?P<label>[^\[\]]{1,1000})\])?\]"
    r"|\[fn:(?P<note>[\w-]{0,60})(?::(?P<inside>[^\[\]]{1,2000}))?\]"
    r"|\\\((?P<round>[^\n]{1,500}?)\\\)|(?<![\w$])\$(?P<dollar>[^\s$]|[^\s$][^$\n]{0,300}[^\s$])\$(?![\w$])"
    rf"|{_BEFORE}(?P<mark>[*/_+])(?P<marked>[^\s*/_+][^*]{{0,300}}?)(?<=\S)(?P=mark){_AFTER}"
    rf"|{_BEFORE}(?P<quote>[=~])(?P<code>[^\s=~]|[^\s=~].{{0,500}}?\S)(?P=quote){_AFTER}"
    r"|(?<=\w)(?P<raised>[\^_])\{(?P<script>[^{}\n]{1,200})\}|<(?P<url>(?:https?|mailto|ftp):[^<>\s]{1,2000})>"
    r"|(?P<break>\\\\[ \t]*\n)|<<(?P<anchor>[^<>\n]{1,200})>>",
    re.DOTALL,
)
_TAGS: Final = {"*": "strong", "/": "em", "_": "u", "+": "s", "^": "sup"}
_PICTURE: Final = re.compile(r"\.(?:png|jpe?g|gif|svg|webp|pdf)$", re.IGNORECASE)
_LEFT_OUT: Final = frozenset(("comment", "export"))


def open_org(data: bytes, options: ReadOptions) -> FlowDocument:
    """Open the text in `data`.

    Raises:
        ResourceLimit: The text is too long.
    """
    return open_markup(data, options, Format.ORG, lambda text: _Org(text).convert())


def inline(text: str, depth: int = 0) -> str:
    """Return a paragraph of Org as HTML."""
    parts, end = [], 0
    for match in _INLINE.finditer(text) if depth < MAX_DEPTH else ():
        parts += [escape(text[end : match.start()], quote=False), _show(match, depth + 1)]
        end = match.end()
    return "".join([*parts, escape(text[end:], quote=False)])


def _show(match: re.Match[str], depth: int) -> str:
    if (target := match["target"] or match["url"]) is not None:
        target = target.removeprefix("file:")
        if match["label"] is None and match["url"] is None and _PICTURE.search(target):
            return f'<img src="{escape(target)}">'
        label = inline(match["label"], depth) if match["label"] else escape(target.removeprefix("*"))
        return f'<a href="{escape(target)}">{label}</a>' if ":" in target or "/" in target else label
    if match["note"] is not None:
        shown = escape(match["note"])
        return f" ({inline(match['inside'], depth)})" if match["inside"] else f"<sup>{shown}</sup>"
    if (tex := match["round"] or match["dollar"]) is not None:
        return formula(tex)
    if match["mark"]:
        tag = _TAGS[match["mark"]]
        return f"<{tag}>{inline(match['marked'], depth)}</{tag}>"
    if match["quote"]:
        return f"<code>{escape(match['code'], quote=False)}</code>"
    if match["raised"]:
        tag = _TAGS["^"] if match["raised"] == "^" else "sub"
        return f"<{tag}>{inline(match['script'], depth)}</{tag}>"
    return "<br>" if match["break"] else ""


class _Org:
    """One text, read from its first line to its last."""

    def __init__(self, text: str) -> None:
        self._lines = text.expandtabs(8).split("\n")
        self._at = 0
        self._out = BlockWriter(inline)
        self._facts: dict[str, str] = {}
        self._notes: list[str] = []
        self._has_title = any(line[:8].lower() == "#+title:" for line in self._lines)

    def convert(self) -> Converted:
        """Return the HTML and the metadata."""
        while self._at < len(self._lines):
            self._read(self._lines[self._at])
            self._at += 1
        facts = self._facts
        metadata = Metadata(
            title=plain(facts.get("title", "")), author=plain(facts.get("author", "")),
            created=plain(facts.get("date", "")), language=plain(facts.get("language", "")),
        )  # fmt: skip
        return self._out.finish() + "".join(self._notes), metadata

    def _where(self, first: int) -> str:
        return at_lines(first + 1, self._at + 1)

    def _take(self, *, while_: re.Pattern[str]) -> Iterator[str]:
        """Yield the lines from this one on that match."""
        while self._at < len(self._lines) and while_.match(self._lines[self._at]):
            yield self._lines[self._at]
            self._at += 1
        self._at -= 1

    def _read(self, line: str) -> None:  # noqa: C901 - one branch for each kind of line
        out, first = self._out, self._at
        if not line.strip():
            out.flush()
        elif (match := _HEADING.match(line)) is not None:
            level = min(len(match[1]) + self._has_title, 6)
            out.add(f"<h{level} {self._where(first)}>{inline(match[2])}</h{level}>")
        elif (match := _BEGIN.match(line)) is not None:
            self._read_block(match)
        elif (match := _KEY.match(line)) is not None:
            self._read_key(match[1].lower(), match[2].strip())
        elif line.lstrip().startswith(("# ", "#+")) or line.strip() == "#" or _PLANNING.match(line):
            out.flush()
        elif _DRAWER.match(line) and line.strip().upper() != ":END:":
            self._skip_drawer()
        elif line.lstrip().startswith("|"):
            self._read_table()
        elif line.lstrip().startswith(": "):
            code = "\n".join(part.lstrip()[2:] for part in self._take(while_=re.compile(r"[ ]*:(?: |$)")))
            out.add(listing(code, "", self._where(first)), inside=len(line) - len(line.lstrip()))
        elif re.fullmatch(r" *-{5,} *", line):
            out.add("<hr>")
        elif (match := _NOTE.match(line)) is not None:
            text = [match[2], *self._paragraph_below()]
            self._notes.append(f"<p {self._where(first)}>{escape(match[1])} {inline(chr(10).join(text))}</p>")
        elif (match := _LATEX.match(line)) is not None:
            self._read_formula(match)
        elif (match := _ITEM.match(line)) is not None and (match[3] is None or match[3].isdecimal() or match[1]):
            self._read_item(match)
        else:
            out.text(line, first + 1)

    def _paragraph_below(self) -> list[str]:
        below = []
        while self._at + 1 < len(self._lines) and (line := self._lines[self._at + 1]).strip():
            if line.startswith(("[fn:", "*", "#+")):
                break
            below.append(line)
            self._at += 1
        return below

    def _read_item(self, match: re.Match[str]) -> None:
        text, value = match[5], match[3] or ""
        if match[4]:
            text = {"[x]": "☑ ", "[ ]": "☐ "}.get(match[4].strip().lower(), "☐ ") + text
        if (term := _TERM.match(text)) is not None and match[2]:
            text = f"*{term[1]}* {text[term.end() :]}"
        self._out.item(len(match[1]), "ul" if match[2] else "ol", text, self._at + 1, value)

    def _read_key(self, key: str, value: str) -> None:
        if key in ("title", "author", "date", "language"):
            self._facts[key] = f"{self._facts[key]} {value}" if key in self._facts else inline(value)
            if key == "title" or (key != "language" and value):
                tag = "h1" if key == "title" else "p"
                self._out.add(f"<{tag} {self._where(self._at)}>{inline(value)}</{tag}>")
        elif key == "caption":
            self._out.add(f"<figcaption {self._where(self._at)}>{inline(value)}</figcaption>")
        else:
            self._out.flush()

    def _skip_drawer(self) -> None:
        """Leave out the properties of a heading; a line that only looks like a drawer is text."""
        end = next((at for at in range(self._at + 1, min(self._at + 500, len(self._lines)))
                    if self._lines[at].strip().upper() == ":END:"), None)  # fmt: skip
        if end is None:
            self._out.text(self._lines[self._at], self._at + 1)
        else:
            self._out.flush()
            self._at = end

    def _read_block(self, match: re.Match[str]) -> None:
        kind, first = match[2].lower(), self._at
        body = []
        while self._at + 1 < len(self._lines):
            self._at += 1
            end = _END.match(self._lines[self._at])
            if end is not None and end[1].lower() == kind:
                break
            body.append(self._lines[self._at])
        if kind in ("src", "example"):
            margin = min((len(line) - len(line.lstrip()) for line in body if line.strip()), default=0)
            code = "\n".join(re.sub(r"^( *),(?=[*#,])", r"\1", line[margin:]) for line in body)
            html = listing(code, match[3] if kind == "src" else "", self._where(first))
        elif kind in _LEFT_OUT:
            html = ""
        else:
            paragraphs = re.split(r"\n[ \t]*\n", "\n".join(body))
            inner = "".join(f"<p {self._where(first)}>{inline(part.strip())}</p>" for part in paragraphs)
            html = f"<blockquote>{inner}</blockquote>" if kind in ("quote", "verse") else inner
        self._out.add(html, inside=len(match[1]))

    def _read_formula(self, match: re.Match[str]) -> None:
        first = self._at
        close = f"\\end{{{match[1]}}}" if match[1] else {"\\[": "\\]", "$$": "$$"}[match[0].strip()]
        body = self._lines[self._at][match.end() :]
        while close not in body and self._at + 1 < len(self._lines) and self._at - first < 200:
            self._at += 1
            body += "\n" + self._lines[self._at]
        tex, _, after = body.partition(close)
        if match[1] and not match[1].startswith(("equation", "displaymath", "math")):
            tex = f"\\begin{{{match[1]}}}{tex}{close}"
        self._out.add(f"<div {self._where(first)}>{formula(tex, is_block=True)}</div>{escape(after.strip())}")

    def _read_table(self) -> None:
        first, groups = self._at, [list[list[str]]()]
        for line in self._take(while_=re.compile(r" *\|")):
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if _RULE.match(line):
                groups.append([])
            elif not all(_WIDTHS.fullmatch(cell) for cell in cells) or not any(cells):
                groups[-1].append(cells)
        groups = [rows for rows in groups if rows]
        rows = [("th" if index == 0 and len(groups) > 1 else "td", row)
                for index, group in enumerate(groups) for row in group]  # fmt: skip
        body = "".join(f"<tr>{''.join(f'<{tag}>{inline(cell)}</{tag}>' for cell in row)}</tr>" for tag, row in rows)
        self._out.add(f"<table {self._where(first)}>{body}</table>", inside=len(self._lines[first]) - len(
            self._lines[first].lstrip()))  # fmt: skip
