"""The `names` engine with its weights: people and places in addition to the patterns."""

from itertools import pairwise

import pytest

from quire.models.pii.engines.choose import PiiEngineChoice, check_engine, make_detector
from quire.models.pii.engines.people import TaggedToken
from quire.models.pii.engines.tagger import OVERLAP, WINDOW, NamesDetector, Tag, make_names
from quire.models.pii.errors import EngineMissing
from quire.models.pii.flagging.flag import flag_tree
from quire.models.pii.kinds import Detector
from quire.models.pii.redact import redact_tree
from tests.models.pii.trees import paragraph, tree


@pytest.fixture(scope="module")
def names() -> Detector:
    return make_detector(PiiEngineChoice.NAMES, ("en",))


def named(*words: str, label: str = "GIVEN_NAME") -> Tag:
    """A tagger that is sure of these words and of nothing else."""
    return lambda text: sorted(
        (TaggedToken(label, text.find(word), text.find(word) + len(word)) for word in words if word in text),
        key=lambda token: token.start,
    )


def found(detector: Detector, text: str) -> set[tuple[str, str]]:
    return {(hit.kind.value, text[hit.start : hit.end]) for hit in detector.detect(text)}


def test_missing_weights_raise_only_when_the_names_engine_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    check_engine("names", ("en",))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    check_engine("regex", ("en",))
    with pytest.raises(EngineMissing, match="SVC_PII_ENGINE: names"):
        check_engine("names", ("en",))


def test_people_addresses_and_places_are_found_together_with_patterns(names: Detector) -> None:
    text = "Maria Oberhauser lives in Canada. Write to John Smith, john.smith@mail.example.com, of Acme Ropes Ltd."
    expected = {
        ("person", "Maria Oberhauser"),
        ("location", "Canada"),
        ("person", "John Smith"),
        ("email", "john.smith@mail.example.com"),
        ("organization", "Acme Ropes Ltd"),
    }
    assert expected <= found(names, text)


def test_windows_without_a_letter_are_not_tagged() -> None:
    def refuse(text: str) -> list[TaggedToken]:
        raise AssertionError(text)

    assert found(NamesDetector(refuse), '",*_+` ' * 1000) == set()


def test_prose_without_names_has_none(names: Detector) -> None:
    assert found(names, "The rope was measured twice, and every weld of the crane was inspected at rest.") == set()


def test_a_name_is_found_far_into_a_long_text(names: Detector) -> None:
    filler = "The rope was measured twice before the crane was moved. " * 60
    assert ("person", "Maria Oberhauser") in found(names, filler + "Signed by Maria Oberhauser. " + filler)


def test_a_scan_with_names_is_complete_and_masks_them(names: Detector) -> None:
    shown = redact_tree(flag_tree(tree(paragraph(0, "Signed by Maria Oberhauser in March.")), names), {})
    assert "Oberhauser" not in shown.blocks[0].text
    assert shown.pii is not None
    assert shown.pii.engine == "names"


def test_the_same_text_gives_the_same_findings(names: Detector) -> None:
    text = "Maria Oberhauser met John Smith in Paris. " * 30
    assert names.detect(text) == make_names().detect(text)


def windows_of(text: str) -> list[str]:
    seen: list[str] = []

    def tag(window: str) -> list[TaggedToken]:
        seen.append(window)
        return []

    NamesDetector(tag).detect(text)
    return seen


def test_a_stretch_without_spaces_is_cut_where_a_window_ends() -> None:
    text = "Ann " + "x1" * WINDOW
    windows = windows_of(text)
    assert [len(window) for window in windows[:-1]] == [WINDOW] * (len(windows) - 1)
    assert text.startswith(windows[0])
    assert text.endswith(windows[-1])


def test_windows_begin_and_end_between_words_and_overlap() -> None:
    text = "".join(f"Word{number:04} " for number in range(300))
    windows = windows_of(text)
    assert "".join(sorted({word for window in windows for word in window.split()})) == text.replace(" ", "")
    for window, after in pairwise(windows):
        assert window.endswith(" ")
        assert window.startswith("Word")
        assert WINDOW - 9 < len(window) <= WINDOW
        shared = text.index(window) + len(window) - text.index(after)
        assert OVERLAP <= shared < OVERLAP + 9
    assert windows[-1] == text[-len(windows[-1]) :]


def test_window_ends_at_a_line_break_or_blank_in_its_second_half() -> None:
    first, *_ = windows_of("A" * (WINDOW - 20) + "\n" + "b" * WINDOW)
    assert len(first) == WINDOW - 19
    first, *_ = windows_of("A" * (WINDOW // 2 - 1) + " " + "b" * WINDOW)
    assert len(first) == WINDOW
    first, *_ = windows_of("A" * (WINDOW // 2) + " " + "b" * WINDOW)
    assert len(first) == WINDOW // 2 + 1
    assert windows_of("A" * WINDOW) == ["A" * WINDOW]


def test_cased_text_skips_windows_without_capitals_or_figures() -> None:
    small = "rope " * WINDOW
    assert windows_of(small)[0] == small[:WINDOW]
    assert [window[:3] for window in windows_of("Ann " + small)] == ["Ann"]
    assert len(windows_of("Ann " + small + "7")) == 2


def test_tokens_of_two_windows_make_one_name_and_words_are_never_cut() -> None:
    def tag(text: str) -> list[TaggedToken]:
        at = text.find("Oberh")
        return [TaggedToken("SURNAME", at, at + 5)] if at >= 0 else []

    text = "Word " * 84 + "Maria Oberhauser " + "word " * 100
    hits = NamesDetector(tag).detect(text)
    assert [text[hit.start : hit.end] for hit in hits] == ["Maria Oberhauser"]


def test_a_text_without_any_capital_is_read_as_well(names: Detector) -> None:
    assert ("person", "maria oberhauser") in found(names, "dear colleagues, maria oberhauser speaks on friday")


def test_name_before_company_of_its_bearer_is_name() -> None:
    hits = found(NamesDetector(named("Jeremy", "Hartmann")), "Thanks to Jeremy Hartmann of Gradiant Research LLC.")
    assert hits == {("person", "Jeremy Hartmann"), ("organization", "Gradiant Research LLC")}


def test_a_first_name_takes_initial_and_surname_along() -> None:
    assert found(NamesDetector(named("Jildau")), "We asked Jildau S Bouts.") == {("person", "Jildau S Bouts")}


def test_two_unlikely_words_are_a_name_only_when_capitalised() -> None:
    def unlikely(text: str) -> list[TaggedToken]:
        return [TaggedToken(one.label, one.start, one.end, 0.07) for one in named("petr", "kloz")(text.casefold())]

    assert found(NamesDetector(unlikely), "Have you heard Petr Kloz speak?") == {("person", "Petr Kloz")}
    assert found(NamesDetector(unlikely), "Have you heard petr kloz speak?") == set()


def test_a_country_is_not_a_person() -> None:
    assert found(NamesDetector(named("Sweden")), "I am glad that Sweden moves.") == {("location", "Sweden")}


def test_former_office_is_not_part_of_a_name() -> None:
    assert found(NamesDetector(named("Minister", "Olsen")), "By ex-Minister Olsen.") == {("person", "Olsen")}


def test_employer_is_an_organisation() -> None:
    assert found(NamesDetector(named("Ellis")), "I work for Ellis-Ingram now.") == {("organization", "Ellis-Ingram")}
