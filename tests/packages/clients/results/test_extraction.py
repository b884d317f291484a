"""Both Python clients return an instance of a Pydantic class, and the evidence of its values as objects."""

import json
from collections.abc import Iterator

import httpx
import pytest
from pydantic import BaseModel, ValidationError
from quire_client import AsyncClient, Client, Values
from quire_client.types import ExtractedData

from quire.models.derive.schema.answer import pointer
from quire.storage.store import Store
from tests.api.harness import at_work, make_resources
from tests.api.jobs.test_ephemeral import pdf
from tests.api.live import listening
from tests.ui.papers import LetterReader

LINES = ("Invoice Number: INV-7731", "Total: 1,204.50 EUR")


class Bill(BaseModel):
    """What is wanted of a bill."""

    invoice_number: str
    total: float | None = None


ANSWER: ExtractedData = {"data": {"invoice_number": "INV-7", "total": 7.5}, "evidence": {}, "missing": {}}
EVIDENCE = {
    "/lines/1/unit~1price": {
        "verbatim": "7,50 EUR",
        "confidence": 0.9,
        "how": "table",
        "places": [
            {"block_id": "b1", "page": 2, "bbox": [10, 20, 30, 40], "cell": 3, "start": 0, "end": 4},
            {"block_id": "b1", "page": 2, "bbox": [5, 40, 20, 50], "cell": None, "start": 5, "end": 8},
            {"block_id": "b2", "page": 3, "bbox": [0, 0, 9, 9], "cell": None, "start": 0, "end": 3},
        ],
    },
    "/total": {"verbatim": "", "confidence": 1.0, "how": "default", "places": []},
}


def answer(request: httpx.Request) -> httpx.Response:
    sent = json.loads(request.content)
    assert sent == {"document_id": "doc_a", "schema": Bill.model_json_schema(), "engine": "rules"}
    assert request.url.query == b"redacted=true"
    return httpx.Response(200, json=ANSWER)


async def test_extract_gives_an_instance_of_a_class() -> None:
    with Client("http://quire.test", transport=httpx.MockTransport(answer)) as quire:
        bill = quire.extract(schema=Bill, document_id="doc_a", engine="rules", redacted=True).data
    async with AsyncClient("http://quire.test", transport=httpx.MockTransport(answer)) as quire_async:
        same = await quire_async.extract(None, Bill, document_id="doc_a", engine="rules", redacted=True)
    assert bill == same.data == Bill(invoice_number="INV-7", total=7.5)


@pytest.fixture
def reading_url(store: Store, dsn: str) -> Iterator[str]:
    """The address of a live service that reads the letters of PDF pages."""
    with at_work(LetterReader(store)), listening(make_resources(store, dsn=dsn)) as base_url:
        yield base_url


def test_extract_gives_evidence_in_the_stored_document(reading_url: str) -> None:
    with Client(reading_url, "acme-write") as quire:
        document = quire.read(("bill.pdf", pdf(*LINES)))
        found = quire.extract(document, Bill)
        plain = quire.extract(document, Bill.model_json_schema())
    assert found.data == Bill(invoice_number="INV-7731", total=1204.5)
    assert (found.valid, dict(found.missing), found.raw) == (True, {}, plain)
    evidence = found.evidence["total"]
    assert (evidence.text, evidence.page) == ("1,204.50", 1)
    (place,) = evidence.places
    (block,) = [block for block in document.blocks if block.id == place.block_id]
    assert block.text[place.start : place.end] == evidence.text
    assert evidence.bbox == place.bbox == block.bbox


def test_extract_gives_boxes_of_words_when_given_a_file(url: str) -> None:
    class Strict(Bill):
        order_number: str

    with Client(url, "acme-write") as quire:
        box = quire.extract(("bill.pdf", pdf(*LINES)), Bill).evidence["invoice_number"].bbox
        with pytest.raises(ValidationError, match="order_number"):
            quire.extract(("bill.pdf", pdf(*LINES)), Strict)
        with pytest.raises(ValueError, match="pass a schema"):
            quire.extract(("bill.pdf", pdf(*LINES)))
        with pytest.raises(ValueError, match="redact needs"):
            quire.extract(("bill.pdf", pdf(*LINES)), Bill, redact=True)
    assert box is not None
    assert box[2] - box[0] < 80


def test_evidence_is_found_by_name_path_and_pointer() -> None:
    evidence = Values.of({"data": {}, "evidence": EVIDENCE}).evidence
    row = evidence["lines", 1, "unit/price"]
    assert row == evidence["/lines/1/unit~1price"]
    assert (row.page, row.bbox, [place.page for place in row.places]) == (2, (5, 20, 30, 50), [2, 2, 3])
    assert (evidence["total"].page, evidence["total"].bbox, evidence.get("/none")) == (None, None, None)
    assert list(evidence) == list(EVIDENCE)
    assert len(evidence) == 2
    assert "tax" not in evidence
    for name in ("a/b", "~", "~1", "ä", "1", " "):
        assert pointer(name) in Values.of({"data": {}, "evidence": {pointer(name): EVIDENCE["/total"]}}).evidence
        assert name in Values.of({"data": {}, "evidence": {pointer(name): EVIDENCE["/total"]}}).evidence
