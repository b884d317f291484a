"""A YOLO network trained on DocLayNet's classes: the picture of a page in, its elements with their boxes out.

In: a `PixelPage`. Out: a `DetectedPage` in points. The model is the installed one, or a folder with
`model.onnx` and `labels.txt`. Loads nothing before it is asked; imports no runtime and no picture library before that.
"""

import threading
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

from quire.models.cdom.errors import MlUnavailable, PageTooSlow
from quire.models.cdom.ports import DetectedPage, PictureKind, PixelPage, SeenElement
from quire.models.cdom.tree import BlockType
from quire.models.fair_time import fair_time
from quire.models.neural.device import require_ml
from quire.models.neural.doclaynet import DOCLAYNET
from quire.models.neural.layout.boxes import decode_boxes, to_points
from quire.models.neural.ocr.detect import Picture
from quire.models.neural.ocr.pixels import decode_picture
from quire.models.neural.ocr.runtime import Floats, Network, load_network, picture_size
from quire.models.neural.registry import ModelName, locate_model

LABELS = tuple(DOCLAYNET)
"""The classes of the installed model, in its order."""
PICTURE_LABELS = {"Chart": PictureKind.CHART, "Seal": PictureKind.SEAL}
"""Further classes that an operator's own model may have: pictures whose content a page model can read."""
_GREY = 114
"""Value (0..255) of what surrounds the page on the network's square picture, as in its training."""
_MODEL_NAME, _LABELS_NAME = "model.onnx", "labels.txt"


@dataclass(frozen=True, slots=True)
class _Loaded:
    name: str
    network: Network
    side: int
    labels: tuple[str, ...]


@dataclass(slots=True)
class LayoutDetector:
    """Implements `FindElements`, one page at a time.

    `folder` holds an operator's own model; `cpu_flags` replaces the flags that the processor reports.
    """

    folder: Path | None = None
    cpu_flags: frozenset[str] | None = None
    _loaded: _Loaded | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def warm_up(self) -> None:
        """Load the model now. Raises `MlUnavailable`."""
        with self._lock:
            self._load()

    def find_elements(self, page: PixelPage, timeout_s: float) -> DetectedPage:
        """Return the layout elements of a page.

        Raises:
            MlUnavailable: The model cannot run on this machine.
            PageTooSlow: The model was not ready within `timeout_s` fair seconds.
            Malformed: The picture does not decode.
        """
        deadline = fair_time() + timeout_s
        with self._lock:
            loaded = self._load()
            if fair_time() > deadline:
                raise PageTooSlow
            elements = _find(loaded, decode_picture(page.image), (page.width, page.height))
            return DetectedPage(elements=elements, model=loaded.name)

    def _load(self) -> _Loaded:
        require_ml(self.cpu_flags)
        if self._loaded is None:
            path, labels = locate_detector(self.folder)
            name = ModelName.LAYOUT_DETECTOR.value if self.folder is None else self.folder.name
            self._loaded = _Loaded(name, load_network(path), picture_size(path), labels)
        return self._loaded


def locate_detector(folder: Path | None) -> tuple[Path, tuple[str, ...]]:
    """Return the model's file and its class labels.

    Raises:
        MlUnavailable: The model is missing or has an unknown class.
    """
    if folder is None:
        return locate_model(ModelName.LAYOUT_DETECTOR), LABELS
    try:
        labels = tuple((folder / _LABELS_NAME).read_text("utf-8").split())
    except (OSError, UnicodeDecodeError):
        raise MlUnavailable(f"no {_LABELS_NAME} in the folder of the layout model") from None
    known = (*LABELS, *PICTURE_LABELS)
    if not labels or not set(labels) <= set(known):
        raise MlUnavailable(f"{_LABELS_NAME} of the layout model: one of {', '.join(known)} a line")
    if not (folder / _MODEL_NAME).is_file():
        raise MlUnavailable(f"no {_MODEL_NAME} in the folder of the layout model")
    return folder / _MODEL_NAME, labels


def _find(loaded: _Loaded, picture: Picture, points: tuple[float, float]) -> tuple[SeenElement, ...]:
    square, scale, offset = _fit(picture, loaded.side)
    raw = loaded.network(square)[0]
    if raw.shape[0] != 4 + len(loaded.labels):
        raise MlUnavailable("the layout model has other classes than its labels say")
    per_point = scale * picture.shape[1] / points[0]
    return tuple(
        SeenElement(
            type=DOCLAYNET.get(loaded.labels[kind], BlockType.PICTURE),
            bbox=to_points(corners, per_point, offset, points),
            confidence=round(sure, 3),
            picture=PICTURE_LABELS.get(loaded.labels[kind]),
        )
        for kind, sure, corners in decode_boxes(raw)
    )


def _fit(picture: Picture, side: int) -> tuple[Floats, float, tuple[int, int]]:
    """Return the picture centred on a grey square as network input, its scale, and its top left corner."""
    high, wide = picture.shape[:2]
    scale = min(side / wide, side / high)
    size = (min(side, max(1, round(wide * scale))), min(side, max(1, round(high * scale))))
    if size != (wide, high):
        picture = cv2.resize(picture, size, interpolation=cv2.INTER_LINEAR).astype(np.uint8)
    left, top = (side - size[0]) // 2, (side - size[1]) // 2
    square = np.full((side, side, 3), _GREY, np.uint8)
    square[top : top + size[1], left : left + size[0]] = picture
    batch = np.ascontiguousarray((square.astype(np.float32) / 255.0).transpose(2, 0, 1)[None])
    return batch, size[0] / wide, (left, top)
