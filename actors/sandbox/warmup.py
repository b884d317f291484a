"""Reads a tiny document of our own a few times in the server, before anything is locked down.

Code that has run is specialised by the interpreter and its pages are faulted in; every child inherits that. Measured on
90 one-page PDFs: 25 instead of 33 CPU ms per document in a fresh child, for about 0.1 s at the start.
"""

import array
import contextlib
import os
import socket

from actors.sandbox.assemble_document import finish_tree, read_again
from actors.sandbox.child import OPERATIONS, Channel, ChannelSession
from actors.sandbox.frames import encode
from actors.sandbox.heap import fill_pools, pack_code
from actors.sandbox.library_text import use_huge_text
from actors.sandbox.limits import SandboxLimits
from actors.sandbox.lockdown import IS_LINUX
from actors.sandbox.messages import OPTIONS, SOURCE
from models.cdom.original import ReadOptions
from models.cdom.ports import PageMark
from models.cdom.tree import Source, dump_tree
from models.extract.contract import dump_facts, dump_page
from models.extract.registry import open_document

_CALLED_LOCKED = frozenset(
    f"actors.sandbox.{name}" for name in ("child", "frames", "landlock", "lockdown", "prctl", "seccomp")
)
"""Modules whose functions a child calls and the sample does not: those that lock it down."""
_CALLED_BY_THE_SERVER = frozenset(("actors.sandbox.server", "socket"))
"""Those that its loop calls, while children live."""
_ROUNDS = 8  # times the sample is read, so that code a first read would still load is loaded
_WORDS = "Plain words that fill a line of this paragraph from one side to the other."


def warm_up(*, once: bool = False) -> None:
    """Raises when our own document cannot be read. `once`: for a server that reads a few files and redacts none."""
    data = make_sample()
    if once:
        _read(data)
        return
    read = _converse if IS_LINUX else _read
    fill_pools()
    pack_code(lambda: read(data), beside=_CALLED_LOCKED | _CALLED_BY_THE_SERVER)
    for _ in range(_ROUNDS):
        read(data)
    use_huge_text(lambda: read(data))
    _redact(data)


def _read(data: bytes) -> None:
    options, source = ReadOptions(), Source(format="pdf", sha256="", bytes=len(data))
    document = open_document(data, options)
    dump_facts(document.facts)
    contents = [document.read_page(number).content for number in document.facts.page_numbers]
    for content in contents:
        dump_page(content)
    dump_tree(finish_tree(document.facts, contents, source=source, options=options))
    document.close()


def _converse(data: bytes) -> None:
    """As a child reads it: requests over a channel, frames back, which lie there until it is closed."""
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)  # an answer that has no room raises
    source = Source(format="", sha256="", bytes=len(data))
    opening = {"kind": "open", "options": OPTIONS.dump_json(ReadOptions()), "size": len(data), "more": 1}
    reading = {"kind": "read", "source": SOURCE.dump_json(source), "draw": 1}
    original = os.memfd_create("sample")
    os.write(original, data)
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [original]))]
    ours.sendmsg([encode(opening) + encode(reading)], rights)
    os.close(original)
    session = _Unlimited(Channel(theirs.detach()), SandboxLimits())
    with ours, contextlib.closing(session.channel):
        for _ in (opening, reading):
            request = session.channel.next()
            OPERATIONS[request.kind](session, request)


class _Unlimited(ChannelSession):
    """A document in the server itself, whose CPU time nobody limits."""

    def grant(self, seconds: int) -> None:
        return


def _redact(data: bytes) -> None:
    """Once, so that everything redaction imports lazily is here before the files are gone."""
    from models.pii.flag import flag_tree
    from models.pii.patterns.kind_patterns import RegexDetector
    from models.redaction.pdf.boxes import find_boxes
    from models.redaction.redact import load_all, redact_original

    tree = flag_tree(read_again(data), RegexDetector())
    redact_original(data, tree, {}, read_again)
    find_boxes(data, 1, [PageMark((0.0, 0.0, 612.0, 792.0), _WORDS, ((0, 5),))])
    load_all()


def make_sample() -> bytes:
    """One page: a heading, two columns of text, a list, a ruled table."""
    page = "\n".join((*_texts(), *_rules())).encode()
    objects = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R /F2 6 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(page), page),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold >>",
    )
    return _write_pdf(objects)


def _texts() -> list[str]:
    texts = [_text("F2", 18, 72, 730, "1 A heading, jane@example.com, GB82 WEST 1234 5698 7654 32")]
    texts += [_text("F1", 6, x, 700 - 9 * line, _WORDS) for x in (72, 320) for line in range(20)]
    texts += [_text("F1", 10, 72, 480 - 14 * item, f"- item {item} of a list") for item in range(4)]
    texts += [_text("F1", 10, 80 + 120 * c, 385 - 20 * r, f"cell {r}.{c}") for r in range(4) for c in range(3)]
    return texts


def _text(font: str, size: int, x: int, y: int, text: str) -> str:
    return f"BT /{font} {size} Tf {x} {y} Td ({text}) Tj ET"


def _rules() -> list[str]:
    across = [f"72 {400 - 20 * row} m 432 {400 - 20 * row} l S" for row in range(5)]
    return across + [f"{72 + 120 * column} 400 m {72 + 120 * column} 320 l S" for column in range(4)]


def _write_pdf(objects: tuple[bytes, ...]) -> bytes:
    out = bytearray(b"%PDF-1.4\n")
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(out)
