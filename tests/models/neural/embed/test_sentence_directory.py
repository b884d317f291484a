"""A model directory is described from its JSON alone, and refused with a reason where vectors would be wrong."""

from collections.abc import Callable
from pathlib import Path

import pytest

from models.neural.embed.load import describe_embedder
from models.neural.embed.sentence_directory import (
    Activation,
    EmbedderRefused,
    Pooling,
    fingerprint,
    read_directory,
)
from tests.models.neural.embed.directories import write, write_directory


def test_a_plain_directory_is_read(tmp_path: Path) -> None:
    read = read_directory(write_directory(tmp_path / "model"))
    assert (read.name, read.poolings, read.width, read.max_tokens) == ("model", (Pooling.MEAN,), 8, 128)
    assert (read.normalize, read.lower_case, read.dense, read.prompt_for("query")) == (True, False, (), "")


def test_poolings_stand_side_by_side_and_a_dense_layer_sets_the_width(tmp_path: Path) -> None:
    pooling = {"word_embedding_dimension": 8, "pooling_mode_mean_tokens": True, "pooling_mode_cls_token": True}
    read = read_directory(
        write_directory(
            tmp_path, modules=["Transformer", "Pooling", "Dense"], pooling=pooling, dense={"in_features": 16}
        )
    )
    assert (read.poolings, read.width, read.normalize) == ((Pooling.CLS, Pooling.MEAN), 4, False)
    assert (read.dense[0].inputs, read.dense[0].outputs, read.dense[0].activation) == (16, 4, Activation.TANH)


def test_the_newer_way_to_name_a_pooling_is_read_too(tmp_path: Path) -> None:
    read = read_directory(write_directory(tmp_path, pooling={"embedding_dimension": 8, "pooling_mode": "lasttoken"}))
    assert (read.poolings, read.width) == ((Pooling.LAST,), 8)


@pytest.mark.parametrize(
    ("said", "query", "document"),
    [
        ({"prompts": {"query": "q: ", "document": "d: "}}, "q: ", "d: "),
        ({"prompts": {"query": "query: ", "passage": "passage: "}}, "query: ", "passage: "),
        ({"prompts": {"search": "s: "}, "default_prompt_name": "search"}, "s: ", "s: "),
        ({"prompts": {"search": "s: "}, "default_prompt_name": None}, "", ""),
    ],
)
def test_prompts_stand_before_texts_of_their_kind(
    tmp_path: Path, said: dict[str, object], query: str, document: str
) -> None:
    read = read_directory(write_directory(tmp_path, said=said))
    assert (read.prompt_for("query"), read.prompt_for("document")) == (query, document)


def _without(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def _pickled(folder: Path) -> None:
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (_without("modules.json"), "modules.json is missing"),
        (_without("config.json"), "has no config.json"),
        (_without("model.safetensors"), "has no weights"),
        (_pickled, "has no weights"),
        (lambda folder: (folder / "modules.json").write_text("{"), "no JSON"),
        (lambda folder: write(folder / "modules.json", {"a": 1}), "no list of modules"),
        (lambda folder: write(folder / "modules.json", []), "modules are none"),
        (lambda folder: write_directory(folder, modules=["Transformer", "Pooling", "CNN"]), "CNN"),
        (lambda folder: write_directory(folder, modules=["BoW", "Pooling"]), "BoW"),
        (lambda folder: write(folder / "1_Pooling/config.json", {"word_embedding_dimension": 8}), "names no pooling"),
        (lambda folder: write(folder / "1_Pooling/config.json", {"pooling_mode": "psychic"}), "unknown pooling"),
        (lambda folder: write(folder / "1_Pooling/config.json", {"pooling_mode": "cls"}), "word_embedding_dimension"),
        (
            lambda folder: write_directory(
                folder, modules=["Transformer", "Pooling", "Dense"], dense={"activation_function": "my.Code"}
            ),
            "unknown activation",
        ),
        (
            lambda folder: write_directory(
                folder, modules=["Transformer", "Pooling", "Dense"], dense={"in_features": 9}
            ),
            "takes 9 numbers, but gets 8",
        ),
    ],
)
def test_a_directory_of_another_kind_is_refused_with_the_reason(
    tmp_path: Path, spoil: Callable[[Path], None], words: str
) -> None:
    spoil(write_directory(tmp_path))
    with pytest.raises(EmbedderRefused, match=words):
        read_directory(tmp_path)


def test_the_key_of_a_model_changes_with_its_weights(tmp_path: Path) -> None:
    folder = write_directory(tmp_path / "My Model-v2")
    first = describe_embedder(str(folder))
    assert first.key == f"my_model_v2_{fingerprint(folder)}"
    (folder / "model.safetensors").write_bytes(b"Weights")
    assert describe_embedder(str(folder)).key != first.key
    assert (describe_embedder("minilm").key, describe_embedder("none").width) == ("", 384)


def test_what_is_no_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EmbedderRefused, match="is no directory"):
        describe_embedder(str(tmp_path / "nowhere"))
