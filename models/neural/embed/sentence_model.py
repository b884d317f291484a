"""A local sentence-transformers directory as an embedding model: texts in, unit vectors (float32) out.

The library of that name loads and runs it, from safetensors only; it is imported at the first text. Nothing is
downloaded and no code from the directory is run. What is known before (width, key) is read from its JSON files.
"""

import hashlib
import json
import os
import threading
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]
BATCH_TEXTS = 32  # texts in one pass; the library sorts them by length
SAMPLED_FROM = 4 << 20  # bytes from which a weights file is hashed by samples
SAMPLES = 64  # places of a large file that are hashed
SAMPLE_BYTES = 4096  # bytes at each place
_LIBRARY = "sentence_transformers"
_MODULES = frozenset({"Transformer", "Pooling", "Dense", "Normalize"})
"""Modules of the library whose weights are safetensors. The others read pickles, or models of other kinds."""
_WITH_WEIGHTS = frozenset({"Transformer", "Dense"})


class EmbedderRefused(Exception):
    """The directory is not one whose vectors this program can make; the message says what is missing or unknown."""

    code = "embedder-refused"


class SentenceModel:
    """Loads on first use, on the GPU when torch sees one. Calls from several threads are taken one after the other."""

    def __init__(self, folder: Path, *, threads: int = 1) -> None:
        """Read the vector width of the model in `folder`; the weights are loaded later.

        Raises:
            EmbedderRefused: The folder holds no readable model.
        """
        self.width = read_width(folder)
        self._folder, self._threads, self._lock = folder, threads, threading.Lock()

    def embed(self, texts: list[str]) -> Vectors:
        """Return the vectors of passages, in the order given."""
        return self._embed("encode_document", texts)

    def embed_queries(self, texts: list[str]) -> Vectors:
        """Return the vectors of questions, in the order given."""
        return self._embed("encode_query", texts)

    def _embed(self, method: str, texts: list[str]) -> Vectors:
        with self._lock:
            encode = getattr(self._model, method)
            vectors = encode(texts, batch_size=BATCH_TEXTS, normalize_embeddings=True, show_progress_bar=False)
        made = np.asarray(vectors, dtype=np.float32).reshape(len(texts), -1)
        if texts and made.shape[1] != self.width:
            raise EmbedderRefused(f"{self._folder.name} states {self.width} numbers a text and makes {made.shape[1]}")
        return made if texts else np.zeros((0, self.width), dtype=np.float32)

    @cached_property
    def _model(self) -> Any:
        require_library()
        import_module("torch").set_num_threads(self._threads)
        try:
            return import_module(_LIBRARY).SentenceTransformer(
                str(self._folder),
                local_files_only=True,
                trust_remote_code=False,
                model_kwargs={"use_safetensors": True},
            )
        except (OSError, RuntimeError, ValueError, KeyError) as error:
            raise EmbedderRefused(f"{self._folder} cannot be loaded: {str(error).strip()[:300]}") from error


def require_library() -> None:
    """Raise `EmbedderRefused` when sentence-transformers or torch is not installed."""
    absent = [name for name in ("torch", _LIBRARY) if find_spec(name) is None]
    if absent:
        raise EmbedderRefused(f"a model directory needs {' and '.join(absent)}: install configs/locks/gpu.lock")


def read_width(folder: Path) -> int:
    """Return the length of the model's vectors. Raises `EmbedderRefused` for modules that are not loaded here."""
    steps = _modules(folder)
    widths = []
    for kind, path in steps:
        if kind in _WITH_WEIGHTS and next(path.glob("*.safetensors"), None) is None:
            raise EmbedderRefused(f"{path} has no weights (*.safetensors)")
        if kind == "Transformer" and not (path / "config.json").is_file():
            raise EmbedderRefused(f"{path} has no config.json")
        if kind == "Pooling":
            config = _object(path / "config.json")
            width = _count(config, "word_embedding_dimension", "embedding_dimension", where=path)
            widths.append((width, width * _poolings(config, path), path))
        if kind == "Dense":
            config = _object(path / "config.json")
            if not str(config.get("activation_function", "torch.")).startswith("torch."):
                raise EmbedderRefused(f"{path}: unknown activation {config['activation_function']!r}")  # would be Tanh
            widths.append((_count(config, "in_features", where=path), _count(config, "out_features", where=path), path))
    for (_, made, _), (taken, _, path) in pairwise(widths):
        if made != taken:
            raise EmbedderRefused(f"{path} takes {taken} numbers, but gets {made}")
    return widths[-1][1]


def fingerprint(folder: Path) -> str:
    """Return 16 hexadecimal digits that change with any file of the directory; large files are hashed by samples."""
    digest = hashlib.sha256()
    suffixes = {".json", ".txt", ".safetensors", ".model", ".onnx"}
    for path in sorted(path for path in folder.rglob("*") if path.suffix in suffixes):
        size = path.stat().st_size
        digest.update(f"{path.relative_to(folder)}\0{size}\0".encode())
        with path.open("rb") as stream:
            if size < SAMPLED_FROM:
                digest.update(stream.read())
                continue
            for number in range(SAMPLES + 1):
                stream.seek(min(size * number // SAMPLES, size - SAMPLE_BYTES), os.SEEK_SET)
                digest.update(stream.read(SAMPLE_BYTES))
    return digest.hexdigest()[:16]


def _modules(folder: Path) -> list[tuple[str, Path]]:
    stated = _read(folder / "modules.json")
    if not isinstance(stated, list) or not all(isinstance(module, dict) for module in stated):
        raise EmbedderRefused(f"{folder}/modules.json is not a list of modules")
    types = [str(module.get("type", "")) for module in stated]
    kinds = [name.rsplit(".", 1)[-1] for name in types]
    if (
        kinds[:2] != ["Transformer", "Pooling"]
        or {*kinds[2:]} - (_MODULES - {"Transformer", "Pooling"})
        or not all(name.startswith(f"{_LIBRARY}.") for name in types)
    ):
        raise EmbedderRefused(
            f"{folder}: modules are {', '.join(types) or 'none'}; needed are Transformer, Pooling, "
            "then Dense and Normalize at most, all of sentence-transformers"
        )
    return [(kind, folder / str(module.get("path", ""))) for kind, module in zip(kinds, stated, strict=True)]


def _poolings(config: dict[str, Any], where: Path) -> int:
    """Return how many vectors of one text are joined."""
    stated = config.get("pooling_mode")
    if stated is None:
        stated = [name for name, value in config.items() if name.startswith("pooling_mode_") and value]
    count = 1 if isinstance(stated, str) else len(stated)
    if not count:
        raise EmbedderRefused(f"{where} names no pooling")
    return count


def _count(config: dict[str, Any], *names: str, where: Path) -> int:
    for name in names:
        value = config.get(name)
        if isinstance(value, int) and value > 0:
            return value
    raise EmbedderRefused(f"{where}/config.json states no {names[0]}")


def _object(path: Path) -> dict[str, Any]:
    content = _read(path)
    if not isinstance(content, dict):
        raise EmbedderRefused(f"{path} is not a JSON object")
    return content


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError):
        raise EmbedderRefused(f"{path} is missing or no JSON") from None
