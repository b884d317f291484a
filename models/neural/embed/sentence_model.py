"""A local sentence-transformers directory as an embedding model: texts in, unit vectors (float32) out, by transformers.

Torch and transformers are imported at the first text. Nothing is downloaded and no code from the directory is run.
"""

import threading
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from models.neural.embed.pooling import activate, pool, unit
from models.neural.embed.sentence_directory import DenseLayer, EmbedderRefused, SentenceDirectory, read_directory

BATCH_TOKENS = 16_384
"""Padded tokens in one pass."""

Vectors = npt.NDArray[np.float32]


class SentenceModel:
    """Loads on first use, on the GPU when torch sees one. Calls from several threads are taken one after the other."""

    def __init__(self, folder: Path, *, threads: int = 1) -> None:
        """Raises `EmbedderRefused`."""
        self.directory: SentenceDirectory = read_directory(folder)
        self._threads, self._lock = threads, threading.Lock()

    @property
    def width(self) -> int:
        return self.directory.width

    def embed(self, texts: list[str]) -> Vectors:
        """Of passages, in the order given."""
        return self._embed(texts, self.directory.prompt_for("document"))

    def embed_queries(self, texts: list[str]) -> Vectors:
        """Of questions, in the order given."""
        return self._embed(texts, self.directory.prompt_for("query"))

    def _embed(self, texts: list[str], prompt: str) -> Vectors:
        vectors = np.zeros((len(texts), self.width), dtype=np.float32)
        with self._lock:
            encoded = [self._encode(prompt + text) for text in texts]
            hidden_prompt = 0 if self.directory.include_prompt or not prompt else len(self._encode(prompt)) - 1
            order = sorted(range(len(texts)), key=lambda row: len(encoded[row]))
            while order:
                group = _take(order, encoded)
                vectors[group] = self._infer([encoded[row] for row in group], hidden_prompt)
        return vectors

    def _encode(self, text: str) -> list[int]:
        text = text.lower() if self.directory.lower_case else text
        ids = self._tokenizer(text.strip(), truncation=True, max_length=self._max_tokens)["input_ids"]
        return [int(token) for token in ids]

    def _infer(self, ids: list[list[int]], hidden_prompt: int) -> Vectors:
        longest = max(map(len, ids))
        tokens = np.full((len(ids), longest), self._tokenizer.pad_token_id or 0, dtype=np.int64)
        mask = np.zeros_like(tokens)
        for row, one in enumerate(ids):
            tokens[row, : len(one)], mask[row, : len(one)] = one, 1
        hidden = self._run(tokens, mask)
        counted = mask.copy()
        counted[:, :hidden_prompt] = 0
        values = pool(hidden, counted, self.directory.poolings)
        for layer, (weight, bias) in zip(self.directory.dense, self._dense, strict=True):
            values = activate(np.asarray(values @ weight.T + bias, dtype=np.float32), layer.activation)
        if values.shape[1] != self.width:
            raise EmbedderRefused(
                f"{self.directory.name} states {self.width} numbers a text and makes {values.shape[1]}"
            )
        return unit(values)

    def _run(self, tokens: npt.NDArray[np.int64], mask: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        torch = import_module("torch")
        device = self._transformer.device
        with torch.inference_mode():
            answer = self._transformer(
                input_ids=torch.from_numpy(tokens).to(device), attention_mask=torch.from_numpy(mask).to(device)
            )
        hidden: npt.NDArray[np.float32] = answer.last_hidden_state.float().cpu().numpy()
        return hidden

    @property
    def _max_tokens(self) -> int:
        own = getattr(self._transformer.config, "max_position_embeddings", None)
        limits = [limit for limit in (self.directory.max_tokens, own, self._tokenizer.model_max_length) if limit]
        return int(min(limits))

    @cached_property
    def _tokenizer(self) -> Any:
        _require_torch()
        return import_module("transformers").AutoTokenizer.from_pretrained(
            str(self.directory.transformer), local_files_only=True
        )

    @cached_property
    def _transformer(self) -> Any:
        _require_torch()
        torch = import_module("torch")
        torch.set_num_threads(self._threads)
        model = import_module("transformers").AutoModel.from_pretrained(
            str(self.directory.transformer), local_files_only=True, trust_remote_code=False, use_safetensors=True
        )
        return model.eval().to("cuda" if torch.cuda.is_available() else "cpu")

    @cached_property
    def _dense(self) -> list[tuple[Vectors, Vectors]]:
        return [_load_dense(layer) for layer in self.directory.dense]


def _take(order: list[int], encoded: list[list[int]]) -> list[int]:
    """The longest texts that are left, as many as fit into one pass."""
    longest = max(1, len(encoded[order[-1]]))
    count = max(1, BATCH_TOKENS // longest)
    group = order[-count:]
    del order[-count:]
    return group


def _load_dense(layer: DenseLayer) -> tuple[Vectors, Vectors]:
    tensors = import_module("safetensors.numpy").load_file(next(layer.folder.glob("*.safetensors")))
    try:
        weight = np.asarray(tensors["linear.weight"], dtype=np.float32)
        bias = np.asarray(tensors["linear.bias"] if layer.bias else np.zeros(layer.outputs), dtype=np.float32)
    except KeyError as absent:
        raise EmbedderRefused(f"{layer.folder} has no {absent.args[0]}") from None
    if weight.shape != (layer.outputs, layer.inputs):
        raise EmbedderRefused(f"{layer.folder}: weights are {weight.shape}, not {(layer.outputs, layer.inputs)}")
    return weight, bias


def _require_torch() -> None:
    absent = [name for name in ("torch", "transformers") if find_spec(name) is None]
    if absent:
        raise EmbedderRefused(f"a model directory needs {' and '.join(absent)}: install requirements-gpu.lock")
