"""Detects pages in scripts that the built-in networks cannot read, by their low yield, and reads them with Tesseract.

In: `PixelPage`s. Out: `RecognisedPage`s. Without Tesseract or its data for a script the page has its figures only, and
warnings that name the script. A page on which no installed script reads well says so.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from quire.models.cdom.errors import MlUnavailable
from quire.models.cdom.ports import PixelPage, RecognisedPage, Word
from quire.models.neural.ocr.langs import HAN, TESSERACT_CODES, OcrEngineName, covered_langs
from quire.models.neural.ocr.rapid import RapidRecogniser
from quire.models.neural.ocr.tesseract import TesseractRecogniser, mean_confidence

DOUBTFUL = "ocr-doubtful"
"""Warning: the page reads badly in every installed script."""
MIN_READ = 0.5
"""Mean confidence (0..1) of the words of a page below which its text is doubtful."""
SURE_FIGURES = 0.8
"""Mean confidence (0..1) of the words of a line of figures; foreign letters read as figures have less."""
LANGUAGE_MISSING = "ocr-language-missing"
"""Warning: the page is in a script that nothing installed can read."""
SCRIPT_WARNING = "ocr-script-"
"""Start of the warning that names the script of such a page, in lower case."""
MIN_SCRIPT = 0.6
"""Probability (0..1) from which a script that the built-in networks recognise is named."""
MIN_LATIN = 0.9
"""Probability (0..1) from which a page of low yield is in Latin letters, so that its words are kept."""
MIN_HAN_LETTERS = 4
"""Letters that a second reading must have to be taken for Chinese or Japanese; fewer are chance."""
MIN_HAN_SHARE = 0.5
"""Share of its letters that must be Chinese or Japanese; tables hold Latin letters too."""
MIN_HAN_CONFIDENCE = 0.8
"""Mean confidence (0..1) of its words that it must have."""
_LATIN = "Latin"
_HAN_SCRIPTS = frozenset({"Han", "HanS", "HanT", "Japanese", "Hiragana", "Katakana"})
SCRIPT_DATA = {
    "Cyrillic": ("Cyrillic", "rus", "ukr", "bul", "srp"), "Greek": ("Greek", "ell"), "Arabic": ("Arabic", "ara"),
    "Hebrew": ("Hebrew", "heb"), "Devanagari": ("Devanagari", "hin"), "Korean": ("Hangul", "kor"),
    "Hangul": ("Hangul", "kor"), "Thai": ("Thai", "tha"), "Bengali": ("Bengali", "ben"), "Tamil": ("Tamil", "tam"),
    "Georgian": ("Georgian", "kat"), "Armenian": ("Armenian", "hye"),
}  # fmt: skip
"""Scripts as Tesseract's detection names them: what can read each, the best first."""
_SCRIPT_OF = {"ru": "Cyrillic", "uk": "Cyrillic", "bg": "Cyrillic", "sr": "Cyrillic", "el": "Greek", "ar": "Arabic",
              "fa": "Arabic", "he": "Hebrew", "hi": "Devanagari", "ko": "Korean", "th": "Thai"}  # fmt: skip


@dataclass(slots=True)
class ScriptRecogniser:
    """Implements `RecognisePages`; languages beyond the built-in ones are read by `packs` where a page needs them."""

    langs: tuple[str, ...]
    main: RapidRecogniser
    packs: Callable[[], TesseractRecogniser] = lambda: TesseractRecogniser(())
    _packs: TesseractRecogniser | None = None
    _installed: frozenset[str] | None = field(default=None)

    def warm_up(self) -> None:
        """Load the built-in models now. Raises `MlUnavailable`."""
        self.main.warm_up()

    def recognise_pages(self, pages: list[PixelPage], langs: tuple[str, ...], timeout_s: float) -> list[RecognisedPage]:
        """Read the pages; raises the errors of the built-in recogniser."""
        requested = langs or self.langs
        return [self._recognise(page, requested, timeout_s) for page in pages]

    def _recognise(self, page: PixelPage, langs: Sequence[str], timeout_s: float) -> RecognisedPage:
        built_in = covered_langs(OcrEngineName.RAPIDOCR)
        own = tuple(lang for lang in langs if lang in built_in)
        foreign = [lang for lang in langs if lang not in built_in]
        latin, is_foreign = self.main.read_page(page, own or ("en",), timeout_s)
        if not is_foreign:
            return latin
        stated = self._find_script(page, timeout_s)
        if stated in _HAN_SCRIPTS:
            return self.main.read_page(page, tuple(sorted(HAN)), timeout_s)[0]
        script = stated or self._guess_script(page, timeout_s) or (_SCRIPT_OF.get(foreign[0]) if foreign else None)
        if script in (None, *_HAN_SCRIPTS) and (second := self._read_han(page, timeout_s)) is not None:
            return second
        if script == _LATIN:
            return latin
        data = self._choose_data(script, foreign)
        if data is not None and self._packs is not None:
            read = self._packs.recognise_with(page, data, timeout_s, latin.rotation)
            is_read = not read.words or mean_confidence(read) >= MIN_READ
            return read if is_read else _doubt(read, (DOUBTFUL,))
        named = (f"{SCRIPT_WARNING}{script.lower()}",) if script else ()
        return _doubt(replace(latin, words=keep_figures(latin.words), boxes=()), (LANGUAGE_MISSING, *named))

    def _guess_script(self, page: PixelPage, timeout_s: float) -> str | None:
        """Return the script that the built-in networks recognise without reading it, or None when they are unsure."""
        guess = self.main.find_script(page, timeout_s)
        if guess is None:
            return None
        script, probability = guess
        return script if probability >= (MIN_LATIN if script == _LATIN else MIN_SCRIPT) else None

    def _read_han(self, page: PixelPage, timeout_s: float) -> RecognisedPage | None:
        """Read a page of unidentified script as Chinese and Japanese; None when the result is not in Han script."""
        recognised, is_foreign = self.main.read_page(page, tuple(sorted(HAN)), timeout_s)
        letters = [char for word in recognised.words for char in word.text if char.isalpha()]
        if is_foreign or len(letters) < MIN_HAN_LETTERS or not recognised.words:
            return None
        share = sum(char >= "\u3040" for char in letters) / len(letters)
        confidence = sum(word.confidence for word in recognised.words) / len(recognised.words)
        return recognised if share >= MIN_HAN_SHARE and confidence >= MIN_HAN_CONFIDENCE else None

    def _find_script(self, page: PixelPage, timeout_s: float) -> str | None:
        """Return the name of the page's script, or None when Tesseract is missing or unsure."""
        if self._installed is None:
            tesseract = self.packs()
            try:
                self._installed = tesseract.find_data()
                self._packs = tesseract
            except MlUnavailable:
                self._installed = frozenset()
        return self._packs.find_script(page, timeout_s) if self._packs is not None else None

    def _choose_data(self, script: str | None, foreign: Sequence[str]) -> str | None:
        """Return the installed Tesseract data for the script, preferring that of a requested language.

        English is not added: Latin letters then appear in Greek and Hindi words (error rate .036 instead of .020).
        """
        asked = [TESSERACT_CODES[lang] for lang in foreign if _SCRIPT_OF.get(lang) == script]
        for data in (*asked, *SCRIPT_DATA.get(script or "", ())):
            if data in (self._installed or ()):
                return data
        return None


def _doubt(page: RecognisedPage, warnings: tuple[str, ...]) -> RecognisedPage:
    """Return the page with those warnings and all its ink unread."""
    return replace(page, warnings=(*page.warnings, *warnings), ink=page.ink and replace(page.ink, covered=0))


def keep_figures(words: Sequence[Word]) -> tuple[Word, ...]:
    """Return the words of lines that are mostly figures, which look alike in most scripts."""
    lines = [list(line) for _, line in groupby(words, key=lambda word: word.line)]
    return tuple(word for line in lines if _is_figures(line) for word in line)


def _is_figures(line: Sequence[Word]) -> bool:
    text = "".join(word.text for word in line)
    is_sure = sum(word.confidence for word in line) >= SURE_FIGURES * len(line)
    return is_sure and sum(map(str.isdigit, text)) > sum(map(str.isalpha, text))
