"""Documents for the chaos run: made from a seed, so the ledger knows how many pages each one has."""

import random
from dataclasses import dataclass

import pymupdf

WORDS = ["ledger", "lease", "fence", "claim", "beat", "publish", "page", "block", "order", "table", "tenant", "queue"]


@dataclass(frozen=True, slots=True)
class Paper:
    """One PDF with a known page count; `name` is unique in the run."""

    name: str
    pages: int
    data: bytes


def make_paper(seed: int, number: int, *, pages: int) -> Paper:
    """A born-digital PDF of `pages` pages of seeded words, about 3,000 characters a page."""
    rng = random.Random(f"{seed}/{number}")
    document = pymupdf.open()
    for page_number in range(1, pages + 1):
        page = document.new_page()
        text = f"Paper {number}, page {page_number}. " + " ".join(rng.choices(WORDS, k=450))
        page.insert_textbox(pymupdf.Rect(50, 50, 545, 792), text, fontsize=10)
    data = document.tobytes(no_new_id=True)
    document.close()
    return Paper(f"paper-{number:04}.pdf", pages, data)


def make_papers(seed: int, count: int) -> list[Paper]:
    """Mostly short papers, every eighth one of 30 to 60 pages: long enough to be caught in the act.

    Not longer: at a fault every second a document that reads for seconds is rightly charged three starts.
    """
    rng = random.Random(seed)
    return [make_paper(seed, n, pages=rng.randint(30, 60) if n % 8 == 0 else rng.randint(1, 6)) for n in range(count)]
