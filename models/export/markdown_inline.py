"""Writes text with spans as Markdown: emphasis, code, links, raised and lowered marks. All other text is escaped.

Only what CommonMark (or GitHub's tables, struck text and task lists) would take for markup is escaped, so that plain
prose stays plain.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from quire.models.cdom.tree import Span
from quire.models.export.markup import safe_href

_MARKUP = (
    r"`|~~|(?<![\s*])\*+|\*+(?![\s*])|(?<!\w)_|_(?!\w)"
    r"|<(?=[A-Za-z/!?]{end})"  # an element, a comment, an address
    r"|&(?=#?\w{{1,40}};{end})"  # a character reference
    r"|\](?=[(:]{end})"  # the end of a label of a link or a definition; without it no bracket opens one
    r"|\\(?=[!-/:-@\[-`{{-~\n]{end})"
)
_SPECIAL = re.compile(_MARKUP.format(end=""))
_SPECIAL_IN_PART = re.compile(_MARKUP.format(end=r"|\Z"))
_SPECIAL_IN_LABEL = re.compile(rf"[\[\]]|{_SPECIAL_IN_PART.pattern}")
_NOT_IN_TICKS = re.compile(r"[`\n]|\]:")  # `]:` inside ticks at a line's start ends a link definition's label
_LINE_START = re.compile(
    r"^(?:[#>+=-]|~(?!~(?!~))|\*(?=\s|$|\*+\s*$)|\d{1,9}[.)](?=\s|$)|[|:](?=[ \t|:-]*$))", re.MULTILINE
)
_BARE = re.compile(r"https?://(?:[A-Za-z0-9/.:%?=#+-]|(?<=[A-Za-z0-9])_(?=[A-Za-z0-9]))*(?<=[A-Za-z0-9/])")
_AFTER_BARE = re.compile(r"[.,;:!?)]{0,3}(?:\s|\Z)")
_INDENT = re.compile(r"^[ \t]+|[ \t]+$", re.MULTILINE)
_MARKUP_IN_MATH = re.compile(r"<(?=\S)|\](?=[(\[:])|&(?=#?\w)")
_TASK = re.compile(r"\[(?=[ xX]\](?:\s|$))")


def inline(text: str, spans: Iterable[Span] = ()) -> str:
    """Return the text as Markdown; `spans` are offsets into it and do not overlap. Line breaks stay line breaks."""
    return _guard_lines(mark_up(text, spans)).replace("\n", "  \n")


def heading_line(text: str, spans: Iterable[Span] = ()) -> str:
    """Return a heading's text on one line, without bold because a heading is strong by itself.

    A raised number before it is its own number and no mark of a note.
    """
    plain = tuple(
        replace(span, bold=False, underline=False, superscript=span.superscript and span.start > 0) for span in spans
    )
    return " ".join(mark_up(text, plain).split())


def mark_up(text: str, spans: Iterable[Span]) -> str:
    """Return the text with its marks, as it stands within a line."""
    parts: list[str] = []
    copied = 0
    ordered = sorted(spans, key=lambda span: span.start)
    source = _read_source(text, ordered)
    for span in _joined(text, ordered):
        if span.start < copied or span.start >= len(text):
            continue
        between = source.write(copied, span.start, part=True)
        touching = not between and bool(parts) and parts[-1].endswith("*")
        parts.append(between)
        styled = _styled(source, span, touching=touching)
        written = "".join(parts[-2:])
        if written.endswith("!") and styled.startswith("["):
            parts = ["".join(parts)[:-1] + "\\!"]
        parts.append(styled)
        copied = span.end
    parts.append(source.write(copied, len(text), part=False))
    return "".join(parts)


@dataclass(frozen=True, slots=True)
class _Source:
    """A text with its raised and lowered marks (start, end, element), in order; any written range has those in it."""

    text: str
    marks: tuple[tuple[int, int, str], ...]

    def write(self, start: int, end: int, *, part: bool, label: bool = False) -> str:
        """Return a range escaped, with its marks; more text follows directly after a `part`."""
        written: list[str] = []
        copied = start
        for index in range(max(0, bisect_right(self.marks, (start,)) - 1), len(self.marks)):
            first, last, name = self.marks[index]
            first, last = max(first, copied), min(last, end)
            if first >= end:
                break
            if first < last:
                core = _escaped(unicodedata.normalize("NFKC", self.text[first:last]), part=True, label=label)
                written += (_escaped(self.text[copied:first], part=True, label=label), f"<{name}>{core}</{name}>")
                copied = last
        written.append(_escaped(self.text[copied:end], part=part, label=label))
        return "".join(written)


def _read_source(text: str, spans: list[Span]) -> _Source:
    """Return the text with the marks that are not already in characters that are raised or lowered ("²")."""
    marks: list[tuple[int, int, str]] = []
    for span in spans:
        if not (span.superscript or span.subscript) or span.latex or span.code:
            continue
        mark = text[span.start : span.end]
        start = span.start + len(mark) - len(mark.lstrip())
        end = start + len(mark.strip())
        if start < end and "\n" not in mark and not all(map(_is_small, mark.strip())):
            marks.append((start, end, "sup" if span.superscript else "sub"))
    return _Source(text, tuple(marks))


def _is_small(char: str) -> bool:
    return char.isspace() or unicodedata.normalize("NFKC", char) != char


def _escaped(text: str, *, part: bool, label: bool) -> str:
    return escape_label(text) if label else escape_text(text, part=part)


def _joined(text: str, spans: list[Span]) -> list[Span]:
    """Return the styled spans in order, with neighbours of equal emphasis joined over the blanks between them."""
    joined: list[Span] = []
    for span in spans:
        if (span.superscript or span.subscript) and not _is_styled(span):
            continue
        last = joined[-1] if joined else None
        gap = text[last.end : span.start] if last is not None else ""
        if last is not None and last.end <= span.start and not gap.strip(" ") and _emphasis(last) == _emphasis(span):
            joined[-1] = replace(last, end=span.end)
        else:
            joined.append(span)
    return joined


def _emphasis(span: Span) -> tuple[bool, ...] | int:
    """Return what two spans must share to be joined. A span with more than emphasis equals no other one."""
    if span.code or span.href or span.latex or not (span.bold or span.italic):
        return id(span)
    return span.bold, span.italic, span.strike, span.underline, span.highlight


def _is_styled(span: Span) -> bool:
    """Return whether a span has more than a raised or lowered mark."""
    return bool(
        span.bold or span.italic or span.code or span.href or span.latex
        or span.strike or span.underline or span.highlight
    )  # fmt: skip


def inline_item(text: str, spans: Iterable[Span] = ()) -> str:
    """Return the text of a list item, with a leading bracketed x escaped because it would be a check box."""
    made = inline(text, spans)
    return "\\" + made if _TASK.match(made) else made


def cut_spans(spans: Iterable[Span], cut: int) -> tuple[Span, ...]:
    """Return the spans of a text after its first `cut` characters were removed."""
    kept = (
        replace(
            span, start=max(0, span.start - cut), end=span.end - cut, latex=span.latex if span.start >= cut else None
        )
        for span in spans
        if span.end > cut
    )
    return tuple(kept)


def one_line(text: str, spans: Iterable[Span] = ()) -> str:
    """Return a section title on one line, without bold because a title is strong by itself."""
    plain = tuple(replace(span, bold=False, underline=False) for span in spans)
    return " ".join(inline(text, plain).split())


def escape_text(text: str, *, part: bool = False) -> str:
    """Escape characters that Markdown would read as markup; more text follows directly after a `part`."""
    return _escape(_SPECIAL_IN_PART if part else _SPECIAL, text)


def escape_label(text: str) -> str:
    """Escape the label of a link or a picture, which a bracket would end."""
    return _escape(_SPECIAL_IN_LABEL, text)


def _escape(special: re.Pattern[str], text: str) -> str:
    return special.sub(lambda match: "".join("\\" + char for char in match.group()), text)


def formula_in_text(latex: str) -> str:
    """Return a formula between single dollars on one line, safe from readers without formulas."""
    return f"${close_markup(' '.join(latex.split()))}$"


def close_markup(latex: str) -> str:
    """Add blanks to LaTeX so that nothing in it begins an element, a link or a reference.

    A blank does not change a formula.
    """
    return _MARKUP_IN_MATH.sub(lambda match: match.group() + " ", latex)


def link(label: str, href: str | None) -> str:
    """Return a link with a safe address, or only its label without one."""
    target = safe_href(href)
    if target is None:
        return label
    target = target.translate({ord(char): f"%{ord(char):02X}" for char in "()<>\\"})
    return f"[{label}]({target})"


def _guard_lines(text: str) -> str:
    """Escape marks that would begin a heading, list, quote, table or rule, and remove indents (indented code)."""
    return _LINE_START.sub(lambda match: _guarded(match.group()), _INDENT.sub("", text))


def _guarded(mark: str) -> str:
    return f"{mark[:-1]}\\{mark[-1]}"


def _styled(source: _Source, span: Span, *, touching: bool) -> str:
    """Return the range of a span with its marks; `touching` is True when a star precedes it directly."""
    text = source.text
    end = min(span.end, len(text))
    stretch = text[span.start : end]
    core = stretch.strip()
    if not core:
        return stretch
    lead, tail = stretch[: len(stretch) - len(stretch.lstrip())], stretch[len(stretch.rstrip()) :]
    is_label = safe_href(span.href) is not None

    def write(start: int, end: int) -> str:
        return source.write(start, end, part=True, label=is_label)

    first = span.start + len(lead)
    if span.latex and span.end <= len(text) and not text[end : end + 1].isalnum():
        return lead + formula_in_text(span.latex) + tail
    if span.code:
        made = f"<code>{write(first, first + len(core))}</code>" if _NOT_IN_TICKS.search(core) else f"`{core}`"
    elif not (span.bold or span.italic):
        made = _marked(write(first, first + len(core)), span)
    else:
        before = (lead or text[: span.start])[-1:]
        after = (tail or text[end : end + 1])[:1]
        lines = core.split("\n")
        befores, afters = [before, *"\n" * (len(lines) - 1)], [*"\n" * (len(lines) - 1), after]
        written: list[str] = []
        for index, (line, around) in enumerate(zip(lines, zip(befores, afters, strict=True), strict=True)):
            is_touching = touching and not lead and index == 0
            written.append(_emphasised(line, first, span, write, around, touching=is_touching))
            first += len(line) + 1
        made = "\n".join(written)
    made = made if _is_bare(core, span, text[: span.start], text[end:]) else link(made, span.href)
    return lead + (f"~~{made}~~" if span.strike and "\n" not in made else made) + tail


def _is_bare(core: str, span: Span, before: str, after: str) -> bool:
    """Return True for an address that is its own label, which readers find as a link without brackets."""
    is_plain = not (span.code or span.bold or span.italic) and core == span.href and _BARE.fullmatch(core) is not None
    return is_plain and before[-1:] in ("", " ", "\n", "(") and _AFTER_BARE.match(after) is not None


def _emphasised(
    line: str, first: int, span: Span, write: Callable[[int, int], str], around: tuple[str, str], *, touching: bool
) -> str:
    """Return a line that starts at `first` with its emphasis between stars, or as HTML directly after other stars.

    Signs at the edges that would keep stars from being read are left outside, so a line of signs has no emphasis.
    """
    start, end = _starred_range(line, *around)
    if start == end:
        return write(first, first + len(line))
    inside = write(first + start, first + end)
    is_free = not any(char.isalnum() for char in (line[:start] or around[0])[-1:] + (line[end:] or around[1])[:1])
    inside = _marked(inside, span) if is_free else inside
    if touching and start == 0:
        made = f"<em>{inside}</em>" if span.italic else inside
        made = f"<strong>{made}</strong>" if span.bold else made
    else:
        stars = "*" * (2 * span.bold + span.italic)
        made = stars + inside + stars
    made = made if is_free else _marked(made, span)
    return write(first, first + start) + made + write(first + end, first + len(line))


def _marked(text: str, span: Span) -> str:
    """Return a text of one line underlined or highlighted; Markdown has no signs for either."""
    for name, on in (("mark", span.highlight), ("u", span.underline)):
        text = f"<{name}>{text}</{name}>" if on and "\n" not in text else text
    return text


def _starred_range(line: str, before: str, after: str) -> tuple[int, int]:
    """Return the range of a line around which stars are certain to be read as emphasis (CommonMark 6.2).

    This is the whole line, or what is left without the signs at both edges, or nothing in a line of signs.
    """
    words = [index for index, char in enumerate(line) if char.isalnum()]
    if not words:
        return 0, 0
    if _may_touch(line[0], before) and _may_touch(line[-1], after):
        return 0, len(line)
    return words[0], words[-1] + 1


def _may_touch(edge: str, neighbour: str) -> bool:
    """Return True when a mark counts here: next to a letter, or to punctuation before blanks or punctuation."""
    return edge.isalnum() or (
        _is_punctuation(edge) and (not neighbour or neighbour.isspace() or _is_punctuation(neighbour))
    )


def _is_punctuation(char: str) -> bool:
    return unicodedata.category(char)[0] in "PS"
