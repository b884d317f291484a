"""`python -m tests.ui.browser.guide_pictures`: the pictures of the guide, in docs/pictures."""

import sys
import tempfile
from pathlib import Path

from quire.storage.store import open_store
from tests.postgres import test_server
from tests.ui.browser.living import Living
from tests.ui.browser.pictures import WIDE, draw_page, read_page
from tests.ui.browser.stages import fill_little, ingest, staged
from tests.ui.papers import write_letter

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
    fill_little(service, folder)
    for number in range(3, 9):
        ingest(service, write_letter(number, number % 3), f"invoice-{number:04}.pdf")
    letter = read_page(service, "letter-0815.pdf", write_letter(1, 4))
    sample = read_page(service, "quire-sample.pdf", SAMPLE.read_bytes())
    service.ask("POST", "schemas", json={"name": "invoice", "schema": SCHEMA})
    service.sign_in()
    pages = {
        "documents": "/ui",
        "viewer": sample,
        "tables": f"{sample}?page=2&tab=tables",
        "review": f"{letter}/review",
        "inbox": "/ui/review",
        "redacted": f"{letter}?redacted=1",
        "search": "/ui/search?q=complaint+answer&mode=fts",
        "extract": f"{letter}/extract?schema=invoice",
        "upload": "/ui/upload",
        "usage": "/ui/usage",
    }
    for name, path in pages.items():
        draw_page(service, PICTURES / f"{name}.png", path, WIDE)


if __name__ == "__main__":
    sys.exit(main())
