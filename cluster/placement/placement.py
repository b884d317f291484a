"""Placement of deployments: the labels of this machine, the selectors of each pool, and whether any node fits.

Ray sets no architecture label and leaves an unsatisfiable selector pending for ever without an error, so both are done
here. Pure: nodes come in as the dictionaries of `ray.nodes()`.
"""

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from quire.cluster.placement import same_version

_ARCHITECTURES = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}
HEAD = "node:__internal_head__"
"""Ray's own resource of the head node, one of it."""
_NVIDIA = Path("/proc/driver/nvidia/version")


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """Needs of one replica. `preferred` labels are tried first; `required` ones are necessary (empty = any node).

    `on_head`: on the node of the HTTP proxy, for deployments that call the service at this machine's own address.
    """

    cpus: float
    gpus: float = 0.0
    required: Mapping[str, str] = field(default_factory=dict)
    preferred: Mapping[str, str] = field(default_factory=dict)
    on_head: bool = False

    def actor_options(self) -> dict[str, Any]:
        """Return `ray_actor_options` for Serve."""
        options: dict[str, Any] = {"num_cpus": self.cpus}
        if self.gpus:
            options["num_gpus"] = self.gpus
        if self.on_head:
            options["resources"] = {HEAD: 0.001}
        if self.preferred:
            options["label_selector"] = {**self.required, **self.preferred}
            options["fallback_strategy"] = [{"label_selector": dict(self.required)}]
        elif self.required:
            options["label_selector"] = dict(self.required)
        return options


API = Placement(cpus=0)
DOOR = Placement(cpus=0, on_head=True)
BACKGROUND = Placement(cpus=0)
EMBEDDER = Placement(cpus=0)
SEARCHER = Placement(cpus=0)
RECOGNISER = Placement(cpus=0)
"""At most one per machine; it runs at a low priority instead of on a reserved core."""
VLM_GPU = Placement(cpus=1, gpus=1, required={"arch": "amd64", "accelerator": "cuda"})
VLM_REMOTE = Placement(cpus=0)
"""The engine is elsewhere: the replica only keeps connections."""
FAST_PATH = Placement(cpus=1, preferred={"arch": "arm64", "accelerator": "none"})
"""CPU-only arm64 nodes where there are some, any node otherwise."""


def place_readers(nodes: Sequence[Mapping[str, Any]]) -> Placement:
    """Return the placement of readers: not on GPU machines, whose CPUs the GPU tier needs, if there are others."""
    without_gpu = replace(FAST_PATH, required={"accelerator": "none"})
    return without_gpu if fits(without_gpu, nodes) else FAST_PATH


def machine_labels(machine: str | None = None, *, nvidia: bool | None = None) -> dict[str, str]:
    """Return `arch` and `accelerator` of this machine, as node labels."""
    machine = (machine or platform.machine()).lower()
    nvidia = _NVIDIA.exists() if nvidia is None else nvidia
    return {"arch": _ARCHITECTURES.get(machine, machine), "accelerator": "cuda" if nvidia else "none"}


def fits(placement: Placement, nodes: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether a living node has the required labels and could ever hold one replica."""
    return any(_node_fits(placement, node) for node in nodes if node.get("Alive"))


def _node_fits(placement: Placement, node: Mapping[str, Any]) -> bool:
    labels, offered = node.get("Labels") or {}, node.get("Resources") or {}
    if any(labels.get(name) != value for name, value in placement.required.items()):
        return False
    if placement.on_head and not offered.get(HEAD):
        return False
    return bool(placement.cpus <= offered.get("CPU", 0) and placement.gpus <= offered.get("GPU", 0))


def unplaceable(pools: Mapping[str, Placement], nodes: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return pools that fit on no node, each with its reason; empty if all fit."""
    return {name: _reason(placement) for name, placement in pools.items() if not fits(placement, nodes)}


def _reason(placement: Placement) -> str:
    labels = ", ".join(f"{name}={value}" for name, value in placement.required.items()) or "any labels"
    where = "no head node" if placement.on_head else "no node"
    return f"{where} with {labels}, {placement.cpus:g} CPU and {placement.gpus:g} GPU"


if __name__ == "__main__":  # for `ray start --labels=$(python -m quire.cluster.placement.placement)`
    labels = {**machine_labels(), same_version.LABEL: same_version.HERE}
    print(",".join(f"{name}={value}" for name, value in sorted(labels.items())))
