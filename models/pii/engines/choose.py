"""The engines by name: from a setting to the function that flags trees. A new engine is one member and one branch."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import assert_never

from quire.models.cdom.tree import Tree
from quire.models.pii.flagging.flag import flag_tree
from quire.models.pii.kinds import Detector
from quire.models.pii.patterns.kind_patterns import RegexDetector


class PiiEngineChoice(StrEnum):
    """`names` (a small tagger) and `presidio` (spaCy pipelines) add people, places and organisations to `regex`."""

    REGEX = "regex"
    NAMES = "names"
    PRESIDIO = "presidio"


@dataclass(frozen=True, slots=True)
class TreeFlagger:
    """Turns a tree into its flagged copy. Only the choices are pickled, so each process builds its own detector."""

    engine: PiiEngineChoice
    languages: tuple[str, ...]
    urls: bool

    def __call__(self, tree: Tree) -> Tree:
        """Return the tree with fresh PII flags."""
        return flag_tree(tree, _detector_of(self))


def make_flagger(engine: str, languages: Sequence[str] = ("en",), *, urls: bool = True) -> TreeFlagger:
    """Return a flagger whose detector is already loaded.

    Raises:
        EngineMissing: The engine is not installed.
    """
    flagger = TreeFlagger(PiiEngineChoice(engine), tuple(languages), urls)
    _detector_of(flagger)
    return flagger


def check_engine(engine: str, languages: Sequence[str]) -> None:
    """Check that the engine is installed, without loading it.

    Raises:
        EngineMissing: The engine is not installed.
    """
    if PiiEngineChoice(engine) is PiiEngineChoice.NAMES:
        from quire.models.pii.engines import tagger

        tagger.check_installed()
    if PiiEngineChoice(engine) is PiiEngineChoice.PRESIDIO:
        from quire.models.pii.engines.presidio import check_installed

        check_installed(tuple(languages))


@cache
def _detector_of(flagger: TreeFlagger) -> Detector:
    return make_detector(flagger.engine, flagger.languages, urls=flagger.urls)


def make_detector(engine: PiiEngineChoice, languages: Sequence[str], *, urls: bool = True) -> Detector:
    """Return the detector; its NLP model is loaded here and shared by all documents of the process."""
    match engine:
        case PiiEngineChoice.REGEX:
            return RegexDetector(urls=urls)
        case PiiEngineChoice.NAMES:
            from quire.models.pii.engines.tagger import make_names

            return make_names(urls=urls)
        case PiiEngineChoice.PRESIDIO:
            from quire.models.pii.engines.presidio import make_presidio

            return make_presidio(tuple(languages), urls=urls)
        case _:
            assert_never(engine)
