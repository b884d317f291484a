"""Pages through the PP-OCRv6 models: loads them when the first page comes, keeps them, and gives words in points.

In: `PixelPage`s. Out: `RecognisedPage`s in the same order. One page at a time: the caller queues.
"""

import threading
from dataclasses import dataclass, field, replace

from quire.models.cdom.errors import PageTooSlow
from quire.models.cdom.ports import PixelPage, RecognisedPage, Word
from quire.models.fair_time import fair_time
from quire.models.neural.device import require_ml
from quire.models.neural.ocr.crops import box_size, cut_line, describe_lines
from quire.models.neural.ocr.detect import DetectorSettings
from quire.models.neural.ocr.langs import OcrEngineName, character_filter, check_langs, reads_han
from quire.models.neural.ocr.pixels import decode_picture, page_box
from quire.models.neural.ocr.ppocr import PictureReader, ReadPicture
from quire.models.neural.ocr.runtime import (
    Floats,
    Network,
    load_hidden_layer,
    load_network,
    load_recogniser,
    runtime_version,
)
from quire.models.neural.ocr.text import split_words
from quire.models.neural.registry import ModelName, locate_model
from quire.models.neural.script_names import load_names

_SCRIPT_LINES = 40
"""Lines that identify the script of a page, the longest: more do not change the result."""
MODEL = f"{ModelName.TEXT_DETECTOR}+{ModelName.TEXT_RECOGNISER}"


@dataclass(slots=True)
class RapidRecogniser:
    """Implements `RecognisePages`; `cpu_flags` replaces the flags that the processor reports."""

    langs: tuple[str, ...]
    cpu_flags: frozenset[str] | None = None
    _readers: dict[bool, PictureReader] = field(default_factory=dict)
    _hidden: Network | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def warm_up(self) -> None:
        """Load the models for the configured languages now. Raises `MlUnavailable`."""
        with self._lock:
            self._reader(self.langs)

    def recognise_pages(self, pages: list[PixelPage], langs: tuple[str, ...], timeout_s: float) -> list[RecognisedPage]:
        """Read the pages with the built-in networks.

        Raises:
            MlUnavailable: The processor or a language is not supported.
            PageTooSlow: The pages were not read within `timeout_s` fair seconds.
        """
        deadline = fair_time() + timeout_s
        with self._lock:
            reader = self._reader(langs or self.langs)
            return [_recognise(reader, page, deadline) for page in pages]

    def read_page(self, page: PixelPage, langs: tuple[str, ...], timeout_s: float) -> tuple[RecognisedPage, bool]:
        """Return the page, and whether it seems to be in a script of none of the languages."""
        deadline = fair_time() + timeout_s
        with self._lock:
            picture = _read(self._reader(langs), page, deadline)
        return make_page(page, picture), picture.is_foreign

    def find_script(self, page: PixelPage, timeout_s: float) -> tuple[str, float] | None:
        """Return the likeliest script of a page and its probability, or None without text."""
        deadline = fair_time() + timeout_s
        with self._lock:
            reader = self._reader(self.langs)
            self._hidden = self._hidden or load_hidden_layer(locate_model(ModelName.TEXT_RECOGNISER))
            if fair_time() > deadline:
                raise PageTooSlow
            picture, boxes = reader.find_upright_lines(decode_picture(page.image))
            longest = sorted(boxes, key=lambda box: -box_size(box)[0])[:_SCRIPT_LINES]
            if not longest:
                return None
            return load_names().classify(*describe_lines([cut_line(picture, box) for box in longest], self._hidden))

    def _reader(self, langs: tuple[str, ...]) -> PictureReader:
        require_ml(self.cpu_flags)
        han = reads_han(check_langs(OcrEngineName.RAPIDOCR, langs))
        if han not in self._readers:
            self._readers[han] = load_reader(han=han)
        return self._readers[han]


def load_reader(*, han: bool = False, settings: DetectorSettings | None = None) -> PictureReader:
    """Both networks from the installed files. Raises `MlUnavailable` when one is missing."""
    located = locate_model(ModelName.TEXT_RECOGNISER)  # first: without it OpenCV is not installed either
    import cv2

    cv2.setNumThreads(1)
    network, characters = load_recogniser(located, character_filter(han=han))
    return PictureReader(
        detector=load_network(locate_model(ModelName.TEXT_DETECTOR)),
        recogniser=network,
        characters=characters,
        settings=settings or DetectorSettings(),
    )


def make_page(page: PixelPage, picture: ReadPicture) -> RecognisedPage:
    """Lines of the upright picture as words in points of the upright page."""
    points = (page.height, page.width) if picture.turn in {90, 270} else (page.width, page.height)
    return RecognisedPage(
        number=page.number,
        words=tuple(
            Word(
                text=word.text,
                bbox=page_box(word.corners, (picture.width, picture.height), points),
                confidence=round(word.confidence, 2),
                line=number,
                stroke=round(word.stroke * points[0] / picture.width, 3),
            )
            for number, line in enumerate(picture.lines)
            for word in split_words(line)
        ),
        rotation=picture.turn,
        skew_degrees=round(picture.skew, 2),
        rules=picture.ruling,
        boxes=picture.boxes,
        ink=picture.ink,
        bend=picture.bend,
        engine=OcrEngineName.RAPIDOCR.value,
        model=MODEL,
        version=runtime_version(),
    )


def _recognise(reader: PictureReader, page: PixelPage, deadline: float) -> RecognisedPage:
    return make_page(page, _read(reader, page, deadline))


def _read(reader: PictureReader, page: PixelPage, deadline: float) -> ReadPicture:
    limited = replace(
        reader, detector=_limit(reader.detector, deadline), recogniser=_limit(reader.recogniser, deadline)
    )
    return limited.read(decode_picture(page.image), (page.width, page.height))


def _limit(network: Network, deadline: float) -> Network:
    """Return a network that raises `PageTooSlow` when it is asked after the deadline."""

    def ask(pictures: Floats) -> Floats:
        if fair_time() > deadline:
            raise PageTooSlow
        return network(pictures)

    return ask
