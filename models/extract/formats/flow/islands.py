"""Islands of a sheet: areas of filled cells, and in them the tables below titles and facts.

A gap of two empty rows or columns ends an island. Inside it a table begins at a row of names above numbers.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from quire.models.extract.formats.flow.sheet import Area, Place, Sheet

ROW_GAP: Final = 2
"""Empty rows that end a table: a single one often occurs inside it."""
COLUMN_GAP: Final = 2
"""Empty columns that separate two tables of one sheet; a single one is a spacer."""
MAX_ISLANDS: Final = 5_000
"""A sheet with more tables than this gets one table with gaps."""


def find_islands(
    places: list[Place], merges: list[Area], skipped: tuple[Sequence[int], Sequence[int]] = ((), ())
) -> list[tuple[Area, list[Place]]]:
    """Return areas of filled cells with their places, from top to bottom, then left to right.

    Args:
        places: The filled cells.
        merges: Merged areas.
        skipped: Sorted rows and sorted columns that do not count as gaps, because they are hidden.
    """
    if not places:
        return []
    work = [places]
    done: list[list[Place]] = []
    while work:
        part = work.pop()
        split = _split(part, 0, ROW_GAP, merges, skipped[0]) or _split(part, 1, COLUMN_GAP, merges, skipped[1])
        if split:
            work += reversed(split)
        else:
            done.append(part)
        if len(done) + len(work) > MAX_ISLANDS:
            return [(bounds(places), places)]
    return sorted(((bounds(part), part) for part in done), key=lambda island: island[0])


def bounds(places: list[Place]) -> Area:
    """Return the smallest area around the places."""
    rows = [row for row, _ in places]
    columns = [column for _, column in places]
    return min(rows), min(columns), max(rows), max(columns)


def _split(places: list[Place], axis: int, gap: int, merges: list[Area], skipped: Sequence[int]) -> list[list[Place]]:
    """Split the places where at least `gap` rows (axis 0) or columns are empty; return none without such a gap."""
    reach = _reach(places, axis, merges)
    cuts: list[int] = []
    end = -1
    for index in sorted(reach):
        if end >= 0 and index - end > gap:
            hidden_between = bisect_left(skipped, index) - bisect_left(skipped, end + 1)
            if index - end - hidden_between > gap:
                cuts.append(index)
        end = max(end, reach[index])
    if not cuts:
        return []
    parts: list[list[Place]] = [[] for _ in range(len(cuts) + 1)]
    part_of: dict[int, int] = {}
    part = 0
    for index in sorted(reach):
        while part < len(cuts) and index >= cuts[part]:
            part += 1
        part_of[index] = part
    for place in places:
        parts[part_of[place[axis]]].append(place)
    return [part_places for part_places in parts if part_places]


def _reach(places: list[Place], axis: int, merges: list[Area]) -> dict[int, int]:
    """Return filled indices → the last index that a merge from there covers."""
    reach = {place[axis]: place[axis] for place in places}
    if merges:
        filled = set(places)
        for area in merges:
            if area[:2] in filled:
                reach[area[axis]] = max(reach[area[axis]], min(area[axis + 2], area[axis] + 50))
    return reach


MAX_HEAD_ROWS: Final = 1_000
"""First rows of an island in which a table may begin."""
MAX_FACTS: Final = 2
"""Cells of a row above a table that states a fact, such as a name with its value."""
LONGEST_NAME: Final = 40
"""Characters of the name of a column."""
LEAST_BELOW, MAX_BELOW = 2, 50
"""Rows that a head of words has below it at least, and those in which its words may not occur."""
NAMES_BELOW: Final = 2
"""Rows below a head of which one has numbers: the first may hold units."""


@dataclass(frozen=True, slots=True)
class SheetPart:
    """Filled cells that belong together, and whether they stand above a table: alone (`is_text`), or as facts."""

    places: list[Place]
    is_text: bool = False
    is_above: bool = False


def part_island(sheet: Sheet, places: list[Place]) -> Iterator[SheetPart]:
    """Yield the tables of an island, and the titles and facts above them, from top to bottom."""
    heads = _find_heads(sheet, places)
    if not heads:
        yield SheetPart(places)
        return
    parts: list[list[Place]] = [[] for _ in range(len(heads) + 1)]
    for place in places:
        parts[bisect_left(heads, place[0] + 1)].append(place)
    above, *tables = parts
    rows = _rows_of(above)
    if all(len(columns) <= MAX_FACTS for columns in rows.values()):
        for is_single, group in groupby(rows, key=lambda row: len(rows[row]) == 1):
            numbers = set(group)
            found = sorted(place for place in above if place[0] in numbers)
            for members in [[place] for place in found] if is_single else [found]:
                yield SheetPart(members, is_single, is_above=True)
    else:
        tables.insert(0, above)
    yield from map(SheetPart, tables)


def _find_heads(sheet: Sheet, places: list[Place]) -> list[int]:
    """Return the rows, behind the first, at which a table begins: after an empty row, or below titles and facts."""
    end = min(row for row, _ in places) + MAX_HEAD_ROWS
    rows = _rows_of([place for place in places if place[0] < end])
    numbers = list(rows)
    stated = {area[0] for area in sheet.headers if area[1] in rows.get(area[0], ())}
    heads: list[int] = []
    above: list[int] = []  # widths of the rows since the last head
    has_values = False
    for at, row in enumerate(numbers):
        follows_gap = at > 0 and row - numbers[at - 1] > 1
        widest = max(above, default=0)
        are_facts = widest == 1 or (widest == MAX_FACTS and (len(above) > 1 or has_values))
        is_below_facts = are_facts and widest < len(rows[row])
        if at > 0 and (row in stated or ((follows_gap or is_below_facts) and _is_head(sheet, rows, numbers[at:]))):
            heads.append(row)
            above, has_values = [], False
        above.append(len(rows[row]))
        has_values = has_values or any(_is_value(sheet, (row, column)) for column in rows[row])
    return heads


def _rows_of(places: list[Place]) -> dict[int, list[int]]:
    """Return the filled columns of each row in order."""
    rows: dict[int, list[int]] = {}
    for row, column in sorted(places):
        rows.setdefault(row, []).append(column)
    return rows


def _is_head(sheet: Sheet, rows: dict[int, list[int]], numbers: list[int]) -> bool:
    """Return whether the first row names the columns of those below: names or years, above numbers."""
    row, *below = numbers[: NAMES_BELOW + 1]
    columns = rows[row]
    values = [(row, column) for column in columns if _is_value(sheet, (row, column))]
    are_years = len(values) < len(columns) and all(_is_year(sheet.cells[place]) for place in values)
    if len(columns) < MAX_FACTS or (values and not are_years) or not below or below[0] != row + 1:
        return False
    counts = [sum((number, column) in sheet.numbers for column in columns) for number in below]
    if len(columns) == MAX_FACTS and not all(counts):  # facts may be a name and a number too
        return False
    if not any(counts):
        return all(rows[number] == columns for number in below) and names_columns(sheet.cells, row, below, columns)
    return set(rows[below[0]]) <= {*columns, min(columns) - 1}


def names_columns(texts: Mapping[Place, str], row: int, below: Sequence[int], columns: Sequence[int]) -> bool:
    """Return whether a row names three or more columns of words: short, different, and found nowhere below."""
    names = [texts.get((row, column), "").strip() for column in columns]
    is_named = all(0 < len(name) <= LONGEST_NAME and not any(map(str.isdigit, name)) for name in names)
    if not is_named or len(set(names)) < max(len(names), MAX_FACTS + 1) or len(below) < LEAST_BELOW:
        return False
    return not any(
        texts.get((number, column), "").strip() == name
        for number in below[:MAX_BELOW]
        for column, name in zip(columns, names, strict=True)
    )


def _is_value(sheet: Sheet, place: Place) -> bool:
    return place in sheet.numbers or place in sheet.moments


def _is_year(text: str) -> bool:
    return len(text) == 4 and text.isdecimal() and text[:2] in ("19", "20")
