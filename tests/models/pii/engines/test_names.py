"""Effect of lists and cues on a model's findings; the lists here are small and scripted."""

import pytest

from quire.models.pii.engines.names import NameLists, recase, refine
from quire.models.pii.kinds import Hit, Kind

LISTS = NameLists(
    given=frozenset({"ann", "péter", "paris"}),
    family=frozenset({"nielsen", "reed", "london"}),
    countries=frozenset({"argentina", "south africa"}),
    cities=frozenset({"kokkola", "london", "paris"}),
)


def found(text: str, *hits: tuple[Kind, str], proper: tuple[str, ...] = ()) -> set[tuple[str, str]]:
    given = [Hit(kind, text.index(value), text.index(value) + len(value)) for kind, value in hits]
    runs = [(text.index(run), text.index(run) + len(run)) for run in proper]
    return {(hit.kind.value, text[hit.start : hit.end]) for hit in refine(text, given, runs, LISTS)}


@pytest.mark.parametrize(
    ("said", "value", "kind"),
    [
        (Kind.ORGANIZATION, "Ann Quill", "person"),
        (Kind.LOCATION, "Péter Reed", "person"),
        (Kind.PERSON, "South Africa", "location"),
        (Kind.ORGANIZATION, "Kokkola", "location"),
        (Kind.ORGANIZATION, "Ann Reed Ltd", "organization"),
        (Kind.LOCATION, "Paris", "location"),
        (Kind.PERSON, "Somebody Else", "person"),
    ],
)
def test_name_lists_correct_the_kind_of_a_finding(said: Kind, value: str, kind: str) -> None:
    assert found(f"We saw {value} there.", (said, value)) == {(kind, value)}


def test_proper_nouns_a_model_passed_over_are_looked_up() -> None:
    text = "Then Nielsen went from Kokkola to Argentina with Ann Quill, Zork and London."
    runs = ("Nielsen", "Kokkola", "Argentina", "Ann Quill", "Zork", "London")
    assert found(text, proper=runs) == {
        ("person", "Nielsen"),
        ("location", "Kokkola"),
        ("location", "Argentina"),
        ("person", "Ann Quill"),
        ("location", "London"),
    }


def test_surname_on_list_makes_name_of_two_words_and_not_of_three() -> None:
    text = "Seen: Zork Nielsen, Zork Quill Reed, Old London."
    assert found(text, proper=("Zork Nielsen", "Zork Quill Reed", "Old London")) == {
        ("person", "Zork Nielsen"),
        ("person", "Old London"),
    }


@pytest.mark.parametrize("before", ["Name: ", "My name is ", "Mr. ", "Dr ", "Dear ", "Attn: ", "they call me "])
def test_cue_words_mark_the_following_name(before: str) -> None:
    assert ("person", "Zork Quill") in found(f"{before}Zork Quill, as agreed.")


def test_person_is_found_again_by_whole_name_and_by_part() -> None:
    text = "Ann Quill signed. Later Ann Quill left; Ann had a quill. Anna stayed."
    spans = sorted(
        (hit.start, hit.end) for hit in set(refine(text, [Hit(Kind.PERSON, 0, 9)], [], LISTS)) if hit.end - hit.start
    )
    assert (24, 33) in spans
    assert (40, 43) in spans
    assert not any(text[start:end] in ("quill", "Anna") for start, end in spans)


def test_shouted_words_and_texts_without_capitals_are_recased_in_place() -> None:
    assert recase("FROM KOKKOLA TO ANN, the EU", LISTS) == "From Kokkola TO ANN, the EU"
    assert recase("from kokkola with ann", LISTS) == "from Kokkola with Ann"
    assert len(recase("STRASSE ǰẞﬀ İSTANBUL", LISTS)) == len("STRASSE ǰẞﬀ İSTANBUL")
