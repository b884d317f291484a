"""Blocks of AsciiDoc as HTML: lines in, HTML whose elements state their source lines out."""

from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape
from typing import Final

from quire.models.cdom.errors import ResourceLimit
from quire.models.rare_formats.asciidoc import inline as of
from quire.models.rare_formats.asciidoc.inline import replace_attributes, to_html
from quire.models.rare_formats.asciidoc.tables import AdocCell, read_table

MAX_DEPTH: Final = 30
"""Nesting depth of blocks; deeper lines are read as text."""
_MAX_LISTS: Final = 5  # list marks have at most five signs; deeper ones are read as the fifth level
_ADMONITIONS: Final = {name: name.capitalize() for name in ("NOTE", "TIP", "IMPORTANT", "WARNING", "CAUTION")}
_VERBATIM: Final = "-.`~"
"""First characters of fences with verbatim content."""


@dataclass(slots=True)
class _Before:
    """Attributes that lines before a block state for it."""

    title: str = ""
    placed: list[str] = field(default_factory=list)
    named: dict[str, str] = field(default_factory=dict)
    flags: set[str] = field(default_factory=set)

    @property
    def style(self) -> str:
        return self.placed[0] if self.placed else ""


@dataclass(slots=True)
class AdocBlocks:
    """Writes HTML into `out`; the document sets `attributes` as it is read."""

    attributes: dict[str, str] = field(default_factory=dict)
    out: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    _lines: list[str] = field(default_factory=list)
    _pos: int = 0
    _first: int = 1
    _depth: int = 0

    def read(self, text: list[str], first: int = 1) -> str:
        """Return all blocks of the lines, the first of which is line `first` of the file."""
        self._lines, self._first, self._pos = text, first, 0
        before = _Before()
        while self._pos < len(self._lines):
            before = self._block(self._lines[self._pos].rstrip(), before)
        return "".join(self.out)

    def _block(self, line: str, before: _Before) -> _Before:
        """Read one block or one line about the next block; return the attributes of the next block."""
        stripped = line.strip()
        if self._skip(stripped):
            return before if stripped or before.placed or before.title else _Before()
        if (of.ANCHOR.match(stripped) or of.BLOCK_ATTRIBUTES.match(stripped)) and self._state(stripped, before):
            return before
        if (title := of.TITLE.match(line)) is not None and not of.FENCE.match(line):
            before.title = title.group(1)
            self._pos += 1
            return before
        handler = self._find_handler(line, stripped, before)
        handler()
        return _Before()

    def _find_handler(self, line: str, stripped: str, before: _Before) -> Callable[[], None]:
        """Return the function that reads the block that begins with this line."""
        if (heading := of.HEADING.match(line)) is not None:
            return lambda: self._heading(len(heading.group(1)), heading.group(2), before)
        if (level := self._underlined(stripped)) is not None:
            return lambda: self._heading(level, stripped, before, lines=2)
        if (table := of.TABLE.match(stripped)) is not None:
            return lambda: self._table(table.group(1), before)
        if (fence := of.FENCE.match(stripped)) is not None:
            return lambda: self._fenced(fence.group(1), before)
        if (macro := of.IMAGE.match(stripped)) is not None:
            return lambda: self._macro(macro.group(1), macro.group(3), before)
        if of.RULE.match(stripped):
            return self._next
        if _marker(line) is not None:
            return lambda: self._list(before)
        if (note := of.ADMONITION.match(line)) is not None:
            return lambda: self._admonition(note.group(1), before)
        if of.TERM.match(line) and not line.startswith((" ", "\t")):
            return lambda: self._terms(before)
        return lambda: self._paragraph(before)

    def _underlined(self, stripped: str) -> int | None:
        """Return the level of a title with a line of signs below it, if it is one."""
        below = self._lines[self._pos + 1].rstrip() if self._pos + 1 < len(self._lines) else ""
        underline = of.UNDERLINE.match(below)
        if underline is None or not stripped[:1].isalnum() or abs(len(stripped) - len(below)) > 1:
            return None
        return of.UNDERLINED[underline.group(1)]

    def _skip(self, stripped: str) -> bool:
        """Skip blank lines, comments, attributes and conditions; return whether the line was one."""
        if not stripped:
            self._pos += 1
        elif stripped.startswith("////"):
            self._pos = self._end_of(stripped) + 1
        elif stripped.startswith("//"):
            self._pos += 1
        elif (match := of.ATTRIBUTE.match(stripped)) is not None:
            self._set(match.group(2).lower(), match.group(4) or "", unset=bool(match.group(1) or match.group(3)))
        elif (match := of.CONDITION.match(stripped)) is not None:
            self._condition(match.group(1), match.group(2), match.group(3))
        else:
            return False
        return True

    def _set(self, name: str, value: str, *, unset: bool) -> None:
        self._pos += 1
        while value.endswith("\\") and self._pos < len(self._lines):
            value = value.removesuffix("\\").rstrip(" +") + " " + self._lines[self._pos].strip()
            self._pos += 1
        if unset:
            self.attributes.pop(name, None)
        else:
            self.attributes[name] = replace_attributes(value, self.attributes)

    def _condition(self, kind: str, names: str, inside: str) -> None:
        """Skip text that depends on an attribute that is not set, up to its `endif`."""
        self._pos += 1
        is_set = any(name.lower() in self.attributes for name in names.replace("+", ",").split(",") if name)
        is_shown = is_set if kind == "ifdef" else not is_set
        if kind in ("endif", "ifeval") or is_shown:
            if inside and kind in ("ifdef", "ifndef"):
                self._lines.insert(self._pos, inside)
            return
        if inside:
            return
        depth = 1
        while self._pos < len(self._lines) and depth:
            condition = of.CONDITION.match(self._lines[self._pos].strip())
            if condition is not None:
                depth += -1 if condition.group(1) == "endif" else int(not condition.group(3))
            self._pos += 1

    def _state(self, stripped: str, before: _Before) -> bool:
        """Read a line of attributes for the next block; return False when no block follows."""
        if self._pos + 1 >= len(self._lines):
            return False
        self._pos += 1
        if not of.ANCHOR.match(stripped):
            placed, named, flags = of.parse_attributes(stripped)
            before.placed = placed if placed and placed[0] else before.placed or placed
            before.named |= named
            before.flags |= flags
        return True

    def _next(self) -> None:
        self._pos += 1

    def _write(self, tag: str, inside: str, first: int, last: int) -> None:
        start, end = first + self._first, last + self._first
        name = f"line {start}" if start >= end else f"lines {start}-{end}"
        self.out.append(f'<{tag} data-lines="{name}">{inside}</{tag.partition(" ")[0]}>\n')

    def _inline(self, text: str) -> str:
        return to_html(text, self.attributes, self.notes)

    def _title(self, before: _Before, tag: str = "figcaption") -> None:
        if before.title:
            self._write(tag, self._inline(before.title), self._pos, self._pos)

    def _heading(self, level: int, text: str, before: _Before, lines: int = 1) -> None:
        if before.style in ("discrete", "float"):
            level = max(2, level)
        self._write(f"h{min(level, 6)}", self._inline(text), self._pos, self._pos + lines - 1)
        self._pos += lines
        if level == 1 and len(self.out) == 1:
            self._header()

    def _header(self) -> None:
        """Read author and revision, directly below the title."""
        while self._pos < len(self._lines) and (line := self._lines[self._pos].strip()):
            if not self._skip(line):
                self.attributes.setdefault("author", line.partition("<")[0].strip())
                self._pos += 1

    def _end_of(self, fence: str) -> int:
        """Return the index of the line that closes the fence opened here; the last one without an end."""
        for index in range(self._pos + 1, len(self._lines)):
            line = self._lines[index].rstrip()
            if line == fence or (fence.startswith("```") and line == "```"):
                return index
        return len(self._lines)

    def _fenced(self, fence: str, before: _Before) -> None:
        start, end = self._pos, self._end_of(fence)
        inside = self._lines[start + 1 : end]
        self._title(before)
        if fence[0] == "+" or before.style in ("stem", "latexmath", "asciimath"):
            if before.style in ("stem", "latexmath", "asciimath"):
                self._formula(inside, start, end)
        elif (fence[0] in _VERBATIM and fence != "--") or before.style in ("source", "listing", "literal"):
            self._code(inside, start, end)
        elif fence[0] == "_" and before.style == "verse":
            self._write("p", "<br>".join(self._inline(line) for line in inside), start, end)
        else:
            self._nested(inside, start, before, "blockquote" if fence[0] == "_" else "div")
        self._pos = end + 1

    def _formula(self, inside: list[str], start: int, end: int) -> None:
        tex = escape(" ".join("\n".join(inside).split()), quote=False)
        note = f'<annotation encoding="application/x-tex">{tex}</annotation>'
        self._write('math display="block"', note, start, end)

    def _code(self, inside: list[str], start: int, end: int) -> None:
        text = of.CALLOUT_MARK.sub("", "\n".join(line for line in inside if not of.IMAGE.match(line.strip())))
        self._write("pre", escape(replace_attributes(text, {}), quote=False), start, end)

    def _nested(self, inside: list[str], start: int, before: _Before, tag: str) -> None:
        """Read blocks inside a block; an admonition begins with its name."""
        name = _ADMONITIONS.get(before.style, "")
        body = self._read_inside(inside, start + 1 + self._first)
        self.out.append(f"<{tag}>" + (f"<p><b>{name}</b></p>" if name else "") + body + f"</{tag}>\n")
        if len(before.placed) > 1 and before.style == "quote":
            self._write("p", "— " + self._inline(", ".join(filter(None, before.placed[1:]))), start, start)

    def _read_inside(self, inside: list[str], first: int) -> str:
        if self._depth >= MAX_DEPTH:
            return "<p>" + escape("\n".join(inside), quote=False) + "</p>"
        reader = AdocBlocks(self.attributes, [], self.notes, _depth=self._depth + 1)
        return reader.read(list(inside), first)

    def _macro(self, name: str, label: str, before: _Before) -> None:
        """Write a picture's alternative text; nothing is included or embedded."""
        if name == "image":
            alt = label.partition(",")[0].strip('"')
            self._write("p", f'<img alt="{escape(alt)}">' if alt else "", self._pos, self._pos)
            self._title(before)
        self._pos += 1

    def _paragraph(self, before: _Before) -> None:
        start = self._pos
        literal = self._lines[start].startswith((" ", "\t")) and before.style != "normal"
        while self._pos < len(self._lines) and self._continues(self._lines[self._pos], first=self._pos == start):
            self._pos += 1
        self._pos = max(self._pos, start + 1)
        text = [line for line in self._lines[start : self._pos] if not line.startswith("//")]
        self._title(before)
        if literal or before.style in ("source", "listing", "literal"):
            self._code(text, start, self._pos - 1)
        elif before.style in _ADMONITIONS:
            label = f"<b>{_ADMONITIONS[before.style]}</b> "
            self._write("p", label + self._inline("\n".join(text)), start, self._pos - 1)
        else:
            self._write("p", self._inline("\n".join(line.strip() for line in text)), start, self._pos - 1)

    def _continues(self, line: str, *, first: bool) -> bool:
        stripped = line.strip()
        if not stripped or (stripped == "+" and not first):
            return False
        return first or not (
            of.FENCE.match(stripped) or of.TABLE.match(stripped) or of.BLOCK_ATTRIBUTES.match(stripped)
            or of.CONDITION.match(stripped) or of.IMAGE.match(stripped)
        )  # fmt: skip

    def _admonition(self, name: str, before: _Before) -> None:
        self._lines[self._pos] = self._lines[self._pos].partition(":")[2].strip()
        before.placed = [name]
        self._paragraph(before)

    def _list(self, before: _Before) -> None:
        """Read items with their attached blocks; a list ends at any other line."""
        self._title(before, "p")
        open_marks: list[str] = []
        while self._pos < len(self._lines) and (item := _marker(self._lines[self._pos])) is not None:
            tag, mark, text = item
            if mark in open_marks:
                while open_marks[-1] != mark:
                    self.out.append(f"</li></{'ol' if _is_number(open_marks.pop()) else 'ul'}>")
                self.out.append("</li>")
            elif len(open_marks) < _MAX_LISTS:
                open_marks.append(mark)
                self.out.append(f"<{tag}>")
            else:
                self.out.append("</li>")
            self._item(text)
        for mark in reversed(open_marks):
            self.out.append(f"</li></{'ol' if _is_number(mark) else 'ul'}>\n")

    def _item(self, text: str) -> None:
        start = self._pos
        self._pos += 1
        text = of.CHECK.sub(lambda match: "☐ " if match.group(1) == " " else "☑ ", text, count=1)
        continuation = self._take_text()
        first = start + self._first
        self.out.append(f'<li data-lines="line {first}">' + self._inline("\n".join([text, *continuation])))
        self._read_attached()

    def _take_text(self) -> list[str]:
        """Return the lines that continue an item's text."""
        continuation: list[str] = []
        while self._pos < len(self._lines):
            line = self._lines[self._pos]
            stripped = line.strip()
            ends = not self._continues(line, first=False) or _marker(line) or of.TERM.match(line)
            if ends or of.TITLE.match(line) or stripped.startswith("//"):
                break
            continuation.append(stripped)
            self._pos += 1
        return continuation

    def _read_attached(self) -> None:
        """Read blocks attached to an item by a plus line; skip blank lines before the next item."""
        while self._pos < len(self._lines) and self._lines[self._pos].strip() == "+":
            self._pos += 1
            before = _Before()
            start, count = self._pos, len(self.out)
            while self._pos < len(self._lines) and len(self.out) == count and self._pos < start + 50:
                before = self._block(self._lines[self._pos].rstrip(), before)
        next_index = self._pos
        while next_index < len(self._lines) and not self._lines[next_index].strip():
            next_index += 1
        if next_index < len(self._lines) and _marker(self._lines[next_index]) is not None:
            self._pos = next_index

    def _terms(self, before: _Before) -> None:
        """Read terms with their definitions."""
        self._title(before, "p")
        self.out.append("<dl>")
        while self._pos < len(self._lines) and (term := of.TERM.match(self._lines[self._pos])) is not None:
            start = self._pos
            self._pos += 1
            self._write("dt", self._inline(term.group(1)), start, start)
            while not term.group(3) and self._pos < len(self._lines) and not self._lines[self._pos].strip():
                self._pos += 1
            self.out.append("<dd>")
            nested = not term.group(3) and self._pos < len(self._lines) and _marker(self._lines[self._pos]) is not None
            if nested:
                self._list(_Before())
            else:
                self.out.append(self._inline("\n".join([term.group(3) or "", *self._take_text()])))
            self._read_attached()
            self.out.append("</dd>")
            next_index = self._pos
            while next_index < len(self._lines) and not self._lines[next_index].strip():
                next_index += 1
            self._pos = (
                next_index if next_index < len(self._lines) and of.TERM.match(self._lines[next_index]) else self._pos
            )
        self.out.append("</dl>\n")

    def _table(self, fence: str, before: _Before) -> None:
        start, end = self._pos, self._end_of(fence)
        options = before.named | (
            {"format": "csv"} if fence[0] == "," else {"format": "dsv"} if fence[0] == ":" else {}
        )
        table = read_table(self._lines[start + 1 : end], options, before.flags)
        rows = "".join(
            "<tr>" + "".join(self._cell(cell, start, head=table.header and index == 0) for cell in row) + "</tr>"
            for index, row in enumerate(table.rows)
        )
        caption = f"<caption>{self._inline(before.title)}</caption>" if before.title else ""
        self._write("table", caption + rows, start, end)
        self._pos = end + 1
        if len(rows) > 50_000_000:
            raise ResourceLimit("a table is too large")

    def _cell(self, cell: AdocCell, line: int, *, head: bool) -> str:
        tag = "th" if head or cell.style == "h" else "td"
        spans = f' colspan="{cell.columns}"' if cell.columns > 1 else ""
        spans += f' rowspan="{cell.rows}"' if cell.rows > 1 else ""
        if cell.style == "a":
            inside = self._read_inside(cell.text.split("\n"), line + self._first)
        elif cell.style == "l":
            inside = f"<pre>{escape(cell.text, quote=False)}</pre>"
        else:
            parts = [" ".join(part.split()) for part in cell.text.split("\n\n") if part.strip()]
            inside = "<br>".join(self._inline(part) for part in parts)
        return f"<{tag}{spans}>{inside}</{tag}>"


def _marker(line: str) -> tuple[str, str, str] | None:
    """Return the list tag, the depth mark and the text of an item, if the line is one."""
    if (match := of.BULLET.match(line)) is not None and not of.FENCE.match(line.strip()):
        mark = match.group(1)
        indent = len(line) - len(line.lstrip())
        return "ul", mark if not indent or len(mark) > 1 else f"{mark}{indent}", match.group(2)
    if (match := of.NUMBER.match(line)) is not None:
        mark = match.group(1) if match.group(1)[0] == "." else "1"
        indent = len(line) - len(line.lstrip())
        return "ol", mark if not indent or mark[0] == "." else f"1{indent}", match.group(2)
    if (match := of.CALLOUT.match(line)) is not None:
        return "ol", "1<", match.group(1)
    return None


def _is_number(mark: str) -> bool:
    return mark[0] in ".1"
