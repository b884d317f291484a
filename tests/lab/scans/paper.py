"""Paper on which text, rules and boxes are set by place; and what a scanner, a fax or a phone makes of it."""

import io
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import pymupdf
from PIL import Image

Pixels = npt.NDArray[np.uint8]
FONT_FOLDERS = tuple(Path("/usr/share/fonts/truetype") / name for name in ("dejavu", "liberation", "crosextra", "noto"))
_OWN_FONTS = ("helv", "tiro", "cour")
WAYS = ("clean", "scan", "poor", "fax", "photo")
"""What happens to a paper on its way to the reader."""


@cache
def list_fonts() -> tuple[str, ...]:
    """The fonts that PyMuPDF carries, and plain ones of the machine."""
    names = ("DejaVuSans.ttf", "DejaVuSerif.ttf", "LiberationSans-Regular.ttf", "LiberationSerif-Regular.ttf",
             "Carlito-Regular.ttf", "Caladea-Regular.ttf", "NotoSans-Regular.ttf")  # fmt: skip
    files = [folder / name for folder in FONT_FOLDERS for name in names]
    return (*_OWN_FONTS, *(str(file) for file in files if file.is_file()))


@cache
def load_font(name: str) -> pymupdf.Font:
    return pymupdf.Font(fontfile=name) if "/" in name else pymupdf.Font(name)


@dataclass
class Paper:
    """One page in points: its chance, its fonts, and the drawing."""

    chance: random.Random
    width: float = 595.0
    height: float = 842.0
    language: str = "en"
    font: str = field(init=False)
    document: pymupdf.Document = field(init=False)

    def __post_init__(self) -> None:
        self.font = "china-s" if self.language in ("zh", "ja") else self.chance.choice(list_fonts())
        self.document = pymupdf.open()
        self.document.new_page(width=self.width, height=self.height)

    @property
    def page(self) -> pymupdf.Page:
        return self.document[0]

    def measure(self, text: str, size: float) -> float:
        return float(load_font(self.font).text_length(text, size))

    def write(self, x: float, y: float, text: str, size: float) -> float:
        """Set the text with its baseline at y; return where it ends."""
        writer = pymupdf.TextWriter(self.page.rect)
        writer.append((x, y), text, load_font(self.font), size)
        writer.write_text(self.page)
        return x + self.measure(text, size)

    def rule(self, x0: float, y0: float, x1: float, y1: float, width: float = 0.7) -> None:
        self.page.draw_line((x0, y0), (x1, y1), width=width)

    def box(self, x0: float, y0: float, x1: float, y1: float, width: float = 0.8) -> None:
        self.page.draw_rect((x0, y0, x1, y1), width=width)

    def strokes(self, points: Sequence[tuple[float, float]], width: float) -> None:
        self.page.draw_polyline(list(points), width=width)

    def draw(self, dpi: int) -> Pixels:
        pixels = self.page.get_pixmap(dpi=dpi, alpha=False)
        return np.frombuffer(pixels.samples, np.uint8).reshape(pixels.height, pixels.width, 3).copy()


def worsen(picture: Pixels, way: str, chance: random.Random) -> Pixels:
    """The picture as it comes that way."""
    noise = np.random.default_rng(chance.getrandbits(30))
    worse: npt.NDArray[np.floating] = picture.astype(np.float32)
    match way:
        case "clean":
            return picture
        case "scan":
            worse = _rotate(worse, chance.uniform(-1.2, 1.2))
            worse = _blur(worse, chance.uniform(0.2, 0.8)) + noise.normal(0, chance.uniform(2, 9), worse.shape)
        case "poor":
            worse = _rotate(worse, chance.uniform(-2.5, 2.5))
            worse = _blur(worse, chance.uniform(0.5, 1.1)) * chance.uniform(0.75, 0.95)
            worse += noise.normal(0, chance.uniform(8, 18), worse.shape)
        case "fax":
            worse = _blur(_rotate(worse, chance.uniform(-1.0, 1.0)), 0.6)
            grey = worse.mean(axis=2, keepdims=True) + noise.normal(0, 12, (*worse.shape[:2], 1))
            black = (grey < chance.uniform(120, 170)) ^ (noise.random(grey.shape) < 0.0008)
            worse = np.where(black, 0, 255).repeat(3, axis=2).astype(np.float32)
        case _:
            worse = _tilt(worse, chance)
            rows, columns = worse.shape[:2]
            light = np.linspace(chance.uniform(0.65, 0.9), 1.0, columns)[None, :, None]
            light = light * np.linspace(1.0, chance.uniform(0.8, 1.0), rows)[:, None, None]
            worse = _blur(worse, chance.uniform(0.3, 0.9)) * light + noise.normal(0, chance.uniform(2, 8), worse.shape)
    return np.clip(worse, 0, 255).astype(np.uint8)


def _rotate(picture: npt.NDArray[np.floating], degrees: float) -> npt.NDArray[np.float32]:
    height, width = picture.shape[:2]
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1.0)
    return np.asarray(cv2.warpAffine(picture, turn, (width, height), borderValue=(255, 255, 255)), np.float32)


def _blur(picture: npt.NDArray[np.floating], sigma: float) -> npt.NDArray[np.float32]:
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), sigma), np.float32)


def _tilt(picture: npt.NDArray[np.floating], chance: random.Random) -> npt.NDArray[np.float32]:
    """The paper on a table, seen not quite from above."""
    height, width = picture.shape[:2]
    side = 0.02 * min(height, width)
    corners = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
    moved = corners + np.array([(chance.uniform(-side, side), chance.uniform(-side, side)) for _ in range(4)])
    edge = (200.0, 195.0, 190.0)
    turn = cv2.getPerspectiveTransform(corners, moved.astype(np.float32))
    return np.asarray(cv2.warpPerspective(picture, turn, (width, height), borderValue=edge), np.float32)


def turn(picture: Pixels, degrees: int) -> Pixels:
    """The picture turned clockwise by quarters."""
    return np.ascontiguousarray(np.rot90(picture, -(degrees // 90)))


def encode(picture: Pixels, chance: random.Random, dpi: int | None) -> bytes:
    """The file: PNG, or JPEG of some quality; with or without its resolution."""
    out = io.BytesIO()
    stated = {} if dpi is None else {"dpi": (dpi, dpi)}
    if chance.random() < 0.4:
        Image.fromarray(picture).save(out, "PNG", compress_level=1, **stated)
    else:
        Image.fromarray(picture).save(out, "JPEG", quality=chance.randint(55, 92), **stated)
    return out.getvalue()
