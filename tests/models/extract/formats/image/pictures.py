"""Picture files made on the spot, honest and hostile."""

import io
import struct
import zlib
from collections.abc import Sequence
from typing import Any

from PIL import Image


def encode(image: Image.Image, form: str, **options: Any) -> bytes:
    out = io.BytesIO()
    image.save(out, form, **options)
    return out.getvalue()


def corner(width: int = 60, height: int = 40, mode: str = "L") -> Image.Image:
    """Make a white picture with a black square in the top left corner, which shows how the picture was turned."""
    image = Image.new("L", (width, height), 255)
    image.paste(0, (0, 0, 10, 10))
    return image.convert(mode)


def frames(count: int, **options: Any) -> bytes:
    """A TIFF of `count` frames, each one pixel wider than the one before."""
    images = [corner(60 + place) for place in range(count)]
    return encode(images[0], "TIFF", save_all=True, append_images=images[1:], **options)


def png_stating(width: int, height: int, rows: int = 0) -> bytes:
    """A 1-bit PNG that states a size and holds `rows` blank rows of it."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    packer = zlib.compressobj(9)
    row = b"\x00" + b"\xff" * ((width + 7) // 8)
    body = b"".join(packer.compress(row) for _ in range(rows)) + packer.flush()
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


def looping_tiff() -> bytes:
    """A TIFF whose first directory names itself as the next."""
    data = bytearray(encode(corner(), "TIFF"))
    (start,) = struct.unpack_from("<I", data, 4)
    (entries,) = struct.unpack_from("<H", data, start)
    struct.pack_into("<I", data, start + 2 + 12 * entries, start)
    return bytes(data)


def black_corners(png: bytes) -> Sequence[str]:
    """Return the black corners of a picture."""
    with Image.open(io.BytesIO(png)) as image:
        grey = image.convert("L")
    right, bottom = grey.width - 3, grey.height - 3
    places = {"top left": (2, 2), "top right": (right, 2), "bottom left": (2, bottom), "bottom right": (right, bottom)}
    return [name for name, place in places.items() if grey.getpixel(place) < 100]  # type: ignore[operator]
