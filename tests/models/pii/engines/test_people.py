"""How the tokens of a tagger become spans: what goes on, what begins anew, and whole words only."""

import pytest

from models.pii.engines.people import LEAST_SCORE, TaggedToken, join_tokens

LABELS = frozenset({"GIVEN_NAME", "SURNAME"})


def joined(text: str, *words: str, label: str = "SURNAME", score: float = 1.0) -> list[str]:
    tokens = [TaggedToken(label, text.index(word), text.index(word) + len(word), score) for word in words]
    return [text[start:end] for start, end in join_tokens(text, tokens, LABELS)]


@pytest.mark.parametrize(
    ("text", "words", "spans"),
    [
        ("by Ann Reed today", ("Ann", "Reed"), ["Ann Reed"]),
        ("by Ann-Marie Reed", ("Ann", "Marie", "Reed"), ["Ann-Marie Reed"]),
        ("by J. Reed", ("J", "Reed"), ["J. Reed"]),
        ("by Reed, Ann", ("Reed", "Ann"), ["Reed, Ann"]),
        ("by Ann. Reed left", ("Ann", "Reed"), ["Ann", "Reed"]),
        ("by Ann   Reed", ("Ann", "Reed"), ["Ann", "Reed"]),
        ("by Ann\nReed", ("Ann", "Reed"), ["Ann", "Reed"]),
        ("by Ann & Reed", ("Ann", "Reed"), ["Ann", "Reed"]),
        ("by Oberhauser", ("berh",), ["Oberhauser"]),
    ],
)
def test_tokens_that_stand_together_are_one_span(text: str, words: tuple[str, ...], spans: list[str]) -> None:
    assert joined(text, *words) == spans


def test_other_labels_and_doubtful_tokens_are_passed_over() -> None:
    assert joined("by Ann", "Ann", label="CITY") == []
    assert joined("by Ann", "Ann", score=LEAST_SCORE - 0.01) == []
    assert joined("by Ann", "Ann", score=LEAST_SCORE) == ["Ann"]
