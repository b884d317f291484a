"""Small corpora for the bulk jobs."""

import io
from pathlib import Path

import pymupdf
from PIL import Image


def make_corpus(folder: Path, reports: int = 3) -> None:
    for number in range(reports):
        document = pymupdf.open()
        document.new_page().insert_text((72, 72), f"Report number {number} about rivers and bridges.")
        (folder / f"sub{number}").mkdir()
        (folder / f"sub{number}" / "report.pdf").write_bytes(document.tobytes())
    buffer = io.BytesIO()
    Image.new("RGB", (200, 100), "white").save(buffer, "PNG")
    (folder / "scan.png").write_bytes(buffer.getvalue())
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")


def write_pdf(*lines: str) -> bytes:
    """A page with these lines."""
    document = pymupdf.open()
    page = document.new_page()
    for number, line in enumerate(lines):
        page.insert_text((72, 90 + 24 * number), line)
    return bytes(document.tobytes())
