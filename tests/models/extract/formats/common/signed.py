"""Makes signed files (PKCS #7) without certificates: the readers do not check signatures."""

OID_SIGNED = b"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02"
OID_DATA = b"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x01"
OID_ENVELOPED = b"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x03"


def element(tag: int, content: bytes) -> bytes:
    size = len(content)
    if size < 128:
        return bytes([tag, size]) + content
    length = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 | len(length)]) + length + content


def open_ended(tag: int, content: bytes) -> bytes:
    """An element without a length, which an end mark ends."""
    return bytes([tag, 0x80]) + content + b"\0\0"


def signed(content: bytes | None, *, pieces: int = 0) -> bytes:
    """Signed data; with `pieces` in the form of programs that write while they read."""
    make = open_ended if pieces else element
    octets = b""
    if content is not None and pieces:
        size = -(-len(content) // pieces)
        parts = [element(0x04, content[start : start + size]) for start in range(0, len(content), size)]
        octets = make(0xA0, open_ended(0x24, b"".join(parts)))
    elif content is not None:
        octets = element(0xA0, element(0x04, content))
    digests = element(0x31, element(0x30, b"\x06\x05\x2b\x0e\x03\x02\x1a"))
    inner = make(0x30, element(0x02, b"\x01") + digests + make(0x30, OID_DATA + octets) + element(0x31, b""))
    return make(0x30, OID_SIGNED + make(0xA0, inner))
