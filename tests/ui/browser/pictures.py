"""`python -m tests.ui.browser.pictures FOLDER`: a picture of each page that the review of 0.9.20 asked to be better.

Named by the number of the point in that review, so that two versions lie side by side: run this file in a checkout of
each. A page that a version does not have is left out with a word.
"""

import sys
import tempfile
from pathlib import Path
from urllib.parse import quote

from quire.storage.store import open_store
from tests.postgres import test_server
from tests.ui.browser.living import Living
from tests.ui.browser.stages import fill_little, ingest, staged
from tests.ui.papers import write_letter, write_report

WIDE, PHONE = (1440, 900), (390, 844)
SAMPLE = Path(__file__).parents[3] / "docs" / "sample" / "quire-sample.pdf"
WORD = {
    "cdom_version": "1.0",
    "source": {"name": "minutes.docx", "format": "docx"},
    "pages": [{"number": 1, "width": 595, "height": 842}],
    "blocks": [
        {"id": "a", "type": "heading", "level": 1, "page": 1, "bbox": None, "text": "Minutes"},
        {"id": "b", "type": "paragraph", "page": 1, "bbox": None, "text": "All agreed.", "confidence": 0.62},
    ],
}
IN_VIEW = """[...document.images].every((image) =>
  image.complete || !image.getClientRects().length || image.getBoundingClientRect().top > innerHeight)"""
OPEN_MAP = "document.querySelector('[popovertarget=map], .map summary')?.click()"


def main(arguments: list[str]) -> int:
    """Always 0: the pictures are for people."""
    target = Path(arguments[0] if arguments else "bench-results/points")
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, test_server() as server, server.database() as dsn:
        store = open_store(dsn, Path(folder) / "workdir", signing_key=b"a key of these tests, long enough")
        with staged(store, dsn, Path(folder)) as service:
            _draw(service, Path(folder), target)
        store.close()
    return 0


def _draw(service: Living, folder: Path, target: Path) -> None:
    failed = fill_little(service, folder)["failed"]
    for number in range(12):
        ingest(service, write_letter(number, number % 3), f"invoice-{number:04}.pdf")
    letter, report = (
        read_page(service, "letter.pdf", write_letter(1, 4)),
        read_page(service, "report.pdf", write_report(8, 6)),
    )
    sample = read_page(service, "quire-sample.pdf", SAMPLE.read_bytes())
    word = service.ask("POST", "ingest", json={"tree": WORD})
    minutes = f"/ui/jobs/{word['id']}/documents/{word['documents'][0]['document_id']}"
    service.sign_in()
    points = {
        "01-documents": "/ui",
        "02-tables-in-markdown": f"{sample}?page=3&tab=markdown&as=source",
        "03-first-page-of-the-docs": "/guide/",
        "06-a-job": report.split("/documents")[0],
        "07-copy-rendered-source": f"{letter}?tab=markdown",
        "08-a-failed-document": failed,
        "09-review": f"{letter}/review",
        "10-word": minutes,
        "17-confidence": minutes,
        "18-nothing-fits": f"/ui/search?q={quote('zxqv nothing')}",
        "19-tabs": f"{report}?page=3&tab=chunks",
        "20-jobs": "/ui/jobs",
        "24-upload": "/ui/upload",
        "25-failed-list": "/ui/dead-letters",
        "25-audit": "/ui/audit",
        "usage": "/ui/usage",
    }
    for name, path in points.items():
        draw_page(service, target / f"{name}.png", path, WIDE)
    draw_page(service, target / "21-phone.png", report, PHONE)
    draw_page(service, target / "23-all-pages.png", report, WIDE, OPEN_MAP)
    draw_page(service, target / "04-front.png", "/", WIDE)


def read_page(service: Living, name: str, data: bytes) -> str:
    """Ingest a file and return the address of its page."""
    job = ingest(service, data, name)
    return f"/ui/jobs/{job['id']}/documents/{job['documents'][0]['document_id']}"


def draw_page(service: Living, target: Path, path: str, window: tuple[int, int], script: str = "") -> None:
    """Save a picture of a page in a window of this size, after running a script in it."""
    browser = service.browser
    browser.screen(*window, dark=False)
    browser.open(service.url + path)
    if script:
        browser.run(f"{{{script}}}; true")
    browser.until(IN_VIEW)
    browser.picture(target)
    print(target.name, browser.run("document.title"), flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
