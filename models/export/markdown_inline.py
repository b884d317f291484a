"""Text with spans as Markdown: emphasis, code and links, everything else escaped so that it reads as itself."""

import re
from collections.abc import Iterable
from dataclasses import replace

from models.cdom.tree import Span
from models.export.markup import safe_href

_SPECIAL = re.compile(r"[\\`*\[\]<]|(?<!\w)_|_(?!\w)|~~|&(?=#?\w+;)")
_NOT_IN_TICKS = re.compile(r"[`\n]|\]:")  # `]:` inside ticks at a line's start ends a link definition's label
_LINE_START = re.compile(r"^(\s*)([#>+=~-]|\d{1,9}[.)](?=\s|$))", re.MULTILINE)


def inline(text: str, spans: Iterable[Span] = ()) -> str:
    """The text as Markdown; `spans` are offsets into it and do not overlap. Line breaks stay line breaks."""
    parts: list[str] = []
    at = 0
    for span in sorted(spans, key=lambda span: span.start):
        if span.start < at:
            continue
        parts.append(escape_text(text[at : span.start]))
        before = "".join(parts[-2:])[-1:]
        styled = _styled(text[span.start : span.end], span, after=before)
        if before == "!" and styled.startswith("["):
            parts = ["".join(parts)[:-1] + "\\!"]
        parts.append(styled)
        at = span.end
    parts.append(escape_text(text[at:]))
    return _guard_lines("".join(parts)).replace("\n", "  \n")


def cut_spans(spans: Iterable[Span], cut: int) -> tuple[Span, ...]:
    """The spans of a text whose first `cut` characters were taken away."""
    kept = (replace(span, start=max(0, span.start - cut), end=span.end - cut) for span in spans if span.end > cut)
    return tuple(kept)


def one_line(text: str, spans: Iterable[Span] = ()) -> str:
    """The same for a heading, which a line break would end."""
    return " ".join(inline(text, spans).split())


def escape_text(text: str) -> str:
    """Characters that mean something in Markdown, escaped where they would."""
    return _SPECIAL.sub(lambda found: "".join("\\" + char for char in found.group()), text)


def link(label: str, href: str | None) -> str:
    """A link with a safe address; only its label without one."""
    target = safe_href(href)
    if target is None:
        return label
    target = target.translate({ord(char): f"%{ord(char):02X}" for char in "()<>\\"})
    return f"[{label}]({target})"


def _guard_lines(text: str) -> str:
    """Lines that would begin a heading, list, quote or rule, with that mark escaped."""
    return _LINE_START.sub(lambda found: found.group(1) + _guarded(found.group(2)), text)


def _guarded(mark: str) -> str:
    return f"{mark[:-1]}\\{mark[-1]}"


def _styled(text: str, span: Span, *, after: str) -> str:
    core = text.strip()
    if not core:
        return text
    lead, tail = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    if span.code:
        plain = not _NOT_IN_TICKS.search(core)
        made = f"`{core}`" if plain else f"<code>{escape_text(core)}</code>"
    else:
        made = _emphasised(core, span, touching=not lead and after == "*")
    return lead + link(made, span.href) + tail


def _emphasised(text: str, span: Span, *, touching: bool) -> str:
    """Stars where they are sure to be read as emphasis (CommonMark 6.2: word characters inside), else elements."""
    made = escape_text(text)
    if not (span.bold or span.italic) or "\n" in text:
        return made
    if text[0].isalnum() and text[-1].isalnum() and not touching:
        stars = "*" * (2 * span.bold + span.italic)
        return stars + made + stars
    made = f"<em>{made}</em>" if span.italic else made
    return f"<strong>{made}</strong>" if span.bold else made
