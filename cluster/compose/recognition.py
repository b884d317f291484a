"""Replicas that recognise pages: OCR on the CPU, and a vision-language model."""

import os
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from quire.actors.recogniser import Recogniser
from quire.cluster.bootstrap.finding import find_runtime
from quire.cluster.bootstrap.vlm import choose_vlm, load_models, make_vlm_reader
from quire.cluster.compose.handles import ServedVlm
from quire.cluster.compose.plugins import load_plugins
from quire.cluster.runtime import Runtime
from quire.models.cdom.errors import MlUnavailable
from quire.models.cdom.ports import FindElements, RecognisePages
from quire.models.neural.ocr import make_recogniser as make_engine

if TYPE_CHECKING:
    from quire.actors.vlm.page_reader import VlmReader
    from quire.models.neural.layout.detector import LayoutDetector

RECOGNISER_NICE = 10  # nice value: recognition fills cores that reading and answering need first
VLM_CONCURRENCY, VLM_PAGES_AT_ONCE = 16, 8
"""Concurrent calls to an endpoint, and concurrent pages of one document; a local engine batches by itself."""


def make_recogniser(runtime: Runtime) -> Recogniser:
    """Return the OCR of this machine: one worker, models loaded at the first page or, if set, now."""
    settings = runtime.settings
    flags = frozenset(settings.cpu_flags) or None
    by_plugin = load_plugins(settings.plugins).make_recogniser
    recogniser = Recogniser(
        by_plugin or (lambda: make_engine(settings.ocr_engine.value, settings.ocr_langs, flags)),
        make_detector=partial(make_detector, settings.layout_model, flags),
    )
    if settings.ocr_warmup:
        with suppress(MlUnavailable):  # born-digital documents are read all the same
            recogniser.warm_up()
    return recogniser


def make_detector(folder: str | None, flags: frozenset[str] | None = None) -> "LayoutDetector":
    """Return the layout detector for second opinions: of `folder`, or the one installed with the service."""
    from quire.models.neural.layout.detector import LayoutDetector  # OpenCV: readers import this module for `with_vlm`

    return LayoutDetector(None if folder is None else Path(folder), flags)


def with_vlm(runtime: Runtime, recogniser: RecognisePages, detector: FindElements | None = None) -> RecognisePages:
    """Return the recogniser of a reader: the vision-language model first if one is set, else the one given.

    `detector` finds charts and seals if SVC_LAYOUT_MODEL knows them.
    """
    settings = runtime.settings
    if settings.vlm_ocr is None:
        return recogniser
    model = load_models().load_model(choose_vlm(settings.vlm_ocr, settings.vlm_key).model)
    from quire.actors.vlm.regions import make_vlm_first

    finder = detector if settings.layout_model else None
    return make_vlm_first(ServedVlm(), recogniser, needs_regions=model.needs_regions, detector=finder)


def make_vlm(runtime: Runtime) -> "VlmReader":
    """Return the page reader of a vlm_ocr replica."""
    settings = runtime.settings
    assert settings.vlm_ocr is not None
    return make_vlm_reader(choose_vlm(settings.vlm_ocr, settings.vlm_key), settings.vlm_key, VLM_CONCURRENCY)


def build_recogniser() -> Recogniser:
    """Build the recogniser of a replica, at low priority, so that scanned pages do not delay born-digital ones."""
    os.nice(RECOGNISER_NICE)
    return make_recogniser(find_runtime())


def build_vlm() -> "VlmReader":
    """Build the page reader of a replica."""
    return make_vlm(find_runtime())
