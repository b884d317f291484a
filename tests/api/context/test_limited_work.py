"""Derivations of hostile size: in a process of their own, ended by limits, with a stable code."""

import os
import time

import httpx
import pytest

from models.cdom.tree import BlockType, Tree
from models.derive.semantics import describe_tree
from serve_apps.api.context.limited_work import LimitedWork, WorkLimits
from serve_apps.api.http.refusals import OverLimit
from storage.store import Store
from tests.api.harness import client_of, make_resources, serving
from tests.builders import make_block, make_tree

SMALL = make_tree(make_block(BlockType.PARAGRAPH, "a few words of Acme Ltd."))
EVERYTHING_IS_HEAVY = WorkLimits(heavy_chars=0)


def tell_process(tree: Tree) -> int:
    return os.getpid()


def burn(tree: Tree) -> None:
    until = time.process_time() + 600
    while time.process_time() < until:
        pass


def fill(tree: Tree) -> int:
    return len(bytearray(8 << 30))


def stumble(tree: Tree) -> None:
    raise KeyError(tree.blocks[0].text)


def test_small_trees_are_worked_on_in_place_and_large_ones_apart() -> None:
    assert LimitedWork(WorkLimits()).run(tell_process, SMALL) == os.getpid()
    assert LimitedWork(EVERYTHING_IS_HEAVY).run(tell_process, SMALL) != os.getpid()


def test_a_process_gives_what_would_have_been_made_in_place() -> None:
    assert LimitedWork(EVERYTHING_IS_HEAVY).run(describe_tree, SMALL) == describe_tree(SMALL)


def test_more_cpu_time_than_allowed_ends_the_process_with_a_code() -> None:
    with pytest.raises(OverLimit) as ended:
        LimitedWork(WorkLimits(heavy_chars=0, cpu_s=1)).run(burn, SMALL)
    assert ended.value.code == "resource-limit"


def test_more_memory_than_allowed_ends_the_process_with_a_code() -> None:
    with pytest.raises(OverLimit):
        LimitedWork(WorkLimits(heavy_chars=0, memory_bytes=2 << 30)).run(fill, SMALL)


def test_a_fault_of_ours_is_no_limit_and_tells_nothing_of_the_document(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(RuntimeError):
        LimitedWork(EVERYTHING_IS_HEAVY).run(stumble, SMALL)
    said = capfd.readouterr().err
    assert "KeyError" in said
    assert "Acme" not in said


async def test_every_output_of_a_heavy_document_is_the_same_from_its_process(store: Store) -> None:
    outputs = ("chunks", "fields", "semantics", "export/html", "export/markdown", "export/graph", "export/context")
    page = {"number": 1, "width": 100, "height": 100}
    block = {"id": "a", "type": "paragraph", "page": 1, "text": "Total: 12 EUR\nMr John Smith of Acme Ltd. in Berlin"}
    tree = {"cdom_version": "1.0", "pages": [page], "blocks": [block]}
    places: list[str] = []

    async def ask(limits: WorkLimits) -> list[bytes]:
        async with serving(make_resources(store, work_limits=limits)) as app, client_of(app) as http:
            if not places:
                job = (await http.post("/v1/ingest", json={"tree": tree})).json()
                places.append(f"/v1/jobs/{job['id']}/documents/{job['documents'][0]['document_id']}")
            answers = [await http.get(f"{places[0]}/{output}") for output in outputs]
            assert {answer.status_code for answer in answers} == {httpx.codes.OK}
            return [answer.content for answer in answers]

    assert await ask(WorkLimits()) == await ask(EVERYTHING_IS_HEAVY)


async def test_an_output_over_its_limit_is_422_and_the_service_goes_on(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("serve_apps.api.routes.results.derived.describe_tree", burn)
    tree = {
        "cdom_version": "1.0",
        "pages": [{"number": 1, "width": 1, "height": 1}],
        "blocks": [{"id": "a", "type": "paragraph", "page": 1, "text": "x"}],
    }
    limits = WorkLimits(heavy_chars=0, cpu_s=1)
    async with serving(make_resources(store, work_limits=limits)) as app, client_of(app) as http:
        job = (await http.post("/v1/ingest", json={"tree": tree})).json()
        place = f"/v1/jobs/{job['id']}/documents/{job['documents'][0]['document_id']}"
        refused = await http.get(f"{place}/semantics")
        assert (refused.status_code, refused.json()["detail"][0]["type"]) == (422, "resource-limit")
        assert (await http.get(f"{place}/tree")).status_code == 200
