"""Counts acts and seconds from a document's page to its first values, for a person who knows no JSON Schema.

Run: `python -m tests.lab.bench.listing.bench_first_values [VARIANTS]`. Each variant is an invoice by seed: other
labels, amounts, dates and places. Two ways: the document suggests its values, or the person types the label of one. A
way is right if the number of the invoice is shown. Seconds are those of the machine; a person adds the reading.
"""

import os
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

import pymupdf

from quire.storage.store import open_store
from tests.postgres import test_server
from tests.ui.browser.living import Living, living
from tests.ui.browser.stages import page_of

NUMBERS = ("Invoice number", "Invoice no.", "Rechnungsnummer", "Rechnungs-Nr.", "Numéro de facture", "Factuurnummer",
           "Número de factura", "Order number")  # fmt: skip
TOTALS = ("Total", "Amount due", "Gesamtbetrag", "Total TTC", "Importe total", "Grand total")
DATES = ("Date", "Invoice date", "Rechnungsdatum", "Date de facture", "Fecha")
VALUES = "document.querySelector('#values tr') !== null"


def main(arguments: list[str]) -> None:
    variants = int(arguments[0]) if arguments else 24
    with tempfile.TemporaryDirectory() as folder, test_server() as server, server.database() as dsn:
        store = open_store(dsn, Path(folder) / "workdir", signing_key=b"a key of these tests, long enough")
        with living(store, dsn) as service:
            service.sign_in()
            made = [_invoice(seed) for seed in range(variants)]
            pages = [page_of(service.send((f"{seed}.pdf", made[seed][0]))) for seed in range(variants)]
            for name, way in {"suggested": _suggested, "typed": _typed}.items():
                took, right = [], 0
                for page, (_, label, number) in zip(pages, made, strict=True):
                    service.browser.open(service.url + page)
                    service.browser.until("document.querySelector('.tabs a[href$=\"/extract\"]') !== null")
                    begun = time.perf_counter()
                    acts = way(service, label)
                    took.append(time.perf_counter() - begun)
                    right += number in service.browser.run("document.getElementById('values').innerText")
                print(
                    f"{name}: {acts} acts, {statistics.median(took):.1f} s of the machine (most {max(took):.1f}); "
                    f"{right} of {variants} right; load {os.getloadavg()[0]:.1f}",
                    flush=True,
                )
        store.close()


def _suggested(service: Living, label: str) -> int:
    """Extract, "Suggest from this document", Extract."""
    _open(service)
    service.browser.click("a[href$='suggest=1']")
    service.browser.until("document.querySelector('.wanted [name=field]').value !== ''")
    service.browser.click("#wanted button.main")
    service.browser.until(VALUES)
    return 3


def _typed(service: Living, label: str) -> int:
    """Extract, a click into the first line, its label as printed, Enter."""
    _open(service)
    service.browser.click(".wanted [name=field]")
    service.browser.type(label)
    service.browser.press("Enter")
    service.browser.until(VALUES)
    return 4


def _open(service: Living) -> None:
    service.browser.click(".tabs a[href$='/extract']")
    service.browser.until("document.getElementById('wanted') !== null")


def _invoice(seed: int) -> tuple[bytes, str, str]:
    """Return an invoice, the label of its number, and its number."""
    chance = random.Random(seed)
    label, number = chance.choice(NUMBERS), f"{chance.choice(('RE', 'INV-', ''))}{chance.randint(2000, 2026)}-{seed:04}"
    lines = [
        f"{label}: {number}",
        f"{chance.choice(TOTALS)}: EUR {chance.randint(10, 9999)}.{chance.randint(10, 99)}",
        f"{chance.choice(DATES)}: {chance.randint(1, 28):02}.0{chance.randint(1, 9)}.2026",
    ]
    chance.shuffle(lines)
    with pymupdf.open() as paper:
        page = paper.new_page(width=595, height=842)
        page.insert_text((72, 80), f"Northwind {chance.choice(('GmbH', 'Ltd', 'SARL'))} {seed}", fontsize=18)
        left, top = chance.randint(60, 300), chance.randint(130, 400)
        for row, line in enumerate(lines):
            page.insert_text((left, top + 22 * row), line, fontsize=11)
        page.insert_text((72, 620), "Please pay within thirty days, and thank you for your order.", fontsize=11)
        return bytes(paper.tobytes()), label, number


if __name__ == "__main__":
    main(sys.argv[1:])
