"""Makes quire-sample.pdf: three pages of our own text with headings, lists and a table, for `quire tour`."""

from pathlib import Path

import pymupdf

PAGES = """
<h1>Harbour Crane Inspection, Autumn Round</h1>
<p>This report covers the four cranes of the north quay. Every crane was inspected at rest, under test load and after a
night in service. Findings are sorted by urgency; the table on the second page holds the measurements.</p>
<h2>1. Scope</h2>
<p>The inspection follows the plan agreed in spring. It looks at the hoist, the slewing ring, the brakes and the cabin.
Electrical cabinets are not part of this round and are inspected together with the substation.</p>
<h2>2. Method</h2>
<p>Two inspectors worked independently and compared their notes at the end of each day. Where they disagreed, the
measurement was repeated with a second instrument.</p>
<ul><li>Visual inspection of every weld that can be reached from a ladder</li>
<li>Wire rope diameter at five points, warm and cold</li>
<li>Brake slip under the full test load of 12 tonnes</li></ul>
<h2>3. Summary of findings</h2>
<p>Crane 3 needs new brake linings before the winter season. All other cranes may stay in service without limits. The
slewing ring of crane 1 shows slight wear and is to be measured again in six months.</p>
<div style="page-break-before: always"></div>
<h1>4. Measurements</h1>
<p>Rope diameter in millimetres, brake slip in centimetres, noise in decibels at the cabin door.</p>
"""
LAST = """
<h1>5. Recommendations</h1>
<p>Replace the brake linings of crane 3. The work takes two days, needs no special tools and can be done between two
ships. A spare set lies in the store.</p>
<h2>5.1 Order of work</h2>
<ol><li>Lock the crane and tag the main switch</li><li>Remove the guard and the worn linings</li>
<li>Fit the new linings and set the gap to 0.8 millimetres</li><li>Repeat the slip test three times</li></ol>
<h2>5.2 Costs</h2>
<p>Parts: 640 euro. Labour: 32 hours. No further costs are expected, because the crane stays on the quay.</p>
<p>Questions about this report go to the harbour office, which also keeps the original notes.</p>
"""
TABLE = [
    ("Crane", "Rope diameter", "Brake slip", "Noise", "Verdict"),
    ("Crane 1", "27.9", "1.2", "71", "in service"),
    ("Crane 2", "28.0", "0.9", "70", "in service"),
    ("Crane 3", "27.6", "4.8", "74", "replace linings"),
    ("Crane 4", "27.8", "1.1", "69", "in service"),
]
STYLE = "body {font-family: sans-serif; font-size: 11px} h1 {font-size: 18px} h2 {font-size: 14px}"
SHEET = pymupdf.paper_rect("a4")
BODY = pymupdf.Rect(60, 60, SHEET.width - 60, SHEET.height - 60)


def make(path: Path) -> None:
    """Write the document to `path`."""
    first, second = PAGES.split('<div style="page-break-before: always"></div>')
    document = pymupdf.open()
    for number, html in enumerate((first, second, LAST), 1):
        page = document.new_page(width=SHEET.width, height=SHEET.height)
        page.insert_htmlbox(BODY, html, css=STYLE)
        page.insert_text((60, SHEET.height - 30), f"Harbour office, page {number} of 3", fontsize=8)
        if number == 2:
            draw_table(page)
    document.set_metadata({"title": "Harbour Crane Inspection", "author": "Quire samples"})
    document.save(path, garbage=4, deflate=True, no_new_id=True)


def draw_table(page: pymupdf.Page) -> None:
    """A ruled table below the introduction."""
    left, top, width, height = 60, 150, 95, 22
    for row, cells in enumerate(TABLE):
        for column, text in enumerate(cells):
            box = pymupdf.Rect(0, 0, width, height) + (left + column * width, top + row * height) * 2
            page.draw_rect(box, width=0.7)
            page.insert_text((box.x0 + 5, box.y1 - 7), text, fontsize=10, fontname="hebo" if row == 0 else "helv")


if __name__ == "__main__":
    make(Path(__file__).with_name("quire-sample.pdf"))
