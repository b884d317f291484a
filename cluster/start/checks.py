"""What is refused before anything starts: languages, engines and models that settings name and this machine lacks."""

from pathlib import Path

from cluster.bootstrap.wanted import searches
from cluster.errors import StartRefused
from configs.settings import Settings
from models.cdom.errors import MlUnavailable
from models.neural.ocr.langs import OcrEngineName, UnsupportedLanguage, check_langs, check_wanted
from models.pii.engines.choose import check_engine
from models.pii.errors import EngineMissing


def check_recogniser(settings: Settings) -> None:
    """Languages the recogniser has no letters for are refused now, not at the first scan."""
    try:
        engine = OcrEngineName(settings.ocr_engine.value)
        if engine is OcrEngineName.RAPIDOCR:
            check_wanted(settings.ocr_langs)
        else:
            check_langs(engine, settings.ocr_langs)
    except UnsupportedLanguage as error:
        raise StartRefused(f"SVC_OCR_LANGS: {error.detail}") from None


def check_second_opinion(settings: Settings) -> None:
    """A detector that is not installed is refused now, not at the first doubted page."""
    if settings.second_opinion:
        from models.neural.layout.detector import locate_detector

        try:
            locate_detector(Path(settings.layout_model) if settings.layout_model else None)
        except MlUnavailable as error:
            raise StartRefused(f"SVC_SECOND_OPINION: {error.detail}; see docs/operating.md") from None


def check_pii_engine(settings: Settings) -> None:
    """An engine or a language that is not installed is refused now, not when the first document is read."""
    try:
        check_engine(settings.pii_engine, settings.pii_languages)
    except EngineMissing as error:
        raise StartRefused(str(error)) from None


def check_embedding(settings: Settings) -> None:
    """A model that cannot embed, or an index filled by another one, is refused now."""
    if searches(settings):
        from cluster.compose.search import check_search  # Lance: a third of a second at each start without an index

        check_search(settings)


def check_source_root(settings: Settings) -> None:
    """A fence that is not there would refuse every source later; the folders of its tenants may come later."""
    if settings.source_root is not None and not Path(settings.source_root.partition("{tenant}")[0]).is_dir():
        raise StartRefused(f"SVC_SOURCE_ROOT: {settings.source_root} is not a folder on this machine")
