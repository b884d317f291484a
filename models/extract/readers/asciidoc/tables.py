"""Tables of AsciiDoc: their lines in, rows of cells with spans out."""

import re
from dataclasses import dataclass
from typing import Final

MAX_SPAN: Final = 1000
"""Rows or columns of one cell, as for tables of web pages."""
MAX_COLUMNS: Final = 1000
"""Columns of a table, as for tables of web pages."""
_CELL: Final = re.compile(
    r"(?<!\\)(?:(?<=\s)|^)?(?:(\d{1,5})\*|(\d{0,5})(?:\.(\d{1,5}))?\+)?([<^>]?(?:\.[<^>])?)([aehlmsdv]?)\|",
    re.MULTILINE,
)
_SEPARATED: Final = {"csv": ",", "tsv": "\t", "dsv": ":"}
_REPEAT: Final = re.compile(r"(\d+)\*")


@dataclass(frozen=True, slots=True)
class AdocCell:
    """A cell's text as it is written, the space it takes, and whether it holds blocks (`a`) or is a header (`h`)."""

    text: str
    columns: int = 1
    rows: int = 1
    style: str = ""


@dataclass(frozen=True, slots=True)
class AdocTable:
    """Rows in order; `header` when the first one is a head."""

    rows: list[list[AdocCell]]
    header: bool


def read_table(lines: list[str], options: dict[str, str], flags: set[str]) -> AdocTable:
    """The table between its fences."""
    first = next((at for at, line in enumerate(lines) if line.strip()), 0)
    body = lines[first:]
    separated = _SEPARATED.get(options.get("format", ""))
    cells = _split_plain(body, options.get("separator") or separated) if separated else _split(body)
    columns = _count_columns(options.get("cols", "")) or _width_of_first(body, separated)
    header = "header" in flags or ("noheader" not in flags and first == 0 and len(body) > 1 and not body[1].strip())
    return AdocTable(_lay(cells, max(1, min(columns, MAX_COLUMNS))), header)


def _count_columns(stated: str) -> int:
    if not stated:
        return 0
    if stated.isdecimal():
        return min(int(stated), MAX_COLUMNS) if len(stated) < 5 else 0
    total = 0
    for part in re.split(r"[,;]", stated.rstrip(",;")):
        found = _REPEAT.match(part.strip())
        total += min(int(found.group(1)), MAX_COLUMNS) if found else 1
    return total


def _width_of_first(lines: list[str], separated: str | None) -> int:
    line = next((one for one in lines if one.strip()), "")
    if separated:
        return line.count(separated) + 1
    return sum(min(cell.columns, MAX_SPAN) for cell in _split([line]))


def _split_plain(lines: list[str], separator: str | None) -> list[AdocCell]:
    return [
        AdocCell(part.strip().strip('"')) for line in lines if line.strip() for part in line.split(separator or ",")
    ]


def _split(lines: list[str]) -> list[AdocCell]:
    text = "\n".join(lines)
    found = list(_CELL.finditer(text))
    cells: list[AdocCell] = []
    for at, mark in enumerate(found):
        end = found[at + 1].start() if at + 1 < len(found) else len(text)
        times, across, down, _, style = mark.groups()
        cell = AdocCell(text[mark.end() : end].strip().replace("\\|", "|"), _number(across), _number(down), style or "")
        cells += [cell] * _number(times)
    return cells


def _number(text: str | None) -> int:
    return max(1, min(int(text), MAX_SPAN)) if text and len(text) < 6 else 1


def _lay(cells: list[AdocCell], columns: int) -> list[list[AdocCell]]:
    """Cells into rows of that many columns, those that reach down counted; an unfinished last row is filled up."""
    rows: list[list[AdocCell]] = [[]]
    reaching: list[tuple[int, int]] = []
    used = 0
    for cell in cells:
        if used >= columns:
            rows.append([])
            reaching = [(left - 1, width) for left, width in reaching if left > 1]
            used = sum(width for _, width in reaching)
        rows[-1].append(cell)
        if cell.rows > 1:
            reaching.append((cell.rows, cell.columns))
        used += cell.columns
    if used < columns and rows[-1]:
        rows[-1] += [AdocCell("")] * (columns - used)
    return [row for row in rows if row]
