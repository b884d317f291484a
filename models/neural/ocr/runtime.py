"""OpenVINO as the one runtime of the OCR models: one thread, full float32, so that a page always gives the same words.

In: a model file. Out: a function from one float32 array to another. Imports openvino inside functions only.
"""

from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.models.neural.openvino_core import openvino_core

Floats = NDArray[np.float32]
Network = Callable[[Floats], Floats]

PRECISION = "f32"
KEPT_KERNELS = 256
"""Compiled kernels kept for shapes met before. With the default of 5,000 the detector takes 15 MB more for every new
size of page, for ever; with 256 it stays at 0.7 GB (1.3 GB once a page of 2000 pixels came), at the same cost.
"""


def runtime_version() -> str:
    """Runtime, its version and its precision, as recorded in provenance."""
    return f"openvino {version('openvino')} {PRECISION}"


def load_network(path: Path) -> Network:
    """Load and compile the model in `path`."""
    return _compile(openvino_core().read_model(path))


def picture_size(path: Path) -> int:
    """Pixels along the side of the square pictures that a model takes."""
    return int(openvino_core().read_model(path).input(0).get_partial_shape()[3].get_length())


def load_recogniser(path: Path, keep: Callable[[str], bool]) -> tuple[Network, tuple[str, ...]]:
    """Load a CTC model reduced to the characters that `keep` accepts.

    The last layer multiplies by one column per character; without a column, softmax runs over the others only. The
    reduced model cannot read a Latin letter as a Chinese one, and runs a seventh faster.

    Returns:
        The model and its characters by class; class 0 is the blank.
    """
    model = openvino_core().read_model(path)
    listed: str = model.get_rt_info(["framework", "character"]).astype(str)
    characters = ("", *listed.split("\n")[: _class_count(model) - 2], " ")
    kept = [index for index, char in enumerate(characters) if index == 0 or keep(char)]
    _keep_classes(model, kept)
    return _compile(model), tuple(characters[index] for index in kept)


def load_hidden_layer(path: Path) -> Network:
    """Load a CTC model up to its last hidden layer: lines in, features by column out."""
    model = openvino_core().read_model(path)
    layer = _last(model, "MatMul").input(0).get_source_output()
    return _compile(type(model)([layer], model.get_parameters()))


def _compile(model: Any) -> Network:
    compiled = openvino_core().compile_model(
        model,
        "CPU",
        {
            "INFERENCE_NUM_THREADS": 1,
            "NUM_STREAMS": 1,
            "INFERENCE_PRECISION_HINT": PRECISION,
            "ENABLE_CPU_PINNING": False,
            "CPU_RUNTIME_CACHE_CAPACITY": KEPT_KERNELS,
        },
    )
    request = compiled.create_infer_request()

    def run(batch: Floats) -> Floats:
        request.infer([batch], share_inputs=True)
        return np.array(request.get_output_tensor(0).data)

    return run


def _class_count(model: Any) -> int:
    return int(model.output(0).get_partial_shape()[2].get_length())


def _keep_classes(model: Any, kept: Sequence[int]) -> None:
    from openvino import opset13

    layer = _last(model, "MatMul")
    bias = _last(model, "Add")
    for node in (layer, bias):
        constant = node.input(1).get_source_output().get_node()
        node.input(1).replace_source_output(opset13.constant(constant.data[..., kept]).output(0))
    model.validate_nodes_and_infer_types()


def _last(model: Any, kind: str) -> Any:
    return [node for node in model.get_ordered_ops() if node.get_type_name() == kind][-1]
