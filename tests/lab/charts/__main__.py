"""`python -m tests.lab.charts [--seeds FIRST LAST] [--left-out]`: read generated charts and print the share right.

`--left-out` draws the makers that were left out of development, as SVG through Chromium (`CHROMIUM` names it).
"""

import argparse
import io
import os
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pymupdf

from tests.golden.pages import read_page
from tests.models.extract.layout.chart_makers import (
    HEIGHT,
    KINDS,
    LEFT_OUT,
    STYLES,
    WIDTH,
    Spec,
    Style,
    make_pdf,
    make_spec,
    make_svg,
)
from tests.models.extract.layout.chart_scores import count_right

_PAGE = (
    f"<style>@page{{size:{WIDTH}px {HEIGHT + 4}px;margin:0}}body{{margin:0}}"
    "svg{display:block;break-after:page}</style>"
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.lab.charts", description=__doc__)
    parser.add_argument("--seeds", type=int, nargs=2, default=(1, 2), metavar=("FIRST", "LAST"))
    parser.add_argument("--left-out", action="store_true")
    options = parser.parse_args()
    styles = LEFT_OUT if options.left_out else STYLES
    charts = [
        (make_spec(kind, seed * 100 + number), style)
        for seed in range(options.seeds[0], options.seeds[1] + 1)
        for number, style in enumerate(styles)
        for kind in KINDS
    ]
    right, total = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for (spec, style), (data, page) in zip(charts, _draw(charts, options.left_out), strict=True):
        tree = read_page(data, page)
        count, wanted = count_right(spec, [block.table for block in tree.blocks if block.picture and block.table])
        for key in (("all", ""), ("kind", spec.kind), ("maker", style.name)):
            right[key] += count
            total[key] += wanted
    for (group, name), count in sorted(total.items()):
        print(f"{group:6} {name:14} {right[group, name]:6} of {count:6}  {right[group, name] / count:.3f}")
    return 0


def _draw(charts: list[tuple[Spec, Style]], is_svg: bool) -> Iterator[tuple[bytes, int]]:
    """Yield the file and page of each chart."""
    if not is_svg:
        yield from ((make_pdf(spec, style), 1) for spec, style in charts)
        return
    with tempfile.TemporaryDirectory() as folder:
        source, printed = Path(folder, "charts.html"), Path(folder, "charts.pdf")
        source.write_text(_PAGE + "".join(make_svg(spec, style) for spec, style in charts), encoding="utf-8")
        subprocess.run(
            [os.environ.get("CHROMIUM", "chromium"), "--headless", "--no-sandbox", "--disable-gpu",
             "--no-pdf-header-footer", f"--print-to-pdf={printed}", source.as_uri()],
            check=True, capture_output=True, timeout=300,
        )  # fmt: skip
        document = pymupdf.open(printed)
        for number in range(len(charts)):
            single = pymupdf.open()
            single.insert_pdf(document, from_page=number, to_page=number)
            stream = io.BytesIO()
            single.save(stream)
            yield stream.getvalue(), 1


if __name__ == "__main__":
    raise SystemExit(main())
