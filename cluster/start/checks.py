"""Checks before a start: languages, engines and models that settings name must be available on this machine."""

from pathlib import Path

from quire.cluster.bootstrap.enabled import searches
from quire.cluster.errors import StartRefused
from quire.configs.kinds import PiiEngine
from quire.configs.settings import Settings
from quire.models.cdom.errors import MlUnavailable
from quire.models.neural.ocr.langs import OcrEngineName, UnsupportedLanguage, check_default_langs, check_langs
from quire.models.pii.engines.choose import check_engine
from quire.models.pii.errors import EngineMissing


def check_recogniser(settings: Settings) -> None:
    """Fail before the start if the recogniser cannot read a language."""
    try:
        engine = OcrEngineName(settings.ocr_engine.value)
        if engine is OcrEngineName.RAPIDOCR:
            check_default_langs(settings.ocr_langs)
        else:
            check_langs(engine, settings.ocr_langs)
    except UnsupportedLanguage as error:
        raise StartRefused(f"SVC_OCR_LANGS: {error.detail}") from None


def check_second_opinion(settings: Settings) -> None:
    """Fail before the start if the chosen detector is not installed."""
    if settings.second_opinion:
        from quire.models.neural.layout.detector import locate_detector

        try:
            locate_detector(Path(settings.layout_model) if settings.layout_model else None)
        except MlUnavailable as error:
            raise StartRefused(f"SVC_SECOND_OPINION: {error.detail}; see docs/operating.md") from None


def check_pii_engine(settings: Settings) -> None:
    """Fail before the start if the chosen engine or a language of it is not installed."""
    try:
        check_engine(settings.pii_engine, settings.pii_languages)
        if settings.redaction_engine is not PiiEngine.NAMES:  # part of every installation
            check_engine(settings.redaction_engine, settings.pii_languages)
    except EngineMissing as error:
        raise StartRefused(str(error)) from None


def check_embedding(settings: Settings) -> None:
    """Fail before the start if the model cannot embed, or another model filled the index."""
    if searches(settings):
        from quire.cluster.compose.search import (
            check_search,  # Lance: a third of a second at each start without an index
        )

        check_search(settings)


def check_source_root(settings: Settings) -> None:
    """Fail before the start if the root of sources is missing; folders of its tenants may be created later."""
    if settings.source_root is not None and not Path(settings.source_root.partition("{tenant}")[0]).is_dir():
        raise StartRefused(f"SVC_SOURCE_ROOT: {settings.source_root} is not a folder on this machine")
