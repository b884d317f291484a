"""Which filled cells of a sheet belong together: places in, areas out. Pure arithmetic on filled places only."""

from typing import Final

from models.extract.formats.flow.sheet import Area, Place

ROW_GAP: Final = 2
"""Empty rows that end a table: one is often left inside it."""
COLUMN_GAP: Final = 2
"""Empty columns that part two tables of one sheet; a single one is a spacer."""
MAX_ISLANDS: Final = 5_000
"""More tables than that on one sheet are one table with gaps."""


def find_islands(places: list[Place], merges: list[Area]) -> list[tuple[Area, list[Place]]]:
    """Areas of filled cells with their places, from top to bottom, then left to right."""
    if not places:
        return []
    work = [places]
    done: list[list[Place]] = []
    while work:
        part = work.pop()
        split = _split(part, 0, ROW_GAP, merges) or _split(part, 1, COLUMN_GAP, merges)
        if split:
            work += reversed(split)
        else:
            done.append(part)
        if len(done) + len(work) > MAX_ISLANDS:
            return [(bounds(places), places)]
    return sorted(((bounds(part), part) for part in done), key=lambda found: found[0])


def bounds(places: list[Place]) -> Area:
    """The smallest area around the places."""
    rows = [row for row, _ in places]
    columns = [column for _, column in places]
    return min(rows), min(columns), max(rows), max(columns)


def _split(places: list[Place], axis: int, gap: int, merges: list[Area]) -> list[list[Place]]:
    """The places in parts between which at least `gap` rows (axis 0) or columns are empty; none when there is one."""
    reach = _reach(places, axis, merges)
    cuts: list[int] = []
    end = -1
    for index in sorted(reach):
        if end >= 0 and index - end > gap:
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
    return [found for found in parts if found]


def _reach(places: list[Place], axis: int, merges: list[Area]) -> dict[int, int]:
    """Indices that hold something → the last index that a merge from there reaches."""
    reach = {place[axis]: place[axis] for place in places}
    if merges:
        filled = set(places)
        for area in merges:
            if area[:2] in filled:
                reach[area[axis]] = max(reach[area[axis]], min(area[axis + 2], area[axis] + 50))
    return reach
