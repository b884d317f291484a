"""Plugins: entry points of installed packages, loaded only when SVC_PLUGINS names them (`*`: all).

Names become readers (by format, as "module:function" for the sandbox, which imports them itself), exports, detectors of
personal data, kinds of targets and at most one recogniser. A name that is not installed, or an object of the wrong
type, refuses the start. A plugin runs with the service's rights: installing one means trusting it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from importlib.metadata import EntryPoint, entry_points
from itertools import chain
from typing import Any, assert_never

from quire.cluster.errors import StartRefused
from quire.models.cdom.original import Format
from quire.models.export import Export
from quire.models.pii.kinds import Detector, Hit, settle
from quire.storage.targets.contract import OpenTarget
from quire.storage.targets.opening import BUILT_IN

MakeRecogniser = Callable[[], Any]


class PluginGroup(StrEnum):
    """Entry point groups.

    `readers`: named by format, open it. `exports`: an `Export`. `pii`, `ocr`: factories. `targets`: kinds of targets.
    """

    READERS = "quire.readers"
    EXPORTS = "quire.exports"
    PII = "quire.pii"
    OCR = "quire.ocr"
    TARGETS = "quire.targets"


@dataclass(slots=True, kw_only=True)
class Plugins:
    """The loaded plugins by group."""

    readers: dict[str, str] = field(default_factory=dict)
    exports: dict[str, Export] = field(default_factory=dict)
    detectors: list[Detector] = field(default_factory=list)
    make_recogniser: MakeRecogniser | None = None
    targets: dict[str, OpenTarget] = field(default_factory=dict)


class Detectors:
    """Several detectors as one: where hits overlap the stronger kind wins; if one raises, the scan is incomplete."""

    def __init__(self, detectors: Sequence[Detector]) -> None:
        self._detectors = tuple(detectors)
        self.name = "+".join(detector.name for detector in detectors)
        self.version = "+".join(detector.version for detector in detectors)

    def detect(self, text: str) -> list[Hit]:
        """Return the hits of all detectors."""
        return settle(chain.from_iterable(detector.detect(text) for detector in self._detectors))


def load_plugins(allowed: Sequence[str], installed: Iterable[EntryPoint] | None = None) -> Plugins:
    """Load the allowed plugins and import no others. Raises StartRefused."""
    plugins = Plugins()
    if not allowed:
        return plugins
    points = list(_installed() if installed is None else installed)
    missing = set(allowed) - {"*"} - {point.name for point in points}
    if missing:
        raise StartRefused(f"SVC_PLUGINS: not installed: {', '.join(sorted(missing))}")
    for point in points:
        if "*" in allowed or point.name in allowed:
            _add(plugins, point)
    return plugins


def _installed() -> Iterable[EntryPoint]:
    return chain.from_iterable(entry_points(group=group.value) for group in PluginGroup)


def _add(plugins: Plugins, point: EntryPoint) -> None:
    try:
        loaded = point.load()
    except Exception as error:
        raise StartRefused(f"SVC_PLUGINS: {point.name} cannot be loaded ({type(error).__name__})") from None
    group = PluginGroup(point.group)
    match group:
        case PluginGroup.READERS:
            plugins.readers[_format(point.name)] = point.value
        case PluginGroup.EXPORTS:
            plugins.exports[point.name] = _require(loaded, Export, point.name)
        case PluginGroup.PII:
            plugins.detectors.append(loaded())
        case PluginGroup.OCR:
            if plugins.make_recogniser is not None:
                raise StartRefused("SVC_PLUGINS: more than one plugin of quire.ocr")
            plugins.make_recogniser = loaded
        case PluginGroup.TARGETS:
            if point.name in BUILT_IN:
                raise StartRefused(
                    f"SVC_PLUGINS: {point.name} is a built-in kind of target; give the plugin another name"
                )
            plugins.targets[point.name] = loaded
        case _:
            assert_never(group)


def _format(name: str) -> str:
    try:
        return Format(name).value
    except ValueError:
        known = ", ".join(Format)
        raise StartRefused(f"SVC_PLUGINS: a reader is named after its format ({known}), not {name}") from None


def _require(loaded: object, kind: type[Export], name: str) -> Export:
    if not isinstance(loaded, kind):
        raise StartRefused(f"SVC_PLUGINS: {name} is not a {kind.__name__}")
    return loaded
