"""Values of SVC_VLM_OCR, and the refusal of invalid ones."""

import json
from pathlib import Path

import pytest

from quire.actors.vlm.models.registry import VLM_MODELS
from quire.cluster.bootstrap.enabled import optional_pools
from quire.cluster.bootstrap.finding import load_settings
from quire.cluster.bootstrap.vlm import VlmKind, check_vlm, choose_vlm, make_vlm_reader, match_model
from quire.cluster.errors import StartRefused
from quire.cluster.placement.placement import Placement, fits, unplaceable
from tests.packages.gpu.models.pages import make_page
from tests.packages.gpu.vlm_endpoint import Reply, serve_endpoint

GPU = {"arch": "amd64", "accelerator": "cuda"}


def test_a_registered_name_and_a_directory_need_a_cuda_node(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "lighton_ocr"}))
    (tmp_path / "model.safetensors").write_bytes(b"x")
    for choice in (choose_vlm("dots"), choose_vlm(str(tmp_path))):
        check_vlm(choice, GPU, others_may_join=False)
        check_vlm(choice, {"arch": "arm64", "accelerator": "none"}, others_may_join=True)
        for labels in ({"arch": "amd64", "accelerator": "none"}, {"arch": "arm64", "accelerator": "cuda"}):
            with pytest.raises(StartRefused, match="only node"):
                check_vlm(choice, labels, others_may_join=False)
    assert choose_vlm(str(tmp_path)).model == "lightonocr"


def test_a_folder_with_its_model_named_need_not_be_on_every_node(tmp_path: Path) -> None:
    choice = choose_vlm(f"{tmp_path}/only-on-gpu-nodes#dots")
    assert (choice.kind, choice.model, choice.location) == (VlmKind.DIRECTORY, "dots", f"{tmp_path}/only-on-gpu-nodes")
    assert choose_vlm(choice.setting) == choice


def test_an_endpoint_runs_anywhere_and_the_address_may_name_its_model() -> None:
    choice = choose_vlm("https://gpu.example.org/v1#paddleocr-vl")
    assert (choice.kind, choice.model, choice.location) == (
        VlmKind.ENDPOINT, "paddleocr-vl", "https://gpu.example.org/v1",
    )  # fmt: skip
    check_vlm(choice, {"arch": "arm64", "accelerator": "none"}, others_may_join=False)
    assert fits(choice.placement, [{"Alive": True, "Labels": {}, "Resources": {}}])
    assert choose_vlm(choice.setting) == choice


def test_endpoint_is_queried_for_its_model() -> None:
    with serve_endpoint(Reply(), models=("text-only", "rednote-hilab/dots.ocr")) as server:
        choice = choose_vlm(server.url)
        assert choice.model == "dots"
        assert choice.setting == f"{server.url}#dots"
    with serve_endpoint(Reply(), models=("llama",)) as server, pytest.raises(StartRefused, match="add #"):
        choose_vlm(server.url)


@pytest.mark.parametrize(
    "value", ["gpt", "/no/such/folder", "http://user:pw@host/v1#dots", "http://host/v1?key=1#dots", "http://h/v1#gpt"]
)
def test_other_vlm_setting_is_refused_with_allowed_values(value: str) -> None:
    with pytest.raises(StartRefused, match="SVC_VLM_OCR"):
        choose_vlm(value)


def test_a_directory_without_weights_is_refused_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(StartRefused, match="weights"):
        choose_vlm(str(tmp_path))


def test_served_names_are_matched_to_registered_models() -> None:
    names = ["PaddlePaddle/PaddleOCR-VL", "lightonai/LightOnOCR-1B-1025", "dots.ocr", "qwen"]
    assert [match_model(name) for name in names] == ["paddleocr-vl", "lightonocr", "dots", None]
    assert {match_model(name) for name in VLM_MODELS} == set(VLM_MODELS)


def test_a_page_goes_through_the_reader_of_an_endpoint() -> None:
    with serve_endpoint(Reply(pieces=["# Title\n\n", "Text."])) as server:
        reader = make_vlm_reader(choose_vlm(f"{server.url}#lightonocr"), None, 2)
        page = reader.transcribe(make_page(), (), 10)
        reader.close()
    assert page.blocks is not None
    assert [block.text for block in page.blocks] == ["Title", "Text."]
    assert (page.engine, page.model, page.version) == ("openai", "lightonocr", "served/model")


def test_gpu_pool_without_a_node_is_a_warning_and_an_endpoint_is_not(tmp_path: Path) -> None:
    cpu_node = {"Alive": True, "Labels": {"arch": "arm64", "accelerator": "none"}, "Resources": {"CPU": 8.0}}
    gpu_node = {"Alive": True, "Labels": GPU, "Resources": {"CPU": 8.0, "GPU": 1.0}}

    def wanted(value: str) -> dict[str, Placement]:
        return optional_pools(load_settings({"SVC_WORKDIR": str(tmp_path), "SVC_VLM_OCR": value}))

    assert unplaceable(wanted("dots"), [cpu_node]) == {
        "vlm_ocr": "no node with arch=amd64, accelerator=cuda, 1 CPU and 1 GPU"
    }
    assert unplaceable(wanted("dots"), [cpu_node, gpu_node]) == {}
    assert unplaceable(wanted("http://gpu.example.org/v1#dots"), [cpu_node]) == {}
    assert optional_pools(load_settings({"SVC_WORKDIR": str(tmp_path)})) == {}
