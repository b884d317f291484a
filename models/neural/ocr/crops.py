"""Line pictures for the recogniser: cut along their boxes, scaled to 48 rows, padded to a few widths and batched.

In: an RGB picture and boxes in its pixels. Out: float32 batches. Knows no text.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from quire.models.neural.ocr.detect import Picture
from quire.models.neural.ocr.runtime import Floats, Network

ROWS = 48  # pixels of height, as the recognition model was trained
WIDTH_STEP = 64  # pixels crops are widened to, so that few shapes are compiled
BATCH_COLUMNS = 2560
"""Widths are rounded up and batches end at this many columns: the runtime keeps a plan and memory per shape."""
MAX_COLUMNS = 3200  # pixels of width at the model's height: the longest line of a page


@dataclass(frozen=True, slots=True, kw_only=True)
class CropBatch:
    """`indices` say which line each picture is; `columns` how wide each one is before padding."""

    indices: tuple[int, ...]
    columns: tuple[int, ...]
    pictures: Floats


def box_size(box: Floats) -> tuple[float, float]:
    """Length along the first side and across it, in pixels."""
    along = max(math.dist(box[0], box[1]), math.dist(box[3], box[2]))
    return along, max(math.dist(box[0], box[3]), math.dist(box[1], box[2]))


def cut_line(picture: Picture, box: Floats) -> Picture:
    """Return the picture inside the box, rotated level and 48 rows high."""
    import cv2

    along, across = box_size(box)
    columns = min(MAX_COLUMNS, max(16, math.ceil(ROWS * along / max(across, 1.0))))
    if across > 2 * ROWS:
        flat = _warp(picture, box, math.ceil(along), math.ceil(across))
        return np.asarray(cv2.resize(flat, (columns, ROWS), interpolation=cv2.INTER_AREA), np.uint8)
    return _warp(picture, box, columns, ROWS)


def _warp(picture: Picture, box: Floats, columns: int, rows: int) -> Picture:
    import cv2

    target = np.array([(0, 0), (columns, 0), (columns, rows)], np.float32)
    turn = cv2.getAffineTransform(np.ascontiguousarray(box[:3]), target)
    cut = cv2.warpAffine(picture, turn, (columns, rows), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(cut, np.uint8)


def batch_lines(lines: Sequence[Picture]) -> Iterator[CropBatch]:
    """All lines, the widest last, in batches of equal padded width."""
    by_width: dict[int, list[int]] = {}
    for index, line in enumerate(lines):
        by_width.setdefault(math.ceil(line.shape[1] / WIDTH_STEP) * WIDTH_STEP, []).append(index)
    for width, indices in sorted(by_width.items()):
        size = max(1, BATCH_COLUMNS // width)
        for start in range(0, len(indices), size):
            yield _stack(lines, indices[start : start + size], width)


def _stack(lines: Sequence[Picture], indices: Iterable[int], width: int) -> CropBatch:
    chosen = tuple(indices)
    pictures = np.zeros((len(chosen), 3, ROWS, width), np.float32)
    for place, index in enumerate(chosen):
        line = lines[index]
        pictures[place, :, :, : line.shape[1]] = line[:, :, ::-1].transpose(2, 0, 1) / np.float32(127.5) - 1
    return CropBatch(indices=chosen, columns=tuple(lines[index].shape[1] for index in chosen), pictures=pictures)


def describe_lines(lines: Sequence[Picture], hidden: Network) -> tuple[Floats, Floats]:
    """Return features of each line (mean and spread of the hidden layer) and the lines' widths in pixels."""
    features: list[Floats] = []
    widths: list[int] = []
    for batch in batch_lines(lines):
        for layer, width in zip(hidden(batch.pictures), batch.columns, strict=True):
            steps = max(1, round(layer.shape[0] * width / batch.pictures.shape[3]))
            features.append(np.concatenate([layer[:steps].mean(axis=0), layer[:steps].std(axis=0)]))
            widths.append(width)
    return np.stack(features), np.asarray(widths, np.float32)
