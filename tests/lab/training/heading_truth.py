"""Labels groups of lines as headings from a document's truth: typed boxes if available, else Markdown."""

import re
from typing import Any

from rapidfuzz import fuzz

from quire.models.extract.layout.lines.marks import Line

_LEAST_MATCH = 0.6
"""Mean of the covered area and of the likeness of the text at which a box is a group's truth."""
_LEAST_LIKENESS = 82.0
_HEADING = re.compile(r"#{1,6}\s+(.*)$")
_MARKUP = re.compile(r"[*_`\\]|!?\[([^\]]*)\]\([^)]*\)")


def plain(text: str) -> str:
    """Text without Markdown's signs, white space as single blanks."""
    return re.sub(r"\s+", " ", _MARKUP.sub(r"\1", text)).strip()


def text_of(group: list[Line]) -> str:
    return plain(" ".join(line.text for line in group))


def label_by_boxes(groups: list[list[Line]], width: float, height: float, elements: list[dict[str, Any]]) -> list[int]:
    """1 for headings, 0 for others, -1 where no box is sure; boxes are shares of the page."""
    return [_label_group(group, width, height, elements) for group in groups]


def _label_group(group: list[Line], width: float, height: float, elements: list[dict[str, Any]]) -> int:
    best, kind = 0.0, ""
    for element in elements:
        score = _match(group, width, height, element)
        if score > best:
            best, kind = score, element["type"]
    if best < _LEAST_MATCH:
        return -1 if best else 0
    return int(kind.startswith(("heading", "title")))


def _match(group: list[Line], width: float, height: float, element: dict[str, Any]) -> float:
    x0, y0 = min(line.x0 for line in group), min(line.y0 for line in group)
    x1, y1 = max(line.x1 for line in group), max(line.y1 for line in group)
    left, top, right, bottom = element["bbox"]
    across = min(x1, right * width) - max(x0, left * width)
    down = min(y1, bottom * height) - max(y0, top * height)
    if across <= 0 or down <= 0:
        return 0.0
    text, stated = text_of(group), plain(element.get("text") or "")
    likeness = fuzz.partial_ratio(text[:300], stated[:3000]) / 100 if stated else 0.0
    if len(stated) < 0.6 * len(text):
        likeness *= 0.6
    return float((across * down / max(1e-6, (x1 - x0) * (y1 - y0)) + likeness) / 2)


def label_by_markdown(groups: list[list[Line]], markdown: str) -> list[int]:
    """1 for the groups that are the headings of the Markdown, longest headings first; 0 for others."""
    headings = [plain(found[1]) for row in markdown.splitlines() if (found := _HEADING.match(row))]
    texts = [text_of(group).lower() for group in groups]
    labels = [0] * len(groups)
    for heading in sorted(headings, key=len, reverse=True):
        for at in _find_group(heading.lower(), texts, labels, groups):
            labels[at] = 1
    return labels


def _find_group(heading: str, texts: list[str], labels: list[int], groups: list[list[Line]]) -> list[int]:
    """The group with the heading's text, the most like it, or two in a row that make it."""
    free = [at for at, text in enumerate(texts) if text and not labels[at]]
    same = [at for at in free if texts[at] == heading]
    if same:
        return [max(same, key=lambda at: (max(line.size for line in groups[at]), groups[at][0].bold))]
    near = max(((fuzz.ratio(texts[at], heading), at) for at in free), default=(0.0, -1))
    if near[0] >= _LEAST_LIKENESS:
        return [near[1]]
    for at in free:
        rest = heading[len(texts[at]) :].strip()
        is_start = len(texts[at]) >= 3 and rest and heading.startswith(texts[at]) and at + 1 in free
        if is_start and fuzz.ratio(texts[at + 1], rest) > _LEAST_LIKENESS:
            return [at, at + 1]
    return []
