import pytest

from quire.models.neural.ocr import OcrEngineName, UnsupportedLanguage, check_langs, covered_langs
from quire.models.neural.ocr.langs import LATIN, character_filter, reads_han
from quire.models.neural.ocr.runtime import load_recogniser
from quire.models.neural.registry import ModelName, locate_model

LETTERS = {
    "az": "əğıöşüç", "cs": "áčďéěíňóřšťúůýž", "cy": "âêîôûŵŷ", "da": "æøå", "de": "äöüß", "es": "áéíñóúü¿",
    "et": "äõöüšž", "fi": "äöå", "fr": "àâæçéèêëîïôœùûüÿ", "ga": "áéíóú", "hr": "čćđšž", "hu": "áéíóöőúüű",
    "is": "áðéíóúýþæö", "it": "àèéìòù", "lt": "ąčęėįšųūž", "lv": "āčēģīķļņšūž", "mt": "ċġħż", "nl": "ëïĳ",
    "pl": "ąćęłńóśźż", "pt": "ãâáàçéêíóôõú", "ro": "ăâîșț", "sk": "áäčďéíĺľňóôŕšťúýž", "sl": "čšž", "sv": "åäö",
    "tr": "çğıİöşü",
}  # fmt: skip


@pytest.fixture(scope="module")
def characters() -> frozenset[str]:
    return frozenset(load_recogniser(locate_model(ModelName.TEXT_RECOGNISER), character_filter(han=False))[1])


@pytest.mark.parametrize("lang", LETTERS)
def test_the_recogniser_knows_every_letter_of_its_languages(characters: frozenset[str], lang: str) -> None:
    assert lang in LATIN
    assert set(LETTERS[lang]) - characters == set()


def test_digits_money_and_boxes_can_be_read_and_chinese_cannot(characters: frozenset[str]) -> None:
    assert set("0123456789 €$£%☐☑✓§°±×") <= characters
    assert not any("\u4e00" <= char <= "\u9fff" for char in characters if char)


def test_vietnamese_is_not_claimed(characters: frozenset[str]) -> None:
    assert not set("ệốữ") <= characters
    assert "vi" not in covered_langs(OcrEngineName.RAPIDOCR)


def test_chinese_and_japanese_want_the_whole_dictionary() -> None:
    assert reads_han(("en", "ja"))
    assert not reads_han(("en", "fr"))
    assert character_filter(han=True)("漢")


def test_codes_are_taken_in_any_case_and_order_and_once() -> None:
    assert check_langs(OcrEngineName.RAPIDOCR, (" FR", "en", "fr")) == ("en", "fr")


@pytest.mark.parametrize("langs", [(), ("",), ("ru",), ("en", "klingon")])
def test_unsupported_language_is_refused(langs: tuple[str, ...]) -> None:
    with pytest.raises(UnsupportedLanguage):
        check_langs(OcrEngineName.RAPIDOCR, langs)


def test_tesseract_reads_more_scripts() -> None:
    assert check_langs(OcrEngineName.TESSERACT, ("ru", "ar")) == ("ar", "ru")
