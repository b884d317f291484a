"""Features of neighbouring printed rows of a region: numbers by which a forest decides where a table row begins."""

from typing import Final

from librt.vecs import vec
from mypy_extensions import i64

from quire.models.extract.core.bands import column_at, spans_columns
from quire.models.extract.core.signs import is_figure, kind_of
from quire.models.extract.core.words import TextRow

FAR: Final = 9.0
"""Upper limit of distances (ems) and ratios."""
_LEAST_STEP: Final = 0.8
"""Smaller steps (ems) are overlapping rows and are not used as a measure."""
_LEAST_JUMP: Final = 0.12
"""Ems between the small and the large steps of a region, where they are of two kinds."""
_MOST_ROWS: Final = 40.0
"""Upper limit of the number of rows as a feature."""
_FIGURE_CHARS: Final = 40.0
"""Maximum characters of a figure."""
_STOPS: Final = frozenset(".;!?")
_OPEN: Final = frozenset(",-–(:")
_STOP: Final = 1.0  # a class of last characters
_OPENS: Final = 2.0
"""Classes of the last character of a cell; 0 for any other."""
_SMALLEST: Final = 0.001
"""Points: a row of smaller type counts as one of this size."""
_MIDDLE: Final = 0.3
"""Ems from the baseline to the middle of a row."""
_KINDS: Final = 5
"""Classes of first characters, and none."""

STEP_NAMES = (
    "gap", "gap_least", "gap_low", "gap_median", "gap_most", "gap_before", "gap_after", "jump",
    "filled", "filled_above", "filled_after", "shared", "new", "key", "key_above", "key_after", "key_share",
    "lower", "stop_above", "open_above", "room", "room_least", "ruled", "ruled_above", "ruled_share",
    "figures", "figures_above", "bold", "bold_above", "first", "last", "rows", "columns", "offset", "spans", "size",
    "long", "long_above", "multi_share", "left", "key_alike", "key_lone",
)  # fmt: skip
"""Features of two neighbouring printed rows of a region over some columns."""
STEP_COUNT: Final = 42
"""Features of a row: the length of `STEP_NAMES`, as a constant."""


def _zeros(count: int) -> vec[float]:
    return vec[float]([0.0] * count)


class _RowCells:
    """Printed rows over some columns: a number for each row, and one for each cell (row times width plus column)."""

    __slots__ = (
        "base", "bold", "chars", "end", "figures", "filled", "key", "last", "left", "length", "longest", "lower",
        "room", "size", "spans", "start", "used", "width",
    )  # fmt: skip

    def __init__(self, rows: list[TextRow], columns: list[float]) -> None:
        count = len(rows)
        self.width: i64 = len(columns) + 1
        cells = count * (len(columns) + 1)
        self.used: vec[float] = _zeros(cells)
        self.start: vec[float] = _zeros(cells)
        self.end: vec[float] = _zeros(cells)
        self.room: vec[float] = _zeros(cells)
        self.length: vec[float] = _zeros(cells)
        self.lower: vec[float] = _zeros(cells)
        self.last: vec[float] = _zeros(cells)
        self.base: vec[float] = _zeros(count)
        self.size: vec[float] = _zeros(count)
        self.left: vec[float] = _zeros(count)
        self.bold: vec[float] = _zeros(count)
        self.key: vec[float] = _zeros(count)
        self.spans: vec[float] = _zeros(count)
        self.filled: vec[float] = _zeros(count)
        self.figures: vec[float] = _zeros(count)
        self.chars: vec[float] = _zeros(count)
        self.longest: vec[float] = _zeros(count)
        index: i64 = 0
        for row in rows:
            self._add(index, row, columns)
            index += 1

    def _add(self, index: i64, row: TextRow, columns: list[float]) -> None:
        self.base[index], self.left[index] = row.base, row.words[0].x0
        self.size[index] = max(row.size, _SMALLEST)
        bold = 1.0
        for word in row.words:
            if not word.bold:
                bold = 0.0
                break
        self.bold[index] = bold
        first: i64 = index * self.width
        texts: list[str] = []
        at: i64 = -1
        for segment in row.segments:
            own = first + column_at(segment.x0 + 0.5, columns)
            if self.spans[index] == 0.0 and spans_columns(segment.x0, segment.x1, columns):
                self.spans[index] = 1.0
            words = segment.words
            if own != at:
                if at >= 0:
                    self._close(index, at, texts)
                at = own
                texts = []
                head = words[0]
                self.used[at] = 1.0
                self.start[at] = segment.x0
                self.room[at] = head.x1 - head.x0
                self.lower[at] = 1.0 if head.text[:1].islower() else 0.0
                self.filled[index] += 1.0
                if at == first:
                    self.key[index] = float(kind_of(head.text))
            self.end[at] = segment.x1
            length = 0
            for word in words:
                length += len(word.text)
                texts.append(word.text)
            self.length[at] += float(length)
            ending = words[len(words) - 1].text[-1:]
            self.last[at] = _STOP if ending in _STOPS else _OPENS if ending in _OPEN else 0.0
        self._close(index, at, texts)
        best: i64 = -1
        column: i64 = 0
        while column < self.width:
            cell = first + column
            if self.used[cell] > 0.0:
                self.chars[index] += self.length[cell]
                if best < 0 or self.length[cell] > self.length[first + best]:
                    best = column
            column += 1
        self.longest[index] = float(best)

    def _close(self, index: i64, at: i64, texts: list[str]) -> None:
        """Count a cell whose text is a figure."""
        if self.length[at] <= _FIGURE_CHARS and not texts[0][:1].isalpha() and is_figure(" ".join(texts)):
            self.figures[index] += 1.0


class _RegionSteps:
    """Common measures of the printed rows of a region, computed once."""

    __slots__ = (
        "count", "gaps", "jump", "keys", "kinds", "least", "left", "low", "median", "most", "multi", "page", "right",
        "ruled", "ruled_count", "total",
    )  # fmt: skip

    def __init__(self, rows: list[TextRow], columns: list[float], levels: list[float]) -> None:
        page = _RowCells(rows, columns)
        self.page = page
        self.total: i64 = len(rows)
        self.count = float(len(rows))
        self.right: vec[float] = _zeros(len(columns) + 1)
        self.gaps: vec[float] = _zeros(len(rows))
        self.ruled: vec[float] = _zeros(len(rows))
        self.kinds: vec[float] = _zeros(_KINDS)
        self.ruled_count, self.multi, self.keys = 0.0, 0.0, 0.0
        self.left = page.left[0]
        ordered: list[float] = []
        i: i64 = 0
        while i < self.total:
            self.left = min(self.left, page.left[i])
            self.multi += 1.0 if page.filled[i] > 1.0 else 0.0
            if page.key[i] > 0.0:
                self.keys += 1.0
                self.kinds[i64(int(page.key[i]))] += 1.0
            self._extend(i, columns)
            if i + 1 < self.total:
                gap = (page.base[i + 1] - page.base[i]) / max(page.size[i], page.size[i + 1], 1.0)
                self.gaps[i] = gap
                if gap >= _LEAST_STEP:
                    ordered.append(gap)
                if _is_ruled(levels, page, i):
                    self.ruled[i] = 1.0
                    self.ruled_count += 1.0
            i += 1
        if not ordered:
            ordered.append(1.0)
        ordered.sort()
        self.low, self.median = ordered[len(ordered) // 5], ordered[len(ordered) // 2]
        self.least, self.most = ordered[0], ordered[len(ordered) - 1]
        self.jump = _find_jump(ordered)

    def _extend(self, i: i64, columns: list[float]) -> None:
        """Extend the text of each column to the end of a row's cell that does not cross its edge."""
        page, column = self.page, i64(0)
        while column < page.width:
            end = page.end[i * page.width + column]
            if end > self.right[column] and page.used[i * page.width + column] > 0.0:
                if column == page.width - 1 or end <= columns[column]:
                    self.right[column] = end
            column += 1

    def describe(self, i: i64, out: vec[float]) -> None:
        """Write the features of a row and the one above."""
        page, gaps, p, f = self.page, self.gaps, i - 1, (i - 1) * STEP_COUNT
        width, is_last = page.width, i == self.total - 1
        wide, gap = float(page.width), gaps[p]
        best = i64(int(page.longest[i]))
        over = p * width + best
        ending = page.last[over] if page.used[over] > 0.0 else 0.0
        out[f] = gap
        out[f + 1] = gap / self.least
        out[f + 2] = gap / self.low
        out[f + 3] = gap / self.median
        out[f + 4] = gap / self.most
        out[f + 5] = min(FAR, gap / max(gaps[p - 1], 0.3)) if p > 0 else FAR
        out[f + 6] = FAR if is_last else min(FAR, gap / max(gaps[i], 0.3))
        out[f + 7] = gap - self.jump if self.jump != 0.0 else -FAR
        out[f + 8] = page.filled[i] / wide
        out[f + 9] = page.filled[p] / wide
        out[f + 10] = 0.0 if is_last else page.filled[i + 1] / wide
        out[f + 13] = page.used[i * width]
        out[f + 14] = page.used[p * width]
        out[f + 15] = 0.0 if is_last else page.used[(i + 1) * width]
        out[f + 16] = self.keys / self.count
        out[f + 17] = page.lower[i * width + best]
        out[f + 18] = 1.0 if ending == _STOP else 0.0
        out[f + 19] = 1.0 if ending == _OPENS else 0.0
        out[f + 22] = self.ruled[p]
        out[f + 23] = self.ruled[p - 1] if p > 0 else 0.0
        out[f + 24] = self.ruled_count / (self.count - 1.0)
        out[f + 29] = 1.0 if p == 0 else 0.0
        out[f + 30] = 1.0 if is_last else 0.0

    def compare(self, i: i64, out: vec[float]) -> None:
        """Write the features of the cells that a row shares with the one above, and of its texts."""
        page, p, f = self.page, i - 1, (i - 1) * STEP_COUNT
        width, size, wide = page.width, page.size[i], float(page.width)
        shared, room_most, room_least, offset = 0.0, -FAR, -FAR, FAR
        column: i64 = 0
        while column < width:
            at, up = i * width + column, p * width + column
            if page.used[at] > 0.0 and page.used[up] > 0.0:
                room = (self.right[column] - page.end[up] - page.room[at]) / size
                apart = abs(page.start[at] - page.start[up]) / size
                room_most = room if shared == 0.0 or room > room_most else room_most
                room_least = room if shared == 0.0 or room < room_least else room_least
                offset = apart if shared == 0.0 or apart < offset else offset
                shared += 1.0
            column += 1
        has_key = page.key[i] > 0.0
        out[f + 11] = shared
        out[f + 12] = page.filled[i] - shared
        out[f + 20] = room_most
        out[f + 21] = room_least
        out[f + 25] = page.figures[i] / wide
        out[f + 26] = page.figures[p] / wide
        out[f + 27] = page.bold[i]
        out[f + 28] = page.bold[p]
        out[f + 31] = min(self.count, _MOST_ROWS)
        out[f + 32] = wide
        out[f + 33] = offset
        out[f + 34] = page.spans[i]
        out[f + 35] = size / max(page.size[p], 1.0)
        out[f + 36] = page.length[i * width + i64(int(page.longest[i]))]
        out[f + 37] = page.chars[p]
        out[f + 38] = self.multi / self.count
        out[f + 39] = (page.left[i] - self.left) / size
        out[f + 40] = self.kinds[i64(int(page.key[i]))] / self.keys if has_key else -1.0
        out[f + 41] = 1.0 if has_key and page.filled[i] == 1.0 else 0.0


def describe_steps(rows: list[TextRow], columns: list[float], levels: list[float]) -> vec[float]:
    """Return the features `STEP_NAMES` of every printed row except the first, one after the other.

    Args:
        rows: Printed rows of a region, top to bottom, at least two.
        columns: Inner edges of its columns.
        levels: Heights of its wide rules and edges of shades, ascending.
    """
    region = _RegionSteps(rows, columns, levels)
    out = _zeros((len(rows) - 1) * STEP_COUNT)
    row: i64 = 1
    while row < region.total:
        region.describe(row, out)
        region.compare(row, out)
        row += 1
    return out


def _is_ruled(levels: list[float], page: _RowCells, index: i64) -> bool:
    """Return whether a level lies between a row and the next one."""
    above = page.base[index] - _MIDDLE * page.size[index]
    below = page.base[index + 1] - _MIDDLE * page.size[index + 1]
    for level in levels:
        if level > above:
            return level < below + 0.1 * page.size[index + 1]
    return False


def _find_jump(steps: list[float]) -> float:
    """Return the middle of the widest gap between neighbouring step lengths (ascending); 0 if all are similar."""
    widest, middle = _LEAST_JUMP, 0.0
    for index in range(len(steps) - 1):
        shorter, longer = steps[index], steps[index + 1]
        if longer - shorter > widest:
            widest, middle = longer - shorter, (shorter + longer) / 2
    return middle
