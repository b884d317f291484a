"""The tokenizer: counts by words equal the count of the whole, offsets stay inside, the file is the known one."""

import hashlib
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quire.models.neural.embed import tokenizer as module
from quire.models.neural.embed.tokenizer import TOKENIZER_FILE, TOKENIZER_SHA256, TokenizerDamaged, load_tokenizer

TEXT = st.text(max_size=80)


@settings(max_examples=300)
@given(TEXT)
def test_the_count_by_words_is_the_count_of_the_whole(text: str) -> None:
    tokenizer = load_tokenizer()
    assert tokenizer.count(text) == len(list(tokenizer.offsets(text)))


@settings(max_examples=300)
@given(st.text("aB7é.,-_/'(\"[]#@\x07 ", max_size=60))
def test_words_full_of_signs_are_counted_as_the_whole_is(text: str) -> None:
    tokenizer = load_tokenizer()
    assert tokenizer.count(text) == len(list(tokenizer.offsets(text)))


@pytest.mark.parametrize(
    "text", ["[SEP]", "a[SEP]b.c", "x.[MASK]", "[PAD", "a[CLS", "x" * 99 + "." + "y" * 200, "3.14,-2/7", "don't--stop"]
)
def test_the_model_s_own_tokens_and_long_parts_are_counted_as_the_whole_is(text: str) -> None:
    tokenizer = load_tokenizer()
    assert tokenizer.count(text) == len(list(tokenizer.offsets(text)))


class _Watched:
    """The word pieces, noting the longest text that they were given at once."""

    def __init__(self, pieces: object) -> None:
        self.pieces, self.longest = pieces, 0

    def encode(self, text: str | list[str], **options: bool) -> Any:
        self.longest = max(self.longest, *map(len, [text] if isinstance(text, str) else text))
        return self.pieces.encode(text, **options)  # type: ignore[attr-defined]


@pytest.mark.parametrize("seed", range(24))
def test_long_words_are_tokenized_in_windows_and_counted_as_the_whole_is(seed: int) -> None:
    dice, tokenizer = random.Random(seed), load_tokenizer.__wrapped__()
    unit = ["[", ",", "a.", "[SEP]", "ab, ", "漢", "né.", "-" * 40, "x" * 90 + "/", "]["][seed % 10]
    text = "".join(unit * dice.randint(1, 3) + dice.choice("ab7(") for _ in range(dice.randint(20_000, 60_000)))[
        :150_000
    ]
    whole = [(start, end) for start, end in tokenizer._pieces.encode(text, add_special_tokens=False).offsets]
    watched: Any = _Watched(tokenizer._pieces)
    tokenizer._pieces = watched
    assert list(tokenizer.offsets(text)) == whole
    assert tokenizer.count(text) == len(whole)
    assert 0 < watched.longest <= module.WINDOW_CHARS


@given(TEXT)
def test_offsets_rise_and_stay_inside_the_text(text: str) -> None:
    places = list(load_tokenizer().offsets(text))
    assert all(0 <= start <= end <= len(text) for start, end in places)
    assert [start for start, _ in places] == sorted(start for start, _ in places)


def test_the_vendored_file_is_the_one_its_note_names() -> None:
    assert hashlib.sha256(TOKENIZER_FILE.read_bytes()).hexdigest() == TOKENIZER_SHA256
    assert TOKENIZER_SHA256 in TOKENIZER_FILE.with_name("TOKENIZER.md").read_text()


def test_a_changed_file_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TOKENIZER_SHA256", "0" * 64)
    with pytest.raises(TokenizerDamaged):
        load_tokenizer.__wrapped__()


def test_known_texts_have_known_counts() -> None:
    tokenizer = load_tokenizer()
    assert [tokenizer.count(text) for text in ("", "river", "The river flows.", "x" * 300)] == [0, 1, 4, 1]


def test_unused_words_leave_the_cache_and_words_used_again_stay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MAX_KEPT_WORDS", 10)
    tokenizer = load_tokenizer.__wrapped__()
    for number in range(100):
        text = f"river number{number} of them"
        assert tokenizer.count(text) == len(list(tokenizer.offsets(text)))
        assert tokenizer.count("river") == 1
    kept = {**tokenizer._before, **tokenizer._counts}
    assert "river" in tokenizer._counts
    assert "number0" not in kept
    assert len(kept) <= 2 * (10 + 4)
