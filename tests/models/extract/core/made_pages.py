"""`python made_pages.py [--interpreted]`: digest of what the reading core makes of pages that are made by seed.

With the option the sources run even where the core is compiled.
"""

import hashlib
import importlib.abc
import importlib.machinery
import importlib.util
import random
import sys
from pathlib import Path

CORE = "quire.models.extract.core"
SEEDS = range(30)


class _SourcesOnly(importlib.abc.MetaPathFinder):
    """Finds the modules of the core as sources."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> importlib.machinery.ModuleSpec | None:
        if not name.startswith(f"{CORE}."):
            return None
        folder = Path(__file__).resolve().parents[4] / "models" / "extract" / "core"
        return importlib.util.spec_from_file_location(name, folder / f"{name.rpartition('.')[2]}.py")


def digest_pages() -> str:
    """Return the digest of rows, columns, grids and features of all made pages."""
    digest = hashlib.sha256()
    for seed in SEEDS:
        digest.update(repr(read_page(seed)).encode())
    return digest.hexdigest()


def read_page(seed: int) -> list[object]:
    """Return what the core makes of one page; some have boxes without numbers, or words without a width."""
    from quire.models.extract.core.bands import cut_bands
    from quire.models.extract.core.build import build_grid
    from quire.models.extract.core.cells import cell_features
    from quire.models.extract.core.columns import open_columns, ruled_columns
    from quire.models.extract.core.copies import may_have_copies
    from quire.models.extract.core.lattice import enclose_cells
    from quire.models.extract.core.marks import Fill, Rule, RuledRegion
    from quire.models.extract.core.places import place_features
    from quire.models.extract.core.rules import find_fill_edges, join_horizontals
    from quire.models.extract.core.steps import describe_steps
    from quire.models.extract.core.words import TableWord, gather_rows

    chance = random.Random(seed)
    words: list[TableWord] = []
    for _ in range(12 + 6 * seed):
        x0, x1, y0, y1, base, size = _place(chance, seed)
        words.append(TableWord(x0, x1, y0, y1, base, size, _text(chance), chance.random() < 0.2))
    rows = gather_rows(words)
    flat = [Rule(40.0, y, chance.choice((240.0, 560.0)), y) for y in (60.0, 75.0, 400.0)]
    upright = [Rule(x, 60.0, x, 400.0) for x in (40.0, 300.0, 560.0)[: seed % 4]]
    region = RuledRegion((40.0, 50.0, 560.0, 420.0), flat, upright)
    columns = ruled_columns(region) or open_columns(rows) or [200.0, 350.0]
    out: list[object] = [columns]
    if len(rows) > 1:
        out.append(list(describe_steps(rows, columns, [60.0, 75.0])))
    grid = build_grid(cut_bands(region, rows), columns, region, is_grid=bool(upright))
    out.append(
        [(slot.row, slot.col, slot.row_span, slot.col_span, len(slot.words)) for row in grid.rows for slot in row]
    )
    if grid.rows:
        out.append(
            cell_features(
                grid, {}, lambda text: 37 * len(text) % 256, lambda lines: " ".join([word.text for word in lines])
            )
        )
        lefts = [40.0 + 100 * (index % 3) for index in range(12)]
        fills = [Fill(x, 60.0 + 20 * n, x + 120, 80.0 + 20 * n, n % 2) for n, x in enumerate(lefts)]
        out.append(place_features(rows, region, grid, fills))
        out.append([(rule.x0, rule.y0, rule.x1) for rule in join_horizontals(flat + find_fill_edges(fills, 800.0))])
        cells = enclose_cells(region, rows, grid)
        out.append(None if cells is None else [len(row) for row in cells.rows])
    out.append(may_have_copies([(word.x0, word.base, word.size, word.x0, word.x1) for word in words], 0.2, 4.0))
    return out


def _place(chance: random.Random, seed: int) -> tuple[float, float, float, float, float, float]:
    x, base, size = chance.uniform(40, 540), 60.0 + 13 * chance.randrange(25), chance.choice((8.0, 10.0))
    if seed % 5 == 4 and chance.random() < 0.1:
        x = chance.choice((float("nan"), float("inf"), -1e30))
    width = 0.0 if seed % 3 == 2 else chance.uniform(5, 80)
    return (x, x + width, base - size, base + 2, base, size)


def _text(chance: random.Random) -> str:
    return "".join(chance.choice("aZé1٣.,-–:( €%") for _ in range(chance.randrange(1, 9))).strip() or "x"


if __name__ == "__main__":
    if "--interpreted" in sys.argv:
        sys.meta_path.insert(0, _SourcesOnly())
    result = digest_pages()
    print(sys.modules[f"{CORE}.steps"].__file__, result)
