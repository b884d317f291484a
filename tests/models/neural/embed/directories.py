"""Sentence-transformers directories as that library writes them, with weights that are only there by name."""

import json
from pathlib import Path
from typing import Any

TYPES = "sentence_transformers.models."


def write_directory(
    folder: Path,
    *,
    modules: list[str] | None = None,
    pooling: dict[str, Any] | None = None,
    dense: dict[str, Any] | None = None,
    transformer: dict[str, Any] | None = None,
    said: dict[str, Any] | None = None,
) -> Path:
    """Write Transformer, Pooling and further `modules`, each in a separate folder, as `save()` lays them out."""
    names = modules or ["Transformer", "Pooling", "Normalize"]
    paths = ["" if name == "Transformer" else f"{number}_{name}" for number, name in enumerate(names)]
    write(folder / "modules.json", [
        {"idx": number, "name": str(number), "path": path, "type": TYPES + name}
        for number, (name, path) in enumerate(zip(names, paths, strict=True))
    ])  # fmt: skip
    write(folder / "config.json", {"model_type": "bert", "hidden_size": 8})
    (folder / "model.safetensors").write_bytes(b"weights")
    write(folder / "sentence_bert_config.json", transformer or {"max_seq_length": 128, "do_lower_case": False})
    for name, path in zip(names, paths, strict=True):
        if name == "Pooling":
            write(
                folder / path / "config.json",
                pooling or {"word_embedding_dimension": 8, "pooling_mode_mean_tokens": True},
            )
        if name == "Dense":
            content = {"in_features": 8, "out_features": 4, "bias": True}
            activation = {"activation_function": "torch.nn.modules.activation.Tanh"}
            write(folder / path / "config.json", content | activation | (dense or {}))
            (folder / path / "model.safetensors").write_bytes(b"weights")
    if said is not None:
        write(folder / "config_sentence_transformers.json", said)
    return folder


def write(path: Path, content: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))
