"""`python -m tests.ui.browser.guide_pictures`: the pictures of the guide, in docs/pictures."""

import sys
import tempfile
from pathlib import Path

from quire.storage.store import open_store
from tests.postgres import test_server
from tests.ui.browser.living import Living
from tests.ui.browser.pictures import WIDE, draw_page, read_page
from tests.ui.browser.stages import fill_little, ingest, staged
from tests.ui.papers import write_letter, write_locked_letter

PICTURES = Path(__file__).parents[3] / "docs" / "pictures"
SAMPLE = PICTURES.parent / "sample" / "quire-sample.pdf"
SCHEMA = {
    "type": "object",
    "properties": {
        "invoice_number": {"type": "string"},
        "total": {"type": "number"},
        "purchase_order": {"type": "string"},
    },
}


def main() -> int:
    """Draw each picture from a service with a few documents."""
    with tempfile.TemporaryDirectory() as folder, test_server() as server, server.database() as dsn:
        store = open_store(dsn, Path(folder) / "workdir", signing_key=b"a key of these tests, long enough")
        with staged(store, dsn, Path(folder)) as service:
            _draw(service, Path(folder))
        store.close()
    return 0


def _draw(service: Living, folder: Path) -> None:
    opened = fill_little(service, folder)["sheet-open"]
    for number in range(3, 9):
        ingest(service, write_letter(number, number % 3), f"invoice-{number:04}.pdf")
    letter = read_page(service, "letter-0815.pdf", write_letter(1, 4))
    sample = read_page(service, "quire-sample.pdf", SAMPLE.read_bytes())
    service.ask("POST", "schemas", json={"name": "invoice", "schema": SCHEMA})
    service.sign_in()
    pages = {
        "documents": "/ui",
        "viewer": sample,
        "sheet": opened,
        "tables": f"{sample}?page=2&tab=tables",
        "review": f"{letter}/review",
        "inbox": "/ui/review",
        "redacted": f"{letter}?redacted=1",
        "search": "/ui/search?q=complaint+answer&mode=fts",
        "extract": f"{letter}/extract?schema=invoice",
        "targets": "/ui/targets?kind=postgres",
        "usage": "/ui/usage",
    }
    for name, path in pages.items():
        draw_page(service, PICTURES / f"{name}.png", path, WIDE)
    _draw_upload(service, folder)


def _draw_upload(service: Living, folder: Path) -> None:
    """Draw an upload of three files, one of which asks for its password."""
    files = [folder / name for name in ("offer.pdf", "contract.pdf", "minutes.pdf")]
    for number, file in enumerate(files):
        file.write_bytes(write_locked_letter() if file.stem == "contract" else write_letter(20 + number, 1))
    browser = service.browser
    browser.open(f"{service.url}/ui/upload")
    browser.choose_files("#files", *files)
    browser.until("document.querySelector('.sending .bad') !== null")
    browser.picture(PICTURES / "upload.png")


if __name__ == "__main__":
    sys.exit(main())
