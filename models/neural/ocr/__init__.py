"""Text recognition on the CPU: `make_recogniser` gives a `RecognisePages` for an engine and its languages.

Importing this loads no model, no runtime and no picture library.
"""

from typing import Protocol, assert_never

from quire.models.cdom.ports import RecognisePages
from quire.models.neural.ocr.langs import (
    OcrEngineName,
    UnsupportedLanguage,
    check_default_langs,
    check_langs,
    covered_langs,
)

__all__ = [
    "LocalPageRecogniser",
    "OcrEngineName",
    "UnsupportedLanguage",
    "check_langs",
    "covered_langs",
    "make_recogniser",
]


class LocalPageRecogniser(RecognisePages, Protocol):
    """A recogniser that loads its models at the first page or in `warm_up`."""

    def warm_up(self) -> None:
        """Load the models now."""


def make_recogniser(
    engine: OcrEngineName | str = OcrEngineName.RAPIDOCR,
    langs: tuple[str, ...] = ("en",),
    cpu_flags: frozenset[str] | None = None,
) -> LocalPageRecogniser:
    """Return a recogniser that has loaded nothing yet.

    A processor without AVX2 and FMA raises `MlUnavailable` only in `warm_up` or at the first page, so that born-digital
    documents still succeed on it.

    Args:
        engine: Name of the engine.
        langs: ISO 639-1 codes of the languages to read.
        cpu_flags: Flags to use instead of those that the processor reports (tests, `doctor`).

    Raises:
        ValueError: The engine is unknown.
        UnsupportedLanguage: The engine cannot read one of the languages.
    """
    chosen = OcrEngineName(engine)
    match chosen:
        case OcrEngineName.RAPIDOCR:
            from quire.models.neural.ocr.rapid import RapidRecogniser
            from quire.models.neural.ocr.scripts import ScriptRecogniser

            checked = check_default_langs(langs)
            own = tuple(lang for lang in checked if lang in covered_langs(chosen)) or ("en",)
            return ScriptRecogniser(checked, RapidRecogniser(own, cpu_flags))
        case OcrEngineName.TESSERACT:
            from quire.models.neural.ocr.tesseract import TesseractRecogniser

            return TesseractRecogniser(check_langs(chosen, langs))
        case _:
            assert_never(chosen)
