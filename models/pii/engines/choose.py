"""The engines by name: from a setting to the function that flags trees. A new engine is one member and one branch."""

from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import partial
from typing import assert_never

from models.cdom.tree import Tree
from models.pii.flag import flag_tree
from models.pii.kinds import Detector
from models.pii.patterns.kind_patterns import RegexDetector


class PiiEngineChoice(StrEnum):
    """`names` (a small tagger) and `presidio` (spaCy pipelines) add people, places and organisations to `regex`."""

    REGEX = "regex"
    NAMES = "names"
    PRESIDIO = "presidio"


def make_flagger(engine: str, languages: Sequence[str] = ("en",), *, urls: bool = True) -> Callable[[Tree], Tree]:
    """A function from a tree to its flagged copy. Raises `EngineMissing`, now and not at the first document."""
    return partial(flag_tree, detector=make_detector(PiiEngineChoice(engine), languages, urls=urls))


def check_engine(engine: str, languages: Sequence[str]) -> None:
    """Raises `EngineMissing` without loading anything."""
    if PiiEngineChoice(engine) is PiiEngineChoice.NAMES:
        from models.pii.engines import tagger

        tagger.check_installed()
    if PiiEngineChoice(engine) is PiiEngineChoice.PRESIDIO:
        from models.pii.engines.presidio import check_installed

        check_installed(tuple(languages))


def make_detector(engine: PiiEngineChoice, languages: Sequence[str], *, urls: bool = True) -> Detector:
    """The detector; an NLP model is loaded here and shared by all documents of the process."""
    match engine:
        case PiiEngineChoice.REGEX:
            return RegexDetector(urls=urls)
        case PiiEngineChoice.NAMES:
            from models.pii.engines.tagger import make_names

            return make_names(urls=urls)
        case PiiEngineChoice.PRESIDIO:
            from models.pii.engines.presidio import make_presidio

            return make_presidio(tuple(languages), urls=urls)
        case _:
            assert_never(engine)
