"""Texts of fine-tune records: no repeated headings, no overlap, whole sentences, nothing without a heading."""

from dataclasses import asdict
from typing import Any

from quire.models.cdom.chunk import Chunk, ChunkId
from quire.models.cdom.tree import BlockId, BlockType
from quire.models.derive.chunks.chunks import ChunkSettings, chunk_tree
from quire.models.derive.finetune import FinetuneOptions, Style, make_records
from quire.models.neural.embed.tokenizer import load_tokenizer
from tests.builders import make_block, make_tree


def chunks_of(*texts: str, path: tuple[str, ...] = ("Cranes",), block: str = "b1") -> list[tuple[str, Chunk]]:
    return [
        (
            "doc_1",
            Chunk(
                id=ChunkId(f"c{index}"), index=index, text=text, tokens=1, section_path=path, pages=(2, 3),
                block_ids=(BlockId(block),), bboxes=(), flags=(), language=None,
            ),
        )
        for index, text in enumerate(texts)
    ]  # fmt: skip


def answers(chunks: list[tuple[str, Chunk]]) -> list[str]:
    records = make_records(chunks, FinetuneOptions(style=Style.CHAT))
    return [record["messages"][1]["content"] for record in records]


def completions(chunks: list[tuple[str, Chunk]]) -> list[str]:
    return [record["text"] for record in make_records(chunks, FinetuneOptions())]


def test_a_chunk_without_heading_asks_no_question() -> None:
    assert answers(chunks_of("Cranes lift loads.", path=())) == []
    assert completions(chunks_of("Cranes lift loads.", path=())) == ["Cranes lift loads."]


def test_an_answer_does_not_repeat_its_headings() -> None:
    chunks = chunks_of("Harbour\n\nCranes\n\nCranes lift loads.", path=("Harbour", "Cranes"))
    assert answers(chunks) == ["Cranes lift loads."]
    assert answers(chunks_of("Cranes")) == []


def test_question_names_section_and_record_its_source() -> None:
    (record,) = make_records(chunks_of("Lift.", path=("Harbour", "Cranes")), FinetuneOptions(style=Style.CHAT))
    assert record["messages"][0]["content"] == 'What does the document say in the section "Harbour > Cranes"?'
    assert record["metadata"] == {"document": "doc_1", "pages": [2, 3], "section": ["Harbour", "Cranes"]}


def test_a_sentence_that_is_cut_between_chunks_is_in_neither_answer() -> None:
    chunks = chunks_of("Cranes lift loads. The largest of them", "stands at quay nine. It is red.")
    assert answers(chunks) == ["Cranes lift loads.", "It is red."]


def test_text_without_a_full_stop_stays_at_the_end_of_a_section() -> None:
    assert answers(chunks_of("Hooks\n- small\n- large")) == ["Hooks\n- small\n- large"]


def test_the_overlap_of_chunks_is_said_once() -> None:
    first = "Cranes lift loads. The largest crane is red."
    chunks = chunks_of(first, "The largest crane is red. It stands at quay nine.")
    assert completions(chunks) == [first, "It stands at quay nine."]
    assert answers(chunks) == [first, "It stands at quay nine."]


def test_equal_ends_of_different_blocks_are_no_overlap() -> None:
    ((_, first),) = chunks_of("The largest crane is red.")
    facts: dict[str, Any] = asdict(first) | {"index": 1, "block_ids": (BlockId("b2"),), "bboxes": ()}
    assert completions([("doc_1", first), ("doc_1", Chunk(**facts))]) == [first.text] * 2


def test_neighbours_of_other_documents_change_nothing() -> None:
    (_, first), (_, second) = chunks_of("Cranes lift loads and", "and hooks hold them.")
    assert answers([("doc_1", first), ("doc_2", second)]) == [first.text, second.text]


def test_completions_of_a_real_document_hold_every_sentence_once() -> None:
    sentences = [f"Crane number {number} lifts {number * 7} tons on quay {number % 9}." for number in range(60)]
    tree = make_tree(
        make_block(BlockType.HEADING, "Cranes", level=1), make_block(BlockType.PARAGRAPH, " ".join(sentences))
    )
    settings = ChunkSettings(max_tokens=96, overlap_tokens=32, min_tokens=16)
    chunks = [("doc_1", chunk) for chunk in chunk_tree(tree, load_tokenizer(), settings)]
    assert len(chunks) > 3
    said = " ".join(completions(chunks))
    assert [said.count(sentence) for sentence in sentences] == [1] * len(sentences)
    assert all(answer.startswith("Crane number") and answer.endswith(".") for answer in answers(chunks))


def test_answer_does_not_end_with_a_lead_in_or_a_page_number() -> None:
    assert answers(chunks_of("Cranes lift loads.\n\nThe following types exist:")) == ["Cranes lift loads."]
    assert answers(chunks_of("Cranes lift loads.\n\n12")) == ["Cranes lift loads."]
    assert answers(chunks_of("If you use a crane, try:")) == []
    assert answers(chunks_of("12")) == ["12"]
    assert answers(chunks_of("Types:\n- small\n- large")) == ["Types:\n- small\n- large"]
