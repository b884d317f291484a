"""Addresses and separate places from the parts that a tagger names."""

import pytest

from quire.models.pii.engines.postal import as_places


def found(text: str, street: tuple[str, ...] = (), towns: tuple[str, ...] = ()) -> set[tuple[str, str]]:
    """Hits as kind and text; `street` and `towns` are what a tagger found."""

    def spans(parts: tuple[str, ...]) -> list[tuple[int, int]]:
        return [(text.index(part), text.index(part) + len(part)) for part in parts]

    return {(hit.kind.value, text[hit.start : hit.end]) for hit in as_places(text, spans(street), spans(towns))}


def test_street_town_and_code_within_a_sentence_are_one_address() -> None:
    text = "Meet me at 363 Huntly Street\n Suite 132\n BARMOLLOCH\n New Zealand 20416 at noon."
    whole = "363 Huntly Street\n Suite 132\n BARMOLLOCH\n New Zealand 20416"
    assert found(text, ("363 Huntly Street",), ("BARMOLLOCH",)) == {("address", whole)}


def test_letterhead_lines_are_street_unit_town_country_and_code() -> None:
    text = "Ann Example\n\n233 Erzsebet ter 19\n Suite 282\n Domoszlo\n Hungary 34796"
    assert found(text, ("233 Erzsebet ter 19", "Domoszlo")) == {
        ("address", "233 Erzsebet ter 19"),
        ("address", "Suite 282"),
        ("location", "Domoszlo"),
        ("location", "Hungary"),
        ("address", "34796"),
    }


def test_town_alone_behind_street_is_place() -> None:
    text = "She lives at 254 Damvergi Street, Nicosia"
    assert found(text, ("254 Damvergi Street",), ("Nicosia",)) == {
        ("address", "254 Damvergi Street"),
        ("location", "Nicosia"),
    }


def test_town_and_country_behind_a_street_belong_to_the_address() -> None:
    text = "Send it to 98 Tylova 1036, Recco, Guyana please"
    assert found(text, ("98 Tylova 1036",), ("Recco",)) == {("address", "98 Tylova 1036, Recco, Guyana")}


def test_line_no_tagger_knows_between_two_parts_belongs_to_address() -> None:
    text = "It is in 37 Long Road 195\n Suite 203\n Pharmakas\n Cyprus 25572."
    assert found(text, ("37 Long Road 195",)) == {("address", text[9:-1])}


@pytest.mark.parametrize(
    "address",
    ["PSC 0413, Box 8144\nAPO AA 42323", "Unit 8464 Box 4410\nDPO AA 74226", "USNV Karataev\nFPO AE 37876"],
)
def test_military_post_is_known_by_its_form(address: str) -> None:
    assert found(f"The office is at {address} today.") == {("address", address)}


def test_a_postcode_is_known_by_its_word() -> None:
    assert found("My zip code is 51859") == {("address", "51859")}
    assert found("The zip code is wrong") == set()


def test_place_is_recognised_by_preceding_words() -> None:
    assert found("She moved here from Jaboticabal.") == {("location", "Jaboticabal")}
    assert found("Born in Novo Mesto, he left.") == {("location", "Novo Mesto")}


def test_countries_are_known_in_small_letters_where_nothing_has_a_capital() -> None:
    assert found("she moved here from dominican republic") == {("location", "dominican republic")}
    assert found("A table was laid for turkey and oman dishes") == set()


@pytest.mark.parametrize("text", ["He just turned 47.", "pages 225-386", "three sides"])
def test_figures_and_lower_case_words_alone_are_not_an_address(text: str) -> None:
    said = {"He just turned 47.": "47", "pages 225-386": "225-386", "three sides": "sides"}[text]
    assert found(f"Of this: {text}", (said,)) == set()


@pytest.mark.parametrize(
    ("text", "street", "towns", "hits"),
    [
        (
            "at 9 Rope Street, Reed then",
            ("9 Rope Street",),
            ("Reed",),
            {("address", "9 Rope Street"), ("location", "Reed")},
        ),
        ("at 9 Rope Street Reed then", ("9 Rope Street",), ("Reed",), {("address", "9 Rope Street Reed")}),
        (
            "at 9 Rope Street, Reed 90210",
            ("9 Rope Street", "90210"),
            ("Reed",),
            {("address", "9 Rope Street, Reed 90210")},
        ),
        ("at Rope Street Reed then", ("Rope Street",), ("Reed",), {("address", "Rope Street"), ("location", "Reed")}),
        ("Reed, 9 Rope Street", ("9 Rope Street",), ("Reed",), {("address", "9 Rope Street"), ("location", "Reed")}),
        ("9 Rope Street\nReed", ("9 Rope Street",), ("Reed",), {("address", "9 Rope Street\nReed")}),
        ("To:\n9 Rope Street\nReed", ("9 Rope Street",), ("Reed",), {("address", "9 Rope Street\nReed")}),
        (
            "Ann\n9 Rope Street\nReed",
            ("9 Rope Street",),
            ("Reed",),
            {("address", "9 Rope Street"), ("location", "Reed")},
        ),
        ("Ann\n9 Rope Street\n,Reed", ("9 Rope Street",), ("Reed",), {("address", "9 Rope Street\n,Reed")}),
        (
            "Ann\n - 9 Rope Street\nReed",
            ("9 Rope Street",),
            ("Reed",),
            {("address", "9 Rope Street"), ("location", "Reed")},
        ),
        ("Ann\nat 9 Rope Street\nReed", ("9 Rope Street",), ("Reed",), {("address", "9 Rope Street\nReed")}),
        (
            "Ann\n9 Rope Street\nReed",
            ("9 Rope Street", "Reed"),
            (),
            {("address", "9 Rope Street"), ("location", "Reed")},
        ),
        (
            "Ann\n9 Rope Street\nReed 7",
            ("9 Rope Street", "Reed 7"),
            (),
            {("address", "9 Rope Street"), ("address", "Reed 7")},
        ),
        (
            "Ann\n9 Rope Street Reed\nQuill",
            ("9 Rope Street",),
            ("Reed", "Quill"),
            {("address", "9 Rope Street"), ("location", "Reed"), ("location", "Quill")},
        ),
    ],
)
def test_address_continues_after_a_street(
    text: str, street: tuple[str, ...], towns: tuple[str, ...], hits: set[tuple[str, str]]
) -> None:
    assert found(text, street, towns) == hits


def test_parts_with_other_words_between_are_not_one_address() -> None:
    text = "9 Rope Street is far from 7 Quay Road"
    assert found(text, ("9 Rope Street", "7 Quay Road")) == {("address", "9 Rope Street"), ("address", "7 Quay Road")}


def test_line_between_two_parts_is_short_capitalised_and_without_figures() -> None:
    for line, joins in (
        ("Pharmakas", True),
        ("Pa " + "a" * 39, True),
        ("Pa " + "a" * 40, False),
        ("small", False),
        ("Reed 7", False),
    ):
        text = f"It is at 9 Rope Street\n{line}\nCyprus"
        assert (("address", text[9:]) in found(text, ("9 Rope Street",))) is joins, line


def test_overlapping_findings_count_once_and_countries_come_first() -> None:
    text = "in Cyprus 25572 and 9 Rope Street Quay by"
    assert found(text, ("9 Rope Street",), ("Cyprus 25572", "Street Quay")) == {
        ("address", "9 Rope Street Quay"),
        ("location", "Cyprus"),
        ("address", "25572"),
    }


def test_finding_begins_and_ends_with_letter_or_figure() -> None:
    assert found("at ,9 Rope Street,- then", (",9 Rope Street,-",)) == {("address", "9 Rope Street")}
    assert found("at ,- then", (",-",)) == set()


@pytest.mark.parametrize(("code", "known"), [("123", False), ("1234", True), ("A12", True)])
def test_short_number_apart_from_an_address_is_not_a_code(code: str, known: bool) -> None:
    hits = found(f"Ann\n9 Rope Street\nReed\n{code}", ("9 Rope Street", code), ("Reed",))
    assert hits - {("address", "9 Rope Street"), ("location", "Reed")} == ({("address", code)} if known else set())


def test_military_post_covers_the_findings_inside() -> None:
    text = "at PSC 0413, Box 8144\nAPO AA 42323 by"
    assert found(text, ("PSC 0413", "42323"), ("APO",)) == {("address", "PSC 0413, Box 8144\nAPO AA 42323")}
