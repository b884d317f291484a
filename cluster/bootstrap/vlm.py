"""The model of SVC_VLM_OCR: a registered model, a local checkpoint, or a remote endpoint; and whether it can run.

The setting becomes a choice with its placement. Loads no weights. An endpoint is asked once, at the start, which model
it serves, unless the address names it (`http://host:8000/v1#dots`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from quire.cluster.bootstrap.installed import require_package
from quire.cluster.errors import StartRefused
from quire.cluster.placement.placement import VLM_GPU, VLM_REMOTE, Placement, machine_labels
from quire.configs.settings import Settings
from quire.models.cdom.errors import MlUnavailable
from quire.models.cdom.ports import PortUnavailable
from quire.storage.values.address import parse_address
from quire.storage.values.errors import UrlRefused

if TYPE_CHECKING:
    from quire.actors.vlm.page_reader import VlmReader

ASK_S = 5.0  # seconds for an endpoint to name its model at the start


class VlmKind(StrEnum):
    """Kind of a vision-language model's location."""

    REGISTERED = "registered"
    DIRECTORY = "directory"
    ENDPOINT = "endpoint"


@dataclass(frozen=True, slots=True)
class VlmChoice:
    """A chosen model. `location` is what an engine loads (hub name, folder) or the endpoint's address."""

    kind: VlmKind
    model: str
    location: str

    @property
    def setting(self) -> str:
        """The complete setting, so that replicas need not ask the endpoint again."""
        return self.location if self.kind is VlmKind.REGISTERED else f"{self.location}#{self.model}"

    @property
    def placement(self) -> Placement:
        """The placement of the model's replicas."""
        return VLM_REMOTE if self.kind is VlmKind.ENDPOINT else VLM_GPU


def load_models() -> ModuleType:
    """Import and return the registry of models. Raises `StartRefused` if the package quire-gpu is not installed."""
    require_package("quire.actors.vlm", "quire-gpu", "SVC_VLM_OCR")
    from quire.actors.vlm.models import registry

    return registry


def choose_vlm(value: str, key: str | None = None) -> VlmChoice:
    """Return the model of a setting. Raises `StartRefused` naming the setting and the fault."""
    models = load_models()
    if value in models.VLM_MODELS:
        return VlmChoice(VlmKind.REGISTERED, value, value)
    if value.startswith(("http://", "https://")):
        return _choose_endpoint(value, key, tuple(models.VLM_MODELS))
    folder, _, model = value.partition("#")
    if model in models.VLM_MODELS and Path(folder).is_absolute():  # named, so nodes without the weights need not look
        return VlmChoice(VlmKind.DIRECTORY, model, folder)
    if not Path(value).is_dir():
        raise StartRefused(
            f"SVC_VLM_OCR: allowed is {', '.join(models.VLM_MODELS)}, a model directory, or http(s)://address#model"
        )
    try:
        return VlmChoice(VlmKind.DIRECTORY, models.identify_directory(Path(value)), value)
    except MlUnavailable as error:
        raise StartRefused(f"SVC_VLM_OCR: {error.detail}") from None


def _choose_endpoint(value: str, key: str | None, registered: Sequence[str]) -> VlmChoice:
    address, _, model = value.partition("#")
    try:
        plain = "?" not in parse_address(address).path
    except UrlRefused:
        plain = False
    if not plain:
        raise StartRefused("SVC_VLM_OCR: an address has no user and no query; a key goes into SVC_VLM_KEY")
    model = model or _ask_model(address, key, registered)
    if model not in registered:
        raise StartRefused(f"SVC_VLM_OCR: {model!r} is not registered; allowed is {', '.join(registered)}")
    return VlmChoice(VlmKind.ENDPOINT, model, address)


def _ask_model(address: str, key: str | None, registered: Sequence[str]) -> str:
    from quire.actors.vlm.remote import RemoteEngine

    engine = RemoteEngine(address, "", key=key)
    try:
        names = engine.list_models(ASK_S)
    except PortUnavailable:
        names = []
    finally:
        engine.close()
    known = next((match_model(name) for name in names if match_model(name)), None)
    if known is None:
        raise StartRefused(
            f"SVC_VLM_OCR: the endpoint does not say which model it serves; add #{'|#'.join(registered)}"
        )
    return known


def match_model(served: str) -> str | None:
    """Return the registered model for the name under which an endpoint serves it."""
    plain = served.lower().replace("-", "").replace("_", "").replace(".", "")
    marks = {
        "paddleocrvl": "paddleocr-vl",
        "lightonocr": "lightonocr",
        "dots": "dots",
        "granitedocling": "granite-docling",
        "glmocr": "glm-ocr",
    }
    return next((name for mark, name in marks.items() if mark in plain), None)


def check_vlm(choice: VlmChoice, labels: Mapping[str, str], *, others_may_join: bool) -> None:
    """Raise `StartRefused` if no node can ever be amd64 with CUDA."""
    required = choice.placement.required
    if others_may_join or all(labels.get(name) == value for name, value in required.items()):
        return
    raise StartRefused("SVC_VLM_OCR: needs an amd64 machine with an NVIDIA GPU, and this one is the only node")


def make_vlm_reader(choice: VlmChoice, key: str | None, concurrency: int) -> "VlmReader":
    """Return the page reader of a replica. Raises `MlUnavailable` if no engine is installed."""
    from quire.actors.vlm import engine, page_reader, remote

    models = load_models()
    model, hub = models.load_model(choice.model), models.HUB_NAMES[choice.model]
    if choice.kind is VlmKind.ENDPOINT:
        endpoint = remote.RemoteEngine(choice.location, hub, key=key, concurrency=concurrency)
        return page_reader.VlmReader(model, endpoint)
    source = hub if choice.kind is VlmKind.REGISTERED else choice.location
    return page_reader.VlmReader(model, engine.make_engine(source, model.engine_options))


def settle_vlm(settings: Settings, *, others_may_join: bool = False) -> Settings:
    """Check SVC_VLM_OCR and write the model that an endpoint serves into it. Raises `StartRefused`."""
    if settings.vlm_ocr is None:
        return settings
    choice = choose_vlm(settings.vlm_ocr, settings.vlm_key)
    check_vlm(choice, machine_labels(), others_may_join=others_may_join)
    return settings.model_copy(update={"vlm_ocr": choice.setting})
