"""Fine-tune records: styles, gates, a split that stays, lines that any parser reads."""

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quire.models.cdom.chunk import Chunk, ChunkId
from quire.models.derive.finetune import (
    FinetuneOptions,
    FinetuneRefused,
    Split,
    Style,
    UnknownSplit,
    UnknownStyle,
    dump_line,
    export_lines,
    make_records,
    parse_split,
    parse_style,
    split_of,
)
from tests.models.derive.trees import WORDS


def make_chunk(text: str, language: str | None = None) -> tuple[str, Chunk]:
    chunk = Chunk(
        id=ChunkId("c0-1"), index=0, text=text, tokens=1, section_path=("A", "B"), pages=(1, 1),
        block_ids=(), bboxes=(),
        flags=(), language=language,
    )  # fmt: skip
    return "doc_1", chunk


def texts(chunks: list[tuple[str, Chunk]], options: FinetuneOptions) -> list[str]:
    return [record["text"] for record in make_records(chunks, options)]


def test_each_style_has_its_form() -> None:
    records = {style: next(make_records([make_chunk("x")], FinetuneOptions(style=style))) for style in Style}
    metadata = {"document": "doc_1", "pages": [1, 1], "section": ["A", "B"]}
    assert records[Style.COMPLETION] == {"text": "x", "metadata": metadata}
    assert records[Style.CHAT]["metadata"] == metadata
    assert [message["role"] for message in records[Style.CHAT]["messages"]] == ["user", "assistant"]
    assert set(records[Style.INSTRUCTION]) == {"instruction", "input", "output", "metadata"}
    assert records[Style.INSTRUCTION]["input"] == "A > B"
    assert records[Style.RAW]["document_id"] == "doc_1"
    assert records[Style.RAW]["section_path"] == ("A", "B")


def test_unknown_style_and_split_are_refused_with_a_code() -> None:
    with pytest.raises(UnknownStyle) as style:
        parse_style("poem")
    with pytest.raises(UnknownSplit) as split:
        parse_split("test")
    with pytest.raises(FinetuneRefused):
        FinetuneOptions(val_ratio=1.5)
    assert (style.value.code, split.value.code) == ("unknown-style", "unknown-split")


def test_gates_are_off_by_default_and_inclusive() -> None:
    chunks = [make_chunk("a" * size) for size in (1, 5, 9)]
    assert len(texts(chunks, FinetuneOptions())) == 3
    assert texts(chunks, FinetuneOptions(min_chars=5, max_chars=5)) == ["a" * 5]


def test_language_filter_uses_the_stated_or_detected_language_of_a_chunk() -> None:
    german = "Der Fluss führt im Frühjahr sehr viel Wasser und tritt über seine Ufer."
    english = "The river carries a lot of water in spring and leaves its bed."
    chunks = [make_chunk(german), make_chunk(english), make_chunk("stated", "de")]
    assert texts(chunks, FinetuneOptions(language="de")) == [german, "stated"]


@given(st.lists(st.text(min_size=1, max_size=40), max_size=60), st.floats(0, 1))
def test_same_corpus_gives_the_same_split_without_overlap(corpus: list[str], ratio: float) -> None:
    chunks = [make_chunk(text) for text in corpus]
    sides = [texts(chunks, FinetuneOptions(split=split, val_ratio=ratio)) for split in Split]
    again = [texts(chunks, FinetuneOptions(split=split, val_ratio=ratio)) for split in Split]
    assert sides == again
    assert sorted(sides[0] + sides[1]) == sorted(corpus)
    assert not set(sides[0]) & set(sides[1])


def test_split_is_near_its_ratio_and_does_not_depend_on_rest() -> None:
    corpus = [f"text number {n}" for n in range(4000)]
    val = [text for text in corpus if split_of(text, 0.05) is Split.VAL]
    assert 140 < len(val) < 260
    assert all(split_of(text, 0.1) is Split.VAL for text in val)
    assert {split_of(text, 0.0) for text in corpus} == {Split.TRAIN}


@settings(max_examples=80)
@given(st.text(st.characters(), max_size=60))
def test_every_record_is_one_line_and_valid_strict_json(text: str) -> None:
    (line,) = export_lines([make_chunk(text)], FinetuneOptions(style=Style.RAW))
    assert line.isascii()
    assert len(line.splitlines()) == 1
    read = json.loads(line)["text"]
    assert read.encode() is not None
    assert len(read) == len(text)


def test_line_separators_and_lone_surrogates_do_not_break_lines() -> None:
    line = dump_line({"text": "a\u2028b\u2029c\ud800d\ne\x85f"})
    assert line.count("\n") == 1
    assert json.loads(line) == {"text": "a\u2028b\u2029c\ufffdd\ne\x85f"}


def test_dedup_keeps_the_first_of_equal_and_nearly_equal_texts() -> None:
    chance = random.Random(3)
    words = [chance.choice(WORDS) for _ in range(120)]
    near = [*words[:-1], "ending"]
    other = [chance.choice(WORDS) for _ in range(120)]
    chunks = [make_chunk(" ".join(text)) for text in (words, near, words, other)]
    assert texts(chunks, FinetuneOptions(dedup=True)) == [" ".join(words), " ".join(other)]
    assert len(texts(chunks, FinetuneOptions())) == 4
