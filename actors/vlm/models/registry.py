"""The vision-language models that can be named in SVC_VLM_OCR: a table of strings, imported only when one is used.

A local directory is matched to a model by the architecture its config.json states. Loads no weights.
"""

import json
from importlib import import_module
from pathlib import Path

from quire.actors.vlm.models.contract import VlmModel
from quire.models.cdom.errors import MlUnavailable

VLM_MODELS = {
    "paddleocr-vl": "quire.actors.vlm.models.paddleocr_vl:PaddleOcrVl",
    "lightonocr": "quire.actors.vlm.models.lightonocr:LightOnOcr",
    "dots": "quire.actors.vlm.models.dots:Dots",
    "granite-docling": "quire.actors.vlm.models.granite_docling:GraniteDocling",
    "glm-ocr": "quire.actors.vlm.models.glm_ocr:GlmOcr",
}
HUB_NAMES = {
    "paddleocr-vl": "PaddlePaddle/PaddleOCR-VL-1.6",
    "lightonocr": "lightonai/LightOnOCR-3-1B",
    "dots": "rednote-hilab/dots.mocr",
    "granite-docling": "ibm-granite/granite-docling-258M",
    "glm-ocr": "zai-org/GLM-OCR",
}
"""Checkpoint that an engine loads for a registered name, and the default model name at an endpoint."""
ARCHITECTURES = {
    "paddleocr-vl": "PaddleOCRVLForConditionalGeneration",
    "lightonocr": "LightOnOCRForConditionalGeneration",
    "dots": "DotsOCRForCausalLM",
    "granite-docling": "Idefics3ForConditionalGeneration",
    "glm-ocr": "GlmOcrForConditionalGeneration",
}
"""Architecture of the checkpoint, as vLLM registers it."""
_STATED = {"paddleocrvl": "paddleocr-vl", "lightonocr": "lightonocr", "dotsocr": "dots", "glmocr": "glm-ocr"}
"""What the configuration of a local checkpoint states. granite-docling has an architecture of many other models."""
_WEIGHTS = ("*.safetensors", "*.bin")


def load_model(name: str) -> VlmModel:
    """Return the registered model of that name.

    Raises:
        MlUnavailable: No model has that name.
    """
    if name not in VLM_MODELS:
        raise MlUnavailable(f"no vision-language model {name!r}; registered: {', '.join(VLM_MODELS)}")
    module, _, attribute = VLM_MODELS[name].partition(":")
    model: VlmModel = getattr(import_module(module), attribute)()
    return model


def identify_directory(folder: Path) -> str:
    """Return the registered model that a local checkpoint belongs to.

    Raises:
        MlUnavailable: A file is missing or the architecture is unknown; the message says which.
    """
    try:
        config = json.loads((folder / "config.json").read_bytes())
    except (OSError, ValueError):
        raise MlUnavailable(f"{folder} has no readable config.json") from None
    if not any(next(folder.glob(pattern), None) for pattern in _WEIGHTS):
        raise MlUnavailable(f"{folder} has no weights (*.safetensors)")
    stated = _stated_architectures(config)
    for text in stated:
        for mark, name in _STATED.items():
            if mark in text:
                return name
    raise MlUnavailable(f"{folder} does not say which of {', '.join(VLM_MODELS)} it is; add #NAME to the folder")


def _stated_architectures(config: object) -> list[str]:
    if not isinstance(config, dict):
        return []
    named = config.get("architectures")
    stated = [*(named if isinstance(named, list) else []), config.get("model_type")]
    return [str(text).lower().replace("_", "").replace("-", "").replace(".", "") for text in stated if text]
