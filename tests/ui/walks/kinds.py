"""A document of each kind that the viewer shows in its own way, with names and cells that pages must only show."""

import io
import json
import zipfile
from email.message import EmailMessage
from typing import Any
from unittest.mock import patch

from quire.models.cdom.tree import dump_tree
from quire.storage.store import Store
from tests.models.extract.formats.slides.decks import deck, paragraph, shape, slide
from tests.ui.browser.living import Living
from tests.ui.browser.stages import Pages, page_of, post_tree
from tests.ui.papers import LetterReader, read_letter, write_letter

LONG_NAME = "Vertragsunterlagen" * 14 + ".html"  # 257 characters without a space
RIGHT_TO_LEFT = "تقرير الفحص السنوي للرافعات.csv"
MARKUP = '<img src=x onerror="document.title=`run`">"&amp;.html'
HEADS = (b"%PDF", b"From:", b"PK", b"<h1>", b"Column 0")
QUOTED = "".join(f"> A line that was quoted before, number {number}.\n" for number in range(12))
WIDE_HEAD = [f"Column {number}" for number in range(40)]
WEB = f"""<h1>Report {"ohneLeerzeichen" * 30}</h1><p dir=rtl>مرحبا بالعالم 123</p>
<p>&lt;script&gt;document.title=1&lt;/script&gt;</p>
<pre>{"a line of code that is far wider than any window; " * 6}</pre><ul><li>One<ul><li>Two</li></ul></li></ul>
<dl><dt>Invoice number</dt><dd>2026-0815</dd><dt>Total</dt><dd>EUR 1.249,00</dd></dl>"""


def fill_kinds(service: Living, store: Store) -> Pages:
    """Documents of every kind; their pages."""
    service.org = "kinds"
    letters = [(f"attachment {number} of the complaint.pdf", write_letter(30 + number, 1)) for number in range(2)]
    files = {
        "mail": ("Complaint about cranes.eml", _mail()),
        "archive": ("all papers.zip", _archive()),
        "slides": ("review.pptx", _deck()),
        "web": (LONG_NAME, WEB.encode()),
        "markup": (MARKUP, WEB.encode()),
        "wide": (RIGHT_TO_LEFT, _wide_list()),
    }
    with patch.object(LetterReader, "heads", HEADS):
        added = {name: service.send(file) for name, file in files.items()}
        members = [service.send(letter) for letter in letters]
    added["scan"] = post_tree(service, _scan_tree(), write_letter(40, 0))
    with store.db.autocommit() as conn:
        for parent in ("mail", "archive"):
            conn.execute(
                "update documents set parent_document_id = %s where id = any(%s) and parent_document_id is null",
                (added[parent]["documents"][0]["document_id"], [members.pop()["documents"][0]["document_id"]]),
            )
    pages = {name: page_of(job) for name, job in added.items()}
    opened = f"{pages['wide']}?table=b0" if "b0" in _tables(service, added["wide"]) else pages["wide"]
    return pages | {
        "mail-markdown": f"{pages['mail']}?tab=markdown",
        "wide-opened": opened,
        "wide-nothing": f"{opened}&find=zebra",
        "slides-redacted": f"{pages['slides']}?redacted=1",
        "web-source": f"{pages['web']}?tab=markdown&as=source",
        "web-extract": f"{pages['web']}/extract?suggest=1",
        "list": "/ui",
        "search": "/ui/search?q=complaint&mode=fts",
    }


def _tables(service: Living, job: dict[str, Any]) -> list[str]:
    tree = service.ask("GET", f"jobs/{job['id']}/documents/{job['documents'][0]['document_id']}/tree")
    return [block["id"] for block in tree["blocks"] if block["table"]]


def _mail() -> bytes:
    mail = EmailMessage()
    mail["From"], mail["To"] = "Ann <ann@example.org>", "Bob <bob@example.org>"
    mail["Subject"], mail["Date"] = "Complaint about cranes", "Mon, 04 May 2026 10:00:00 +0200"
    mail.set_content(f"Dear Bob,\n\nplease see below.\n\nOn 3 May 2026, Bob wrote:\n{QUOTED}")
    return bytes(mail)


def _archive() -> bytes:
    with zipfile.ZipFile(data := io.BytesIO(), "w") as archive:
        archive.writestr("papers/letter.txt", "A letter.")
        archive.writestr("papers/list.csv", "a,b\n1,2\n")
    return data.getvalue()


def _deck() -> bytes:
    points = shape(*map(paragraph, ("Three points", "Ropes", "Brakes")), box=(60, 150, 600, 300))
    return deck(slide(shape(paragraph("Cranes in 2026"), kind="title", box=(60, 40, 600, 80)), points))


def _wide_list() -> bytes:
    """A table of forty columns, one cell of 5 MB, markup and words without a space."""
    rows = [",".join(f"{row * column}.50" for column in range(40)) for row in range(1, 30)]
    rows[1] = ",".join(["<b>bold</b>", "x" * 5_000_000, "Donaudampfschifffahrtsgesellschaft" * 4, *["مرحبا"] * 37])
    return "\n".join([",".join(WIDE_HEAD), *rows]).encode()


def _scan_tree() -> bytes:
    """A letter as if it had been recognised from a picture, some of it in doubt."""
    tree = json.loads(dump_tree(read_letter(write_letter(40, 0))))
    tree["source"] |= {"name": "scan of a letter.pdf", "format": "pdf"}
    for number, block in enumerate(tree["blocks"]):
        block["confidence"] = 0.54 + number / 12
        block["provenance"] = (block.get("provenance") or {}) | {"engine": "rapidocr"}
    return json.dumps(tree).encode()
