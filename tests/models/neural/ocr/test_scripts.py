"""A page in letters that the built-in networks do not know is read by a pack, or says that one is missing."""

from dataclasses import dataclass, field, replace

import numpy as np
import pymupdf
import pytest
from PIL import Image

from quire.models.cdom.coverage import ScanCoverage
from quire.models.cdom.errors import MlUnavailable
from quire.models.cdom.ports import PixelPage, RecognisedPage, Word
from quire.models.neural.ocr import make_recogniser
from quire.models.neural.ocr.decode import DecodedGlyph
from quire.models.neural.ocr.ppocr import ReadPicture
from quire.models.neural.ocr.rapid import RapidRecogniser
from quire.models.neural.ocr.scripts import LANGUAGE_MISSING, ScriptRecogniser
from quire.models.neural.ocr.tesseract import TesseractRecogniser, split_far_words
from quire.models.neural.ocr.text import ReadLine
from tests.models.neural.ocr.pictures import as_page, draw_page

PAGE = PixelPage(number=3, image=b"", width=100, height=100)


def say(text: str, engine: str = "main") -> RecognisedPage:
    words = (Word(text=text, bbox=(0, 0, 10, 10), confidence=0.9, line=0),) if text else ()
    return RecognisedPage(number=3, words=words, engine=engine, model=None, version="1")


@dataclass
class PlainMain(RapidRecogniser):
    """Reads Latin; of anything else next to nothing, but Chinese when asked."""

    langs: tuple[str, ...] = ("en",)
    is_latin: bool = False
    guess: tuple[str, float] | None = None
    asked: list[tuple[str, ...]] = field(default_factory=list)

    def read_page(self, page: PixelPage, langs: tuple[str, ...], timeout_s: float) -> tuple[RecognisedPage, bool]:
        self.asked.append(langs)
        return say("latin" if self.is_latin else "han" if "zh" in langs else ". ."), not self.is_latin

    def find_script(self, page: PixelPage, timeout_s: float) -> tuple[str, float] | None:
        return self.guess


@dataclass
class PlainPacks(TesseractRecogniser):
    """Finds one script; has some data, or is not installed."""

    langs: tuple[str, ...] = ()
    script: str | None = "Cyrillic"
    data: frozenset[str] | None = frozenset({"rus", "eng", "osd"})

    def find_data(self) -> frozenset[str]:
        if self.data is None:
            raise MlUnavailable("tesseract is not installed")
        return self.data

    def find_script(self, page: PixelPage, timeout_s: float) -> str | None:
        return self.script

    def recognise_with(self, page: PixelPage, data: str, timeout_s: float, level: int = 0) -> RecognisedPage:
        return say(data, "packs")


def read(main: PlainMain, packs: PlainPacks, langs: tuple[str, ...] = ("en",)) -> RecognisedPage:
    return ScriptRecogniser(langs, main, lambda: packs).recognise_pages([PAGE], (), 5.0)[0]


def test_a_latin_page_never_asks_for_a_pack() -> None:
    assert read(PlainMain(is_latin=True), PlainPacks(data=None)).words[0].text == "latin"


@pytest.mark.parametrize(
    ("script", "data", "read_with"),
    [
        ("Cyrillic", {"rus", "eng", "osd"}, "rus"),
        ("Cyrillic", {"Cyrillic", "rus", "osd"}, "Cyrillic"),
        ("Greek", {"ell", "osd", "eng"}, "ell"),
        ("Arabic", {"ara", "osd", "eng"}, "ara"),
        ("Devanagari", {"hin", "osd", "eng"}, "hin"),
        ("Korean", {"kor", "osd", "eng"}, "kor"),
    ],
)
def test_script_is_read_with_its_data(script: str, data: set[str], read_with: str) -> None:
    page = read(PlainMain(), PlainPacks(script=script, data=frozenset(data)))
    assert (page.engine, page.words[0].text, page.number) == ("packs", read_with, 3)


def test_a_language_that_was_asked_for_comes_before_the_script_as_a_whole() -> None:
    packs = PlainPacks(data=frozenset({"Cyrillic", "ukr", "osd"}))
    assert read(PlainMain(), packs, ("en", "uk")).words[0].text == "ukr"


def test_unidentified_script_is_read_in_the_requested_language() -> None:
    assert read(PlainMain(), PlainPacks(script=None), ("ru",)).words[0].text == "rus"


def test_chinese_and_japanese_are_read_by_the_built_in_networks() -> None:
    main = PlainMain()
    assert read(main, PlainPacks(script="Japanese")).words[0].text == "han"
    assert "ja" in main.asked[-1]


@pytest.mark.parametrize(
    ("main", "packs", "named"),
    [
        (PlainMain(), PlainPacks(data=frozenset({"eng", "osd"})), ("ocr-script-cyrillic",)),
        (PlainMain(guess=("Thai", 0.9)), PlainPacks(data=None), ("ocr-script-thai",)),
        (PlainMain(guess=("Thai", 0.3)), PlainPacks(data=None), ()),
        (PlainMain(guess=("Latin", 0.7)), PlainPacks(data=None), ()),
    ],
)
def test_page_without_a_pack_names_its_script(main: PlainMain, packs: PlainPacks, named: tuple[str, ...]) -> None:
    page = read(main, packs)
    assert (page.words, page.warnings) == ((), (LANGUAGE_MISSING, *named))


def test_page_of_poor_latin_letters_keeps_its_words() -> None:
    page = read(PlainMain(guess=("Latin", 0.95)), PlainPacks(data=None))
    assert ([word.text for word in page.words], page.warnings) == ([". ."], ())


LINES = {
    "cyrillic": ("Привет мир, это документ", "договор между сторонами", "сумма оплаты и дата", "подпись директора"),
    "greek": ("Καλημέρα κόσμε, έγγραφο", "σύμβαση μεταξύ των μερών", "ποσό πληρωμής και ημερομηνία", "υπογραφή"),
    "arabic": ("هذا مستند باللغة العربية", "عقد بين الطرفين", "المبلغ المستحق والتاريخ", "توقيع المدير العام"),
    "hebrew": ("זה מסמך בשפה העברית", "חוזה בין שני הצדדים", "סכום לתשלום ותאריך", "חתימה של המנהל"),
    "devanagari": ("यह हिंदी भाषा में दस्तावेज है", "पक्षों के बीच अनुबंध", "देय राशि और तारीख", "निदेशक के हस्ताक्षर"),
    "thai": ("นี่คือเอกสารภาษาไทย", "สัญญาระหว่างคู่สัญญา", "จำนวนเงินและวันที่", "ลายเซ็นผู้อำนวยการ"),
    "hangul": ("이것은 한국어 문서입니다", "계약 당사자 사이의 합의", "지불 금액과 날짜", "이사의 서명과 주소"),
}


@pytest.fixture(scope="module")
def recogniser() -> ScriptRecogniser:
    return ScriptRecogniser(("en",), RapidRecogniser(("en",)), lambda: PlainPacks(data=None))


@pytest.mark.parametrize("script", LINES)
def test_script_that_nothing_reads_is_named(script: str, recogniser: ScriptRecogniser) -> None:
    with pymupdf.open() as document:
        page = document.new_page(width=300, height=180)
        text = "".join(f"<p style='margin:4px'>{line}</p>" for line in LINES[script])
        page.insert_htmlbox((20, 15, 290, 170), f"<div style='font-size:15px'>{text}</div>")
        pixels = page.get_pixmap(dpi=130)
    image = Image.frombytes("RGB", (pixels.width, pixels.height), pixels.samples)
    (read_page,) = recogniser.recognise_pages([as_page(image)], (), 60.0)
    assert (read_page.words, read_page.warnings) == ((), (LANGUAGE_MISSING, f"ocr-script-{script}"))


@pytest.mark.parametrize(
    ("text", "confidence", "extent", "foreign"),
    [
        ("a line of plain letters", 0.98, 12.0, False),
        ("a line of plain letters, long enough", 0.98, 18.0, False),
        (". . . . . .", 0.98, 40.0, True),
        ("XAIL IXUU LLAU CICC L4UIU XUU", 0.7, 16.0, True),
        ("Eαστ πλÚ Mńλα σÚvoλo 24", 0.9, 12.0, True),
        ("αβγ-crystallin at 5 μmol, Δt and πr in text", 0.98, 12.0, False),
    ],
)
def test_a_script_that_is_not_known_gives_few_letters_or_doubtful_ones(
    text: str, confidence: float, extent: float, *, foreign: bool
) -> None:
    glyphs = tuple(DecodedGlyph(char=char, confidence=confidence, start=0.0, end=1.0) for char in text)
    line = ReadLine(box=np.zeros((4, 2), np.float32), glyphs=glyphs)
    picture = ReadPicture(lines=(line,), turn=0, skew=0.0, width=10, height=10, extent=extent)
    assert picture.is_foreign is foreign


def test_words_far_apart_in_a_row_stand_in_different_lines() -> None:
    def place(x: float, line: int) -> Word:
        return Word(text="x", bbox=(x, 0, x + 20, 10), confidence=1.0, line=line)

    row = [place(0, 0), place(24, 0), place(120, 0), place(0, 1)]
    assert [word.line for word in split_far_words(iter(row))] == [0, 0, 1, 2]
    rightwards = [place(120, 0), place(96, 0), place(0, 0)]
    assert [word.line for word in split_far_words(iter(rightwards))] == [0, 0, 1]


def test_the_default_engine_takes_languages_that_only_packs_can_read() -> None:
    read = make_recogniser("rapidocr", ("en", "ru")).recognise_pages([as_page(draw_page(["The harbour"]))], (), 60.0)
    assert read[0].engine == "rapidocr"


def test_page_without_a_pack_reports_its_ink_as_unread() -> None:
    class InkedMain(PlainMain):
        def read_page(self, page: PixelPage, langs: tuple[str, ...], timeout_s: float) -> tuple[RecognisedPage, bool]:
            return replace(say(". ."), ink=ScanCoverage(components=90, covered=70)), True

    page = read(InkedMain(), PlainPacks(data=None))
    assert page.ink == ScanCoverage(components=90, covered=0)
