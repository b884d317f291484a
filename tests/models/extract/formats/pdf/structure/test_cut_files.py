"""Cut and repaired PDFs of several makers: a file of which content is missing is never complete, a whole one is."""

import io
import random
from collections.abc import Callable
from typing import Any

import pikepdf
import pytest

from quire.models.cdom.errors import ExtractError
from quire.models.cdom.original import OcrMode
from quire.models.cdom.tree import Tree
from quire.models.extract.formats.pdf.engine import pymupdf
from tests.models.extract.formats.pdf.paper import LOREM, read_tree

CUTS = 20
WORDS = LOREM.replace(".", "").split()


def fill(file: Any, seed: int) -> Any:
    """One to six pages of words, some with a picture."""
    chance = random.Random(seed)
    for _ in range(chance.randint(1, 6)):
        page = file.new_page(width=400, height=500)
        for row in range(chance.randint(3, 20)):
            page.insert_text((40, 50 + 20 * row), " ".join(chance.choices(WORDS, k=6)), fontsize=10)
        if chance.random() < 0.3:
            pixels = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 30, 30), False)
            page.insert_image(pymupdf.Rect(200, 300, 300, 400), pixmap=pixels)
    return file


def write_plain(seed: int) -> bytes:
    return bytes(fill(pymupdf.open(), seed).tobytes())


def write_compressed(seed: int) -> bytes:
    return bytes(fill(pymupdf.open(), seed).tobytes(deflate=True, garbage=3, clean=True))


def write_with_object_streams(seed: int) -> bytes:
    return save_again(write_compressed(seed), object_stream_mode=pikepdf.ObjectStreamMode.generate)


def write_for_the_web(seed: int) -> bytes:
    return save_again(write_compressed(seed), linearize=True)


def write_unpacked(seed: int) -> bytes:
    return save_again(write_plain(seed), compress_streams=False, stream_decode_level=pikepdf.StreamDecodeLevel.all)


def write_increment(seed: int) -> bytes:
    """A file to which a second revision adds a line on its last page."""
    return append_revision(write_compressed(seed))


def append_revision(data: bytes) -> bytes:
    """Return the file with a new object and a table after its end, as an incremental update writes them."""
    with pikepdf.open(io.BytesIO(data)) as file:
        page, size, root = file.pages[-1].objgen[0], len(file.objects) + 1, file.Root.objgen[0]
        entry = file.pages[-1].obj.unparse(resolved=True)
        contents = file.pages[-1].Contents
        old = contents.unparse() if not isinstance(contents, pikepdf.Array) else contents.unparse()[1:-1]
    new = entry.replace(b"/Contents " + contents.unparse(), b"/Contents [ %s %d 0 R ]" % (old, size))
    start = data.rfind(b"startxref")
    previous = int(data[start + 9 :].split()[0])
    text = b"BT /helv 9 Tf 40 20 Td (%s) Tj ET" % b" ".join([b"added"] * 60)
    out = bytearray(data)
    offsets = {}
    for number, body in ((page, new), (size, b"<</Length %d>>stream\n%s\nendstream" % (len(text), text))):
        offsets[number] = len(out)
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = len(out)
    out += b"xref\n"
    for number, offset in offsets.items():
        out += b"%d 1\n%010d 00000 n \n" % (number, offset)
    out += b"trailer\n<</Size %d/Root %d 0 R/Prev %d>>\nstartxref\n%d\n%%%%EOF\n" % (size + 1, root, previous, table)
    return bytes(out)


def save_again(data: bytes, **options: object) -> bytes:
    written = io.BytesIO()
    with pikepdf.open(io.BytesIO(data)) as file:
        file.save(written, **options)  # type: ignore[arg-type]
    return written.getvalue()


MAKERS: tuple[Callable[[int], bytes], ...] = (
    write_plain,
    write_compressed,
    write_with_object_streams,
    write_for_the_web,
    write_unpacked,
    write_increment,
)


def read(data: bytes) -> Tree:
    return read_tree(data, ocr=OcrMode.NEVER)


def text_of(tree: Tree) -> str:
    return "\n".join(block.text for block in tree.blocks)


def is_reported(tree: Tree) -> bool:
    assert tree.coverage is not None
    return not tree.coverage.complete and (tree.describe_damage() or "").startswith("the file is cut off or damaged; ")


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("make", MAKERS)
def test_cut_file_is_refused_or_reported(make: Callable[[int], bytes], seed: int) -> None:
    data, chance = make(seed), random.Random(seed)
    whole = read(data)
    assert whole.coverage is not None
    assert (whole.coverage.complete, whole.warnings) == (True, ())
    wrong = []
    for part in range(CUTS):
        end = int(len(data) * (part + chance.random()) / CUTS)
        try:
            tree = read(data[:end])
        except ExtractError:
            continue
        if not is_reported(tree) and text_of(tree) != text_of(whole):
            wrong.append(end)
    assert wrong == []


def test_cut_file_says_how_many_pages_have_content() -> None:
    file = pymupdf.open()
    for number in range(3):
        file.new_page().insert_text((72, 100), f"page {number}")
    data = bytes(file.tobytes())
    third = data.rfind(b" 0 obj\n<</Length")
    tree = read(data[:third])
    assert tree.describe_damage() == "the file is cut off or damaged; 2 of 3 pages have content"


def zero_out(data: bytes) -> bytes:
    """Return a file of full length whose second half never arrived."""
    return data[: len(data) // 2] + bytes(len(data) - len(data) // 2)


def drop_block(data: bytes) -> bytes:
    """Return a file with a hole, as after a lost packet."""
    return data[: len(data) // 3] + data[len(data) // 3 + 700 :]


@pytest.mark.parametrize("damage", [zero_out, drop_block])
@pytest.mark.parametrize("seed", range(8))
def test_file_with_a_hole_is_refused_or_reported(damage: Callable[[bytes], bytes], seed: int) -> None:
    data = write_compressed(seed)
    try:
        tree = read(damage(data))
    except ExtractError:
        return
    assert is_reported(tree) or text_of(tree) == text_of(read(data))


def move_table(data: bytes) -> bytes:
    start = data.rfind(b"startxref")
    return data[:start] + b"startxref\n7\n%%EOF\n"


WHOLE: dict[str, Callable[[bytes], bytes]] = {
    "wrong-offsets": move_table,
    "text-before": lambda data: b"HTTP/1.1 200 OK\r\n\r\n" + data,
    "text-after": lambda data: data + b"<html>not of the file</html>" * 200,
    "zeros-after": lambda data: data + bytes(5000),
    "no-last-line-end": lambda data: data.rstrip(),
    "no-end-mark": lambda data: data[: data.rfind(b"%%EOF")],
    "line-ends-changed": lambda data: data[:9] + data[9:].replace(b"endobj\n", b"endobj\r\n"),
}


@pytest.mark.parametrize("change", WHOLE)
@pytest.mark.parametrize("make", [write_plain, write_compressed, write_with_object_streams])
def test_repaired_file_with_all_its_content_stays_complete(make: Callable[[int], bytes], change: str) -> None:
    data = make(3)
    tree = read(WHOLE[change](data))
    assert tree.coverage is not None
    assert (tree.coverage.complete, text_of(tree)) == (True, text_of(read(data)))
    assert tree.describe_damage() is None
