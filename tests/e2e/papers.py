"""Documents for end-to-end tests: small ones, and ones that take a moment to read."""

import pymupdf


def paper(pages: int = 1, mark: str = "paper") -> bytes:
    """A born-digital PDF; different marks give different bytes."""
    document = pymupdf.open()
    for number in range(pages):
        page = document.new_page()
        lines = [f"{mark} page {number} line {line} of the harbour report" for line in range(40)]
        page.insert_text((72, 72), lines)
    return bytes(document.tobytes())


def scan(pages: int = 1, *, born_digital: int = 0, mark: str = "scan") -> bytes:
    """A PDF whose last `pages` pages are pictures of text; `mark` makes the bytes differ."""
    document = pymupdf.open("pdf", paper(born_digital, mark)) if born_digital else pymupdf.open()
    for number in range(pages):
        drawn = pymupdf.open()
        page = drawn.new_page()
        page.insert_text((72, 120), ["HARBOUR CRANE REPORT", f"{mark} page {number}", "Wind 12 knots"], fontsize=24)
        picture = page.get_pixmap(dpi=110).tobytes("jpeg")
        shown = document.new_page()
        shown.insert_image(shown.rect, stream=picture)
    return bytes(document.tobytes())
