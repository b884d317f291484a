"""The command's part is played by a script that answers as Tesseract 5.3 does, so the tests run where it is missing."""

import stat
import sys
from pathlib import Path

import pytest

from quire.models.cdom.errors import MlUnavailable, PageTooSlow
from quire.models.neural.ocr import UnsupportedLanguage
from quire.models.neural.ocr.tesseract import TesseractRecogniser
from tests.models.neural.ocr.pictures import as_page, draw_page

SCRIPT = """#!{python}
import sys, time
arguments = sys.argv[1:]
if arguments == ["--version"]:
    print("tesseract 5.3.0\\n leptonica-1.82.0")
elif arguments == ["--list-langs"]:
    print("List of available languages in x (3):\\neng\\nfra\\nosd")
elif arguments[-1] == "0":
    print("Page number: 0\\nRotate: {turn}\\nOrientation confidence: {sure}\\nScript: Latin")
else:
    while time.process_time() < {seconds}:
        pass
    sys.stdin.buffer.read()
    print("level\\tpage_num\\tblock_num\\tpar_num\\tline_num\\tword_num\\tleft\\ttop\\twidth\\theight\\tconf\\ttext")
    print("4\\t1\\t1\\t1\\t1\\t0\\t50\\t50\\t100\\t20\\t-1\\t")
    print("5\\t1\\t1\\t1\\t1\\t1\\t50\\t50\\t40\\t20\\t96.5\\tHarbour")
    print("5\\t1\\t1\\t1\\t1\\t2\\t100\\t50\\t50\\t20\\t80.0\\t\\"Office")
    print("5\\t1\\t1\\t1\\t2\\t1\\t50\\t100\\t50\\t20\\t70.0\\tQuay")
    print("5\\t1\\t1\\t1\\t2\\t2\\t50\\t100\\t50\\t20\\t95.0\\t ")
"""


def command(folder: Path, *, turn: int = 0, sure: float = 20.0, seconds: float = 0.0) -> str:
    path = folder / "tesseract"
    path.write_text(SCRIPT.format(python=sys.executable, turn=turn, sure=sure, seconds=seconds))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_words_come_with_lines_confidence_and_points(tmp_path: Path) -> None:
    page = as_page(draw_page([]))
    read = TesseractRecogniser(("en",), command(tmp_path)).recognise_pages([page], ("en",), 30.0)[0]
    assert [(word.text, word.line, word.confidence) for word in read.words] == [
        ("Harbour", 0, 0.96),
        ('"Office', 0, 0.8),
        ("Quay", 1, 0.7),
    ]
    assert read.words[0].bbox == pytest.approx((30, 30, 54, 42), abs=0.1)
    assert (read.engine, read.model, read.version, read.rotation) == ("tesseract", "eng", "5.3.0", 0)


def test_page_confidently_sideways_is_turned(tmp_path: Path) -> None:
    page = as_page(draw_page([]).rotate(90, expand=True))
    read = TesseractRecogniser(("en",), command(tmp_path, turn=90)).recognise_pages([page], ("en",), 30.0)[0]
    assert read.rotation == 90
    assert read.words[0].bbox == pytest.approx((30, 30, 54, 42), abs=0.1)


def test_doubtful_turn_is_not_applied(tmp_path: Path) -> None:
    page = as_page(draw_page([]))
    tesseract = TesseractRecogniser(("en",), command(tmp_path, turn=180, sure=1.2))
    assert tesseract.recognise_pages([page], ("en",), 30.0)[0].rotation == 0


def test_a_language_without_data_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedLanguage, match="no data for rus"):
        TesseractRecogniser(("ru",), command(tmp_path)).warm_up()


def test_without_the_command_recognition_is_unavailable(tmp_path: Path) -> None:
    with pytest.raises(MlUnavailable, match="not installed"):
        TesseractRecogniser(("en",), str(tmp_path / "none")).warm_up()


def test_a_page_that_takes_too_long_is_given_up(tmp_path: Path) -> None:
    with pytest.raises(PageTooSlow):
        TesseractRecogniser(("en",), command(tmp_path, seconds=30)).recognise_pages(
            [as_page(draw_page([]))], ("en",), 1.5
        )
