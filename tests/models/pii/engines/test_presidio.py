"""The presidio engine over a scripted NLP: our patterns always run, unknown languages and failures end the scan."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pytest

from quire.models.pii.engines.choose import PiiEngineChoice, check_engine, make_flagger
from quire.models.pii.engines.presidio import SURE_OF_LANGUAGE, PresidioDetector, check_installed, find_proper_nouns
from quire.models.pii.errors import EngineMissing
from quire.models.pii.flagging.flag import flag_tree
from tests.models.pii.trees import paragraph, tree

NAMES = {"Ann Example": "PERSON", "Paris": "LOCATION", "Acme": "ORGANIZATION", "four": "NUMBER"}


class ScriptedNlp:
    """Knows a few names; `seen` holds the languages it was asked in."""

    def __init__(self, failure: Exception | None = None) -> None:
        self.failure, self.seen = failure, list[str]()

    def __call__(self, text: str, language: str) -> Iterable[tuple[str, int, int, float]]:
        self.seen.append(language)
        if self.failure is not None:
            raise self.failure
        return [
            (kind, text.index(name), text.index(name) + len(name), 0.85) for name, kind in NAMES.items() if name in text
        ]


def detector(nlp: ScriptedNlp, *languages: str, tells: str = "en") -> PresidioDetector:
    return PresidioDetector(nlp, languages or ("en",), lambda text: tells)


def test_names_places_and_our_checked_kinds_are_found_together() -> None:
    found = flag_tree(
        tree(paragraph(0, "Ann Example of Acme in Paris pays four with 4111 1111 1111 1111")), detector(ScriptedNlp())
    )
    assert set(found.blocks[0].flags) == {"pii:person", "pii:organization", "pii:location", "pii:credit_card"}


def test_the_scan_names_the_engine_and_both_versions() -> None:
    scan = flag_tree(tree(paragraph(0, "x")), detector(ScriptedNlp())).pii
    assert scan is not None
    assert (scan.engine, scan.complete) == ("presidio", True)
    assert "+" in scan.version


def test_unsupported_language_leaves_the_scan_incomplete() -> None:
    long = "wort " * SURE_OF_LANGUAGE
    for languages, complete in ((("en",), False), (("en", "de"), True)):
        scan = flag_tree(tree(paragraph(0, long)), detector(ScriptedNlp(), *languages, tells="de")).pii
        assert scan is not None
        assert scan.complete is complete


def test_a_short_text_is_taken_for_the_first_language() -> None:
    nlp = ScriptedNlp()
    flag_tree(tree(paragraph(0, "Guten Tag")), detector(nlp, "fr", "de", tells="de"))
    assert set(nlp.seen) == {"fr"}


def test_an_nlp_that_raises_leaves_the_scan_incomplete() -> None:
    scan = flag_tree(tree(paragraph(0, "x")), detector(ScriptedNlp(RuntimeError("broken")))).pii
    assert scan is not None
    assert not scan.complete


def test_name_does_not_reach_over_end_of_block() -> None:
    class Greedy(ScriptedNlp):
        def __call__(self, text: str, language: str) -> Iterable[tuple[str, int, int, float]]:
            return [("PERSON", 0, len(text), 0.9)]

    hits = detector(Greedy()).detect("Ann Example\nBob")
    assert [(hit.start, hit.end) for hit in hits] == [(0, 11), (12, 15)]


def test_joined_texts_are_searched_by_patterns_only() -> None:
    nlp = ScriptedNlp()
    found = flag_tree(tree(paragraph(0, "ann.example@post-"), paragraph(1, "amt.example.org")), detector(nlp))
    assert len(nlp.seen) == 1
    assert [block.flags for block in found.blocks] == [("pii:email",), ("pii:email",)]


def test_language_without_pipeline_is_refused_at_start() -> None:
    with pytest.raises(EngineMissing, match=r"docs/pii\.md"):
        check_installed(("tlh",))
    with pytest.raises(EngineMissing):
        make_flagger("presidio", ("tlh",))
    check_engine(PiiEngineChoice.REGEX, ("tlh",))


@dataclass(frozen=True)
class Word:
    """The used part of a spaCy token."""

    line: Sequence["Word"]
    number: int
    idx: int
    text: str
    pos_: str

    def nbor(self, steps: int) -> "Word":
        return self.line[self.number + steps]


def words(*tagged: str) -> list[Word]:
    """`text/TAG`, with a blank before it but where a `+` stands first."""
    line: list[Word] = []
    for number, one in enumerate(tagged):
        text, _, tag = one.removeprefix("+").rpartition("/")
        before = line[-1].idx + len(line[-1].text) if line else 0
        line.append(Word(line, number, before + (number > 0 and one[0] != "+"), text, tag))
    return line


def test_proper_nouns_that_stand_together_are_one_name() -> None:
    line = words("Ann/PROPN", "Example/PROPN", "met/VERB", "Acme/PROPN", "+-/PUNCT", "+Works/PROPN", "Ltd/PROPN")
    assert list(find_proper_nouns(line)) == [(0, 11), (16, 20), (21, 30)]
    assert list(find_proper_nouns(words("the/DET", "apples/NOUN", "of/ADP", "zinc/X"))) == []


def test_blank_is_not_a_name_and_two_blanks_separate_names() -> None:
    line = words("Ann/PROPN", "+ /PROPN", "+ /SPACE", "+Example/PROPN")
    assert list(find_proper_nouns(line)) == [(0, 3), (5, 12)]
