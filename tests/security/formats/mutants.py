"""Files broken where a parser looks: numbers, names, nesting and parts of a seed changed by chance, from a seed."""

import io
import random
import re
import zipfile
import zlib

from tests.hostile import pdfs
from tests.security.formats.files import FORMATS, make_format_case

SEEDS = 40
"""Seeds of each format."""
_NUMBER = re.compile(rb"(?<![\w.])-?\d{1,9}(?![\w.])")
_TAG = re.compile(rb"<[A-Za-z][^<>]{0,400}>")
_EXTREME = (
    b"0",
    b"-1",
    b"1",
    b"65535",
    b"65536",
    b"2147483647",
    b"-2147483648",
    b"4294967296",
    b"9" * 18,
    b"1e308",
    b"NaN",
)
_BOMBS = {
    "entities": lambda: (
        b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "x">'
        + b"".join(b'<!ENTITY b%d "%s">' % (n, b"&b%d;" % (n - 1) * 10 if n else b"&a;" * 10) for n in range(12))
        + b"]><article>&b11;</article>"
    ),
    "zeros": lambda: _pack({"word/document.xml": bytes(200_000_000), "[Content_Types].xml": b"<Types/>"}),
    "elements": lambda: b"<!DOCTYPE html>" + b"<b>" * 3_000_000,
    "nesting": lambda: b"[" * 5_000_000,
    "cells": lambda: b"," * 10_000_000,
    "picture": lambda: _png(60_000, 60_000),
    "jpx": lambda: _stated_picture(b"/JPXDecode"),
    "jbig2": lambda: _stated_picture(b"/JBIG2Decode"),
    "fax": lambda: _stated_picture(b"/CCITTFaxDecode"),
    "font": lambda: pdfs.build_pdf(
        {
            **_NO,
            4: pdfs.stream(b"BT /F 9 Tf (x) Tj ET"),
            5: b"<</Type/Font/Subtype/TrueType/BaseFont/A/FontDescriptor 6 0 R>>",
            6: b"<</Type/FontDescriptor/FontName/A/FontFile2 7 0 R>>",
            7: pdfs.stream(b"\0\1\0\0\xff\xff" + bytes(9) + b"\xff" * 4000),
        }
    ),
    "content": pdfs.content_bomb,
    "forms": pdfs.form_bomb,
    "pages": pdfs.many_pages,
    "arrays": pdfs.deep_arrays,
    "states": pdfs.nested_states,
    "kids": pdfs.kids_cycle,
    "xref": pdfs.xref_loop,
}
"""Files that ask for far more than they weigh."""
_NO: dict[int, bytes] = {
    1: b"<</Type/Catalog/Pages 2 0 R>>",
    2: b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
    3: b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>/XObject<</X 5 0 R>>>>>>",
}
BOMBS = tuple(_BOMBS)


def make_bomb(name: str) -> bytes:
    return _BOMBS[name]()


def _stated_picture(filtered: bytes) -> bytes:
    """A PDF with a picture that states to be very large and whose data are noise."""
    picture = (
        b"<</Type/XObject/Subtype/Image/Width 60000/Height 60000/ColorSpace/DeviceGray/BitsPerComponent 8/Filter%s/Length 4000>>stream\n"
        % filtered
    )
    noise = random.Random(1).randbytes(4000)
    return pdfs.build_pdf({**_NO, 4: pdfs.stream(b"q 500 0 0 500 0 0 cm /X Do Q"), 5: picture + noise + b"\nendstream"})


def _png(width: int, height: int) -> bytes:
    def chunk(name: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4, "big") + name + data + zlib.crc32(name + data).to_bytes(4, "big")

    head = width.to_bytes(4, "big") + height.to_bytes(4, "big") + b"\x08\0\0\0\0"
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(bytes(1000))) + chunk(b"IEND", b"")
    )


def _pack(parts: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as package:
        for name, part in parts.items():
            package.writestr(zipfile.ZipInfo(name), part, zipfile.ZIP_DEFLATED)
    return made.getvalue()


def make_mutant(number: int) -> tuple[str, bytes]:
    """File `number`: its name and bytes; the same every time."""
    dice = random.Random(number)
    kind = FORMATS[number % len(FORMATS)]
    data = make_format_case(kind, dice.randrange(SEEDS)).data
    for _ in range(dice.randint(1, 3)):
        data = _mutate(data, dice)
    return f"mutant-{number}.{kind}", data


def _mutate(data: bytes, dice: random.Random) -> bytes:
    if zipfile.is_zipfile(io.BytesIO(data)):
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as package:
                parts = {name: package.read(name) for name in package.namelist()}
        except (zipfile.BadZipFile, OSError, zlib.error, RuntimeError, ValueError, EOFError):
            return _mutate_bytes(data, dice)
        return _mutate_package(parts, dice) if dice.random() < 0.9 and parts else _mutate_bytes(data, dice)
    return _mutate_bytes(data, dice)


def _mutate_package(parts: dict[str, bytes], dice: random.Random) -> bytes:
    name = dice.choice(sorted(parts))
    way = dice.randrange(5)
    if way == 0:
        del parts[name]
    elif way == 1:
        other = dice.choice(sorted(parts))
        parts[name], parts[other] = parts[other], parts[name]
    elif way == 2:
        parts[dice.choice(("../x", "/etc/x", name + "/" + name, "a" * 4000))] = parts[name]
    else:
        parts[name] = _mutate_bytes(parts[name], dice)
    return _pack(parts)


def _mutate_bytes(data: bytes, dice: random.Random) -> bytes:
    numbers, tags = list(_NUMBER.finditer(data[:200_000])), list(_TAG.finditer(data[:200_000]))
    ways = [
        "cut",
        "flip",
        "double",
        "swap",
        *(["number"] * 3 if numbers else ()),
        *(["tag", "nest", "repeat"] if tags else ()),
    ]
    way = dice.choice(ways)
    if way == "number":
        match = dice.choice(numbers)
        return data[: match.start()] + dice.choice(_EXTREME) + data[match.end() :]
    if way in ("tag", "nest", "repeat"):
        match = dice.choice(tags)
        times = {"tag": 0, "nest": dice.choice((200, 20_000)), "repeat": dice.choice((50, 5_000))}[way]
        return data[: match.start()] + match[0] * times + data[match.end() if way == "tag" else match.start() :]
    start = dice.randrange(max(1, len(data)))
    end = min(len(data), start + dice.choice((1, 8, 300)))
    if way == "cut":
        return data[:start] + (data[end:] if dice.random() < 0.6 else b"")
    if way == "double":
        return data[:end] + data[start:]
    if way == "swap":
        other = dice.randrange(max(1, len(data)))
        return data[:start] + data[other : other + end - start] + data[end:]
    return data[:start] + bytes(byte ^ (1 << dice.randrange(8)) for byte in data[start:end]) + data[end:]
