"""Pages through the `tesseract` command where it and its language data are installed: cheaper, weaker on poor scans.

In: `PixelPage`s. Out: `RecognisedPage`s. Pictures go in by a pipe, words come back as its TSV; no file is written.
"""

import contextlib
import csv
import io
import math
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from statistics import median

import numpy as np

from quire.models.cdom.errors import Malformed, MlUnavailable, PageTooSlow
from quire.models.cdom.geometry import Bbox, clamp_bbox, round_bbox
from quire.models.cdom.ports import PixelPage, RecognisedPage, Word
from quire.models.fair_time import fair_time
from quire.models.neural.ink import measure_ink
from quire.models.neural.ocr.detect import Picture
from quire.models.neural.ocr.langs import TESSERACT_CODES, OcrEngineName, UnsupportedLanguage, check_langs
from quire.models.neural.ocr.pixels import decode_picture
from quire.models.neural.ocr.rules import find_ruling
from quire.models.neural.ocr.runtime import Floats
from quire.models.neural.ocr.upright import turn_picture

_TURN = re.compile(r"^Rotate: (\d+)\nOrientation confidence: ([\d.]+)$", re.MULTILINE)
_SCRIPT = re.compile(r"^Script: (\w+)$", re.MULTILINE)
_SURE_TURN = 14.0
"""The value of OCRmyPDF; a lower one turns upright receipts over."""
_SURE_TEXT = 0.8
"""Mean confidence (0..1) of a page below which it is also read upside down."""
_WORD_LEVEL = "5"
_FULL_PAGE, _ONE_BLOCK = "3", "6"
"""Its page segmentation: by itself, or rows of one block. By itself it tears Arabic and Korean rows apart (15 and 11 %
of letters wrong, 0 and 1 % as one block); rows over columns are parted at wide gaps afterwards."""
_FAR = 2.5
"""Gap between words, in heights of the row, beyond which they belong to different columns."""
_MICRO, _MU = "\u00b5", "\u03bc"
_GREEK = re.compile(r"[\u0370-\u03ff\u1f00-\u1fff]")


@dataclass(slots=True)
class TesseractRecogniser:
    """Implements `RecognisePages`; `command` is looked up on the PATH."""

    langs: tuple[str, ...]
    command: str = "tesseract"
    _installed: frozenset[str] = field(default_factory=frozenset)
    _version: str = ""

    def warm_up(self) -> None:
        """Find the command and its data. Raises `MlUnavailable`."""
        self.find_data()
        self._data(self.langs)

    def find_data(self) -> frozenset[str]:
        """Names of the installed data, those of scripts without their folder. Raises `MlUnavailable`."""
        if not self._version:
            if shutil.which(self.command) is None:
                raise MlUnavailable("tesseract is not installed")
            self._version = self._run(["--version"], b"", 30).split()[1]
            self._installed = frozenset(self._run(["--list-langs"], b"", 30).splitlines()[1:])
        return frozenset(name.rpartition("/")[2] for name in self._installed)

    def find_script(self, page: PixelPage, timeout_s: float) -> str | None:
        """Return Tesseract's name for the page's main script, or None when it is unsure."""
        if "osd" not in self._installed:
            return None
        try:
            match = _SCRIPT.search(self._run(["stdin", "stdout", "--psm", "0"], page.image, timeout_s))
        except Malformed:
            return None
        return match[1] if match else None

    def recognise_with(self, page: PixelPage, data: str, timeout_s: float, level: int = 0) -> RecognisedPage:
        """Read the page with the given data, such as `rus+eng`; the better of both ways if it is doubtful.

        `level` is a clockwise turn in degrees after which the lines are level, but may be upside down.

        Raises:
            PageTooSlow: The page was not read within `timeout_s` fair seconds.
        """
        known = {name.rpartition("/")[2]: name for name in self._installed}
        names = "+".join(known.get(part, part) for part in data.split("+"))
        deadline = fair_time() + timeout_s
        first = self._recognise(page, names, deadline, _ONE_BLOCK, level)
        if mean_confidence(first) >= _SURE_TEXT:
            return first
        second = self._recognise(page, names, deadline, _ONE_BLOCK, (first.rotation + 180) % 360, is_sure=True)
        return max(first, second, key=mean_confidence)

    def recognise_pages(self, pages: list[PixelPage], langs: tuple[str, ...], timeout_s: float) -> list[RecognisedPage]:
        """Read the pages with the data of the languages.

        Raises:
            MlUnavailable: The command or the data of a language is missing.
            PageTooSlow: The pages were not read within `timeout_s` fair seconds.
        """
        deadline = fair_time() + timeout_s
        self.warm_up()
        data = self._data(langs or self.langs)
        return [self._recognise(page, data, deadline) for page in pages]

    def _data(self, langs: tuple[str, ...]) -> str:
        codes = [TESSERACT_CODES[lang] for lang in check_langs(OcrEngineName.TESSERACT, langs)]
        missing = [code for code in codes if code not in self._installed]
        if missing:
            raise UnsupportedLanguage(f"tesseract has no data for {', '.join(missing)}")
        return "+".join(codes)

    def _recognise(
        self,
        page: PixelPage,
        data: str,
        deadline: float,
        segmentation: str = _FULL_PAGE,
        turn: int = 0,
        *,
        is_sure: bool = False,
    ) -> RecognisedPage:
        turn = turn if is_sure else self._find_turn(page.image, deadline, turn)
        picture = turn_picture(decode_picture(page.image), turn)
        table = self._run(
            ["stdin", "stdout", "-l", data, "--psm", segmentation, "tsv"], _encode(picture), _left(deadline)
        )
        points = (page.height, page.width) if turn in {90, 270} else (page.width, page.height)
        words = list(_read_words(table, (picture.shape[1], picture.shape[0]), points))
        height = median([word.bbox[3] - word.bbox[1] for word in words] or [0.0]) * picture.shape[0] / points[1]
        rules, boxes, _ = find_ruling(picture, points, 0.0, height)
        return RecognisedPage(
            number=page.number,
            words=tuple(split_far_words(iter(words)) if segmentation == _ONE_BLOCK else words),
            rotation=turn,
            rules=rules,
            boxes=boxes,
            ink=measure_ink(picture, [_corners(word, picture, points) for word in words]),
            engine=OcrEngineName.TESSERACT.value,
            model=data,
            version=self._version,
        )

    def _find_turn(self, image: bytes, deadline: float, otherwise: int = 0) -> int:
        """Quarter turns by its orientation data, where installed; `otherwise` for little text or a doubtful answer."""
        if "osd" not in self._installed:
            return otherwise
        try:
            match = _TURN.search(self._run(["stdin", "stdout", "--psm", "0"], image, _left(deadline)))
        except Malformed:
            return otherwise
        return int(match[1]) % 360 if match and float(match[2]) >= _SURE_TURN else otherwise

    def _run(self, arguments: list[str], given: bytes, timeout_s: float) -> str:
        environment = {"PATH": os.environ.get("PATH", ""), "OMP_THREAD_LIMIT": "1", "LC_ALL": "C.UTF-8"}
        environment |= {name: value for name, value in os.environ.items() if name == "TESSDATA_PREFIX"}
        with subprocess.Popen(
            [self.command, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
        ) as process:
            _limit_cpu(process.pid, timeout_s)
            out, _ = process.communicate(given)
        if process.returncode == -signal.SIGXCPU:
            raise PageTooSlow
        if process.returncode:
            raise Malformed("tesseract could not read the page")
        return out.decode("utf-8", "replace")


def _limit_cpu(pid: int, seconds: float) -> None:
    """Let the kernel end a process that uses more processor time; macOS cannot limit another process."""
    if sys.platform == "linux":
        with contextlib.suppress(ProcessLookupError):
            resource.prlimit(pid, resource.RLIMIT_CPU, (max(1, math.ceil(seconds)), resource.RLIM_INFINITY))


def mean_confidence(page: RecognisedPage) -> float:
    """Return the mean confidence (0..1) of the words, the long ones counting for more; 0 without words."""
    chars = sum(len(word.text) for word in page.words)
    return sum(word.confidence * len(word.text) for word in page.words) / chars if chars else 0.0


def _left(deadline: float) -> float:
    left = deadline - fair_time()
    if left <= 0:
        raise PageTooSlow
    return left


def _encode(picture: Picture) -> bytes:
    from PIL import Image

    out = io.BytesIO()
    Image.fromarray(picture).save(out, "PNG", compress_level=1)
    return out.getvalue()


def _read_words(table: str, pixels: tuple[int, int], points: tuple[float, float]) -> Iterator[Word]:
    """Rows of words; block, paragraph and line number together name a text line."""
    lines: dict[tuple[str, ...], int] = {}
    for row in csv.DictReader(io.StringIO(table), delimiter="\t", quoting=csv.QUOTE_NONE):
        text = (row["text"] or "").strip()
        if row["level"] != _WORD_LEVEL or not text:
            continue
        line = lines.setdefault((row["block_num"], row["par_num"], row["line_num"]), len(lines))
        if _GREEK.search(text):
            text = text.replace(_MICRO, _MU)
        confidence = round(max(0.0, float(row["conf"])) / 100, 2)
        yield Word(text=text, bbox=_word_box(row, pixels, points), confidence=confidence, line=line)


def split_far_words(words: Iterator[Word]) -> Iterator[Word]:
    """Renumber the lines of words so that rows are split at wide gaps, in either writing direction."""
    number, last = -1, None
    for word in words:
        new = last is None or word.line != last.line
        if last is not None and not new:
            gap = max(word.bbox[0] - last.bbox[2], last.bbox[0] - word.bbox[2])
            new = gap > _FAR * max(word.bbox[3] - word.bbox[1], last.bbox[3] - last.bbox[1])
        number += new
        last = word
        yield replace(word, line=number)


def _corners(word: Word, picture: Picture, points: tuple[float, float]) -> Floats:
    """Return the word's box as corners in pixels."""
    x, y = picture.shape[1] / points[0], picture.shape[0] / points[1]
    x0, y0, x1, y1 = word.bbox
    return np.array([(x0 * x, y0 * y), (x1 * x, y0 * y), (x1 * x, y1 * y), (x0 * x, y1 * y)], dtype=np.float32)


def _word_box(row: dict[str, str], pixels: tuple[int, int], points: tuple[float, float]) -> Bbox:
    x, y = points[0] / pixels[0], points[1] / pixels[1]
    left, top = int(row["left"]), int(row["top"])
    box = (left * x, top * y, (left + int(row["width"])) * x, (top + int(row["height"])) * y)
    return round_bbox(clamp_bbox(box, *points))
