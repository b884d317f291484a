"""What a local sentence-transformers directory says about itself, read from its JSON files alone.

In: a folder with modules.json. Out: where its transformer lies, how token vectors become one vector, what is put before
a text. Loads no weights and imports no torch. Refuses what it would compute wrongly: code modules, unknown poolings.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

WEIGHTS = "*.safetensors"
SAMPLED_FROM = 4 << 20  # bytes from which a weights file is hashed by samples
SAMPLES = 64  # places of a large file that are hashed
SAMPLE_BYTES = 4096  # bytes at each place


class EmbedderRefused(Exception):
    """The directory is not one whose vectors this program can make; the message says what is missing or unknown."""

    code = "embedder-refused"


class Pooling(StrEnum):
    """How a text's token vectors become one, as sentence-transformers names it."""

    CLS = "cls"
    MEAN = "mean"
    MAX = "max"
    MEAN_SQRT = "mean_sqrt_len_tokens"
    WEIGHTED_MEAN = "weightedmean"
    LAST = "lasttoken"


_FLAGS = {
    "pooling_mode_cls_token": Pooling.CLS,
    "pooling_mode_max_tokens": Pooling.MAX,
    "pooling_mode_mean_tokens": Pooling.MEAN,
    "pooling_mode_mean_sqrt_len_tokens": Pooling.MEAN_SQRT,
    "pooling_mode_weightedmean_tokens": Pooling.WEIGHTED_MEAN,
    "pooling_mode_lasttoken": Pooling.LAST,
}
"""In the order in which sentence-transformers joins them when several are on."""


class Activation(StrEnum):
    IDENTITY = "Identity"
    TANH = "Tanh"
    RELU = "ReLU"
    SIGMOID = "Sigmoid"


@dataclass(frozen=True, slots=True, kw_only=True)
class DenseLayer:
    """A linear layer behind the pooling; its weights lie in `folder`."""

    folder: Path
    inputs: int
    outputs: int
    bias: bool
    activation: Activation


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceDirectory:
    """`width` = length of a vector. `normalize`: the model itself makes unit vectors (the index does in any case).

    `max_tokens`: texts are cut there, None = at the transformer's own limit. Prompts are put before texts as they are.
    """

    name: str
    transformer: Path
    poolings: tuple[Pooling, ...]
    dense: tuple[DenseLayer, ...]
    normalize: bool
    width: int
    max_tokens: int | None
    lower_case: bool
    include_prompt: bool
    prompts: Mapping[str, str] = field(default_factory=dict)
    default_prompt: str | None = None

    def prompt_for(self, kind: str) -> str:
        """What stands before a text of this kind (`query` or `document`; models name the second `passage` too)."""
        for name in (kind, *({"document": ("passage", "corpus")}.get(kind, ()))):
            if name in self.prompts:
                return self.prompts[name]
        return self.prompts.get(self.default_prompt or "", "")


def read_directory(folder: Path) -> SentenceDirectory:
    """Raises `EmbedderRefused`."""
    modules = _read(folder / "modules.json")
    if not isinstance(modules, list) or not all(isinstance(module, dict) for module in modules):
        raise EmbedderRefused(f"{folder}/modules.json is no list of modules")
    steps = [(_kind(module), folder / str(module.get("path", ""))) for module in modules]
    kinds = [kind for kind, _ in steps]
    if kinds[:2] != ["Transformer", "Pooling"] or {*kinds[2:]} - {"Dense", "Normalize"}:
        raise EmbedderRefused(f"{folder}: modules are {', '.join(kinds) or 'none'}; needed are Transformer, Pooling, "
                              "then Dense and Normalize at most")  # fmt: skip
    transformer = steps[0][1]
    if not (transformer / "config.json").is_file():
        raise EmbedderRefused(f"{transformer} has no config.json")
    if next(transformer.glob(WEIGHTS), None) is None:
        raise EmbedderRefused(f"{transformer} has no weights ({WEIGHTS})")
    pooling = _object(steps[1][1] / "config.json")
    poolings = _poolings(pooling, steps[1][1])
    dense = tuple(_dense(path) for kind, path in steps if kind == "Dense")
    pooled = _count(pooling, "word_embedding_dimension", "embedding_dimension", where=steps[1][1]) * len(poolings)
    for layer, inputs in zip(dense, [pooled, *(layer.outputs for layer in dense)], strict=False):
        if layer.inputs != inputs:
            raise EmbedderRefused(f"{layer.folder} takes {layer.inputs} numbers, but gets {inputs}")
    own = _optional(transformer / "sentence_bert_config.json")
    said = _optional(folder / "config_sentence_transformers.json")
    prompts = said.get("prompts")
    return SentenceDirectory(
        name=folder.name,
        transformer=transformer,
        poolings=poolings,
        dense=dense,
        normalize="Normalize" in kinds,
        width=dense[-1].outputs if dense else pooled,
        max_tokens=own["max_seq_length"] if isinstance(own.get("max_seq_length"), int) else None,
        lower_case=bool(own.get("do_lower_case", False)),
        include_prompt=bool(pooling.get("include_prompt", True)),
        prompts={str(k): str(v) for k, v in prompts.items()} if isinstance(prompts, dict) else {},
        default_prompt=said.get("default_prompt_name"),
    )


def fingerprint(folder: Path) -> str:
    """16 hexadecimal digits that change with any file of the directory; of large files, samples are looked at."""
    digest = hashlib.sha256()
    for path in sorted(
        path for path in folder.rglob("*") if path.suffix in {".json", ".txt", ".safetensors", ".model"}
    ):
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


def _kind(module: Mapping[str, Any]) -> str:
    return str(module.get("type", "")).rsplit(".", 1)[-1]


def _poolings(config: Mapping[str, Any], where: Path) -> tuple[Pooling, ...]:
    stated = config.get("pooling_mode")
    if stated is None:
        chosen = [pooling for flag, pooling in _FLAGS.items() if config.get(flag)]
    else:
        try:
            chosen = [Pooling(name) for name in ([stated] if isinstance(stated, str) else stated)]
        except ValueError:
            raise EmbedderRefused(f"{where}: unknown pooling {stated!r}") from None
    if not chosen:
        raise EmbedderRefused(f"{where} names no pooling")
    return tuple(chosen)


def _dense(folder: Path) -> DenseLayer:
    config = _object(folder / "config.json")
    stated = str(config.get("activation_function", "Identity")).rsplit(".", 1)[-1]
    try:
        activation = Activation(stated)
    except ValueError:
        raise EmbedderRefused(f"{folder}: unknown activation {stated!r}") from None
    if next(folder.glob(WEIGHTS), None) is None:
        raise EmbedderRefused(f"{folder} has no weights ({WEIGHTS})")
    return DenseLayer(
        folder=folder,
        inputs=_count(config, "in_features", where=folder),
        outputs=_count(config, "out_features", where=folder),
        bias=bool(config.get("bias", True)),
        activation=activation,
    )


def _count(config: Mapping[str, Any], *names: str, where: Path) -> int:
    for name in names:
        value = config.get(name)
        if isinstance(value, int) and value > 0:
            return value
    raise EmbedderRefused(f"{where}/config.json states no {names[0]}")


def _object(path: Path) -> dict[str, Any]:
    content = _read(path)
    if not isinstance(content, dict):
        raise EmbedderRefused(f"{path} is no JSON object")
    return content


def _optional(path: Path) -> dict[str, Any]:
    return _object(path) if path.is_file() else {}


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError):
        raise EmbedderRefused(f"{path} is missing or no JSON") from None
