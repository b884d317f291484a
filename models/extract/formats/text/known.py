"""Text files with a known structure (calendars, contacts, subtitles, notebooks) as blocks in place of their source."""

import html
import json
import quopri
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from quire.models.cdom.tree import BlockType
from quire.models.extract.formats.flow.blocks import FlowBlock, StyledRun, clean, join_runs
from quire.models.extract.formats.mail.calendar import read_events

MAX_FIELDS: Final = 100_000
"""Fields of a calendar; a file of ten years of meetings has some thousand."""
_TIMING: Final = re.compile(
    r"(?P<time>(?:\d{1,3}:)?\d\d:\d\d[.,]\d{3} +--> +(?:\d{1,3}:)?\d\d:\d\d[.,]\d{3})[^\n]*\n"
    r"(?P<text>(?:[^\n]*\S[^\n]*\n?)*)"
)
_VOICE: Final = re.compile(r"<v(?:\.[^\s>]*)?\s+([^>]{1,100})>")
_TAG: Final = re.compile(r"</?(?:[a-z]+|\d\d:[\d:.]+)(?:[.\s][^<>]{0,100})?>|\{\\an?\d\}")
_FOLD: Final = re.compile(r"\n[ \t]")
_SOFT_BREAK: Final = re.compile(r"=\n")
_PROPERTY: Final = re.compile(r"(?:[\w-]+\.)?([A-Z-]{1,20})((?:;[^:\n]*)?):(.*)", re.IGNORECASE)
_LABELS: Final = {
    "ORG": "Organisation", "TITLE": "Title", "ROLE": "Role", "TEL": "Telephone", "EMAIL": "Email", "ADR": "Address",
    "URL": "URL", "BDAY": "Birthday", "NOTE": "Note", "NICKNAME": "Nickname", "ANNIVERSARY": "Anniversary",
    "CATEGORIES": "Categories", "IMPP": "Messenger", "LABEL": "Address",
}  # fmt: skip


def read_known(text: str) -> list[FlowBlock] | None:
    """Return the blocks of a calendar, contacts or subtitles; None for any other text."""
    start = text.lstrip("\ufeff \r\n")[:40].upper()
    for mark, read in _READERS.items():
        if start.startswith(mark):
            return list(read(text.replace("\r\n", "\n").replace("\r", "\n")))
    if _SUBTITLE.match(text.lstrip("\ufeff \r\n")):
        return list(_read_subtitles(text.replace("\r\n", "\n")))
    return None


_SUBTITLE: Final = re.compile(r"\d{1,6}\r?\n\d\d:\d\d:\d\d,\d{3} --> ")


def _read_calendar(text: str) -> Iterator[FlowBlock]:
    for label, value in read_events(text, events=MAX_FIELDS, fields=MAX_FIELDS):
        if label == "Summary":
            yield FlowBlock(BlockType.HEADING, clean(value), level=2)
        else:
            yield FlowBlock(BlockType.KEY_VALUE, clean(f"{label}: {value}"))


def _read_contacts(text: str) -> Iterator[FlowBlock]:
    for card in re.split(r"(?im)^BEGIN:VCARD *$", text)[1:]:
        fields = [_PROPERTY.match(line) for line in _FOLD.sub("", _SOFT_BREAK.sub("", card)).split("\n")]
        values = [(match[1].upper(), _show_value(match)) for match in fields if match is not None]
        names = [value for name, value in values if name == "FN"] or [value for name, value in values if name == "N"]
        if names and names[0]:
            yield FlowBlock(BlockType.HEADING, names[0], level=2)
        for name, value in values:
            if name in _LABELS and value:
                yield FlowBlock(BlockType.KEY_VALUE, f"{_LABELS[name]}: {value}")


def _show_value(match: re.Match[str]) -> str:
    """Return a value without escapes; the parts of an address or a name are separated by commas."""
    name, parameters, value = match[1].upper(), match[2].upper(), match[3].strip()
    if "QUOTED-PRINTABLE" in parameters:
        value = quopri.decodestring(value.encode()).decode("utf-8", "replace")
    parts = [re.sub(r"\\(.)", lambda sign: "\n" if sign[1] in "nN" else sign[1], part).strip()
             for part in re.split(r"(?<!\\);", value)]  # fmt: skip
    shown = [part for part in parts if part]
    if name == "N":
        return clean(" ".join([*shown[1:2], *shown[:1]]))
    value = ", ".join(shown)
    return clean(value.removeprefix("tel:").removeprefix("mailto:"))


def _read_subtitles(text: str) -> Iterator[FlowBlock]:
    """Yield a paragraph for each cue, with its time as place; the lines of one speaker in one cue are one text."""
    for match in _TIMING.finditer(text + "\n"):
        words = _TAG.sub("", _VOICE.sub(r"\1: ", match["text"]))
        if shown := join_runs([StyledRun(html.unescape(words))])[0]:
            yield FlowBlock(BlockType.PARAGRAPH, shown, path=" ".join(match["time"].split()))


_READERS: Final[dict[str, Callable[[str], Iterator[FlowBlock]]]] = {
    "BEGIN:VCALENDAR": _read_calendar, "BEGIN:VCARD": _read_contacts, "WEBVTT": _read_subtitles,
}  # fmt: skip


def notebook_markdown(text: str) -> str | None:
    """Return a Jupyter notebook as Markdown: its texts, code with its language, and outputs; None for other texts."""
    if not text.lstrip("\ufeff \r\n").startswith("{") or '"nbformat"' not in text or '"cells"' not in text:
        return None
    try:
        book = json.loads(text.lstrip("\ufeff"))
        language = str(book.get("metadata", {}).get("kernelspec", {}).get("language") or "python")
        return "\n\n".join(part for cell in book["cells"] for part in _cell_parts(cell, language))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _cell_parts(cell: dict[str, Any], language: str) -> Iterator[str]:
    source = _join(cell.get("source", ""))
    if cell.get("cell_type") == "markdown":
        yield source
        return
    yield _fence(source, language if cell.get("cell_type") == "code" else "")
    for output in cell.get("outputs", ()):
        data = output.get("data", {})
        for kind in ("image/png", "image/jpeg"):
            if kind in data:
                yield f"![](data:{kind};base64,{''.join(_join(data[kind]).split())})"
        if "text/markdown" in data:
            yield _join(data["text/markdown"])
        elif shown := _join(data.get("text/plain", "")) or _join(output.get("text", "")):
            yield _fence(shown, "")
        elif "traceback" in output:
            yield _fence(re.sub(r"\x1b\[[\d;]*m", "", _join(output["traceback"], "\n")), "")


def _join(lines: str | list[str], glue: str = "") -> str:
    return lines if isinstance(lines, str) else glue.join(map(str, lines))


def _fence(text: str, language: str) -> str:
    mark = "`" * max([3, *(len(run) + 1 for run in re.findall("`+", text))])
    return f"{mark}{language}\n{text.rstrip()}\n{mark}" if text.strip() else ""
