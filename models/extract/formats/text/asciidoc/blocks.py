"""Blocks of AsciiDoc as HTML: lines in, HTML whose elements state the lines they come from out."""

from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape
from typing import Final

from models.cdom.errors import ResourceLimit
from models.extract.formats.text.asciidoc import inline as of
from models.extract.formats.text.asciidoc.inline import replace_attributes, to_html
from models.extract.formats.text.asciidoc.tables import AdocCell, read_table

MAX_DEPTH: Final = 30
"""Blocks inside blocks; deeper lines are read as text."""
_MAX_LISTS: Final = 5  # list marks have at most five signs; a sixth depth is read as the fifth
_ADMONITIONS: Final = {
    "NOTE": "Note",
    "TIP": "Tip",
    "IMPORTANT": "Important",
    "WARNING": "Warning",
    "CAUTION": "Caution",
}
_VERBATIM: Final = "-.`~"
"""First signs of fences whose content is not read."""


@dataclass(slots=True)
class _Before:
    """What lines before a block state about it."""

    title: str = ""
    placed: list[str] = field(default_factory=list)
    named: dict[str, str] = field(default_factory=dict)
    flags: set[str] = field(default_factory=set)

    @property
    def style(self) -> str:
        return self.placed[0] if self.placed else ""


@dataclass(slots=True)
class AdocBlocks:
    """Writes HTML into `out`; `attributes` are set by the document as it goes on."""

    attributes: dict[str, str] = field(default_factory=dict)
    out: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    _lines: list[str] = field(default_factory=list)
    _at: int = 0
    _first: int = 1
    _depth: int = 0

    def read(self, text: list[str], first: int = 1) -> str:
        """All blocks of the lines, the first of which is line `first` of the file."""
        self._lines, self._first, self._at = text, first, 0
        before = _Before()
        while self._at < len(self._lines):
            before = self._block(self._lines[self._at].rstrip(), before)
        return "".join(self.out)

    def _block(self, line: str, before: _Before) -> _Before:
        """Takes one block or one line about the next; gives what is stated about the next."""
        stripped = line.strip()
        if self._skip(stripped):
            return before if stripped or before.placed or before.title else _Before()
        if (of.ANCHOR.match(stripped) or of.BLOCK_ATTRIBUTES.match(stripped)) and self._state(stripped, before):
            return before
        if (found := of.TITLE.match(line)) is not None and not of.FENCE.match(line):
            before.title = found.group(1)
            self._at += 1
            return before
        handler = self._find(line, stripped, before)
        handler()
        return _Before()

    def _find(self, line: str, stripped: str, before: _Before) -> Callable[[], None]:
        """What takes the block that begins with this line."""
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
        """The level of a title with a line below it."""
        below = self._lines[self._at + 1].rstrip() if self._at + 1 < len(self._lines) else ""
        found = of.UNDERLINE.match(below)
        if found is None or not stripped[:1].isalnum() or abs(len(stripped) - len(below)) > 1:
            return None
        return of.UNDERLINED[found.group(1)]

    def _skip(self, stripped: str) -> bool:
        """Blank lines, comments, attributes and conditions."""
        if not stripped:
            self._at += 1
        elif stripped.startswith("////"):
            self._at = self._end_of(stripped) + 1
        elif stripped.startswith("//"):
            self._at += 1
        elif (found := of.ATTRIBUTE.match(stripped)) is not None:
            self._set(found.group(2).lower(), found.group(4) or "", unset=bool(found.group(1) or found.group(3)))
        elif (found := of.CONDITION.match(stripped)) is not None:
            self._condition(found.group(1), found.group(2), found.group(3))
        else:
            return False
        return True

    def _set(self, name: str, value: str, *, unset: bool) -> None:
        self._at += 1
        while value.endswith("\\") and self._at < len(self._lines):
            value = value.removesuffix("\\").rstrip(" +") + " " + self._lines[self._at].strip()
            self._at += 1
        if unset:
            self.attributes.pop(name, None)
        else:
            self.attributes[name] = replace_attributes(value, self.attributes)

    def _condition(self, kind: str, names: str, inside: str) -> None:
        """What depends on an attribute that is not set is passed over, to its `endif`."""
        self._at += 1
        wanted = any(name.lower() in self.attributes for name in names.replace("+", ",").split(",") if name)
        shown = wanted if kind == "ifdef" else not wanted
        if kind in ("endif", "ifeval") or shown:
            if inside and kind in ("ifdef", "ifndef"):
                self._lines.insert(self._at, inside)
            return
        if inside:
            return
        depth = 1
        while self._at < len(self._lines) and depth:
            found = of.CONDITION.match(self._lines[self._at].strip())
            if found is not None:
                depth += -1 if found.group(1) == "endif" else int(not found.group(3))
            self._at += 1

    def _state(self, stripped: str, before: _Before) -> bool:
        """Takes a line of attributes of the next block; false when it is none, for no block follows."""
        if self._at + 1 >= len(self._lines):
            return False
        self._at += 1
        if not of.ANCHOR.match(stripped):
            placed, named, flags = of.parse_attributes(stripped)
            before.placed = placed if placed and placed[0] else before.placed or placed
            before.named |= named
            before.flags |= flags
        return True

    def _next(self) -> None:
        self._at += 1

    def _write(self, tag: str, inside: str, first: int, last: int) -> None:
        start, end = first + self._first, last + self._first
        name = f"line {start}" if start >= end else f"lines {start}-{end}"
        self.out.append(f'<{tag} data-lines="{name}">{inside}</{tag.partition(" ")[0]}>\n')

    def _inline(self, text: str) -> str:
        return to_html(text, self.attributes, self.notes)

    def _title(self, before: _Before, tag: str = "figcaption") -> None:
        if before.title:
            self._write(tag, self._inline(before.title), self._at, self._at)

    def _heading(self, level: int, text: str, before: _Before, lines: int = 1) -> None:
        if before.style in ("discrete", "float"):
            level = max(2, level)
        self._write(f"h{min(level, 6)}", self._inline(text), self._at, self._at + lines - 1)
        self._at += lines
        if level == 1 and len(self.out) == 1:
            self._header()

    def _header(self) -> None:
        """Author and revision, right below the title."""
        while self._at < len(self._lines) and (line := self._lines[self._at].strip()):
            if not self._skip(line):
                self.attributes.setdefault("author", line.partition("<")[0].strip())
                self._at += 1

    def _end_of(self, fence: str) -> int:
        """The line that closes a fence opened here; the last one where none does."""
        for at in range(self._at + 1, len(self._lines)):
            if self._lines[at].rstrip() == fence or (fence.startswith("```") and self._lines[at].rstrip() == "```"):
                return at
        return len(self._lines)

    def _fenced(self, fence: str, before: _Before) -> None:
        start, end = self._at, self._end_of(fence)
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
        self._at = end + 1

    def _formula(self, inside: list[str], start: int, end: int) -> None:
        tex = escape(" ".join("\n".join(inside).split()), quote=False)
        note = f'<annotation encoding="application/x-tex">{tex}</annotation>'
        self._write('math display="block"', note, start, end)

    def _code(self, inside: list[str], start: int, end: int) -> None:
        text = of.CALLOUT_MARK.sub("", "\n".join(line for line in inside if not of.IMAGE.match(line.strip())))
        self._write("pre", escape(replace_attributes(text, {}), quote=False), start, end)

    def _nested(self, inside: list[str], start: int, before: _Before, tag: str) -> None:
        """Blocks inside a block; an admonition begins with its name."""
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
        """A picture by its words; nothing is included or embedded."""
        if name == "image":
            alt = label.partition(",")[0].strip('"')
            self._write("p", f'<img alt="{escape(alt)}">' if alt else "", self._at, self._at)
            self._title(before)
        self._at += 1

    def _paragraph(self, before: _Before) -> None:
        start = self._at
        literal = self._lines[start].startswith((" ", "\t")) and before.style != "normal"
        while self._at < len(self._lines) and self._goes_on(self._lines[self._at], first=self._at == start):
            self._at += 1
        self._at = max(self._at, start + 1)
        text = [line for line in self._lines[start : self._at] if not line.startswith("//")]
        self._title(before)
        if literal or before.style in ("source", "listing", "literal"):
            self._code(text, start, self._at - 1)
        elif before.style in _ADMONITIONS:
            label = f"<b>{_ADMONITIONS[before.style]}</b> "
            self._write("p", label + self._inline("\n".join(text)), start, self._at - 1)
        else:
            self._write("p", self._inline("\n".join(line.strip() for line in text)), start, self._at - 1)

    def _goes_on(self, line: str, *, first: bool) -> bool:
        stripped = line.strip()
        if not stripped or (stripped == "+" and not first):
            return False
        return first or not (
            of.FENCE.match(stripped) or of.TABLE.match(stripped) or of.BLOCK_ATTRIBUTES.match(stripped)
            or of.CONDITION.match(stripped) or of.IMAGE.match(stripped)
        )  # fmt: skip

    def _admonition(self, name: str, before: _Before) -> None:
        self._lines[self._at] = self._lines[self._at].partition(":")[2].strip()
        before.placed = [name]
        self._paragraph(before)

    def _list(self, before: _Before) -> None:
        """Items with what belongs to them; a list ends at a line that is neither."""
        self._title(before, "p")
        open_marks: list[str] = []
        while self._at < len(self._lines) and (found := _marker(self._lines[self._at])) is not None:
            tag, mark, text = found
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
        start = self._at
        self._at += 1
        text = of.CHECK.sub(lambda found: "☐ " if found.group(1) == " " else "☑ ", text, count=1)
        rest = self._take_text()
        first = start + self._first
        self.out.append(f'<li data-lines="line {first}">' + self._inline("\n".join([text, *rest])))
        self._attached()

    def _take_text(self) -> list[str]:
        """The lines that go on with an item's words."""
        rest: list[str] = []
        while self._at < len(self._lines):
            line = self._lines[self._at]
            stripped = line.strip()
            ends = not self._goes_on(line, first=False) or _marker(line) or of.TERM.match(line)
            if ends or of.TITLE.match(line) or stripped.startswith("//"):
                break
            rest.append(stripped)
            self._at += 1
        return rest

    def _attached(self) -> None:
        """Blocks tied to an item by a line with a plus; blank lines before the next item are passed over."""
        while self._at < len(self._lines) and self._lines[self._at].strip() == "+":
            self._at += 1
            before = _Before()
            start, count = self._at, len(self.out)
            while self._at < len(self._lines) and len(self.out) == count and self._at < start + 50:
                before = self._block(self._lines[self._at].rstrip(), before)
        at = self._at
        while at < len(self._lines) and not self._lines[at].strip():
            at += 1
        if at < len(self._lines) and _marker(self._lines[at]) is not None:
            self._at = at

    def _terms(self, before: _Before) -> None:
        """Terms with what they mean below them."""
        self._title(before, "p")
        self.out.append("<dl>")
        while self._at < len(self._lines) and (found := of.TERM.match(self._lines[self._at])) is not None:
            start = self._at
            self._at += 1
            self._write("dt", self._inline(found.group(1)), start, start)
            while not found.group(3) and self._at < len(self._lines) and not self._lines[self._at].strip():
                self._at += 1
            self.out.append("<dd>")
            nested = not found.group(3) and self._at < len(self._lines) and _marker(self._lines[self._at]) is not None
            if nested:
                self._list(_Before())
            else:
                self.out.append(self._inline("\n".join([found.group(3) or "", *self._take_text()])))
            self._attached()
            self.out.append("</dd>")
            at = self._at
            while at < len(self._lines) and not self._lines[at].strip():
                at += 1
            self._at = at if at < len(self._lines) and of.TERM.match(self._lines[at]) else self._at
        self.out.append("</dl>\n")

    def _table(self, fence: str, before: _Before) -> None:
        start, end = self._at, self._end_of(fence)
        options = before.named | (
            {"format": "csv"} if fence[0] == "," else {"format": "dsv"} if fence[0] == ":" else {}
        )
        table = read_table(self._lines[start + 1 : end], options, before.flags)
        rows = "".join(
            "<tr>" + "".join(self._cell(cell, start, head=table.header and at == 0) for cell in row) + "</tr>"
            for at, row in enumerate(table.rows)
        )
        caption = f"<caption>{self._inline(before.title)}</caption>" if before.title else ""
        self._write("table", caption + rows, start, end)
        self._at = end + 1
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
    """The list, the depth mark and the words of an item."""
    if (found := of.BULLET.match(line)) is not None and not of.FENCE.match(line.strip()):
        mark = found.group(1)
        indent = len(line) - len(line.lstrip())
        return "ul", mark if not indent or len(mark) > 1 else f"{mark}{indent}", found.group(2)
    if (found := of.NUMBER.match(line)) is not None:
        mark = found.group(1) if found.group(1)[0] == "." else "1"
        indent = len(line) - len(line.lstrip())
        return "ol", mark if not indent or mark[0] == "." else f"1{indent}", found.group(2)
    if (found := of.CALLOUT.match(line)) is not None:
        return "ol", "1<", found.group(1)
    return None


def _is_number(mark: str) -> bool:
    return mark[0] in ".1"
