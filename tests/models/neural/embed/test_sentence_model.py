"""A local model directory embeds as sentence-transformers itself does: only where torch is (`make test SUITE=gpu`).

Reading directories and the calls are tested everywhere (test_sentence_directory.py); here it is the library itself, on
a tiny BERT of random weights.
"""

import json
import os
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quire.models.neural.embed.load import load_embedder
from quire.models.neural.embed.sentence_model import EmbedderRefused, SentenceModel
from tests.models.neural.embed.directories import write, write_directory

pytestmark = [
    pytest.mark.skipif(
        not (find_spec("torch") and find_spec("sentence_transformers")), reason="the GPU lock is not installed"
    ),
    pytest.mark.filterwarnings("default"),
]
WORDS = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    "the",
    "quay",
    "was",
    "swept",
    "in",
    "spring",
    "every",
    "crane",
    "inspected",
    "query",
    ":",
    "Swept",
]
TEXTS = ["the quay was swept", "every crane inspected in spring the quay was swept in spring", "spring", ""]
SAID = {"prompts": {"query": "query : ", "document": ""}}
VARIANTS: dict[str, dict[str, Any]] = {
    "mean": {},
    "cls and a layer": {
        "modules": ["Transformer", "Pooling", "Dense", "Normalize"],
        "pooling": {"word_embedding_dimension": 8, "pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False},
    },
    "prompts": {"said": SAID},
    "prompts left out": {
        "said": SAID,
        "pooling": {"word_embedding_dimension": 8, "pooling_mode_mean_tokens": True, "include_prompt": False},
    },
    "short": {"transformer": {"max_seq_length": 4, "do_lower_case": False}},
    "max, not normalised": {
        "modules": ["Transformer", "Pooling"],
        "pooling": {"word_embedding_dimension": 8, "pooling_mode_max_tokens": True, "pooling_mode_mean_tokens": False},
    },
}


def save_model(folder: Path, variant: dict[str, Any]) -> Path:
    """A two-layer BERT of random weights with a tokenizer of a few words."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    torch, transformers = import_module("torch"), import_module("transformers")
    write_directory(folder, **variant)
    (folder / "vocab.txt").write_text("\n".join(WORDS))
    torch.manual_seed(3)
    config = transformers.BertConfig(
        vocab_size=len(WORDS), hidden_size=8, num_hidden_layers=2, num_attention_heads=2, intermediate_size=16,
        max_position_embeddings=64,
    )  # fmt: skip
    transformers.BertModel(config).save_pretrained(folder, safe_serialization=True)
    transformers.BertTokenizer(vocab=str(folder / "vocab.txt"), do_lower_case=False).save_pretrained(folder)
    layer = folder / "2_Dense"
    if layer.is_dir():
        rng = np.random.default_rng(3)
        tensors = {
            "linear.weight": rng.standard_normal((4, 8)).astype(np.float32),
            "linear.bias": rng.standard_normal(4).astype(np.float32),
        }
        import_module("safetensors.numpy").save_file(tensors, layer / "model.safetensors")
    return folder


@pytest.mark.parametrize("variant", list(VARIANTS))
def test_vectors_are_unit_and_do_not_depend_on_the_batch(tmp_path: Path, variant: str) -> None:
    model = SentenceModel(save_model(tmp_path / "m", VARIANTS[variant]))
    together = model.embed(TEXTS)
    assert together.shape == (len(TEXTS), model.width)
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
    assert np.allclose(together, np.concatenate([model.embed([text]) for text in TEXTS]), atol=1e-5)


@pytest.mark.parametrize("variant", list(VARIANTS))
def test_vectors_are_those_of_sentence_transformers(tmp_path: Path, variant: str) -> None:
    library = import_module("sentence_transformers")
    folder = save_model(tmp_path / "m", VARIANTS[variant])
    theirs = library.SentenceTransformer(str(folder), device="cpu")
    ours = load_embedder(str(folder))
    for mine, kind in ((ours.embed(TEXTS), "document"), (ours.embed_queries(TEXTS), "query")):
        prompt = {"prompt_name": kind} if kind in theirs.prompts else {}
        expected = theirs.encode(TEXTS, normalize_embeddings=True, **prompt)
        assert np.allclose(mine, expected, atol=1e-5), kind


def test_layer_with_weights_of_another_shape_is_refused(tmp_path: Path) -> None:
    folder = save_model(tmp_path / "m", VARIANTS["cls and a layer"])
    stated = json.loads((folder / "2_Dense" / "config.json").read_text())
    (folder / "2_Dense" / "config.json").write_text(json.dumps(stated | {"out_features": 5}))
    with pytest.raises(EmbedderRefused, match="cannot be loaded"):
        SentenceModel(folder).embed(["spring"])


def test_model_with_an_unknown_pooling_is_refused(tmp_path: Path) -> None:
    folder = save_model(tmp_path / "m", VARIANTS["mean"])
    write(folder / "1_Pooling" / "config.json", {"word_embedding_dimension": 8, "pooling_mode": "psychic"})
    with pytest.raises(EmbedderRefused, match="cannot be loaded"):
        SentenceModel(folder).embed(["spring"])
