"""Build grids: the bands of a region over some columns, with its header."""

from quire.models.extract.core.bands import (
    Band,
    find_levels,
    fold_header,
    fold_rows,
    has_header,
    row_middle,
    split_data_rows,
)
from quire.models.extract.core.grid import (
    Grid,
    centred_spans,
    columns_over,
    drop_empty_columns,
    fill_row,
    is_head_of,
    share_slots,
    span_headers,
)
from quire.models.extract.core.marks import RuledRegion
from quire.models.extract.core.words import TextRow


def _drop_short_rules(bands: list[Band], edges: list[float]) -> None:
    """Drop rules that do not extend over a column: fraction bars, underlines."""
    for band in bands:
        band.partial = [rule for rule in band.partial if columns_over(rule, edges) != (0, -1)]


def build_grid(
    bands: list[Band],
    columns: list[float],
    region: RuledRegion,
    *,
    is_grid: bool,
    starts: set[int] | None = None,
) -> Grid:
    """Return the grid of a region's bands over the given columns.

    Args:
        bands: The bands, top to bottom.
        columns: Inner edges of the columns.
        region: The region with its rules.
        is_grid: Rules separate its rows.
        starts: Identities of printed rows that start a table row below the header, if known already.
    """
    left, _, right, _ = region.box
    edges = [left, *columns, right]
    _drop_short_rules(bands, edges)
    grid = Grid(list(columns), [])
    body = bands
    if has_header(bands, region):
        body = bands[1:]
        below = [row for band in body for row in band.rows]
        _add_head(grid, bands[0], below, edges, is_grid=is_grid)
    for band in body:
        if starts is None:
            _add_band(grid, band, columns, is_grid=is_grid)
        else:
            _add_rows(grid, band, columns, starts)
    drop_empty_columns(grid)
    return grid


def _add_head(grid: Grid, band: Band, below: list[TextRow], edges: list[float], *, is_grid: bool) -> None:
    """Add the header's rows, with cells over several columns and over several rows."""
    columns = edges[1:-1]
    groups = _cut_at_partial(band) if is_grid else fold_header(band, columns)
    parted: list[set[int]] = []
    for index, group in enumerate(groups):
        end = row_middle(groups[index + 1][0]) if index + 1 < len(groups) else band.bottom + 0.5
        rules = [rule for rule in band.partial if row_middle(group[-1]) < rule.y0 <= end]
        covered = [columns_over(rule, edges) for rule in rules]
        spans = [span for span in covered if is_head_of(span, group, edges)]
        if index + 1 < len(groups) and not is_grid:
            spans += centred_spans(group, [row for later in groups[index + 1 :] for row in later] + below, columns)
        grid.rows.append(fill_row(len(grid.rows), group, columns, spans))
        parted.append({column for first, last in covered for column in range(first, last + 1)})
    grid.header_rows = len(groups)
    span_headers(grid, parted)


def _add_band(grid: Grid, band: Band, columns: list[float], *, is_grid: bool) -> None:
    """Add the table rows of a band below the header."""
    split = split_data_rows(band.rows, columns) if is_grid else None
    if split is None:
        groups = _cut_at_partial(band) if is_grid else fold_rows(band.rows, columns)
        for group in groups:
            grid.rows.append(fill_row(len(grid.rows), group, columns, []))
        return
    rows, shared = split
    first = len(grid.rows)
    for row in rows:
        grid.rows.append(fill_row(len(grid.rows), [row], columns, []))
    share_slots(grid, first, [word for row in shared for word in row.words])


def _add_rows(grid: Grid, band: Band, columns: list[float], starts: set[int]) -> None:
    """Add the table rows of a band; each extends from a known starting row to the next."""
    groups: list[list[TextRow]] = []
    for row in band.rows:
        if groups and id(row) not in starts:
            groups[-1].append(row)
        else:
            groups.append([row])
    for group in groups:
        grid.rows.append(fill_row(len(grid.rows), group, columns, []))


def _cut_at_partial(band: Band) -> list[list[TextRow]]:
    """Group the rows of a grid's band: one row, or as many as partial rules separate."""
    levels = [y for y, _ in find_levels(band.partial)]
    parts: dict[int, list[TextRow]] = {}
    for row in band.rows:
        middle = row_middle(row)
        parts.setdefault(sum([middle > y for y in levels]), []).append(row)
    return list(parts.values())
