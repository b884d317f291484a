"""Derivations of hostile size run in a separate process, ended by limits, with a stable code."""

import json
import os
import pickle
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import httpx
import pytest

from quire.models.cdom.tree import BlockType, Span, Tree
from quire.models.derive.semantics import describe_tree
from quire.models.export import OUTPUTS
from quire.models.pii.engines.choose import make_flagger
from quire.serve_apps.api.context.limited_work import LimitedWork, WorkLimits
from quire.serve_apps.api.documents.ingesting import LIGHT_BODY, parse_light, weigh
from quire.serve_apps.api.http.refusals import OverLimit
from quire.storage.store import Store
from tests.api.context.derivations import burn, fill, stumble, tell_process
from tests.api.harness import client_of, make_resources, serving
from tests.builders import make_block, make_tree

pytestmark = pytest.mark.long

SMALL = make_tree(make_block(BlockType.PARAGRAPH, "a few words of Acme Ltd."))
EVERYTHING_IS_HEAVY = WorkLimits(heavy_chars=0)


def test_small_trees_are_worked_on_in_place_and_large_ones_apart() -> None:
    assert LimitedWork(WorkLimits()).run(tell_process, SMALL) == os.getpid()
    assert LimitedWork(EVERYTHING_IS_HEAVY).run(tell_process, SMALL) != os.getpid()


def test_separate_process_returns_the_same_result_as_a_direct_call() -> None:
    assert LimitedWork(EVERYTHING_IS_HEAVY).run(describe_tree, SMALL) == describe_tree(SMALL)


def test_more_cpu_time_than_allowed_ends_the_process_with_a_code() -> None:
    with pytest.raises(OverLimit) as ended:
        LimitedWork(WorkLimits(heavy_chars=0, cpu_s=1)).run(burn, SMALL)
    assert ended.value.code == "resource-limit"


def test_more_memory_than_allowed_ends_the_process_with_a_code() -> None:
    with pytest.raises(OverLimit):
        LimitedWork(WorkLimits(heavy_chars=0, memory_bytes=2 << 30)).run(fill, SMALL)


def test_internal_fault_is_not_a_limit_and_quotes_no_document(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(RuntimeError):
        LimitedWork(EVERYTHING_IS_HEAVY).run(stumble, SMALL)
    said = capfd.readouterr().err
    assert "KeyError" in said
    assert "Acme" not in said


async def test_every_output_of_a_heavy_document_is_the_same_from_its_process(store: Store) -> None:
    outputs = [output.path for output in OUTPUTS.values() if output.path != "tree"]
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


async def test_output_over_its_limit_is_422_and_the_service_continues(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quire.serve_apps.api.routes.results.derived.describe_tree", burn)
    tree = {
        "cdom_version": "1.0",
        "pages": [{"number": 1, "width": 1, "height": 1}],
        "blocks": [{"id": "a", "type": "paragraph", "page": 1, "text": "x"}],
    }
    async with serving(make_resources(store)) as app, client_of(app) as http:
        job = (await http.post("/v1/ingest", json={"tree": tree})).json()
    limits = WorkLimits(heavy_chars=0, cpu_s=1)
    async with serving(make_resources(store, work_limits=limits)) as app, client_of(app) as http:
        place = f"/v1/jobs/{job['id']}/documents/{job['documents'][0]['document_id']}"
        refused = await http.get(f"{place}/semantics")
        assert (refused.status_code, refused.json()["detail"][0]["type"]) == (422, "resource-limit")
        assert (await http.get(f"{place}/tree")).status_code == 200


INGESTED = {
    "cdom_version": "1.0",
    "source": {"name": "a.txt", "format": "x"},
    "pages": [{"number": 1, "width": 100, "height": 100}],
    "blocks": [{"id": "a", "type": "paragraph", "page": 1, "text": "Write to ann@example.org of Acme Ltd. today"}],
}


def tell_where(at: Path, tree: Tree) -> Tree:
    at.write_text(str(os.getpid()))
    return make_flagger("regex")(tree)


@pytest.mark.parametrize(("limits", "apart"), [(WorkLimits(), False), (EVERYTHING_IS_HEAVY, True)])
async def test_ingested_tree_of_hostile_size_is_checked_and_scanned_in_a_process(
    store: Store, tmp_path: Path, limits: WorkLimits, apart: bool
) -> None:
    scan = partial(tell_where, tmp_path / "pid")
    async with serving(make_resources(store, work_limits=limits, flag_tree=scan)) as app, client_of(app) as http:
        made = await http.post("/v1/ingest", json={"tree": INGESTED})
        document = made.json()["documents"][0]
        tree = (await http.get(f"/v1/jobs/{made.json()['id']}/documents/{document['document_id']}/tree")).json()
    assert (made.status_code, document["source_file"], document["chunks"]) == (201, "a.txt", 1)
    assert tree["blocks"][0]["flags"] == ["pii:email"]
    assert (int((tmp_path / "pid").read_text()) != os.getpid()) is apart


async def test_a_scan_over_its_limit_is_422_and_nothing_is_stored_or_charged(store: Store) -> None:
    limits = WorkLimits(heavy_chars=0, cpu_s=1)
    async with serving(make_resources(store, work_limits=limits, flag_tree=burn)) as app, client_of(app) as http:
        refused = await http.post("/v1/ingest", json={"tree": INGESTED})
        assert (refused.status_code, refused.json()["detail"][0]["type"]) == (422, "resource-limit")
        assert (await http.get("/v1/jobs")).json() == []
        assert (await http.get("/v1/license")).json()["pages_used_this_month"] == 0


@pytest.mark.parametrize(
    ("body", "loc"),
    [
        (b"[]", "body"),
        (b'{"tree": {"cdom_version": "1.0", "pages": [], "blocks": [{}]}}', "tree"),
        (json.dumps({"tree": INGESTED, "assets": {"..": ""}}).encode(), "assets"),
        (json.dumps({"tree": INGESTED, "source_bytes": "%"}).encode(), "source_bytes"),
    ],
)
async def test_a_refusal_reads_the_same_from_a_process(store: Store, body: bytes, loc: str) -> None:
    said = []
    for limits in (WorkLimits(), EVERYTHING_IS_HEAVY):
        async with serving(make_resources(store, work_limits=limits)) as app, client_of(app) as http:
            said.append(await http.post("/v1/ingest", content=body))
    assert {answer.status_code for answer in said} == {422}
    assert said[0].json() == said[1].json()
    assert said[0].json()["detail"][0]["loc"] == ["body", loc]


def test_a_large_body_is_not_parsed_where_all_requests_are() -> None:
    assert parse_light(b'{"a": "' + b"x" * LIGHT_BODY + b'"}') is None
    assert parse_light(b'{"a": 1}') == {"a": 1}


def test_pictures_and_the_original_do_not_make_a_body_heavy() -> None:
    sent = {"tree": {}, "assets": {"a.png": "A" * 1000}, "source_bytes": "B" * 2000}
    assert weigh(json.dumps(sent).encode(), sent) < 100


def test_every_engine_goes_into_a_process_as_its_choices() -> None:
    flagger = make_flagger("regex", ("en", "de"), urls=False)
    assert pickle.loads(pickle.dumps(flagger)) == flagger


def test_spans_weigh_as_much_as_cells() -> None:
    spans = tuple(Span(start=at, end=at + 1) for at in range(1000))
    light = make_tree(make_block(BlockType.PARAGRAPH, "x" * 1000))
    work = LimitedWork(WorkLimits(heavy_chars=10_000))
    assert not work.is_heavy(light)
    assert work.is_heavy(replace(light, blocks=(replace(light.blocks[0], spans=spans),)))


def test_process_keeps_a_lower_limit_that_it_inherits() -> None:
    script = (
        "import resource as r; from quire.serve_apps.api.context.limited_process import lower_limit;"
        "r.setrlimit(r.RLIMIT_CPU, (50, 50)); lower_limit(r.RLIMIT_CPU, 120, 122); print(r.getrlimit(r.RLIMIT_CPU))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "(50, 50)"
