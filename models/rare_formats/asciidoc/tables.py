"""Tables of AsciiDoc: their lines in, rows of cells with spans out."""

import csv
import re
from contextlib import suppress
from dataclasses import dataclass, replace
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
_STYLES: Final = frozenset("aehlmsdv")


@dataclass(frozen=True, slots=True)
class AdocCell:
    """A cell's raw text, its spans, and its style: block content (`a`) or a header (`h`)."""

    text: str
    columns: int = 1
    rows: int = 1
    style: str = ""


@dataclass(frozen=True, slots=True)
class AdocTable:
    """Rows in order; `header` when the first one is a header."""

    rows: list[list[AdocCell]]
    header: bool


def read_table(lines: list[str], options: dict[str, str], flags: set[str]) -> AdocTable:
    """Return the table between its fences."""
    first = next((index for index, line in enumerate(lines) if line.strip()), 0)
    body = lines[first:]
    separated = _SEPARATED.get(options.get("format", ""))
    values = _split_values(body, options.get("separator") or separated) if separated else []
    cells = [AdocCell(value.strip()) for row in values for value in row] if separated else _split(body)
    styles = _read_columns(options.get("cols", ""))
    columns = len(styles) or (len(values[0]) if values else _width_of_first(body))
    header = "header" in flags or ("noheader" not in flags and first == 0 and len(body) > 1 and not body[1].strip())
    columns = max(1, min(columns, MAX_COLUMNS))
    styles += [""] * (columns - len(styles))
    return AdocTable(_lay(cells, styles[:columns], header=header), header)


def _read_columns(stated: str) -> list[str]:
    """Return the cell style of each stated column, "" without a style; empty without stated columns."""
    if not stated:
        return []
    if stated.isdecimal():
        return [""] * min(int(stated), MAX_COLUMNS) if len(stated) < 5 else []
    styles: list[str] = []
    for part in re.split(r"[,;]", stated.rstrip(",;")):
        repeat = _REPEAT.match(part.strip())
        style = part.strip()[-1:]
        styles += [style if style in _STYLES else ""] * (min(int(repeat.group(1)), MAX_COLUMNS) if repeat else 1)
        if len(styles) > MAX_COLUMNS:
            break
    return styles


def _width_of_first(lines: list[str]) -> int:
    line = next((line for line in lines if line.strip()), "")
    return sum(min(cell.columns, MAX_SPAN) for cell in _split([line]))


def _split_values(lines: list[str], separator: str) -> list[list[str]]:
    """Return rows of values; quoted values may hold separators, line breaks and doubled quotes."""
    if len(separator) == 1 and separator != _SEPARATED["dsv"]:
        with suppress(csv.Error):  # a value without end
            rows = csv.reader((line + "\n" for line in lines), delimiter=separator, skipinitialspace=True)
            return [row for row in rows if row]
    return [line.split(separator) for line in lines if line.strip()]


def _split(lines: list[str]) -> list[AdocCell]:
    text = "\n".join(lines)
    marks = list(_CELL.finditer(text))
    cells: list[AdocCell] = []
    for index, mark in enumerate(marks):
        end = marks[index + 1].start() if index + 1 < len(marks) else len(text)
        times, across, down, _, style = mark.groups()
        cell = AdocCell(text[mark.end() : end].strip().replace("\\|", "|"), _number(across), _number(down), style or "")
        cells += [cell] * _number(times)
    return cells


def _number(text: str | None) -> int:
    return max(1, min(int(text), MAX_SPAN)) if text and len(text) < 6 else 1


def _lay(cells: list[AdocCell], styles: list[str], *, header: bool) -> list[list[AdocCell]]:
    """Return cells in rows, with room for cells that span down; complete an unfinished last row.

    `styles` has one style per column, for cells below the header that state none.
    """
    columns = len(styles)
    rows: list[list[AdocCell]] = [[]]
    reaching: list[tuple[int, int]] = []
    used = 0
    for cell in cells:
        if used >= columns:
            rows.append([])
            reaching = [(left - 1, width) for left, width in reaching if left > 1]
            used = sum(width for _, width in reaching)
        style = cell.style or (styles[min(used, columns - 1)] if len(rows) > header else "")
        rows[-1].append(replace(cell, style=style))
        if cell.rows > 1:
            reaching.append((cell.rows, cell.columns))
        used += cell.columns
    if used < columns and rows[-1]:
        rows[-1] += [AdocCell("")] * (columns - used)
    return [row for row in rows if row]
