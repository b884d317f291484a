"""Typst: its markup as HTML. Functions that place or style are read for their content; code is not run."""

import re
from collections.abc import Iterator
from html import escape
from typing import Final, NamedTuple

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

MAX_DEPTH: Final = 30
"""Nesting depth of content in content; deeper content is shown as it is written."""
STEPS_PER_CHAR: Final = 40
"""Brackets that may be looked at for each character, so that unclosed ones cost no more."""
MAX_COLUMNS: Final = 1000
"""Columns of one table."""
_TOKEN: Final = re.compile(
    r"(?P<fence>`{3,20})|`(?P<code>[^`\n]{0,1000})`|\$(?P<math>[^$]{0,5000})\$|(?P<remark>//[^\n]*|/\*)"
    r"|\\(?P<sign>[^\s\w])|(?P<url>https?://[^\s\[\]()<>\"]{1,2000})|\#(?P<hash>(?=[\w({\[\"]))"
    r"|<(?P<label>[\w:.-]{1,100})>|(?<!\w)@(?P<mention>[A-Za-z][\w:.-]{0,100})"
)
_NAME: Final = re.compile(r"[A-Za-z_][\w-]{0,60}(?:\.[A-Za-z][\w-]{0,60}){0,4}")
_BRACKET: Final = re.compile(r"\\.|\"(?:[^\"\\]|\\.){0,5000}\"|[\[\](){}]|//[^\n]*", re.DOTALL)
_STRING: Final = re.compile(r"\"((?:[^\"\\]|\\.)*)\"")
_KEY: Final = re.compile(r"\s*([a-zA-Z][\w-]{0,40})\s*:(?!:)\s*")
_HELD: Final = re.compile("\ue000(\\d{1,9})\ue001")
_LINE, _SPECIAL = "\ue002", re.compile("[\ue000-\ue002]")
"""Stands for a line that a held part took up; and the characters that mean something here alone."""
_HEADING: Final = re.compile(r"[ \t]*(={1,10})[ \t]+(.*)")
_ITEM: Final = re.compile(r"([ \t]*)(?:(-)|(\+)|(\d{1,6})\.)[ \t]+(.*)")
_TERM: Final = re.compile(r"[ \t]*/[ \t]+([^:\n]{1,200}):[ \t]*(.*)")
_MARKS: Final = ((re.compile(r"(?<![\w*])\*([^\s*](?:[^*]{0,1000}[^\s*])?)\*(?!\w)"), "strong"),
                 (re.compile(r"(?<![\w_])_([^\s_](?:[^_]{0,1000}[^\s_])?)_(?!\w)"), "em"))  # fmt: skip
_SIGNS: Final = (("---", "—"), ("--", "–"), ("...", "…"), ("~", "\xa0"))
_STATEMENTS: Final = frozenset(("set", "show", "import", "include", "let"))
_STYLES: Final = {
    "strong": "strong", "emph": "em", "underline": "u", "strike": "s", "highlight": "mark", "super": "sup",
    "sub": "sub", "quote": "blockquote",
}  # fmt: skip
_SILENT: Final = frozenset(
    ("pagebreak", "colbreak", "v", "outline", "bibliography", "counter", "label", "lorem", "metadata", "state")
)
_REMARK: Final = re.compile(r"(?<!:)//[^\n]*\n|/\*.{0,5000}?\*/", re.DOTALL)
_FACTS: Final = ("title", "subtitle", "author", "authors", "date", "abstract", "keywords", "index-terms")
"""What templates are given to show before the text, in the order in which most show it."""


def open_typst(data: bytes, options: ReadOptions) -> FlowDocument:
    """Open the text in `data`.

    Raises:
        ResourceLimit: The text is too long.
    """
    return open_markup(data, options, Format.TYPST, lambda text: _Typst(text).convert())


class _Call(NamedTuple):
    """A function with its arguments as they are written."""

    name: str
    named: dict[str, str]
    values: list[str]
    contents: list[str]


_NO_OPTIONS: Final = _Call("", {}, [], [])


class _Typst:
    """One text and what its functions were given."""

    def __init__(self, text: str) -> None:
        self._text = _SPECIAL.sub("", text)
        self._steps = STEPS_PER_CHAR * len(text) + 10_000
        self._held: list[str] = []
        self._known: dict[str, str] = {}
        self._notes: list[str] = []
        self._facts: dict[str, str] = {}

    def convert(self) -> Converted:
        """Return the HTML and the metadata."""
        html = self._markup(self._text, 1, 0)
        first = re.search(r"<h1[^<>]*>(.*?)</h1>", html)
        title = self._facts.get("title") or (first[1] if first else "")
        metadata = Metadata(
            title=plain(title), author=plain(self._facts.get("author", "")), language=self._facts.get("lang")
        )
        return html + "".join(f"<p>{note}</p>" for note in self._notes), metadata

    def _markup(self, text: str, first: int, depth: int) -> str:
        """Return content with its blocks."""
        out = BlockWriter(self._inline)
        number = first
        for line in self._hold_all(text, first, depth).split("\n"):
            if not line.replace(_LINE, "").strip():
                out.flush()
            elif (match := _HEADING.match(line)) is not None:
                level = min(len(match[1]), 6)
                out.add(f"<h{level} {at_lines(number, number)}>{self._inline(match[2])}</h{level}>")
            elif (match := _ITEM.match(line)) is not None:
                out.item(len(match[1]), "ul" if match[2] else "ol", match[5], number, match[4] or "")
            elif (match := _TERM.match(line)) is not None:
                out.item(0, "ul", f"*{match[1].strip()}* {match[2]}", number)
            else:
                out.text(line, number)
            number += 1 + line.count(_LINE)
        return out.finish()

    def _content(self, text: str, depth: int) -> str:
        """Return content that is one paragraph as inline HTML, other content as blocks."""
        text = text.strip()
        if depth > MAX_DEPTH:
            return escape(text, quote=False)
        if re.search(r"\n[ \t]*\n|^[ \t]*(?:=+|[-+/]|\d+\.)[ \t]", text):
            return self._markup(text, 1, depth)
        return self._inline(self._hold_all(text, 1, depth))

    def _inline(self, text: str) -> str:
        html = escape(text.replace(_LINE, " "), quote=False)
        for sign, shown in _SIGNS:
            html = html.replace(sign, shown)
        html = re.sub(r"\\[ \t]*(?:\n|$)", "<br>", html)
        for mark, tag in _MARKS:
            html = mark.sub(rf"<{tag}>\1</{tag}>", html)
        return _HELD.sub(lambda match: self._held[int(match[1])], html)

    def _hold(self, html: str, source: str = "") -> str:
        """Return what stands for finished HTML, as many lines long as its source."""
        self._held.append(_HELD.sub(lambda match: self._held[int(match[1])], html))
        return f"\ue000{len(self._held) - 1}\ue001" + _LINE * source.count("\n")

    def _hold_all(self, text: str, first: int, depth: int) -> str:
        """Replace code, formulas, comments and functions by what stands for them."""
        parts, at = [], 0
        while (match := _TOKEN.search(text, at)) is not None:
            parts.append(text[at : match.start()])
            line = first + text.count("\n", 0, match.start()) if match["fence"] or match["hash"] is not None else 0
            shown, at = self._read_token(text, match, line, depth)
            parts.append(shown)
        return "".join([*parts, text[at:]])

    def _read_token(self, text: str, match: re.Match[str], line: int, depth: int) -> tuple[str, int]:
        """Return the placeholder of a token, and its end."""
        end = match.end()
        if match["fence"]:
            close = text.find(match["fence"], end)
            close = close if close >= 0 else len(text)
            stop = min(close + len(match["fence"]), len(text))
            language, _, code = text[end:close].partition("\n")
            if not re.fullmatch(r"[\w+#-]*", language):
                return self._hold(f"<code>{escape(text[end:close].strip(), quote=False)}</code>", text[end:stop]), stop
            return self._hold(listing(code.rstrip(), language, at_lines(line, line)), text[end:stop]), stop
        if match["code"] is not None:
            return self._hold(f"<code>{escape(match['code'], quote=False)}</code>"), end
        if (tex := match["math"]) is not None:
            is_block = tex[:1].isspace() and tex[-1:].isspace()
            return self._hold(formula(tex, is_block=is_block), tex), end
        if match["remark"]:
            if match["remark"] == "/*":
                close = text.find("*/", end)
                end = close + 2 if close >= 0 else len(text)
            return _LINE * text.count("\n", match.start(), end), end
        if match["sign"]:
            return self._hold(escape(match["sign"], quote=False)), end
        if match["url"]:
            url = escape(match["url"].rstrip(".,;"))
            return self._hold(f'<a href="{url}">{url}</a>'), match.start() + len(match["url"].rstrip(".,;"))
        if match["hash"] is not None:
            html, stop = self._read_code(text, end, line, depth)
            return (self._hold(html, text[match.start() : stop]), stop) if stop > end else ("#", end)
        return ("", end) if match["label"] else (match["mention"], end)

    def _close_of(self, text: str, at: int) -> int:
        """Return where the bracket that opens at `at` is closed, -1 if nowhere."""
        depth = 0
        for match in _BRACKET.finditer(text, at):
            self._steps -= 1
            if self._steps < 0:
                return -1
            if match[0] in ("[", "(", "{"):
                depth += 1
            elif match[0] in ("]", ")", "}"):
                depth -= 1
                if depth == 0:
                    return match.start()
        return -1

    def _split_call(self, source: str, at: int) -> _Call:
        """Return the arguments and contents that follow a function's name."""
        arguments, contents = list[str](), list[str]()
        while source[at : at + 1] in ("(", "[") and (close := self._close_of(source, at)) >= 0:
            (contents if source[at] == "[" else arguments).append(source[at + 1 : close])
            at = close + 1
        return _read_call("", ", ".join(arguments), contents)

    def _read_code(self, text: str, at: int, line: int, depth: int) -> tuple[str, int]:
        """Return the HTML of the code after a `#`, and its end."""
        if (string := _STRING.match(text, at)) is not None:
            return escape(_unquote(string[1]), quote=False), string.end()
        name = _NAME.match(text, at)
        if name is not None and name[0] in _STATEMENTS:
            return self._read_statement(text, name, depth)
        end = name.end() if name is not None else at
        arguments, contents = list[str](), list[str]()
        loops = name is not None and name[0] in ("if", "for", "while", "context")
        while end < len(text):
            bracket = re.compile(r"[^\[{\n]{0,200}(?=[\[{])" if loops and not contents else "").match(text, end)
            start = bracket.end() if bracket is not None else end
            if text[start : start + 1] not in ("(", "[", "{") or (contents and text[start] != "["):
                break
            close = self._close_of(text, start)
            if close < 0:
                break
            (contents if text[start] == "[" else arguments).append(text[start + 1 : close])
            end = close + 1
        if name is None and not arguments and not contents:
            return "", at
        call = _read_call(name[0] if name else "", ", ".join(arguments), contents)
        if not arguments and not contents and call.name in self._known:
            return self._known[call.name], end
        return self._show(call, line, depth + 1), end + (text[end : end + 1] == ";")

    def _read_statement(self, text: str, name: re.Match[str], depth: int) -> tuple[str, int]:
        """Return what a template shows before the text, and the end of a statement; keep names of contents."""
        end = name.end()
        while end < len(text) and text[end] not in "\n;":
            if text[end] in "([{":
                close = self._close_of(text, end)
                if close < 0:
                    break
                end = close
            end += 1
        source = text[name.end() : end]
        if (match := re.fullmatch(r"\s*([\w-]{1,60})\s*=\s*([\[\"].{0,5000})", source, re.DOTALL)) is not None:
            self._known[match[1]] = self._value(match[2].strip(), depth + 1)
        if name[0] not in ("show", "set") or not re.match(r"\s*:|\s*document\(", source):
            return "", end
        named = _read_call("", source.partition("(")[2].rstrip().removesuffix(")"), []).named
        shown: dict[str, str] = {key: " ".join(self._strings(named[key], depth + 1)) for key in _FACTS if key in named}
        for key in ("title", "author"):
            self._facts[key] = shown.get(key) or shown.get(f"{key}s", "") or self._facts.get(key, "")
        if name[0] == "set":
            return "", end
        return "".join(f"<{'h1' if key == 'title' else 'p'}>{html}<p>" for key, html in shown.items()), end

    def _strings(self, source: str, depth: int) -> Iterator[str]:
        """Yield the contents and strings of an argument, in order."""
        at = 0
        while (match := re.compile(r"\"(?:[^\"\\]|\\.){0,5000}\"|\[").search(source, at)) is not None:
            at = match.end() if match[0] != "[" else self._close_of(source, match.start()) + 1
            if at <= match.start():
                return
            yield self._value(source[match.start() : at], depth)

    def _value(self, source: str, depth: int) -> str:
        """Return the HTML of an argument: content, a string, a formula, or what a function shows."""
        source = source.strip()
        if source.startswith("[") and source.endswith("]"):
            return self._content(source[1:-1], depth)
        if (string := _STRING.fullmatch(source)) is not None:
            return escape(_unquote(string[1]), quote=False)
        if source.startswith(("$", "`")):
            return self._content(source, depth)
        if (name := _NAME.match(source)) is not None and source[name.end() : name.end() + 1] in ("(", "["):
            return self._read_code(source, 0, 1, depth)[0] if depth < MAX_DEPTH else escape(source, quote=False)
        return self._known.get(source, source if re.fullmatch(r"-?\d[\d.]*", source) else "")

    def _all(self, call: _Call, depth: int) -> list[str]:
        return [self._value(value, depth) for value in call.values] + [
            self._content(content, depth) for content in call.contents
        ]

    def _show(self, call: _Call, line: int, depth: int) -> str:  # noqa: C901 - one branch for each kind of function
        where = at_lines(line, line)
        if call.name in _SILENT:
            return ""
        if call.name == "raw":
            code = _unquote(call.values[0].strip('"')) if call.values else ""
            block = call.named.get("block") == "true"
            language = call.named.get("lang", "").strip('"')
            return listing(code, language, where) if block else f"<code>{escape(code, quote=False)}</code>"
        if call.name in ("table", "grid"):
            return self._table(call, where, depth)
        parts = self._all(call, depth)
        if (tag := _STYLES.get(call.name)) is not None:
            return f"<{tag}>{''.join(parts)}</{tag}>"
        match call.name:
            case "link":
                href = call.values[0].strip().strip('"') if call.values else ""
                shown = parts[-1] if parts else ""
                return f'<a href="{escape(href)}">{shown}</a>' if ":" in href else shown
            case "footnote":
                self._notes.append(f"{len(self._notes) + 1} {''.join(parts)}")
                return f"<sup>{len(self._notes)}</sup>"
            case "heading":
                level = max(1, min(int(call.named["level"]), 6)) if call.named.get("level", "").isdecimal() else 1
                return f"<h{level} {where}>{''.join(parts)}</h{level}>"
            case "image":
                alt = call.named.get("alt", "").strip('"')
                return f'<img src="{escape(parts[0]) if parts else ""}" alt="{escape(alt)}">'
            case "figure":
                caption = self._value(call.named.get("caption", ""), depth)
                return "".join(parts) + (f"<figcaption {where}>{caption}</figcaption>" if caption else "")
            case "list" | "enum":
                tag = "ul" if call.name == "list" else "ol"
                return f"<{tag} {where}>{''.join(f'<li>{part}</li>' for part in parts)}</{tag}>"
            case "linebreak":
                return "<br>"
            case "h":
                return " "
            case "text" | "par" | "document":
                return "".join(parts)
        if call.name == "" or call.name in ("if", "for", "while", "context"):
            return "".join(self._content(content, depth) for content in call.contents) or " ".join(
                self._content(inside, depth) for value in call.values for inside in self._contents_of(value)
            )
        return " ".join(parts)

    def _contents_of(self, code: str) -> Iterator[str]:
        """Yield the content blocks in code."""
        at = code.find("[")
        while at >= 0:
            close = self._close_of(code, at)
            if close < 0:
                return
            yield code[at + 1 : close]
            at = code.find("[", close)

    def _table(self, call: _Call, where: str, depth: int) -> str:
        """Return a table, whose cells fill its columns row by row."""
        columns = _count_columns(call.named.get("columns", "1"))
        header, rows, row, taken = 0, list[str](), list[str](), 0
        cells: list[tuple[str, _Call]] = []
        for source in [*call.values, *(f"[{content}]" for content in call.contents)]:
            name = _NAME.match(source)
            kind = (
                name[0].rpartition(".")[2] if name is not None and source[name.end() : name.end() + 1] in "([" else ""
            )
            if kind not in ("header", "footer", "cell", "hline", "vline"):
                cells.append((source, _NO_OPTIONS))
                continue
            inside = self._split_call(source, name.end() if name is not None else 0)
            values = [*inside.values, *(f"[{content}]" for content in inside.contents)]
            if kind == "cell":
                cells.append((values[-1] if values else "", inside))
            elif kind in ("header", "footer"):
                header += len(values) if kind == "header" else 0
                cells += [(value, _NO_OPTIONS) for value in values]
        for index, (source, options) in enumerate(cells):
            spans = [int(options.named[key]) if options.named.get(key, "").isdecimal() else 1
                     for key in ("colspan", "rowspan")]  # fmt: skip
            tag = "th" if index < header else "td"
            row.append(f'<{tag} colspan="{spans[0]}" rowspan="{spans[1]}">{self._value(source, depth + 1)}</{tag}>')
            taken += spans[0]
            if taken >= columns:
                rows.append(f"<tr>{''.join(row)}</tr>")
                row, taken = [], 0
        rows += [f"<tr>{''.join(row)}</tr>"] if row else []
        return f"<table {where}>{''.join(rows)}</table>"


def _unquote(text: str) -> str:
    return re.sub(r"\\(.)", lambda match: {"n": "\n", "t": "\t"}.get(match[1], match[1]), text)


def _count_columns(source: str) -> int:
    source = source.strip()
    if source.isdecimal() and len(source) < 5:
        return max(1, min(int(source), MAX_COLUMNS))
    inner, _, times = source.rpartition(")")
    widths = [part for part in inner.lstrip("(").split(",") if part.strip()]
    repeated = re.fullmatch(r"\s*\*\s*(\d{1,4})", times)
    return max(1, min(len(widths) * (int(repeated[1]) if repeated else 1), MAX_COLUMNS))


def _read_call(name: str, arguments: str, contents: list[str]) -> _Call:
    """Return a function with its arguments parted at the commas between them."""
    named, values, depth, start = dict[str, str](), list[str](), 0, 0
    pieces = []
    for match in re.finditer(r"\\.|\"(?:[^\"\\]|\\.){0,5000}\"|[\[\](){},]", arguments):
        if match[0] == "," and depth == 0:
            pieces.append(arguments[start : match.start()])
            start = match.end()
        depth += (match[0] in ("[", "(", "{")) - (match[0] in ("]", ")", "}"))
    for piece in (*pieces, arguments[start:]):
        piece = _REMARK.sub("", piece)
        key = _KEY.match(piece)
        if key is not None:
            named[key[1]] = piece[key.end() :].strip()
        elif piece.strip():
            values.append(piece.strip())
    return _Call(name, named, values, contents)
