"""Planted personal data is in no output asked for as redacted; a redaction that does nothing turns these tests red."""

import io
from collections.abc import AsyncIterator
from dataclasses import replace
from functools import partial

import httpx
import pymupdf
import pytest
from PIL import Image

import quire.models.pii.redact
from quire.models.cdom.original import ReadOptions
from quire.models.cdom.tree import Tree, dump_tree
from quire.models.export import OUTPUTS as ALL_OUTPUTS
from quire.models.extract.registry import open_document
from quire.models.neural.embed.tokenizer import load_tokenizer
from quire.models.pii.engines.choose import make_flagger
from quire.models.pii.flagging.flag import flag_tree
from quire.models.pii.kinds import Hit
from quire.models.pii.paint import paint_page, view_page
from quire.models.pii.places import find_places
from quire.serve_apps.api.context.resources import Ports
from quire.storage.jobs.intake import Submission, submit_job
from quire.storage.queue.publish import finish
from quire.storage.queue.queue import LeasePolicy, Queue
from quire.storage.store import Store
from quire.storage.values.ids import new_worker_id
from quire.storage.values.rows import Actor, NewDocument, PageQuota, Scope, Succeeded
from quire.storage.values.states import Priority
from tests.api.harness import Drawing, client_of, make_resources, serving
from tests.security.canaries import DOCX_PLACES, PDF_PLACES, Case, make_case
from tests.security.leaks import leaks
from tests.security.redacted import outputs, read

pytestmark = pytest.mark.long

FLAG = make_flagger("regex")
TOKENIZER = load_tokenizer()
COMPUTED = 240
"""Documents whose outputs are computed directly; `python -m tests.lab.chaos.canaries` goes on to as many as wanted."""
SERVED = 24
OUTPUTS = (*(output.path for output in ALL_OUTPUTS.values()), "export/graph?format=neo4j")


@pytest.fixture
async def client(store: Store, dsn: str) -> AsyncIterator[httpx.AsyncClient]:
    resources = make_resources(store, dsn=dsn, ports=Ports(render_page=Drawing(store)), flag_tree=FLAG)
    async with serving(resources) as app, client_of(app) as caller:
        yield caller


def publish(store: Store, case: Case, tree: Tree) -> str:
    """The path of the case as a finished document."""
    writer = store.blobs.new_writer()
    writer.write(case.data)
    file = NewDocument(name=case.name, blob=writer.commit(), options=ReadOptions())
    actor, quota = Actor(key_name="acme:write"), PageQuota(max_pages_per_month=None)
    job = submit_job(store, Scope(tenant="acme"), actor, Submission([file], priority=Priority.JOB, quota=quota))
    claim = Queue(store.db, new_worker_id(), LeasePolicy(), store.signer).claim()
    assert claim is not None
    manifest = store.artifacts.put(claim.document_id, claim.attempt, {"tree.json": dump_tree(tree)})
    row = Succeeded(
        claim=claim, manifest=manifest, format=tree.source.format, pages=len(tree.pages), flags=find_places(tree)
    )
    assert finish(store, [row]) == [True]
    return f"/v1/jobs/{job.id}/documents/{claim.document_id}"


def found_in_outputs(number: int) -> list[str]:
    case = make_case(number)
    scanned = FLAG(read(case))
    return [
        f"{case.kind} {number}: {place} in {name}"
        for name, data, media_type in outputs(scanned, TOKENIZER)
        for place in leaks(case, data, media_type)
    ]


@pytest.mark.parametrize("start", range(0, COMPUTED, 24))
def test_no_canary_is_in_anything_computed_from_a_redacted_tree(start: int) -> None:
    assert [leak for number in range(start, start + 24) for leak in found_in_outputs(number)] == []


def test_every_hiding_place_is_among_the_documents() -> None:
    places = {(case.kind, place) for case in map(make_case, range(COMPUTED)) for place in case.needles.values()}
    assert {("pdf", place) for place in PDF_PLACES} | {("docx", place) for place in DOCX_PLACES} <= places


def test_most_canaries_are_in_unredacted_outputs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The checker sees: where nothing is masked it finds what readers read."""
    case = make_case(1)
    assert leaks(case, dump_tree(read(case)), "application/json") != []


def test_a_mask_that_masks_nothing_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quire.models.pii.redact, "mask_spans", lambda text, spans: (text, []))
    assert all(found_in_outputs(number) for number in range(6))


async def test_no_canary_is_in_any_redacted_answer(store: Store, client: httpx.AsyncClient) -> None:
    found = []
    for number in range(SERVED):
        case = make_case(number)
        path = publish(store, case, FLAG(read(case)))
        job = path.split("/documents")[0]
        targets = [f"{path}/{output}" for output in OUTPUTS] + [f"{job}/export/finetune"]
        for target in targets:
            answer = await client.get(target, params={"redacted": "true"})
            assert answer.status_code == 200, (target, answer.text)
            found += [f"{target}: {p}" for p in leaks(case, answer.content, answer.headers["content-type"])]
            found += [f"{target}: {p} (header)" for p in leaks(case, str(answer.headers).encode(), "text/plain")]
        refused = await client.get(f"{path}/assets/p1-0.png", params={"redacted": "true"})
        assert (refused.status_code, refused.json()["code"]) == (403, "picture-not-redactable")
    assert found == []


async def test_page_picture_shows_no_masked_value(store: Store, client: httpx.AsyncClient) -> None:
    for number in range(0, 30, 3):
        case = make_case(number)
        path = publish(store, case, FLAG(read(case)))
        answer = await client.get(f"{path}/pages/1", params={"redacted": "true", "dpi": "72"})
        assert answer.headers["content-type"] == "image/png"
        picture = Image.open(io.BytesIO(answer.content))
        assert not picture.info
        assert not picture.getexif()
        assert [place for place, box in seen_places(case) if has_ink(picture, box)] == []


SEE = 30.0
"""Points that "See +" takes in an annotation: those words may be shown."""


def seen_places(case: Case) -> list[tuple[str, tuple[float, float, float, float]]]:
    """Return the places of a PDF's canaries on its first page as drawn, with annotations and form values."""
    with pymupdf.open(stream=case.data, filetype="pdf") as document:
        page = document[0]
        words = page.get_text("words")
        boxes = [
            (place, tuple(word[:4]))
            for word in words
            for needle, place in case.needles.items()
            if needle in "".join(char for char in word[4].casefold() if char.isalnum())
        ]
        boxes += [
            ("annotation", (annotation.rect.x0 + SEE, *tuple(annotation.rect)[1:])) for annotation in page.annots()
        ]
        boxes += [("form value", tuple(widget.rect)) for widget in page.widgets()]
    return boxes


def has_ink(picture: Image.Image, box: tuple[float, float, float, float]) -> bool:
    """Anything but plain white and plain black, of which a painted place consists."""
    x0, y0, x1, y1 = (max(0, round(value)) for value in box)
    if x0 >= picture.width or y0 >= picture.height or x1 <= x0 or y1 <= y0:
        return False
    grey = picture.crop((x0, y0, x1, y1)).convert("L").histogram()
    return sum(grey[1:255]) > 0


def test_unmasked_ink_stays_visible() -> None:
    case = make_case(0)
    plain = Image.open(io.BytesIO(open_document(case.data, ReadOptions()).render_page(1, 72).png))
    assert any(has_ink(plain, box) for _, box in seen_places(case))


async def test_separate_picture_is_drawn_without_metadata(store: Store, client: httpx.AsyncClient) -> None:
    case = make_case(2)
    path = publish(store, case, FLAG(read(case)))
    plain = await client.get(f"{path}/pages/1")
    assert plain.content == case.data
    redacted = await client.get(f"{path}/pages/1", params={"redacted": "true"})
    assert redacted.headers["content-type"] == "image/png"
    assert leaks(case, redacted.content, "image/png") == []
    assert Image.open(io.BytesIO(redacted.content)).info == {}


class Failing:
    name, version = "failing", "1"

    def __init__(self, error: Exception) -> None:
        self._error = error

    def detect(self, text: str) -> list[Hit]:
        raise self._error


@pytest.mark.parametrize("error", [RuntimeError("x"), TimeoutError(), MemoryError()], ids=repr)
async def test_failed_scan_blocks_redacted_outputs_only(
    store: Store, client: httpx.AsyncClient, error: Exception
) -> None:
    case = make_case(0)
    path = publish(store, case, partial(flag_tree, detector=Failing(error))(read(case)))
    job = path.split("/documents")[0]
    for target in [f"{path}/{output}" for output in (*OUTPUTS, "pages/1", "assets/x")] + [f"{job}/export/finetune"]:
        answer = await client.get(target, params={"redacted": "true"})
        assert (answer.status_code, answer.json()["code"]) == (409, "pii-incomplete"), target
    assert (await client.get(f"{path}/tree")).status_code == 200


def test_a_page_with_flagged_text_in_no_known_place_is_blank() -> None:
    case = make_case(0)
    document = open_document(case.data, ReadOptions())
    scanned = FLAG(read(case))
    view = view_page(scanned, {}, 1)
    assert view.shown
    nowhere = FLAG(placeless(scanned))
    assert view_page(nowhere, {}, 1).blank
    painted = paint_page(document.render_page(1, 72).png, scanned.pages[0], view_page(nowhere, {}, 1))
    assert Image.open(io.BytesIO(painted)).getcolors() == [(595 * 842, (255, 255, 255))]


def placeless(tree: Tree) -> Tree:
    return replace(tree, blocks=tuple(replace(block, bbox=None, table=None) for block in tree.blocks))
