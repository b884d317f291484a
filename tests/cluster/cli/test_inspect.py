"""`quire inspect`: boxes over a page, and what it says of broken files."""

import io
from pathlib import Path

from click.testing import CliRunner
from PIL import Image

from quire.cluster.cli.documents.inspect import COLORS, draw_blocks, inspect, list_blocks
from quire.models.cdom.ports import PageImage
from quire.models.cdom.tree import BlockType, Tree
from quire.models.extract.formats.pdf.engine import pymupdf
from tests.builders import make_block, make_tree


def methods_tree() -> Tree:
    heading = make_block(BlockType.HEADING, "Methods", level=1, bbox=(20, 40, 80, 60))
    return make_tree(heading, size=(100, 200))


def blank_page() -> PageImage:
    out = io.BytesIO()
    Image.new("RGB", (200, 400), "white").save(out, "PNG")
    return PageImage(png=out.getvalue(), width=100, height=200, page_count=1)


def test_every_type_of_block_has_a_colour() -> None:
    assert set(COLORS) == set(BlockType)


def test_frame_is_drawn_around_the_block() -> None:
    drawn = Image.open(io.BytesIO(draw_blocks(blank_page(), methods_tree(), 1, 144)))
    assert drawn.size == (200, 400)
    assert drawn.getpixel((40, 100)) == (0xD3, 0x2F, 0x2F)
    assert drawn.getpixel((100, 200)) == (255, 255, 255)


def test_blocks_are_listed_with_order_type_and_text() -> None:
    (line,) = list_blocks(methods_tree(), 1)
    assert line.split() == ["0", "heading", "20.0", "40.0", "80.0", "60.0", "Methods"]


def test_the_command_reads_in_the_sandbox_and_writes_a_picture(tmp_path: Path) -> None:
    document = pymupdf.open()
    document.new_page().insert_text((72, 72), "Hello from a page")
    source, out = tmp_path / "hello.pdf", tmp_path / "out.png"
    document.save(source)
    done = CliRunner().invoke(inspect, [str(source), "-o", str(out)])
    assert done.exit_code == 0, done.output
    assert "Hello from a page" in done.output
    with Image.open(out) as picture:
        assert picture.width > 500


def test_a_broken_file_ends_the_command_with_its_code(tmp_path: Path) -> None:
    source = tmp_path / "broken.pdf"
    source.write_bytes(b"%PDF-1.7\nnothing")
    done = CliRunner().invoke(inspect, [str(source), "-o", str(tmp_path / "out.png")])
    assert done.exit_code == 1
    assert "malformed" in done.output
