"""Small PDFs that are large, endless, broken or locked inside; made here, byte by byte."""

import zlib
from collections.abc import Mapping

import pymupdf

TEXT = b"BT /F1 12 Tf 72 700 Td (Hello hostile world) Tj ET"


def build_pdf(objects: Mapping[int, bytes], *, trailer: bytes = b"/Root 1 0 R", xref: bool = True) -> bytes:
    """A PDF of these numbered objects; without `xref` the table is left out."""
    out = bytearray(b"%PDF-1.5\n")
    offsets: dict[int, int] = {}
    for number, body in objects.items():
        offsets[number] = len(out)
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    size = max(objects) + 1
    if xref:
        out += b"xref\n0 %d\n0000000000 65535 f \n" % size
        for number in range(1, size):
            out += b"%010d 00000 %s \n" % (offsets.get(number, 0), b"n" if number in offsets else b"f")
    out += b"trailer\n<< /Size %d %s >>\nstartxref\n%d\n%%%%EOF\n" % (size, trailer, start if xref else 0)
    return bytes(out)


def stream(data: bytes, extra: bytes = b"") -> bytes:
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(data), extra, data)


def deflated(data: bytes, times: int = 1, extra: bytes = b"") -> bytes:
    """A stream compressed `times` times."""
    for _ in range(times):
        data = zlib.compress(data, 9)
    return stream(data, b"/Filter [%s] %s" % (b"/FlateDecode " * times, extra))


def one_page(
    content: bytes,
    *,
    box: bytes = b"[0 0 612 792]",
    resources: bytes = b"",
    more: Mapping[int, bytes] | None = None,
) -> bytes:
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox %s /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> %s >> >>"
    return build_pdf(
        {
            1: b"<< /Type /Catalog /Pages 2 0 R >>",
            2: b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            3: page % (box, resources),
            4: content,
            5: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            **(more or {}),
        }
    )


def good() -> bytes:
    return one_page(stream(TEXT))


def content_bomb(megabytes: int = 400) -> bytes:
    """About two kilobytes that inflate twice to hundreds of megabytes of text operators."""
    line = b"(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa) Tj 0 -1 Td "
    text = b"BT /F1 8 Tf 0 700 Td " + line * ((megabytes << 20) // len(line)) + b"ET"
    return one_page(deflated(text, times=2))


def form_bomb(levels: int = 9, fan_out: int = 10) -> bytes:
    """Forms that draw ten forms each, nine levels deep."""
    first = 10
    forms: dict[int, bytes] = {}
    for level in range(levels):
        inner = b"/X0 Do " * fan_out if level < levels - 1 else b"q Q"
        resources = b"/XObject << /X0 %d 0 R >>" % (first + min(level + 1, levels - 1))
        head = b"/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << %s >>" % resources
        forms[first + level] = stream(inner, head)
    return one_page(stream(b"/X0 Do"), resources=b"/XObject << /X0 %d 0 R >>" % first, more=forms)


def many_pages(count: int = 100_000) -> bytes:
    """Real pages in object streams: a megabyte of them."""
    per_stream, first = 5000, 10
    objects: dict[int, bytes] = {1: b"<< /Type /Catalog /Pages 2 0 R >>"}
    places: dict[int, tuple[int, int]] = {}
    kids = b" ".join(b"%d 0 R" % (first + n) for n in range(count))
    objects[2] = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (count, kids)
    number = first + count
    for start in range(0, count, per_stream):
        numbers = range(first + start, first + min(start + per_stream, count))
        page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>> "
        index = b" ".join(b"%d %d" % (n, k * len(page)) for k, n in enumerate(numbers)) + b" "
        extra = b"/Type /ObjStm /N %d /First %d" % (len(numbers), len(index))
        objects[number] = deflated(index + page * len(numbers), extra=extra)
        places.update({n: (number, k) for k, n in enumerate(numbers)})
        number += 1
    return _with_xref_stream(objects, places, number)


def _with_xref_stream(objects: Mapping[int, bytes], places: Mapping[int, tuple[int, int]], own: int) -> bytes:
    out = bytearray(b"%PDF-1.5\n")
    offsets: dict[int, int] = {}
    for number, body in objects.items():
        offsets[number] = len(out)
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    offsets[own] = len(out)
    rows = bytearray()
    for number in range(own + 1):
        row = (2, *places[number]) if number in places else (int(number in offsets), offsets.get(number, 0), 0)
        rows += row[0].to_bytes(1, "big") + row[1].to_bytes(4, "big") + row[2].to_bytes(2, "big")
    extra = b"/Type /XRef /W [1 4 2] /Size %d /Root 1 0 R" % (own + 1)
    out += b"%d 0 obj\n%s\nendobj\nstartxref\n%d\n%%%%EOF\n" % (own, deflated(bytes(rows), extra=extra), offsets[own])
    return bytes(out)


def count_lie() -> bytes:
    return good().replace(b"/Count 1 >>", b"/Count 2147483647 >>")


def kids_cycle() -> bytes:
    return build_pdf({1: b"<< /Type /Catalog /Pages 2 0 R >>", 2: b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2 >>"})


def deep_arrays(depth: int = 200_000) -> bytes:
    return one_page(stream(TEXT), resources=b"/Deep " + b"[" * depth + b"]" * depth)


def huge_box() -> bytes:
    return one_page(stream(TEXT), box=b"[0 0 2000000 2000000]")


def truncated() -> bytes:
    whole = good()
    return whole[: len(whole) // 2]


def without_xref() -> bytes:
    objects = {1: b"<< /Type /Catalog /Pages 2 0 R >>", 2: b"<< /Type /Pages /Kids [] /Count 0 >>"}
    return build_pdf(objects, xref=False)


def recoverable_without_xref() -> bytes:
    whole = good()
    return whole[: whole.index(b"xref\n")]


def xref_loop() -> bytes:
    whole = good()
    start = whole.index(b"xref\n")
    return whole.replace(b"/Root 1 0 R", b"/Root 1 0 R /Prev %d" % start)


def nested_states(count: int = 500_000) -> bytes:
    return one_page(deflated(b"q " * count + TEXT))


def outline_cycle() -> bytes:
    root = b"/Type /Catalog /Outlines 6 0 R"
    outline = b"6 0 obj\n<< /First 7 0 R /Last 7 0 R >>\nendobj\n"
    entry = b"7 0 obj\n<< /Title (a) /Next 7 0 R /First 6 0 R >>\nendobj\n"
    return good().replace(b"/Type /Catalog", root).replace(b"5 0 obj", outline + entry + b"5 0 obj")


def encrypted(user: str) -> bytes:
    """AES-256; `user` is what opens it, empty opens without asking."""
    with pymupdf.open() as document:
        document.new_page().insert_text((72, 72), "Hello hostile world")
        data: bytes = document.tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, owner_pw="owner", user_pw=user)
    return data
