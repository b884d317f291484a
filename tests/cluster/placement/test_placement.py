"""Labels of a machine and whether a pool fits anywhere."""

from typing import Any

import pytest

from quire.cluster.placement.placement import (
    API,
    DOOR,
    FAST_PATH,
    HEAD,
    Placement,
    fits,
    machine_labels,
    place_readers,
    unplaceable,
)

GPU = Placement(cpus=1, gpus=1, required={"arch": "amd64", "accelerator": "cuda"})


def node(*, alive: bool = True, cpus: float = 4, gpus: float = 0, **labels: str) -> dict[str, Any]:
    return {"Alive": alive, "Labels": labels, "Resources": {"CPU": cpus, "GPU": gpus}}


@pytest.mark.parametrize(("machine", "arch"), [("x86_64", "amd64"), ("aarch64", "arm64"), ("arm64", "arm64")])
def test_a_machine_is_labelled_with_its_architecture(machine: str, arch: str) -> None:
    assert machine_labels(machine, nvidia=False) == {"arch": arch, "accelerator": "none"}


def test_an_nvidia_driver_makes_a_machine_a_cuda_one() -> None:
    assert machine_labels("x86_64", nvidia=True)["accelerator"] == "cuda"


def test_a_pool_without_needs_fits_every_living_node() -> None:
    assert fits(API, [node()])
    assert not fits(API, [node(alive=False)])
    assert not fits(API, [])


def test_a_preference_never_keeps_a_pool_from_a_node() -> None:
    assert fits(FAST_PATH, [node(arch="amd64", accelerator="cuda")])


def test_a_preference_is_asked_for_first_and_given_up() -> None:
    options = FAST_PATH.actor_options()
    assert options["label_selector"] == {"arch": "arm64", "accelerator": "none"}
    assert options["fallback_strategy"] == [{"label_selector": {}}]


def test_a_gpu_pool_needs_the_labels_and_the_gpu() -> None:
    assert fits(GPU, [node(arch="amd64", accelerator="cuda", gpus=1)])
    assert not fits(GPU, [node(arch="amd64", accelerator="cuda", gpus=0)])
    assert not fits(GPU, [node(arch="arm64", accelerator="cuda", gpus=1)])


def test_unplaceable_pool_is_reported_with_its_requirements() -> None:
    report = unplaceable({"vlm_ocr": GPU, "api": API}, [node(arch="amd64", accelerator="none")])
    assert report == {"vlm_ocr": "no node with arch=amd64, accelerator=cuda, 1 CPU and 1 GPU"}


def test_a_node_too_small_for_one_replica_does_not_fit() -> None:
    assert unplaceable({"fast_path": FAST_PATH}, [node(cpus=0.5)])


def test_door_is_placed_on_the_head_node() -> None:
    head = node()
    head["Resources"][HEAD] = 1.0
    assert DOOR.actor_options()["resources"] == {HEAD: 0.001}
    assert unplaceable({"console": DOOR}, [node()]) == {"console": "no head node with any labels, 0 CPU and 0 GPU"}
    assert unplaceable({"console": DOOR}, [node(), head]) == {}


def test_readers_use_gpu_machines_only_without_others() -> None:
    gpu, plain = node(arch="amd64", accelerator="cuda"), node(arch="amd64", accelerator="none")
    assert place_readers([gpu]).required == {}
    assert place_readers([gpu, plain]).required == {"accelerator": "none"}
    assert place_readers([gpu, node(cpus=0, accelerator="none")]).required == {}
