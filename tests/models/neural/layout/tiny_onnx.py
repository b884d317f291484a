"""A real ONNX file of a few hundred bytes: a detector that sees the same boxes on every page that is not black.

Written field by field as the format's protobuf says (numbers in comments are those of its fields), so that no library
is needed: `output0 = boxes * max(images)`.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

SIDE = 64
"""Pixels of the square pictures that the model takes."""
_FLOAT, _INTS = 1, 7
"""Numbers of the element type float and of the attribute type "list of integers"."""

Box = tuple[int, float, tuple[float, float, float, float]]
"""Class, confidence, and (middle x, middle y, width, height) in pixels of the model's picture."""


def write_detector(folder: Path, labels: Sequence[str], boxes: Sequence[Box]) -> Path:
    """A folder with `model.onnx` and `labels.txt`."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = np.zeros((1, 4 + len(labels), len(boxes)), np.float32)
    for at, (kind, sure, place) in enumerate(boxes):
        rows[0, :4, at] = place
        rows[0, 4 + kind, at] = sure
    (folder / "model.onnx").write_bytes(_model(rows))
    (folder / "labels.txt").write_text("\n".join(labels) + "\n", encoding="utf-8")
    return folder


def _model(rows: np.ndarray) -> bytes:
    keep = _text(1, "keepdims") + _number(3, 1) + _number(20, 2)  # name, i, type INT
    reduce = _text(1, "images") + _text(2, "top") + _text(4, "ReduceMax") + _message(5, keep)
    times = _text(1, "boxes") + _text(1, "peak") + _text(2, "output0") + _text(4, "Mul")
    shape = _text(1, "top") + _text(1, "one") + _text(2, "peak") + _text(4, "Reshape")
    graph = b"".join(_message(1, node) for node in (reduce, shape, times))
    graph += _text(2, "tiny") + _message(5, _tensor("boxes", rows)) + _message(5, _shape_tensor("one", (1, 1, 1)))
    graph += _message(11, _value("images", (1, 3, SIDE, SIDE))) + _message(12, _value("output0", rows.shape))
    return _number(1, 8) + _message(7, graph) + _message(8, _text(1, "") + _number(2, 13))  # ir, graph, opset


def _tensor(name: str, values: np.ndarray) -> bytes:
    dims = b"".join(_number(1, size) for size in values.shape)
    return dims + _number(2, _FLOAT) + _text(8, name) + _message(9, values.astype("<f4").tobytes())


def _shape_tensor(name: str, sizes: tuple[int, ...]) -> bytes:
    return _number(1, len(sizes)) + _number(2, _INTS) + _text(8, name) + _message(9, np.array(sizes, "<i8").tobytes())


def _value(name: str, sizes: Sequence[int]) -> bytes:
    shape = b"".join(_message(1, _number(1, size)) for size in sizes)
    return _text(1, name) + _message(2, _message(1, _number(1, _FLOAT) + _message(2, shape)))


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _message(field: int, body: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(body)) + body


def _text(field: int, text: str) -> bytes:
    return _message(field, text.encode())
