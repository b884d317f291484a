"""Writes a quality report (the JSON body of evaluate) as one self-contained page.

The page has totals, small SVG charts and a row per document. It has no script and loads nothing.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from quire.models.export.markup import Markup, element, escape, open_tag, page

STYLE = (
    ":root{color-scheme:light dark;--bar:#2f6f9f;--bad:#b3382c;--line:#767676}"
    "body{font:1rem/1.5 system-ui,sans-serif;margin:0 auto;padding:1rem 1.5rem;max-width:72rem}"
    "dl{display:flex;flex-wrap:wrap;gap:.6rem 2rem;margin:1rem 0}dl div{min-width:5rem}"
    "dt{font-size:.85rem}dd{margin:0;font-size:1.5rem;font-weight:600}"
    ".charts{display:flex;flex-wrap:wrap;gap:1rem 2.5rem}figure{margin:0 0 1rem}figcaption{font-weight:600}"
    ".scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.92rem}"
    "th,td{border-bottom:1px solid var(--line);padding:.3rem .6rem;text-align:left;vertical-align:top}"
    "td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}td.name{overflow-wrap:anywhere;min-width:12rem}"
    "svg text{font:12px system-ui,sans-serif;fill:currentColor}.bar{fill:var(--bar)}.bad{fill:var(--bad)}"
    ".plot figcaption span{font-weight:400}"
    ".plot svg{display:block;width:100%;height:7rem;border-bottom:1px solid var(--line)}.plot rect{fill:var(--bar)}"
    ".plot .axis{display:flex;justify-content:space-between;margin:.2rem 0 1rem;font-size:.85rem}"
    ".failed{color:var(--bad);font-weight:600}@media(prefers-color-scheme:dark){:root{--bar:#6fb1df;--bad:#ff8a7d}}"
)
COLUMNS = (
    ("source_file", "Document", False),
    ("format", "Format", False),
    ("status", "Status", False),
    ("pages", "Pages", True),
    ("tables", "Tables", True),
    ("fields", "Fields", True),
    ("ocr_pages", "OCR pages", True),
    ("confidence", "Confidence", True),
    ("flags", "Flags", False),
)
TOTALS = (
    ("documents", "Documents"),
    ("succeeded", "Succeeded"),
    ("failed", "Failed"),
    ("pages", "Pages"),
    ("tables", "Tables"),
    ("fields", "Fields"),
    ("ocr_pages", "OCR pages"),
    ("confidence", "Confidence"),
)
MAX_BARS = 12  # rows of the picture: more cannot be read
BAR_WIDTH, ROW_HEIGHT, LABEL_WIDTH = 180, 22, 150  # pixels of the picture


def report_to_html(report: Mapping[str, Any], *, title: str = "Quality report", first: Markup | None = None) -> str:
    """Return the page for evaluate's answer `{documents[...], aggregate{...}}`; `first` comes before the totals."""
    documents: Sequence[Mapping[str, Any]] = report["documents"]
    total: Mapping[str, Any] = report["aggregate"]
    charts = [
        _chart("Documents by format", _largest(total["formats"])),
        _chart("Documents by confidence", _confidence_bins(documents)),
        _chart("Blocks by flag", _largest(total["flags"])),
        _chart("Failures by code", _largest(total["errors"]), bad=True),
    ]
    main = element(
        "main",
        element("h1", escape(title)),
        *([] if first is None else [element("section", element("h2", escape("Speed")), first)]),
        element("section", element("h2", escape("Totals")), totals(total)),
        element("section", element("h2", escape("Charts")), element("div", *charts, class_="charts")),
        element("section", element("h2", escape("Documents")), _table(documents)),
    )
    return page(title, "en", STYLE, main)


def totals(total: Mapping[str, Any], names: Sequence[tuple[str, str]] = TOTALS) -> Markup:
    """Return the totals as a list of names and numbers."""
    pairs = (
        element("div", element("dt", escape(label)), element("dd", escape(_shown(total.get(key)))))
        for key, label in names
    )
    return element("dl", *pairs)


def _shown(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {count}" for name, count in value.items()) or "–"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _largest(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """Return the largest counts, and the others as one."""
    ranked = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    others = sum(count for _, count in ranked[MAX_BARS:])
    return ranked[:MAX_BARS] + ([("other", others)] if others else [])


def _confidence_bins(documents: Sequence[Mapping[str, Any]]) -> list[tuple[str, int]]:
    rated = [float(document["confidence"]) for document in documents if document["confidence"] is not None]
    edges = (0.0, 0.5, 0.8, 0.9, 0.95, 1.01)
    return [
        (f"{low:.2f}–{min(high, 1.0):.2f}", sum(low <= value < high for value in rated))
        for low, high in pairwise(edges)
    ]


def _chart(title: str, counts: Sequence[tuple[str, int]], *, bad: bool = False) -> Markup:
    """Return horizontal bars with their numbers; empty without counts."""
    largest = max((count for _, count in counts), default=0)
    if not largest:
        return Markup("")
    rows = [_bar(index, name, count, largest, bad) for index, (name, count) in enumerate(counts)]
    width, height = LABEL_WIDTH + BAR_WIDTH + 60, ROW_HEIGHT * len(counts)
    description = f"{title}: " + ", ".join(f"{name} {count}" for name, count in counts)
    drawing = element(
        "svg", *rows, role="img", aria_label=description, viewBox=f"0 0 {width} {height}", width=width, height=height
    )
    return element("figure", element("figcaption", escape(title)), drawing)


def _bar(index: int, name: str, count: int, largest: int, bad: bool) -> Markup:
    top = index * ROW_HEIGHT
    length = max(1, round(BAR_WIDTH * count / largest)) if count else 0
    short = name if len(name) <= 20 else name[:19] + "…"
    return Markup(
        element("text", escape(short), x=LABEL_WIDTH - 6, y=top + 15, text_anchor="end")
        + element("rect", x=LABEL_WIDTH, y=top + 4, width=length, height=14, class_="bad" if bad else "bar")
        + element("text", escape(str(count)), x=LABEL_WIDTH + length + 6, y=top + 15)
    )


def _table(documents: Sequence[Mapping[str, Any]]) -> Markup:
    head = element(
        "tr", *(element("th", escape(label), scope="col", class_="n" if n else None) for _, label, n in COLUMNS)
    )
    table = element("table", element("thead", head), element("tbody", *map(_row, documents)))
    return element("div", table, class_="scroll", tabindex=0, role="region", aria_label="Documents")


def _row(document: Mapping[str, Any]) -> Markup:
    cells = []
    for key, _, number in COLUMNS:
        text = escape(_shown(document.get(key)))
        if key == "status" and document.get("error"):
            text = element("span", escape(f"{document['status']}: {document['error']}"), class_="failed")
        kind = "n" if number else "name" if key == "source_file" else None
        cells.append(
            element("td", text, class_=kind) if key != "source_file" else element("th", text, scope="row", class_=kind)
        )
    return Markup(open_tag("tr") + "".join(cells) + "</tr>")
