"""The recogniser of programs that read files without a service: its models are loaded at the first scan."""

from pathlib import Path

from quire.actors.recogniser import PageDetector, Recogniser
from quire.models.neural.ocr import make_recogniser


def make_file_recogniser(langs: tuple[str, ...], layout_model: Path | None = None) -> Recogniser:
    """Return a recogniser of scans in these languages; `layout_model` is a folder, or None for the installed model."""
    return Recogniser(lambda: make_recogniser(langs=langs), make_detector=lambda: _make_detector(layout_model))


def _make_detector(folder: Path | None) -> PageDetector:
    from quire.models.neural.layout.detector import LayoutDetector  # OpenCV, which born-digital files do not need

    return LayoutDetector(folder)
