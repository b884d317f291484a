"""The sandbox changes nothing: one small file per reader gives the same tree inside as outside."""

import io
import subprocess
import sys
from pathlib import Path

import docx
import pymupdf
import pytest
from PIL import Image

from quire.actors.reading.forkserver import _ROOT
from quire.actors.reading.original import borrow_descriptor, identify
from quire.actors.reading.pending_ocr import PendingOcr
from quire.actors.reading.read_document import DocumentReader
from quire.actors.sandbox.assemble_document import finish_tree
from quire.actors.sandbox.limits import SandboxLimits
from quire.models.cdom.original import ReadOptions
from quire.models.cdom.tree import dump_tree
from quire.models.extract.contract import dump_page
from quire.models.extract.registry import open_document


def make_pdf() -> bytes:
    with pymupdf.open() as document:
        for number in range(3):
            page = document.new_page()
            page.insert_text((72, 72), f"Heading {number}", fontsize=20)
            page.insert_text((72, 120), "Words of a paragraph, naïve and plain — ﬁne.", fontsize=10)
            page.draw_rect((72, 200, 300, 300))
            page.insert_link(
                {"kind": pymupdf.LINK_URI, "from": pymupdf.Rect(72, 60, 200, 80), "uri": "https://example.org"}
            )
        data: bytes = document.tobytes()
    return data


def make_docx() -> bytes:
    document = docx.Document()
    document.add_heading("Heading", 1)
    document.add_paragraph("Words of a paragraph.", style="List Bullet")
    document.add_table(2, 2).cell(0, 0).text = "cell"
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def make_image(kind: str) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (120, 80), "white").save(out, kind)
    return out.getvalue()


SAMPLES = {"pdf": make_pdf, "docx": make_docx} | {
    kind: (lambda kind=kind: make_image(kind)) for kind in ("png", "jpeg", "gif", "bmp", "webp", "tiff")
}


@pytest.mark.parametrize("kind", sorted(SAMPLES))
def test_a_read_inside_equals_the_read_outside(kind: str) -> None:
    data, options = SAMPLES[kind](), ReadOptions()
    reader = DocumentReader(SandboxLimits())
    inside = reader.read_until_pixels(io.BytesIO(data), options)
    reader.close()
    document = open_document(data, options)
    reads = [document.read_page(number) for number in document.facts.page_numbers]
    contents = [read.content for read in reads]
    if isinstance(inside, PendingOcr):
        assert [dump_page(content) for content in inside.contents] == [dump_page(content) for content in contents]
        assert list(inside.pixels) == [read.pixels for read in reads if read.pixels]
        inside.pixels.close()
        return
    with borrow_descriptor(io.BytesIO(data)) as descriptor:
        source = identify(descriptor)
    tree = finish_tree(document.facts, contents, source=source, options=options)
    assert inside.error is None, inside.detail
    assert inside.tree_json == dump_tree(tree)


def test_reading_imports_nothing_that_the_server_has_not_imported(tmp_path: Path) -> None:
    for kind, make in SAMPLES.items():
        (tmp_path / kind).write_bytes(make())
    code = f"""
import sys
sys.path.insert(0, {_ROOT!r})
from quire.actors.sandbox.server import UNWANTED
for name in UNWANTED: sys.modules[name] = None
from quire.models.extract.pipeline.preload import preload
preload()
from quire.actors.sandbox import child
samples = [open(path, "rb").read() for path in sys.argv[1:]]
before = set(sys.modules)
from quire.models.cdom.original import ReadOptions
from quire.models.extract.registry import open_document
from quire.actors.sandbox.assemble_document import finish_tree
from quire.models.cdom.tree import Source, dump_tree
for sample in samples:
    document = open_document(sample, ReadOptions())
    pages = [document.read_page(n).content for n in document.facts.page_numbers]
    source = Source(format=document.facts.format.value, sha256="", bytes=0)
    dump_tree(finish_tree(document.facts, pages, source=source, options=ReadOptions()))
print(sorted(set(sys.modules) - before))
"""
    samples = sorted(map(str, tmp_path.iterdir()))
    done = subprocess.run([sys.executable, "-I", "-c", code, *samples], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
