"""What is one address and what is a place of its own, from the parts a tagger names."""

import pytest

from models.pii.engines.postal import as_places


def found(text: str, street: tuple[str, ...] = (), towns: tuple[str, ...] = ()) -> set[tuple[str, str]]:
    """Hits as kind and text; `street` and `towns` are what a tagger found."""

    def spans(parts: tuple[str, ...]) -> list[tuple[int, int]]:
        return [(text.index(part), text.index(part) + len(part)) for part in parts]

    return {(hit.kind.value, text[hit.start : hit.end]) for hit in as_places(text, spans(street), spans(towns))}


def test_street_town_and_code_within_a_sentence_are_one_address() -> None:
    text = "Meet me at 363 Huntly Street\n Suite 132\n BARMOLLOCH\n New Zealand 20416 at noon."
    whole = "363 Huntly Street\n Suite 132\n BARMOLLOCH\n New Zealand 20416"
    assert found(text, ("363 Huntly Street",), ("BARMOLLOCH",)) == {("address", whole)}


def test_lines_of_a_letterhead_are_a_street_a_unit_a_town_a_country_and_a_code() -> None:
    text = "Ann Example\n\n233 Erzsebet ter 19\n Suite 282\n Domoszlo\n Hungary 34796"
    assert found(text, ("233 Erzsebet ter 19", "Domoszlo")) == {
        ("address", "233 Erzsebet ter 19"),
        ("address", "Suite 282"),
        ("location", "Domoszlo"),
        ("location", "Hungary"),
        ("address", "34796"),
    }


def test_a_town_alone_behind_a_street_is_a_place() -> None:
    text = "She lives at 254 Damvergi Street, Nicosia"
    assert found(text, ("254 Damvergi Street",), ("Nicosia",)) == {
        ("address", "254 Damvergi Street"),
        ("location", "Nicosia"),
    }


def test_town_and_country_behind_a_street_belong_to_it() -> None:
    text = "Send it to 98 Tylova 1036, Recco, Guyana please"
    assert found(text, ("98 Tylova 1036",), ("Recco",)) == {("address", "98 Tylova 1036, Recco, Guyana")}


def test_a_line_no_tagger_knows_between_two_parts_belongs_to_the_address() -> None:
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


def test_a_place_is_known_by_the_words_before_it() -> None:
    assert found("She moved here from Jaboticabal.") == {("location", "Jaboticabal")}
    assert found("Born in Novo Mesto, he left.") == {("location", "Novo Mesto")}


def test_countries_are_known_in_small_letters_where_nothing_has_a_capital() -> None:
    assert found("she moved here from dominican republic") == {("location", "dominican republic")}
    assert found("A table was laid for turkey and oman dishes") == set()


@pytest.mark.parametrize("text", ["He just turned 47.", "pages 225-386", "three sides"])
def test_figures_and_words_in_small_letters_alone_are_no_address(text: str) -> None:
    said = {"He just turned 47.": "47", "pages 225-386": "225-386", "three sides": "sides"}[text]
    assert found(f"Of this: {text}", (said,)) == set()
