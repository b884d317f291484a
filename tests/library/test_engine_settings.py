"""What a program has set in PyMuPDF before the reader is imported does not change a tree."""

import random
import subprocess
import sys
from pathlib import Path

import pymupdf
import pytest

from quire.models.cdom.original import ReadOptions
from quire.models.extract.contract import dump_page
from quire.models.extract.formats.pdf import engine
from quire.models.extract.registry import open_document

ROOT = Path(__file__).resolve().parents[2]
TOOLS = engine.pymupdf.TOOLS
SETTINGS = {
    TOOLS.unset_quad_corrections: True, TOOLS.set_small_glyph_heights: True, TOOLS.set_subset_fontnames: True,
    TOOLS.set_low_memory: True, TOOLS.set_aa_level: 0, TOOLS.set_graphics_min_line_width: 3.0, TOOLS.set_icc: 0,
}  # fmt: skip


def read(data: bytes) -> tuple[list[bytes], bytes]:
    """Return the contents of all pages, and a picture of the first."""
    document = open_document(data, ReadOptions())
    contents = [dump_page(document.read_page(number).content) for number in document.facts.page_numbers]
    drawn = document.render_page(1, 40).png
    document.close()
    return contents, drawn


@pytest.fixture(scope="module")
def data() -> bytes:
    """A page of fonts whose boxes the settings change."""
    with pymupdf.open() as document:
        page = document.new_page()
        for place, font in enumerate(("helv", "tiro", "cour", "symb", "zadb", "china-s", "japan", "korea")):
            page.insert_text((72, 72 + 40 * place), "Crane 3 needs new brakes", fontname=font, fontsize=8 + 2 * place)
        written: bytes = document.tobytes()
    return written


@pytest.fixture(scope="module")
def untouched(data: bytes) -> tuple[list[bytes], bytes]:
    return read(data)


@pytest.mark.parametrize("seed", range(20))
def test_import_of_the_engine_undoes_settings(seed: int, data: bytes, untouched: tuple[list[bytes], bytes]) -> None:
    chosen = random.Random(seed).sample(list(SETTINGS), k=1 + seed % 4)
    try:
        for change in chosen:
            change(SETTINGS[change])
    finally:
        engine._reset_settings(TOOLS)
    assert read(data) == untouched


def test_program_that_imported_the_layout_model_gets_the_same_settings() -> None:
    program = (
        "import sys\nif sys.argv[1:]: import pymupdf, pymupdf4llm\n"
        "from quire.models.extract.formats.pdf.engine import pymupdf\ntools = pymupdf.TOOLS\n"
        "print(tools.show_aa_level(), bool(tools.unset_quad_corrections()), bool(tools.set_small_glyph_heights()))\n"
    )
    shown = [
        subprocess.run([sys.executable, "-c", program, *more], cwd=ROOT, capture_output=True, text=True, timeout=120)
        for more in ([], ["layout"])
    ]
    assert shown[0].stdout == shown[1].stdout != "", shown[1].stderr
