"""The table of letters: its source reproduces it, and it separates words from noise."""

import numpy as np
import pytest

from quire.models.extract.text_quality.statistics import find_nats, load_tables, measure_lines
from tests.lab.training.letters import count_triples, find_surprise


def test_counting_makes_a_table_in_which_seen_words_surprise_little() -> None:
    table = find_surprise(count_triples({"quay": 0.5, "crane": 0.4, "rope": 0.1}, "latin"))
    assert table.shape == (27, 27, 27)
    assert table[0, 0, 17] < table[0, 0, 26]  # q begins a word, z none


def test_words_surprise_less_than_the_same_letters_in_another_order() -> None:
    measured = measure_lines(
        ["the weather of this summer was rather dry", "hte aewrhet fo hsit mmresu saw erhatr ydr", ""]
    )
    surprise = measured.nats[:2] / measured.triples[:2]
    assert surprise[0] < 2.6 < 3.4 < surprise[1]
    assert measured.triples[2] == 0
    assert set(load_tables()) == {"latin", "cyrillic", "greek"}


def test_invalid_characters_are_counted() -> None:
    measured = measure_lines(["\ue001\ue002\ufffd x1", "● one"])
    assert measured.bad.tolist() == [3, 0]
    assert measured.bad_runs.tolist() == [2, 0]
    assert measured.digit_joins.tolist() == [1, 0]
    assert np.array_equal(measured.letters, [1, 3])


@pytest.mark.parametrize("text", ["", "reference", "re ference", "не знаю", "x2 mα", "Straße 12", "漢字", "\ue001a"])
def test_the_surprise_of_one_text_is_that_of_its_line(text: str) -> None:
    assert find_nats(text) == pytest.approx(float(measure_lines([text]).nats[0]))
