"""Small letters with personal data, read by the real readers and flagged: what a reviewer has to look at."""

from dataclasses import replace
from hashlib import sha256
from typing import Any, ClassVar

import pymupdf

from quire.models.cdom.original import ReadOptions
from quire.models.cdom.tree import Source, Tree, dump_tree
from quire.models.extract.pipeline.assemble import assemble
from quire.models.extract.registry import open_document
from quire.models.pii.engines.choose import make_flagger
from quire.models.pii.places import find_places
from quire.serve_apps.api.context.redaction_scans import RedactionScan
from quire.serve_apps.api.context.resources import Ports, Resources
from quire.storage.queue.publish import finish
from quire.storage.queue.queue import LeasePolicy, Queue
from quire.storage.store import Store
from quire.storage.values.rows import Beat, Claim, Succeeded
from quire.storage.values.states import Phase
from tests.api.harness import Drawing, Eyes, TinyReader, make_resources

FLAGGER = make_flagger("regex")
PATTERN_SCAN = RedactionScan("regex", FLAGGER)
"""The scan of redacted outputs, for services whose test readers flag nothing."""


def write_letter(number: int = 1, flags: int = 2) -> bytes:
    """A page with a heading, a few paragraphs, and so many addresses to mask."""
    paper = pymupdf.open()
    page = paper.new_page(width=595, height=842)
    page.insert_text((72, 90), f"Complaint no. {number}", fontsize=20, fontname="hebo")
    page.insert_text((72, 130), "Invoice number: 2026-0815", fontsize=11)
    page.insert_text((72, 148), "Total: EUR 1,249.00", fontsize=11)
    for line in range(flags):
        text = f"Please answer to person{number}.{line}@example.org before the end of the month."
        page.insert_text((72, 200 + 60 * line), text, fontsize=11)
    page.insert_text((72, 760), "Yours sincerely, and with thanks for a quick answer.", fontsize=11)
    data: bytes = paper.tobytes()
    paper.close()
    return data


def write_locked_letter() -> bytes:
    """A letter that opens with the password "sesame"."""
    paper = pymupdf.open("pdf", write_letter())
    return bytes(paper.tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="sesame", owner_pw="owner"))


def write_report(pages: int = 100, flags: int = 200) -> bytes:
    """Many pages with headings, text, a table's worth of fields, and so many addresses spread over all."""
    paper = pymupdf.open()
    for number in range(1, pages + 1):
        page = paper.new_page(width=595, height=842)
        page.insert_text(
            (72, 80), f"{number}. Chapter about Lieferverträge und Ähnliches", fontsize=16, fontname="hebo"
        )
        page.insert_text((72, 112), f"Contract number: C-{number:04}", fontsize=11)
        page.insert_text((72, 128), f"Total: EUR {number * 1234},00", fontsize=11)
        for line in range(14):
            text = f"Paragraph {line} says what was agreed on 3 May 2026 and who has to deliver by which day."
            page.insert_text((72, 168 + 30 * line), text, fontsize=11)
        for line in range(flags * number // pages - flags * (number - 1) // pages):
            page.insert_text((72, 620 + 34 * line), f"Write to clerk{number}.{line}@example.org at once.", fontsize=11)
        page.insert_text((280, 810), f"Page {number}", fontsize=9)
    data: bytes = paper.tobytes(deflate=True)
    paper.close()
    return data


def read_letter(data: bytes) -> Tree:
    """Its tree, flagged."""
    options = ReadOptions()
    document = open_document(data, options)
    contents = [document.read_page(number).content for number in document.facts.page_numbers]
    source = Source(format=document.facts.format, sha256=sha256(data).hexdigest(), bytes=len(data))
    return FLAGGER(assemble(document.facts, contents, source=source, options=options))


HELD = b"%HELD"
"""How a file begins whose reading never ends."""


class LetterReader(TinyReader):
    """Publishes what the real readers find in files that begin with one of `heads`; anything else fails as before."""

    heads: ClassVar[tuple[bytes, ...]] = (b"%PDF",)

    def _end(self, claim: Claim) -> None:
        assert claim.blob_sha256 is not None
        with self.store.blobs.open(claim.blob_sha256) as file:
            data = file.read()
        if data.startswith(HELD):
            beat = Beat(
                document_id=claim.document_id,
                attempt=claim.attempt,
                phase=Phase.READING,
                pages_done=37,
                pages_total=120,
            )
            Queue(self.store.db, claim.worker, LeasePolicy(), self.store.signer).beat([beat])
            return
        if not data.startswith(self.heads):
            super()._end(claim)
            return
        tree = read_letter(data)
        manifest = self.store.artifacts.put(claim.document_id, claim.attempt, {"tree.json": dump_tree(tree)})
        pages = len(tree.pages)
        ended = Succeeded(
            claim=claim,
            manifest=manifest,
            format=tree.source.format,
            pages=pages,
            route_counts={"fast": pages},
            flags=find_places(tree),
        )
        finish(self.store, [ended])


def letter_resources(store: Store, ports: Ports | None = None, **changes: Any) -> Resources:
    """`ports` adds to those that draw and read once."""
    own = Ports(render_page=Drawing(store), read_once=Eyes())
    if ports is not None:
        own = replace(own, search=ports.search, index_document=ports.index_document)
    return make_resources(store, ports=own, **changes)
