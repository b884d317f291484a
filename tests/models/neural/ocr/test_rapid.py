"""The real models on small drawn pages: few tests, because each page costs about a second."""

import threading

import pytest

from quire.models.cdom.errors import Malformed, MlUnavailable, PageTooSlow
from quire.models.cdom.ports import PixelPage, RecognisedPage
from quire.models.neural.ocr import UnsupportedLanguage, make_recogniser
from quire.models.neural.ocr.rapid import RapidRecogniser
from tests.models.neural.ocr.pictures import HEIGHT, LETTER, WIDTH, as_page, draw_page, tilt

AVX2_LESS = frozenset({"sse4_2", "avx"})


@pytest.fixture(scope="module")
def recogniser() -> RapidRecogniser:
    return RapidRecogniser(("en",))


def lines_of(page: RecognisedPage) -> list[str]:
    lines: dict[int, list[str]] = {}
    for word in page.words:
        lines.setdefault(word.line, []).append(word.text)
    return [" ".join(words) for words in lines.values()]


def read(recogniser: RapidRecogniser, page: PixelPage) -> RecognisedPage:
    return recogniser.recognise_pages([page], ("en",), 60.0)[0]


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_page_is_read_in_any_orientation(recogniser: RapidRecogniser, turn: int) -> None:
    page = read(recogniser, as_page(draw_page(LETTER).rotate(turn, expand=True)))
    assert page.rotation == turn
    assert lines_of(page) == list(LETTER)
    first = page.words[0]
    assert first.bbox[0] == pytest.approx(30, abs=4)
    assert first.bbox[3] == pytest.approx(42, abs=4)


@pytest.mark.parametrize("degrees", [-2.0, 2.0])
def test_lines_of_a_tilted_page_keep_their_order(recogniser: RapidRecogniser, degrees: float) -> None:
    rows = [f"{side} {number}" for number in ("first", "second", "third", "fourth") for side in ("Left", "Right")]
    page = read(recogniser, as_page(tilt(draw_page(rows, columns=(30.0, 220.0)), degrees)))
    assert lines_of(page) == rows
    assert page.skew_degrees == pytest.approx(degrees, abs=1.0)  # short lines tell it roughly


def test_columns_are_lines_of_their_own_with_boxes_inside_the_page(recogniser: RapidRecogniser) -> None:
    page = read(recogniser, as_page(draw_page(["Apples", "Pears", "Plums", "Grapes"], columns=(30.0, 180.0))))
    assert lines_of(page) == ["Apples", "Pears", "Plums", "Grapes"]
    assert all(0 <= w.bbox[0] < w.bbox[2] <= WIDTH and 0 <= w.bbox[1] < w.bbox[3] <= HEIGHT for w in page.words)
    assert {word.text: word.bbox[0] < 150 for word in page.words} == {
        "Apples": True,
        "Pears": False,
        "Plums": True,
        "Grapes": False,
    }


def test_page_gives_the_same_words_alone_and_with_parallel_readers(recogniser: RapidRecogniser) -> None:
    page = as_page(draw_page(LETTER))
    alone = read(recogniser, page)
    others: list[RecognisedPage] = []
    readers = [RapidRecogniser(("en",)) for _ in range(2)]
    threads = [threading.Thread(target=lambda r=reader: others.append(read(r, page))) for reader in readers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert others == [alone, alone]


def test_an_empty_page_has_no_words(recogniser: RapidRecogniser) -> None:
    assert read(recogniser, as_page(draw_page([]))).words == ()


def test_provenance_names_engine_models_runtime_and_precision(recogniser: RapidRecogniser) -> None:
    page = read(recogniser, as_page(draw_page([])))
    assert (page.engine, page.model) == ("rapidocr", "PP-OCRv6_det_small+PP-OCRv6_rec_small")
    assert page.version.startswith("openvino ")
    assert page.version.endswith(" f32")


def test_a_processor_without_avx2_cannot_recognise_but_can_be_asked() -> None:
    recogniser = RapidRecogniser(("en",), AVX2_LESS)
    with pytest.raises(MlUnavailable, match="avx2, fma"):
        read(recogniser, as_page(draw_page([])))


def test_unsupported_language_is_refused_when_the_recogniser_is_made() -> None:
    with pytest.raises(UnsupportedLanguage, match="nothing can read: xx"):
        make_recogniser("rapidocr", ("en", "xx", "vi"))


def test_page_past_its_time_is_too_slow(recogniser: RapidRecogniser) -> None:
    with pytest.raises(PageTooSlow):
        recogniser.recognise_pages([as_page(draw_page([]))], ("en",), -1.0)


def test_bytes_other_than_a_picture_are_malformed(recogniser: RapidRecogniser) -> None:
    with pytest.raises(Malformed):
        read(recogniser, PixelPage(number=1, image=b"GIF89a", width=10, height=10))
