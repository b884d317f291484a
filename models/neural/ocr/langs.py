"""Languages that each recogniser reads: maps codes of SVC_OCR_LANGS to the engine's codes.

In: ISO 639-1 codes. Out: character filters or engine codes, or `UnsupportedLanguage`. Loads nothing.
"""

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import assert_never

from quire.models.cdom.errors import MlUnavailable


class OcrEngineName(StrEnum):
    """`rapidocr`: PP-OCRv6 models of that package. `tesseract`: the installed command with its language data."""

    RAPIDOCR = "rapidocr"
    TESSERACT = "tesseract"


class UnsupportedLanguage(MlUnavailable):
    """The recogniser has no letters for a language that was asked for."""


# fmt: off
LATIN = frozenset({
    "af", "az", "bs", "ca", "cs", "cy", "da", "de", "en", "es", "et", "eu", "fi", "fr", "ga", "gl", "hr", "hu", "id",
    "is", "it", "ku", "la", "lb", "lt", "lv", "mi", "ms", "mt", "nl", "no", "oc", "pl", "pt", "qu", "rm", "ro", "sk",
    "sl", "sq", "sr-latn", "sv", "sw", "tl", "tr", "uz",
})
# fmt: on
"""Languages whose letters PP-OCRv6 knows; Vietnamese is on its own list, but most of its letters are not."""
HAN = frozenset({"zh", "zh-cn", "zh-tw", "ja"})

# fmt: off
TESSERACT_CODES = {
    "af": "afr", "ar": "ara", "az": "aze", "bg": "bul", "bs": "bos", "ca": "cat", "cs": "ces", "cy": "cym",
    "da": "dan", "de": "deu", "el": "ell", "en": "eng", "es": "spa", "et": "est", "eu": "eus", "fa": "fas",
    "fi": "fin", "fr": "fra", "ga": "gle", "gl": "glg", "he": "heb", "hi": "hin", "hr": "hrv", "hu": "hun",
    "id": "ind", "is": "isl", "it": "ita", "ja": "jpn", "ko": "kor", "la": "lat", "lb": "ltz", "lt": "lit",
    "lv": "lav", "mi": "mri", "ms": "msa", "mt": "mlt", "nl": "nld", "no": "nor", "oc": "oci", "pl": "pol",
    "pt": "por", "qu": "que", "ro": "ron", "ru": "rus", "sk": "slk", "sl": "slv", "sq": "sqi", "sr": "srp",
    "sr-latn": "srp_latn", "sv": "swe", "sw": "swa", "th": "tha", "tl": "tgl", "tr": "tur", "uk": "ukr", "uz": "uzb",
    "vi": "vie", "zh": "chi_sim", "zh-cn": "chi_sim", "zh-tw": "chi_tra",
}
# fmt: on


def covered_langs(engine: OcrEngineName) -> frozenset[str]:
    """Codes the engine can read (Tesseract: where its data for them is installed)."""
    match engine:
        case OcrEngineName.RAPIDOCR:
            return LATIN | HAN
        case OcrEngineName.TESSERACT:
            return frozenset(TESSERACT_CODES)
        case _:
            assert_never(engine)


def check_langs(engine: OcrEngineName, langs: Sequence[str]) -> tuple[str, ...]:
    """Return the language codes in lower case, sorted and without duplicates.

    Raises:
        UnsupportedLanguage: The engine cannot read some of them, which the message names.
    """
    codes = _normalise(langs)
    unknown = [lang for lang in codes if lang not in covered_langs(engine)]
    if unknown or not codes:
        raise UnsupportedLanguage(f"{engine} cannot read: {', '.join(unknown) or 'no language given'}")
    return tuple(codes)


def check_default_langs(langs: Sequence[str]) -> tuple[str, ...]:
    """Check the codes like `check_langs` for the default engine, which also uses Tesseract's packs."""
    codes = _normalise(langs)
    unknown = [lang for lang in codes if lang not in LATIN | HAN and lang not in TESSERACT_CODES]
    if unknown or not codes:
        raise UnsupportedLanguage(f"nothing can read: {', '.join(unknown) or 'no language given'}")
    return tuple(codes)


def _normalise(langs: Sequence[str]) -> list[str]:
    return sorted({lang.strip().lower() for lang in langs if lang.strip()})


def reads_han(langs: Sequence[str]) -> bool:
    """Whether any of the languages is written with Chinese characters."""
    return not HAN.isdisjoint(langs)


def character_filter(*, han: bool) -> Callable[[str], bool]:
    """Return a filter of readable characters: all for Chinese and Japanese, else Latin letters, digits and signs.

    On receipts the Latin filter lowers the error rate by a relative 4 %: no letter is read as a Chinese character.
    """
    return (lambda char: True) if han else _is_latin


_PLAIN_LATIN_ENDS = "\u0180"
"""Basic Latin, Latin-1 and Latin Extended-A; what follows is phonetics, but for a few letters of living languages."""
_OTHER_LETTERS = frozenset("ȘșȚțƏəƒαβγδθλμπστφωΔΘΣΦΩ")
_SIGNS = frozenset("℃℉™←↑→↓↔⇒⇔∆∏∑−√∞∫≈≠≤≥■□▪▲▼◆●○☐☑☒★☆✓✔✕✗✘")


def _is_latin(char: str) -> bool:
    return char < _PLAIN_LATIN_ENDS or "\u2000" <= char < "\u2100" or char in _OTHER_LETTERS or char in _SIGNS
