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
