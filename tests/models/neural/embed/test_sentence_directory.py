"""A model directory is described from its JSON alone, and refused with a reason where vectors would be wrong."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from quire.models.neural.embed import sentence_model
from quire.models.neural.embed.load import check_embedder, describe_embedder, load_embedder
from quire.models.neural.embed.sentence_model import EmbedderRefused, fingerprint, read_width
from tests.models.neural.embed.directories import write, write_directory


def test_read_width_returns_the_pooled_width(tmp_path: Path) -> None:
    assert read_width(write_directory(tmp_path / "model")) == 8


def test_read_width_returns_the_width_of_the_last_dense_layer(tmp_path: Path) -> None:
    pooling = {"word_embedding_dimension": 8, "pooling_mode_mean_tokens": True, "pooling_mode_cls_token": True}
    modules = ["Transformer", "Pooling", "Dense"]
    assert read_width(write_directory(tmp_path / "one", modules=modules[:2], pooling=pooling)) == 16
    assert read_width(write_directory(tmp_path, modules=modules, pooling=pooling, dense={"in_features": 16})) == 4


@pytest.mark.parametrize(("mode", "width"), [("lasttoken", 8), (["cls", "mean"], 16)])
def test_read_width_accepts_the_newer_name_of_a_pooling(tmp_path: Path, mode: object, width: int) -> None:
    assert read_width(write_directory(tmp_path, pooling={"embedding_dimension": 8, "pooling_mode": mode})) == width


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
        (lambda folder: write(folder / "modules.json", {"a": 1}), "not a list of modules"),
        (lambda folder: write(folder / "modules.json", []), "modules are none"),
        (lambda folder: write_directory(folder, modules=["Transformer", "Pooling", "CNN"]), "CNN"),
        (lambda folder: write_directory(folder, modules=["BoW", "Pooling"]), "BoW"),
        (
            lambda folder: write(folder / "modules.json", [{"type": "evil.Transformer"}, {"type": "evil.Pooling"}]),
            "evil",
        ),
        (
            lambda folder: write_directory(
                folder, modules=["Transformer", "Pooling", "Dense"], dense={"activation_function": "my.Code"}
            ),
            "unknown activation",
        ),
        (lambda folder: write(folder / "1_Pooling/config.json", {"word_embedding_dimension": 8}), "names no pooling"),
        (lambda folder: write(folder / "1_Pooling/config.json", {"pooling_mode": "cls"}), "word_embedding_dimension"),
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
        read_width(tmp_path)


def test_the_key_of_a_model_changes_with_its_weights(tmp_path: Path) -> None:
    folder = write_directory(tmp_path / "My Model-v2")
    first = describe_embedder(str(folder))
    assert first.key == f"my_model_v2_{fingerprint(folder)}"
    (folder / "model.safetensors").write_bytes(b"Weights")
    assert describe_embedder(str(folder)).key != first.key
    assert (describe_embedder("minilm").key, describe_embedder("none").width) == ("", 384)


def test_missing_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EmbedderRefused, match="is not a directory"):
        describe_embedder(str(tmp_path / "nowhere"))


class FakeLibrary:
    """sentence_transformers.SentenceTransformer that notes how it is called."""

    def __init__(self, width: int = 8, failure: Exception | None = None) -> None:
        self.width, self.failure = width, failure
        self.calls: list[tuple[str, dict[str, Any]]] = []

    def __call__(self, folder: str, **options: Any) -> "FakeLibrary":
        self.calls.append((folder, options))
        if self.failure is not None:
            raise self.failure
        return self

    def encode_document(self, texts: list[str], **options: Any) -> Any:
        self.calls.append(("document", options))
        return np.ones((len(texts), self.width), dtype=np.float64)

    def encode_query(self, texts: list[str], **options: Any) -> Any:
        self.calls.append(("query", options))
        return np.ones((len(texts), self.width), dtype=np.float64)


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> FakeLibrary:
    made = FakeLibrary()
    torch = SimpleNamespace(set_num_threads=lambda count: made.calls.append(("threads", {"count": count})))
    monkeypatch.setattr(sentence_model, "find_spec", lambda name: object())
    modules = {"torch": torch, "sentence_transformers": SimpleNamespace(SentenceTransformer=made)}
    monkeypatch.setattr(sentence_model, "import_module", modules.__getitem__)
    return made


def test_model_loads_safetensors_from_the_directory_and_no_code(tmp_path: Path, library: FakeLibrary) -> None:
    vectors = load_embedder(str(write_directory(tmp_path)), threads=3).embed(["a", "b"])
    assert vectors.dtype == np.float32
    assert vectors.shape == (2, 8)
    loading = {"local_files_only": True, "trust_remote_code": False, "model_kwargs": {"use_safetensors": True}}
    assert library.calls[:2] == [("threads", {"count": 3}), (str(tmp_path), loading)]


def test_model_encodes_questions_and_passages_apart(tmp_path: Path, library: FakeLibrary) -> None:
    model = load_embedder(str(write_directory(tmp_path)))
    model.embed(["a"])
    model.embed_queries(["a"])
    assert [name for name, _ in library.calls[2:]] == ["document", "query"]
    assert all(options["normalize_embeddings"] for _, options in library.calls[2:])


def test_model_of_another_width_than_stated_is_refused(tmp_path: Path, library: FakeLibrary) -> None:
    library.width = 9
    with pytest.raises(EmbedderRefused, match="states 8 numbers a text and makes 9"):
        load_embedder(str(write_directory(tmp_path))).embed(["a"])


def test_model_that_does_not_load_is_refused_with_the_reason(tmp_path: Path, library: FakeLibrary) -> None:
    library.failure = RuntimeError("size mismatch")
    with pytest.raises(EmbedderRefused, match="size mismatch"):
        load_embedder(str(write_directory(tmp_path))).embed(["a"])


def test_model_directory_is_refused_without_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentence_model, "find_spec", lambda name: None)
    with pytest.raises(EmbedderRefused, match="needs torch and sentence_transformers"):
        check_embedder(str(write_directory(tmp_path)))
