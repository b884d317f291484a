"""The embedding model that a setting names, and under which name the index keeps its vectors. Loads no weights."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from quire.models.neural.embed.minilm import WIDTH, MiniLm
from quire.models.neural.embed.onnx_model import OnnxModel, is_onnx_directory, read_onnx_width
from quire.models.neural.embed.sentence_model import (
    EmbedderRefused,
    SentenceModel,
    fingerprint,
    read_width,
    require_library,
)

MINILM, NONE = "minilm", "none"
Vectors = npt.NDArray[np.float32]


class EmbeddingModel(Protocol):
    """Unit vectors, a float32 row a text, in the order given; some models treat questions differently."""

    def embed(self, texts: list[str]) -> Vectors:
        """Return unit vectors of passages, one row per text."""

    def embed_queries(self, texts: list[str]) -> Vectors:
        """Return unit vectors of search queries, one row per text."""


@dataclass(frozen=True, slots=True)
class EmbedderFacts:
    """Describes an embedding model. `key` is unique per model and empty for the built-in one."""

    name: str
    key: str
    width: int


def describe_embedder(setting: str) -> EmbedderFacts:
    """Of `minilm`, `none` or a directory. Raises `EmbedderRefused`; looks at the directory's small files only."""
    if setting in (MINILM, NONE):
        return EmbedderFacts(MINILM, "", WIDTH)
    folder = Path(setting)
    if not folder.is_dir():
        raise EmbedderRefused(f"{setting} is not a directory")
    width = read_onnx_width(folder) if is_onnx_directory(folder) else read_width(folder)
    name = re.sub(r"[^a-z0-9]+", "_", folder.name.lower()).strip("_")[:40]
    return EmbedderFacts(folder.name, f"{name}_{fingerprint(folder)}", width)


def load_embedder(setting: str, *, threads: int = 1) -> EmbeddingModel:
    """Load the built-in model (`minilm`) or the model in a directory.

    Raises:
        EmbedderRefused: The directory holds no usable model.
    """
    if setting == MINILM:
        return MiniLm(threads=threads)
    folder = Path(setting)
    return (OnnxModel if is_onnx_directory(folder) else SentenceModel)(folder, threads=threads)


def check_embedder(setting: str) -> None:
    """Check the setting without loading a model.

    Raises:
        EmbedderRefused: The setting cannot work on this machine.
    """
    describe_embedder(setting)
    if setting not in (MINILM, NONE) and not is_onnx_directory(Path(setting)):
        require_library()
