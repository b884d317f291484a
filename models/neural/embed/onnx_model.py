"""A local directory with an ONNX file as an embedding model on the CPU, without torch: texts in, unit vectors out.

The directory has one `*.onnx` file (in it or in `onnx/`), `tokenizer.json` and `config.json`, as sentence-transformers
models are published. Nothing is downloaded and no code from the directory is run.
"""

import json
from functools import cached_property
from pathlib import Path
from typing import Any

from quire.models.neural.embed.minilm import (
    CompiledModels,
    Vectors,
    compile_model,
    open_tokenizer,
    run_batches,
)
from quire.models.neural.embed.sentence_model import EmbedderRefused

MAX_TOKENS = 512
"""Tokens of a text where the directory does not state fewer."""
_POOLINGS = {"mean": False, "cls": True}
_PASSAGES, _QUERIES = ("document", "passage"), ("query",)
"""Names of the texts that models want before a passage and before a question."""


def is_onnx_directory(folder: Path) -> bool:
    """Return whether a directory has an ONNX file and no weights that torch would load."""
    return bool(_onnx_files(folder)) and next(folder.glob("*.safetensors"), None) is None


def read_onnx_width(folder: Path) -> int:
    """Return the length of the model's vectors. Raises `EmbedderRefused` where the directory lacks a file."""
    OnnxModel(folder)
    return _width(folder)


class OnnxModel:
    """Loads on first use, for passages and for questions each. Calls from several threads are safe."""

    def __init__(self, folder: Path, *, threads: int = 1) -> None:
        """Read how the model of `folder` pools; its weights are loaded later.

        Raises:
            EmbedderRefused: A file is missing, there are several models, or the pooling is unknown.
        """
        files = _onnx_files(folder)
        if len(files) != 1:
            raise EmbedderRefused(f"{folder} has {len(files)} ONNX files; keep one of them")
        if not (folder / "tokenizer.json").is_file():
            raise EmbedderRefused(f"{folder} has no tokenizer.json")
        self._file, self._folder, self._threads = files[0], folder, threads
        self.width, self._first_token = _width(folder), _pools_first(folder)
        prompts = _read(folder / "config_sentence_transformers.json").get("prompts", {})
        self._prompts = {kind: str(text) for kind, text in prompts.items()} if isinstance(prompts, dict) else {}
        most = _read(folder / "sentence_bert_config.json").get("max_seq_length")
        self._compiled = CompiledModels(self._compile)
        self._tokens = min(MAX_TOKENS, most) if isinstance(most, int) and most > 0 else MAX_TOKENS

    def embed(self, texts: list[str]) -> Vectors:
        """Return the vectors of passages, in the order given."""
        return self._embed(self._compiled.passages, texts, _PASSAGES)

    def embed_queries(self, texts: list[str]) -> Vectors:
        """Return the vectors of questions, in the order given."""
        return self._embed(self._compiled.queries, texts, _QUERIES)

    def _embed(self, model: Any, texts: list[str], kinds: tuple[str, ...]) -> Vectors:
        prompt = next((self._prompts[kind] for kind in kinds if kind in self._prompts), "")
        encoded = self._tokenizer.encode_batch([f"{prompt}{text}" for text in texts])
        return run_batches(model, [text.ids for text in encoded], self.width, first_token=self._first_token)

    @cached_property
    def _tokenizer(self) -> Any:
        return open_tokenizer(self._folder / "tokenizer.json", self._tokens)

    def _compile(self, kept_kernels: int) -> Any:
        try:
            model = compile_model(self._file, kept_kernels, threads=self._threads)
        except RuntimeError as error:
            raise EmbedderRefused(f"{self._file} cannot be loaded: {str(error).strip()[:300]}") from error
        made = model.outputs[0].get_partial_shape()[-1]
        if made.is_static and made.get_length() != self.width:
            raise EmbedderRefused(f"{self._folder} states {self.width} numbers a text and makes {made.get_length()}")
        return model


def _onnx_files(folder: Path) -> list[Path]:
    return sorted([*folder.glob("*.onnx"), *folder.glob("onnx/*.onnx")])


def _width(folder: Path) -> int:
    width = _read(folder / "config.json").get("hidden_size")
    if not isinstance(width, int) or width < 1:
        raise EmbedderRefused(f"{folder}/config.json states no hidden_size")
    return width


def _pools_first(folder: Path) -> bool:
    """Return whether a text's vector is that of its first token; the mean over all where nothing is stated."""
    stated = _read(folder / "1_Pooling" / "config.json")
    mode = stated.get("pooling_mode")
    modes = [name.removeprefix("pooling_mode_").removesuffix("_tokens").removesuffix("_token")
             for name, value in stated.items() if name.startswith("pooling_mode_") and value is True]  # fmt: skip
    modes = [mode] if isinstance(mode, str) else modes or ["mean"]
    if len(modes) != 1 or modes[0] not in _POOLINGS:
        raise EmbedderRefused(f"{folder} pools by {', '.join(modes)}; ONNX models are pooled by mean or cls")
    if next(folder.glob("[2-9]_Dense"), None) is not None:
        raise EmbedderRefused(f"{folder} has a Dense module, which ONNX models do not run here")
    return _POOLINGS[modes[0]]


def _read(path: Path) -> dict[str, Any]:
    """Return the object of a JSON file; empty where there is none."""
    try:
        content = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError):
        raise EmbedderRefused(f"{path} is no JSON") from None
    return content if isinstance(content, dict) else {}
