"""LaTeX: its text as HTML. Macros of the file are expanded within bounds; nothing is included or run."""

import re
from collections.abc import Iterator
from html import escape
from typing import Final, NamedTuple

from quire.models.cdom.original import Format, ReadOptions
from quire.models.cdom.tree import Metadata
from quire.models.extract.formats.flow.document import FlowDocument
from quire.models.rare_formats.markup.latex_signs import (
    ACCENTS,
    ARGUMENTS,
    CODE,
    DECLARED,
    DRAWINGS,
    DROPPED,
    ENVIRONMENTS,
    FORMULAS,
    SECTIONS,
    SIGNS,
    STYLES,
    TABLES,
    put_accent,
)
from quire.models.rare_formats.markup.writing import Converted, at_lines, formula, listing, open_markup, plain

MAX_DEPTH: Final = 30
"""Nesting depth of groups; what is deeper is shown as it is written."""
STEPS_PER_CHAR: Final = 40
"""Brackets that may be looked at for each character, so that unclosed ones cost no more."""
EXPANDED_PER_CHAR: Final = 5
"""Characters that macros may add for each character of the text."""
MAX_SPAN: Final = 1000
"""Columns or rows of one cell."""
_TOKEN: Final = re.compile(
    r"%[^\n]*(?:\n[ \t]*)?|\\(?:(?P<name>[A-Za-z@]+)\*?[ \t]*|(?P<sign>[^A-Za-z@]))|(?P<dollar>\$\$?)"
    r"|(?P<open>\{)|\}|(?P<break>\n[ \t]*\n\s*)|(?P<text>~|``|''|`|'|---?|[?!]`)"
)
_TEXTS: Final = {"~": "\xa0", "``": "“", "''": "”", "`": "‘", "'": "’", "--": "–", "---": "—", "?`": "¿", "!`": "¡"}
_BRACE: Final = re.compile(r"\\.|%[^\n]*|[{}]", re.DOTALL)
_OPTION: Final = re.compile(r"\s{0,20}\[((?:[^\[\]{}]|\{[^{}]{0,1000}\}){0,2000})\]")
_DEFINITION: Final = re.compile(
    r"\\(?:(?:re)?newcommand|providecommand|DeclareRobustCommand|def)\*?\s{0,20}\{?\\([A-Za-z]{1,60})\}?"
    r"(?:\s{0,20}\[(\d)\])?(?:\s{0,20}\[([^\]\n]{0,200})\])?((?:#\d){0,9})\s{0,20}(?=\{)"
)
_THEOREM: Final = re.compile(r"\\newtheorem\*?\{([\w*]{1,60})\}(?:\[[^\]\n]{0,60}\])?\{([^{}\n]{1,100})\}")
_BODY: Final = re.compile(r"\\begin\s{0,5}\{document\}(.*?)(?:\\end\s{0,5}\{document\}|\Z)", re.DOTALL)
_FACT: Final = re.compile(r"\\(title|author|date|institute|subtitle)\s{0,20}(?:\[[^\]\n]{0,500}\])?\s{0,20}(?=\{)")
_EDGE: Final = re.compile(r"\\begin\s{0,5}\{|\\end\s{0,5}\{|(?P<row>\\\\\*?(?:\[[^\]\n]{0,40}\])?|\\tabularnewline\b)"
                          r"|\\.|%[^\n]*|[{}&]", re.DOTALL)  # fmt: skip
_RULE: Final = re.compile(
    r"\\(?:hline|toprule|midrule|bottomrule|endhead|endfirsthead|endfoot|endlastfoot|cmidrule|cline|addlinespace)\b"
    r"(?:\([^)\n]{0,20}\))?(?:\[[^\]\n]{0,40}\])?(?:\{[^{}\n]{0,40}\})?"
)
_LABEL: Final = re.compile(r"\\label\s{0,5}\{[^{}]{0,200}\}|\\nonumber\b|\\notag\b")
_CITES: Final = re.compile(r"[a-z]*cite[a-z]*", re.IGNORECASE)
_REFERENCES: Final = frozenset(("ref", "eqref", "autoref", "cref", "Cref", "pageref", "nameref", "vref"))


def open_latex(data: bytes, options: ReadOptions) -> FlowDocument:
    """Open the text in `data`.

    Raises:
        ResourceLimit: The text is too long.
    """
    return open_markup(data, options, Format.LATEX, lambda text: _Latex(text).convert())


class _Macro(NamedTuple):
    arguments: int
    default: str | None
    body: str


class _Latex:
    """One text: its macros, labels and notes."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._steps = STEPS_PER_CHAR * len(text) + 10_000
        self._growth = EXPANDED_PER_CHAR * len(text) + 10_000
        self._macros: dict[str, _Macro] = {}
        self._theorems = dict(_THEOREM.findall(text))
        self._facts: dict[str, str] = {}
        self._notes: list[str] = []
        self._cited: dict[str, int] = {}
        self._counts: dict[str, int] = {}
        self._numbers: list[int] = [0] * 7
        self._labels: dict[str, str] = {}
        self._current = ""
        self._float = ""
        self._open = 0
        self._is_english = "babel" not in text or "english" in text
        self._top = 1 if re.search(r"\\chapter\b", text) else 2

    def convert(self) -> Converted:
        """Return the HTML and the metadata."""
        for match in _DEFINITION.finditer(self._text):
            body, _ = self._group(self._text, match.end())
            self._macros[match[1]] = _Macro(int(match[2] or len(match[4]) // 2), match[3], body)
        for match in _FACT.finditer(self._text):
            self._facts[match[1]] = self._read(self._group(self._text, match.end())[0], 0, 1)
        keys = re.findall(r"\\bibitem\s{0,5}(?:\[[^\]\n]{0,100}\])?\s{0,5}\{([^{}\n]{1,200})\}", self._text)
        self._cited = {key.strip(): number for number, key in enumerate(keys, start=1)}
        whole = _BODY.search(self._text)
        text = whole[1] if whole is not None else self._text
        line = 1 + (self._text.count("\n", 0, whole.start(1)) if whole is not None else 0)
        html = self._read(text, line, 0)
        if "ref{" in text:  # references are before and after what they name: the second time all labels are known
            self._notes, self._counts, self._numbers, self._open = [], {}, [0] * 7, 0
            self._growth = EXPANDED_PER_CHAR * len(text) + 10_000
            self._steps = STEPS_PER_CHAR * len(text) + 10_000
            html = self._read(text, line, 0)
        metadata = Metadata(title=plain(self._facts.get("title", "")), author=plain(self._facts.get("author", "")))
        return html + "".join(f"<p>{note}</p>" for note in self._notes), metadata

    def _group(self, text: str, at: int) -> tuple[str, int]:
        """Return an argument (a group in braces, else one command or character) and its end."""
        while at < len(text) and text[at].isspace():
            at += 1
        if text[at : at + 1] != "{":
            match = re.compile(r"\\[A-Za-z]+|\\.|[^\s}]|").match(text, at)
            return (match[0], match.end()) if match is not None else ("", at)
        depth = 0
        for match in _BRACE.finditer(text, at):
            self._steps -= 1
            if self._steps < 0:
                break
            depth += (match[0] == "{") - (match[0] == "}")
            if depth == 0:
                return text[at + 1 : match.start()], match.end()
        return "", at + 1

    def _read(self, text: str, line: int, depth: int) -> str:
        """Return a text as HTML; a paragraph begins with its tag and ends where the next block begins."""
        if depth > MAX_DEPTH:
            return escape(text, quote=False)
        parts, at, counted = [f"<p {at_lines(line, line)}>"] if depth == 0 else [], 0, 0
        while (match := _TOKEN.search(text, at)) is not None:
            parts.append(escape(text[at : match.start()], quote=False))
            line, counted = line + text.count("\n", counted, match.start()), match.start()
            at = match.end()
            if match["name"]:
                html, at = self._command(match["name"], text, at, line, depth)
                parts.append(html)
            elif match["sign"]:
                html, at = self._read_sign(match["sign"], text, at)
                parts.append(html)
            elif match["dollar"]:
                close = _find(text, match["dollar"], at)
                parts.append(self._formula(text[at:close], is_block=match["dollar"] == "$$"))
                at = min(close + len(match["dollar"]), len(text))
            elif match["open"]:
                inside, at = self._group(text, match.start())
                parts.append(self._read_group(inside, line, depth + 1))
            elif match["break"]:
                first = line + match["break"].count("\n")
                parts.append(f"<p {at_lines(first, first)}>" if depth == 0 else "<br>")
            elif match["text"]:
                parts.append(_TEXTS[match["text"]])
        return "".join([*parts, escape(text[at:], quote=False)])

    def _read_group(self, inside: str, line: int, depth: int) -> str:
        declared = re.match(r"\s*\\([a-z]+)\b", inside)
        html = self._read(inside, line, depth)
        tag = DECLARED.get(declared[1]) if declared is not None else None
        return f"<{tag}>{html}</{tag}>" if tag else html

    def _formula(self, tex: str, *, is_block: bool) -> str:
        tex = _LABEL.sub(lambda match: self._note_label(match[0]), tex)
        for _ in range(3):
            longer = re.sub(r"\\([A-Za-z]+)", self._expand_in_formula, tex)
            if longer == tex:
                break
            tex = longer
        return formula(tex, is_block=is_block) if tex.strip() else ""

    def _expand_in_formula(self, match: re.Match[str]) -> str:
        macro = self._macros.get(match[1])
        if macro is None or macro.arguments or len(macro.body) > self._growth:
            return match[0]
        self._growth -= len(macro.body)
        return f"{{{macro.body}}}"

    def _note_label(self, source: str) -> str:
        key = re.search(r"\{([^{}]*)\}", source)
        if key is not None:
            self._labels[key[1]] = self._current
        return ""

    def _read_sign(self, sign: str, text: str, at: int) -> tuple[str, int]:
        if sign in ACCENTS:
            letters, end = self._group(text, at)
            if letters.startswith("\\"):
                letters = SIGNS.get(letters[1:], "")
            return (escape(put_accent(sign, letters), quote=False) if letters else ""), end
        if sign in "([":
            close = _find(text, "\\" + {"(": ")", "[": "]"}[sign], at)
            return self._formula(text[at:close], is_block=sign == "["), min(close + 2, len(text))
        if sign == "\\":
            option = re.compile(r"\*?(?:\[[^\]\n]{0,40}\])?").match(text, at)
            return "<br>", option.end() if option is not None else at
        return (" " if sign in ", \n;:" else "" if sign in "-/!)]@" else escape(sign, quote=False)), at

    def _option(self, text: str, at: int) -> tuple[str | None, int]:
        match = _OPTION.match(text, at)
        return (match[1], match.end()) if match is not None else (None, at)

    def _command(self, name: str, text: str, at: int, line: int, depth: int) -> tuple[str, int]:  # noqa: C901
        """Return the HTML of a command, and its end."""
        if name in ("begin", "end"):
            inside, at = self._group(text, at)
            return self._begin(inside, text, at, line, depth) if name == "begin" else (self._end(inside), at)
        if name in SIGNS:
            return escape(SIGNS[name], quote=False).replace("\n", "<br>"), _skip_braces(text, at)
        if name in ACCENTS:
            return self._read_sign(name, text, at)
        if (macro := self._macros.get(name)) is not None:
            return self._expand(macro, text, at, line, depth)
        if name in SECTIONS:
            return self._section(name, text, at, line, depth)
        if name == "verb":
            close = text.find(text[at : at + 1] or " ", at + 1)
            return f"<code>{escape(text[at + 1 : close], quote=False)}</code>", max(close + 1, at)
        if name in ("newcommand", "renewcommand", "providecommand", "DeclareRobustCommand", "def", "newenvironment",
                    "renewenvironment", "newtheorem", "DeclareMathOperator", "let"):  # fmt: skip
            return "", self._skip_definition(name, text, at)
        option, at = self._option(text, at) if name not in ("cite", "item") else (None, at)
        if name in STYLES:
            inside, at = self._group(text, at)
            return f"<{STYLES[name]}>{self._read(inside, line, depth + 1)}</{STYLES[name]}>", at
        if name in ("title", "author", "date", "institute", "subtitle"):
            return "", self._group(text, at)[1]
        if name == "maketitle" or name == "titlepage":
            return self._title(line), at
        if name == "item" or name == "bibitem":
            return self._item(name, text, at, depth, option)
        if name == "caption":
            inside, at = self._group(text, at)
            return f"<figcaption {at_lines(line, line)}>{self._caption()}{self._read(inside, line, 1)}</figcaption>", at
        if name in ("footnote", "thanks", "footnotetext"):
            inside, at = self._group(text, at)
            self._notes.append("")
            number = len(self._notes)
            self._notes[number - 1] = f"{number} {self._read(inside, line, depth + 1)}"
            return f"<sup>{number}</sup>", at
        if name == "href":
            target, at = self._group(text, at)
            inside, at = self._group(text, at)
            return f'<a href="{escape(target)}">{self._read(inside, line, depth + 1)}</a>', at
        if name in ("url", "nolinkurl", "path"):
            target, at = self._group(text, at)
            return f'<a href="{escape(target)}">{escape(target, quote=False)}</a>', at
        if _CITES.fullmatch(name):
            return self._cite(text, at)
        if name in _REFERENCES:
            key, at = self._group(text, at)
            shown = ", ".join(self._labels.get(part.strip()) or part.strip() for part in key.split(","))
            return escape(f"({shown})" if name == "eqref" else shown, quote=False), at
        if name == "label":
            key, at = self._group(text, at)
            return self._note_label(f"{{{key}}}"), at
        if name == "includegraphics":
            path, at = self._group(text, at)
            return f'<img src="{escape(path)}">', at
        for _ in range(DROPPED.get(name, 0)):
            _, at = self._group(text, at)
        return "", _skip_braces(text, at)

    def _expand(self, macro: _Macro, text: str, at: int, line: int, depth: int) -> tuple[str, int]:
        arguments = []
        if macro.default is not None:
            option, at = self._option(text, at)
            arguments.append(option if option is not None else macro.default)
        while len(arguments) < macro.arguments:
            inside, at = self._group(text, at)
            arguments.append(inside)
        body = re.sub(r"#(\d)", lambda match: (["", *arguments, *[""] * 9])[int(match[1])], macro.body)
        self._growth -= len(body)
        if self._growth < 0:
            return escape("".join(arguments), quote=False), at
        return self._read(body, line, depth + 1), at if macro.arguments else _skip_braces(text, at)

    def _skip_definition(self, name: str, text: str, at: int) -> int:
        count = {"newenvironment": 3, "renewenvironment": 3}.get(name, 2)
        for _ in range(count):
            _, at = self._group(text, at)
            match = re.compile(r"(?:\s*\[[^\]\n]{0,200}\]){0,2}(?:#\d){0,9}").match(text, at)
            at = match.end() if match is not None else at
        return at

    def _section(self, name: str, text: str, at: int, line: int, depth: int) -> tuple[str, int]:
        is_counted = text[at - 1 : at] != "*" and "*" not in text[max(0, at - 3) : at] and not name.startswith("frame")
        _, at = self._option(text, at)
        inside, at = self._group(text, at)
        rank = SECTIONS[name]
        if is_counted and rank < 5:
            self._numbers[rank] += 1
            self._numbers[rank + 1 :] = [0] * (6 - rank)
            self._current = ".".join(str(number) for number in self._numbers[self._top : rank + 1])
        level = max(1, min(rank - self._top + 1 + ("title" in self._facts), 6))
        tag = f"h{level}" if rank < 5 else "strong"
        return f"<{tag} {at_lines(line, line)}>{self._read(inside, line, 1)}</{tag}>" + _paragraph(line, depth), at

    def _title(self, line: int) -> str:
        where = at_lines(line, line)
        shown = [f"<h1 {where}>{self._facts['title']}</h1>"] if "title" in self._facts else []
        rest = [self._facts[key] for key in ("subtitle", "author", "institute", "date") if self._facts.get(key)]
        return "".join([*shown, *(f"<p {where}>{fact}</p>" for fact in rest), f"<p {where}>"])

    def _item(self, name: str, text: str, at: int, depth: int, option: str | None) -> tuple[str, int]:
        if name == "bibitem":
            key, at = self._group(text, at)
            shown = option or str(self._cited.get(key.strip(), ""))
            return f"<li>[{escape(shown, quote=False)}] ", at
        option, at = self._option(text, at)
        return f"<li><strong>{self._read(option, 1, depth + 1)}</strong> " if option else "<li>", at

    def _caption(self) -> str:
        if not self._float:
            return ""
        self._counts[self._float] = number = self._counts.get(self._float, 0) + 1
        self._current = str(number)
        return f"{self._float.capitalize()} {number}: " if self._is_english else ""

    def _cite(self, text: str, at: int) -> tuple[str, int]:
        option, at = self._option(text, at)
        _, at = self._option(text, at)
        keys, at = self._group(text, at)
        shown = [str(self._cited.get(key.strip(), key.strip())) for key in keys.split(",")]
        return escape(f"[{', '.join([*shown, *([option] if option else [])])}]", quote=False), at

    def _begin(self, name: str, text: str, at: int, line: int, depth: int) -> tuple[str, int]:
        bare, where = name.rstrip("*"), at_lines(line, line)
        if bare in FORMULAS or bare in CODE or bare in TABLES or bare in DRAWINGS:
            close = _find_end(text, name, at)
            end = min(close + len(f"\\end{{{name}}}"), len(text))
            return self._whole(bare, name, text[at:close], where, line) + _paragraph(line, depth), end
        option, at = self._option(text, at)
        for _ in range(ARGUMENTS.get(bare, 0)):
            _, at = self._group(text, at)
        if bare in ("figure", "table", "wrapfigure", "algorithm", "longtable"):
            self._float = "table" if "table" in bare else "algorithm" if bare == "algorithm" else "figure"
        if bare == "frame" and text[at : at + 1] == "{":
            inside, at = self._group(text, at)
            return f"<h2 {where}>{self._read(inside, line, 1)}</h2>", at
        if bare in self._theorems or bare == "proof":
            title = self._theorems.get(bare, "Proof") + (f" ({option})" if option else "")
            self._open += 1
            return f"<div {where}><strong>{self._read(title, line, 1)}.</strong> ", at
        heading = {"abstract": "Abstract", "thebibliography": "References"}.get(bare)
        shown = f"<h2 {where}>{heading}</h2>" if heading and self._is_english else ""
        self._open += 1
        return (f"{shown}<{ENVIRONMENTS.get(bare, 'div')} {where}>" if self._open <= MAX_DEPTH else shown), at

    def _end(self, name: str) -> str:
        if name.rstrip("*") in ("figure", "table", "wrapfigure", "algorithm"):
            self._float = ""
        self._open -= self._open > 0
        return f"</{ENVIRONMENTS.get(name.rstrip('*'), 'div')}>" if self._open < MAX_DEPTH else ""

    def _whole(self, bare: str, name: str, body: str, where: str, line: int) -> str:
        """Return an environment of code, a formula or a table; nothing of a drawing."""
        if bare in CODE:
            options, start = self._option(body, 0)
            language = re.search(r"language=\{?([\w+#-]{1,30})", options or "")
            shown = language[1].lower() if language is not None else ""
            if bare == "minted":
                shown, start = self._group(body, start)
            return listing(body[start:].strip("\n"), shown, where)
        if bare in FORMULAS:
            if "*" not in name and bare != "displaymath":
                self._counts["equation"] = number = self._counts.get("equation", 0) + 1
                self._current = str(number)
            is_plain = bare in ("equation", "displaymath", "math")
            tex = body if is_plain else f"\\begin{{{name}}}{body}\\end{{{name}}}"
            return f"<div {where}>{self._formula(tex, is_block=True)}</div>"
        return self._table(bare, body, where, line) if bare in TABLES else ""

    def _table(self, bare: str, body: str, where: str, line: int) -> str:
        at = 0
        for _ in range(2 if bare in ("tabularx", "tabulary") else 1):
            _, at = self._option(body, at)
            _, at = self._group(body, at)
        rows, header = list[str](), 0
        caption = ""
        for cells in self._rows(body[at:]):
            if (found := re.search(r"\\caption\s{0,5}(?=\{)", cells[0])) is not None:
                self._float = "table"
                inside, end = self._group(cells[0], found.end())
                caption = f"<caption>{self._caption()}{self._read(inside, line, 1)}</caption>"
                cells[0] = cells[0][: found.start()] + cells[0][end:]
            rules = [rule for cell in cells for rule in _RULE.findall(cell)]
            if rules and rows and not header and any(rule.startswith(("\\midrule", "\\hline")) for rule in rules):
                header = len(rows)
            shown = [self._cell(_RULE.sub("", cell), line) for cell in cells]
            if any(html for html, _ in shown):
                rows.append("".join(f"<td{spans}>{html}</td>" for html, spans in shown))
        if header >= len(rows):
            header = 0
        body = "".join(
            f"<tr>{row.replace('<td', '<th').replace('</td', '</th') if index < header else row}</tr>"
            for index, row in enumerate(rows)
        )
        return f"<table {where}>{caption}{body}</table>"

    def _rows(self, body: str) -> Iterator[list[str]]:
        cells, start, depth = list[str](), 0, 0
        for match in _EDGE.finditer(body):
            opened = match[0] == "{" or match[0].startswith("\\begin")
            depth += opened - (match[0] == "}" or match[0].startswith("\\end"))
            depth += match[0].endswith("{") and match[0] != "{"  # the brace of the name, whose other end comes next
            if depth == 0 and (match[0] == "&" or match["row"]):
                cells.append(body[start : match.start()])
                start = match.end()
                if match["row"]:
                    yield cells
                    cells = []
        yield [*cells, body[start:]]

    def _cell(self, source: str, line: int) -> tuple[str, str]:
        """Return a cell's HTML and its spans."""
        source, spans = source.strip(), ""
        for _ in range(2):
            match = re.match(r"\\multi(column|row)(?:\[[^\]\n]{0,20}\])?\s{0,5}\{(\d{1,4})\}", source)
            if match is None:
                break
            _, at = self._group(source, match.end())
            inside, at = self._group(source, at)
            spans += f' {"col" if match[1] == "column" else "row"}span="{min(int(match[2]), MAX_SPAN)}"'
            source = (inside + source[at:]).strip()
        return self._read(source, line, 1).strip(), spans


def _paragraph(line: int, depth: int) -> str:
    return f"<p {at_lines(line, line)}>" if depth == 0 else ""


def _find(text: str, mark: str, at: int) -> int:
    """Return where an unescaped mark is next, the end of the text without one."""
    while (found := text.find(mark, at)) > 0 and text[found - 1] == "\\" and mark[0] == "$":
        at = found + 1
    return found if found >= 0 else len(text)


def _find_end(text: str, name: str, at: int) -> int:
    """Return where an environment that may hold others of its name ends."""
    depth = 1
    for match in re.compile(rf"\\(begin|end)\s?\{{{re.escape(name)}\}}").finditer(text, at):
        depth += 1 if match[1] == "begin" else -1
        if depth == 0:
            return match.start()
    return len(text)


def _skip_braces(text: str, at: int) -> int:
    return at + 2 if text.startswith("{}", at) else at
