"""Near-duplicates: found at Jaccard .8, unlike texts kept, memory bounded by generations."""

import random

from quire.models.derive.near_duplicates import NearDuplicates, TextSigner, find_dropped, find_pairs, shingles


def jaccard(a: str, b: str) -> float:
    one, two = shingles(a), shingles(b)
    return len(one & two) / len(one | two)


def make_text(chance: random.Random, words: int = 150) -> list[str]:
    return [f"w{chance.randrange(20_000)}" for _ in range(words)]


def change(text: list[str], chance: random.Random, target: float) -> str:
    """The text with words replaced one by one until its Jaccard similarity is just above `target`."""
    changed = list(text)
    for place in chance.sample(range(len(text)), len(text)):
        trial = [*changed[:place], "other", *changed[place + 1 :]]
        if jaccard(" ".join(text), " ".join(trial)) < target:
            return " ".join(changed)
        changed = trial
    return " ".join(changed)


def test_recall_at_jaccard_eight_tenths_is_at_least_95_percent() -> None:
    chance = random.Random(11)
    texts = [make_text(chance) for _ in range(400)]
    near = [change(text, chance, 0.8) for text in texts]
    assert all(0.8 <= jaccard(" ".join(a), b) < 0.85 for a, b in zip(texts, near, strict=True))
    known = NearDuplicates()
    assert not any(known.seen(" ".join(text)) for text in texts)
    assert sum(known.seen(text) for text in near) >= 0.95 * len(near)


def test_texts_that_share_half_are_kept() -> None:
    chance = random.Random(12)
    texts = [make_text(chance) for _ in range(300)]
    half = [change(text, chance, 0.5) for text in texts]
    known = NearDuplicates()
    for text in texts:
        known.seen(" ".join(text))
    assert sum(known.seen(text) for text in half) <= 0.03 * len(half)


def test_equal_texts_of_any_length_are_duplicates() -> None:
    known = NearDuplicates()
    for text in ("", "one", "two words", "three small words", "Ünïcode \ud800"):
        assert not known.seen(text)
        assert known.seen(text)
    assert known.seen("ONE!")


def test_the_last_generation_is_remembered_and_older_ones_are_let_go() -> None:
    chance = random.Random(13)
    known = NearDuplicates(generation=50)
    texts = [" ".join(make_text(chance, 30)) for _ in range(220)]
    for text in texts:
        known.seen(text)
    assert all(known.seen(text) for text in texts[-50:])
    assert not known.seen(texts[0])


def test_pairs_of_bands_drop_the_same_texts_as_one_process() -> None:
    chance, signer, known = random.Random(13), TextSigner(), NearDuplicates()
    texts: list[str] = []
    for _ in range(60):
        text = make_text(chance)
        texts += [" ".join(text), change(text, chance, 0.9), change(text, chance, 0.8), change(text, chance, 0.7)]
    texts += chance.sample(texts, 80)
    chance.shuffle(texts)
    groups: dict[tuple[int, int], list[int]] = {}
    signed = [signer.sign(text) for text in texts]
    for number, (_, places) in enumerate(signed):
        for band in enumerate(places):
            groups.setdefault(band, []).append(number)
    pairs = [pair for same in groups.values() for pair in find_pairs(same, [signed[number][0] for number in same])]
    chance.shuffle(pairs)
    assert find_dropped(pairs) == {number for number, text in enumerate(texts) if known.seen(text)}
