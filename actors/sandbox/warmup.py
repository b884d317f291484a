"""Reads a small sample in the fork server before it is locked down, so that children inherit all lazy imports."""

from quire.actors.sandbox.assemble_document import finish_tree, read_again
from quire.models.cdom.original import ReadOptions
from quire.models.cdom.ports import PageMark
from quire.models.cdom.tree import Source, dump_tree
from quire.models.extract.contract import dump_facts, dump_page
from quire.models.extract.registry import open_document

_WORDS = "Plain words that fill a line of this paragraph from one side to the other."


def warm_up(*, redact: bool = True) -> None:
    """Read the sample and redact it; raise what reading it raises.

    Args:
        redact: False for a server that reads a few files and redacts none.
    """
    data = make_sample()
    _read(data)
    if redact:
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


def _redact(data: bytes) -> None:
    """Once, so that everything redaction imports lazily is here before the files are gone."""
    from quire.models.pii.flagging.flag import flag_tree
    from quire.models.pii.patterns.kind_patterns import RegexDetector
    from quire.models.redaction.pdf.boxes import find_boxes
    from quire.models.redaction.redact import load_all, redact_original

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
