"""Documents that the repository has or makes: flowing formats, statements, difficult page layouts, and the sample."""

import random
from pathlib import Path

from tests.actors.sandbox.test_every_format import FILES
from tests.golden.trees import FOLDER
from tests.lab.bench.reading.bench_accounts import STYLES, make_statement
from tests.lab.bench.reading.bench_order import KINDS, OrderPage
from tests.models.extract.formats.pdf.test_golden import DOCUMENTS, SAMPLE
from tests.models.extract.formats.word.docx.test_golden import written_by_a_library, written_by_hand

STATEMENT_PAGES = 2
"""Pages of each made statement, so that one of them begins with rows of a table that goes on."""


def make_documents() -> dict[str, bytes]:
    """Return the documents by name; the same names have the same trees in every run."""
    stored = {path.name: path.read_bytes() for path in (SAMPLE, Path(FOLDER / "pdf" / "formulas.pdf"))}
    papers = {f"{name}.pdf": make().save() for name, make in DOCUMENTS.items()}
    words = {"library.docx": written_by_a_library(), "hand.docx": written_by_hand()}
    statements = {f"statement {style}": make_statement(1, style, STATEMENT_PAGES).data for style in STYLES}
    layouts = {f"layout {kind}": _make_layout(kind) for kind in KINDS}
    flowing = {f"flowing {name}": data for name, data in FILES.items()}
    return stored | papers | words | statements | layouts | flowing


def _make_layout(kind: str) -> bytes:
    page = OrderPage(random.Random(f"{kind} golden"))
    KINDS[kind](page)
    return page.save()
