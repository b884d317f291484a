"""Contents pages: titles, leaders and page numbers of one row joined to entries."""

import re
from statistics import median

from models.extract.layout.lines.marks import Line
from models.extract.layout.lines.pieces import join_pieces

_LEADERS = re.compile(r"(?:[.·…_]\s?){5,}")
_PAGE_REFERENCE = re.compile(r"(?:\d{1,4}|[ivxlc]{1,6})")


def merge_entries(lines: list[Line], width: float) -> tuple[list[Line], bool]:
    """Titles and the page numbers at the right edge joined to entries; true when that makes most of the page."""
    edges = [line.x1 for line in lines if len(line.text) < 7 and _PAGE_REFERENCE.fullmatch(line.text)]
    if len(edges) < 3 and not any("..." in line.text or ". ." in line.text for line in lines):
        return lines, False
    edge = median(edges) if edges else width
    out: list[Line] = []
    entries = 0
    for line in lines:
        last = out[-1] if out else None
        ends = len(line.text) < 7 and bool(_PAGE_REFERENCE.fullmatch(line.text)) and abs(line.x1 - edge) < line.size
        if (
            ends
            and last is not None
            and last.text
            and abs(last.base - line.base) < 0.35 * line.size
            and last.x1 < line.x0
        ):
            out[-1] = join_pieces(last, line)
            entries += 1
            continue
        entries += (".." in line.text or ". ." in line.text) and bool(_LEADERS.search(line.text))
        out.append(line)
    if entries > 3 and entries > 0.4 * len(out):
        return out, True
    return (out, False) if entries > 3 else (lines, False)


def close_leaders(text: str) -> str:
    """The text with the blanks between leader dots left out."""
    return _LEADERS.sub(lambda found: re.sub(r"\s", "", found.group()) + " ", text).rstrip()
