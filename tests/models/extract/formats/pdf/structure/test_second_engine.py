"""Pages that MuPDF refuses, finds empty or reports errors on: pdfium's words are used, or the page is not complete."""

import random
import zlib
from collections.abc import Callable

import pytest

from quire.actors.sandbox.warmup import _write_pdf as write_pdf
from quire.models.cdom.errors import ErrorCode
from quire.models.cdom.original import OcrMode, ReadOptions
from quire.models.cdom.tree import PageStatus, Tree
from quire.models.extract.formats.pdf.engine import pymupdf
from quire.models.extract.formats.pdf.structure.referee import VERSION, Referee
from quire.models.extract.pipeline import pdf as pdf_document
from quire.models.extract.registry import open_document
from tests.models.extract.formats.pdf.paper import LOREM, Paper, read_tree
from tests.models.extract.passes import find_pass

WORDS = LOREM.replace(".", "").split()
FLATE = b"/Filter /FlateDecode"


def make_file(content: bytes, filters: bytes = b"", contents: bytes = b"4 0 R") -> bytes:
    """A page with this content stream."""
    return write_pdf(
        (
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %s"
            b" /Resources << /Font << /F1 5 0 R >> >> >>" % contents,
            b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(content), filters, content),
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        )
    )


def make_text(seed: int) -> tuple[list[str], bytes]:
    """Lines of words, and a content stream that shows them."""
    chance = random.Random(seed)
    lines = [" ".join(chance.choices(WORDS, k=7)) for _ in range(chance.randint(3, 30))]
    shown = "".join(f"BT /F1 9 Tf 60 {740 - 20 * row} Td ({line}) Tj ET\n" for row, line in enumerate(lines))
    return lines, shown.encode()


def read(data: bytes) -> Tree:
    return read_tree(data, ocr=OcrMode.NEVER)


def words_of(tree: Tree) -> list[str]:
    return " ".join(block.text for block in tree.blocks).split()


UNREAD: dict[str, Callable[[bytes], bytes]] = {
    "says-compressed-but-is-not": lambda text: make_file(text, FLATE),
    "odd-hexadecimal-digit": lambda text: make_file(b"zz" + text.hex().encode() + b">", b"/Filter /ASCIIHexDecode"),
    "dictionary-left-open": lambda text: make_file(b"<< /open " + text),
}  # fmt: skip


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("damage", UNREAD)
def test_words_of_the_second_engine_are_used_and_named(damage: str, seed: int) -> None:
    lines, text = make_text(seed)
    tree = read(UNREAD[damage](text))
    assert sorted(words_of(tree)) == sorted(" ".join(lines).split())
    assert {(block.provenance.engine, block.provenance.version) for block in tree.blocks} == {("pdfium", VERSION)}
    assert ("second-engine", 1) in [(warning.code, warning.page) for warning in tree.warnings]


LOST: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "cut": lambda packed, chance: make_file(packed[: chance.randint(8, len(packed) - 8)], FLATE),
    "changed": lambda packed, chance: make_file(change_bytes(packed, chance), FLATE),
    "no-head": lambda packed, chance: make_file(packed[2:], FLATE),
    "part-missing": lambda packed, chance: make_file(packed, FLATE, b"[4 0 R 9 0 R]"),
    "missing": lambda packed, chance: make_file(packed, FLATE, b"9 0 R"),
}


def change_bytes(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for place in chance.sample(range(2, len(data) - 4), 3):
        changed[place] ^= chance.randint(1, 255)
    return bytes(changed)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("damage", LOST)
def test_page_with_damaged_content_is_not_complete(damage: str, seed: int) -> None:
    _, text = make_text(seed)
    tree = read(LOST[damage](zlib.compress(text), random.Random(seed)))
    assert tree.coverage is not None
    assert not tree.coverage.complete
    assert ("damaged", 1) in [(warning.code, warning.page) for warning in tree.warnings]
    assert tree.coverage.unknown == (1,)


WHOLE: dict[str, Callable[[bytes], bytes]] = {
    "plain": make_file,
    "packed": lambda text: make_file(zlib.compress(text), FLATE),
    "without-checksum": lambda text: make_file(zlib.compress(text)[:-4], FLATE),
    "flushed": lambda text: make_file(flush(text), FLATE),
    "unknown-operator": lambda text: make_file(b"1 2 what " + text),
    "too-many-restores": lambda text: make_file(b"Q Q Q " + text),
    "blank": lambda text: make_file(b"\n \n"),
    "blank-packed": lambda text: make_file(zlib.compress(b"\n" * 200), FLATE),
    "no-contents": lambda text: make_file(b"", b"", b"null"),
}


def flush(text: bytes) -> bytes:
    packer = zlib.compressobj()
    return packer.compress(text) + packer.flush(zlib.Z_SYNC_FLUSH)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", WHOLE)
def test_page_with_all_its_content_is_complete(kind: str, seed: int) -> None:
    lines, text = make_text(seed)
    tree = read(WHOLE[kind](text))
    assert tree.coverage is not None
    assert (tree.coverage.complete, tree.warnings) == (True, ())
    assert words_of(tree) == ([] if kind in ("blank", "blank-packed", "no-contents") else " ".join(lines).split())


def test_good_pages_do_not_ask_the_second_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Referee, "read_page", None)
    paper = Paper()
    paper.prose(50, 50, 5)
    assert paper.read().warnings == ()


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_second_engine_places_words_as_the_first(rotation: int, monkeypatch: pytest.MonkeyPatch) -> None:
    paper = Paper()
    paper.prose(50, 50, 5)
    paper.page.set_rotation(rotation)
    data = paper.save()
    (first,) = read(data).blocks
    monkeypatch.setattr(find_pass("text"), "function", refuse)
    (second,) = read(data).blocks
    assert second.text == first.text
    assert first.bbox is not None
    assert second.bbox is not None
    assert max(abs(a - b) for a, b in zip(first.bbox, second.bbox, strict=True)) < 5


def refuse(*args: object, **kwargs: object) -> object:
    return pymupdf.open(stream=b"", filetype="pdf")


def test_second_engine_reads_only_visible_words_on_the_page(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(find_pass("text"), "function", refuse)
    hidden = b"BT /F1 9 Tf 3 Tr 60 500 Td (hidden) Tj ET BT /F1 9 Tf 0 Tr 60 -90 Td (outside) Tj ET "
    assert words_of(read(make_file(hidden + b"BT /F1 9 Tf 60 700 Td (shown) Tj ET"))) == ["shown"]


def test_page_without_words_that_the_first_engine_refuses_is_not_complete(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find_pass("text"), "function", refuse)
    tree = read(make_file(b"0 0 100 100 re f"))
    assert tree.coverage is not None
    assert (tree.coverage.complete, tree.pages[0].status) == (False, PageStatus.OK)


def test_file_that_only_the_second_engine_opens_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    data = make_file(make_text(1)[1])
    open_engine, asked = pdf_document._open_engine, []

    def refuse_first(stream: bytes, password: str | None) -> object:
        asked.append(stream)
        return refuse() if stream == data else open_engine(stream, password)

    monkeypatch.setattr(pdf_document, "_open_engine", lambda *given: call_as_engine(refuse_first, *given))
    monkeypatch.setattr(pdf_document, "repair", lambda _: None)
    tree = read(data)
    assert words_of(tree)[:1] == make_text(1)[0][0].split()[:1]
    assert "repaired" in [warning.code for warning in tree.warnings]


def call_as_engine(step: Callable[..., object], *given: object) -> object:
    try:
        return step(*given)
    except Exception as error:
        raise pdf_document._as_extract_error(error) from error


def test_compression_bomb_is_not_given_to_the_second_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(Referee, "read_page", lambda _, number: asked.append(number))
    packer = zlib.compressobj(9)
    packed = b"".join(packer.compress(bytes(1 << 20)) for _ in range(300)) + packer.flush()
    content = open_document(make_file(packed, FLATE), ReadOptions()).read_page(1).content
    assert (content.error, asked) == (ErrorCode.MALFORMED, [])
