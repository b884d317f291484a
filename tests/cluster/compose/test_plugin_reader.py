"""The example's reader where readers run: in a child of a real fork server, without files and without network."""

import io
import struct
import sys
import venv
import zlib
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from quire.actors.reading.read_document import DocumentReader
from quire.actors.sandbox.limits import SandboxLimits
from quire.cluster.compose.plugins import load_plugins
from quire.models.cdom.original import ReadOptions

EXAMPLE = Path(__file__).parents[3] / "docs" / "examples" / "plugin"
NOSY = """
import socket
from quire_png_text import PngText

def open_png(data, options):
    if b"read" in data:
        open("/etc/passwd")
    if b"call" in data:
        socket.create_connection(("127.0.0.1", 9))
    return PngText(data)
"""


def png(**fields: str) -> bytes:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    texts = b"".join(chunk(b"tEXt", f"{key}\0{text}".encode("latin-1")) for key, text in fields.items())
    header = struct.pack(">IIBBBBB", 40, 20, 8, 0, 0, 0, 0)
    pixels = zlib.compress(b"\0" * 41 * 20)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + texts + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An environment with everything of ours and the example in it, as `pip install` would leave it."""
    venv.create(tmp_path / "venv", with_pip=False, symlinks=True)
    (site,) = (tmp_path / "venv").glob("lib/python*/site-packages")
    (site / "ours.pth").write_text("\n".join(path for path in sys.path if path.endswith("site-packages")))
    for module in EXAMPLE.glob("*.py"):
        (site / module.name).write_text(module.read_text())
    (site / "quire_nosy.py").write_text(NOSY)
    for folder in (tmp_path, tmp_path.parent, tmp_path.parent.parent):
        folder.chmod(folder.stat().st_mode | 0o055)  # the sandbox's own user imports modules too
    monkeypatch.setattr(sys, "executable", str(tmp_path / "venv" / "bin" / "python"))
    monkeypatch.syspath_prepend(site)
    yield site
    for name in ("quire_png_text", "quire_nosy"):
        sys.modules.pop(name, None)


def reader_of(target: str) -> DocumentReader:
    plugins = load_plugins(["png"], [EntryPoint("png", target, "quire.readers")])
    reader = DocumentReader(SandboxLimits(readers=plugins.readers))
    reader.start()
    return reader


def test_a_plugins_reader_reads_in_the_sandbox(installed: Path) -> None:
    reader = reader_of("quire_png_text:open_png")
    try:
        outcome = reader.read(io.BytesIO(png(Title="Harbour", Author="Ann")), ReadOptions())
        assert outcome.error is None, outcome.detail
        assert outcome.tree is not None
        assert [block.text for block in outcome.tree.blocks] == ["Title: Harbour", "Author: Ann"]
        assert outcome.tree.blocks[0].provenance.engine == "png-text"
        assert reader.read(io.BytesIO(b"\x89PNG\r\n\x1a\n" + b"\0" * 40), ReadOptions()).error == "malformed"
    finally:
        reader.close()


@pytest.mark.parametrize("act", ["read", "call"])
def test_a_plugins_reader_can_neither_open_files_nor_call_anybody(installed: Path, act: str) -> None:
    reader = reader_of("quire_nosy:open_png")
    try:
        assert reader.read(io.BytesIO(png(Title="fine")), ReadOptions()).error is None
        outcome = reader.read(io.BytesIO(png(Title=act)), ReadOptions())
        assert outcome.tree is None
        assert outcome.error is not None
        assert reader.read(io.BytesIO(png(Title="fine")), ReadOptions()).error is None
    finally:
        reader.close()
