"""A directory with an ONNX file gives vectors on the CPU without torch, as its JSON files say, or is refused."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from quire.models.neural.embed.load import MINILM, check_embedder, describe_embedder, load_embedder
from quire.models.neural.embed.minilm import model_file
from quire.models.neural.embed.onnx_model import OnnxModel
from quire.models.neural.embed.sentence_model import EmbedderRefused
from quire.models.neural.embed.tokenizer import TOKENIZER_FILE

TEXTS = [f"The invoice {number} of the harbour is due in {number % 7} days." for number in range(20)]
CLOSE = 0.999
"""Cosine of two vectors of a text: the shipped model has its attention fused, a directory's model has not."""


def make_folder(folder: Path, **files: object) -> Path:
    """Write the built-in model as a directory, with further JSON files by name."""
    (folder / "onnx").mkdir(parents=True)
    (folder / "onnx" / "model.onnx").symlink_to(model_file())
    (folder / "tokenizer.json").symlink_to(TOKENIZER_FILE)
    (folder / "1_Pooling").mkdir()
    for name, content in {"config": {"hidden_size": 384}, **files}.items():
        (folder / f"{name}.json").write_text(json.dumps(content))
    return folder


def test_onnx_directory_gives_the_vectors_of_its_model(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "small-model", sentence_bert_config={"max_seq_length": 256})
    check_embedder(str(folder))
    facts = describe_embedder(str(folder))
    assert (facts.name, facts.width, facts.key[:12]) == ("small-model", 384, "small_model_")
    model, known = load_embedder(str(folder)), load_embedder(MINILM)
    assert isinstance(model, OnnxModel)
    assert (model.embed(TEXTS) * known.embed(TEXTS)).sum(axis=1).min() > CLOSE
    assert (model.embed_queries(TEXTS[:2]) * known.embed_queries(TEXTS[:2])).sum(axis=1).min() > CLOSE
    assert model.embed([]).shape == (0, 384)


def test_onnx_directory_puts_its_prompts_before_texts(tmp_path: Path) -> None:
    prompts = {"prompts": {"query": "query: ", "passage": "passage: "}}
    model, known = OnnxModel(make_folder(tmp_path / "e5", config_sentence_transformers=prompts)), load_embedder(MINILM)
    assert (model.embed(["rope"]) * known.embed(["passage: rope"])).sum(axis=1).min() > CLOSE
    assert (model.embed_queries(["rope"]) * known.embed(["query: rope"])).sum(axis=1).min() > CLOSE


def _state(name: str, content: object) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_text(json.dumps(content))


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda folder: (folder / "tokenizer.json").unlink(), "no tokenizer.json"),
        (lambda folder: (folder / "config.json").unlink(), "no hidden_size"),
        (lambda folder: (folder / "config.json").write_text("{"), "no JSON"),
        (lambda folder: (folder / "model_quantized.onnx").symlink_to(model_file()), "2 ONNX files"),
        (_state("1_Pooling/config.json", {"pooling_mode_max_tokens": True}), "pools by max"),
        (lambda folder: (folder / "2_Dense").mkdir(), "Dense"),
    ],
)
def test_unusable_onnx_directory_is_refused_with_a_reason(
    tmp_path: Path, spoil: Callable[[Path], object], words: str
) -> None:
    folder = make_folder(tmp_path / "model")
    spoil(folder)
    with pytest.raises(EmbedderRefused, match=words):
        describe_embedder(str(folder))


def test_onnx_directory_that_states_a_wrong_width_is_refused(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "model", config={"hidden_size": 8})
    with pytest.raises(EmbedderRefused, match="makes 384"):
        load_embedder(str(folder)).embed(["rope"])
