"""Text recognition on the CPU: `make_recogniser` gives a `RecognisePages` for an engine and its languages.

Importing this loads no model, no runtime and no picture library.
"""

from typing import Protocol, assert_never

from models.cdom.ports import RecognisePages
from models.neural.ocr.langs import OcrEngineName, UnsupportedLanguage, check_langs, check_wanted, covered_langs

__all__ = [
    "LocalPageRecogniser",
    "OcrEngineName",
    "UnsupportedLanguage",
    "check_langs",
    "covered_langs",
    "make_recogniser",
]


class LocalPageRecogniser(RecognisePages, Protocol):
    """A recogniser that loads what it needs at the first page, or when told to."""

    def warm_up(self) -> None: ...


def make_recogniser(
    engine: OcrEngineName | str = OcrEngineName.RAPIDOCR,
    langs: tuple[str, ...] = ("en",),
    cpu_flags: frozenset[str] | None = None,
) -> LocalPageRecogniser:
    """A recogniser that has loaded nothing yet; `cpu_flags` replaces what the processor says of itself (tests, doctor).

    Raises `ValueError` for an unknown engine and `UnsupportedLanguage`; a processor without AVX2 and FMA is found out
    by `warm_up` or the first page (`MlUnavailable`), so that born-digital documents still succeed there.
    """
    chosen = OcrEngineName(engine)
    match chosen:
        case OcrEngineName.RAPIDOCR:
            from models.neural.ocr.rapid import RapidRecogniser
            from models.neural.ocr.scripts import ScriptRecogniser

            checked = check_wanted(langs)
            own = tuple(lang for lang in checked if lang in covered_langs(chosen)) or ("en",)
            return ScriptRecogniser(checked, RapidRecogniser(own, cpu_flags))
        case OcrEngineName.TESSERACT:
            from models.neural.ocr.tesseract import TesseractRecogniser

            return TesseractRecogniser(check_langs(chosen, langs))
        case _:
            assert_never(chosen)
