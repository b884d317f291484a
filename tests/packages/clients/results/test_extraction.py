"""Both Python clients return an instance of a Pydantic class, and the evidence of its values."""

import json

import httpx
from pydantic import BaseModel
from quire_client import AsyncClient, Client

from tests.api.jobs.test_ephemeral import pdf


class Bill(BaseModel):
    """What is wanted of a bill."""

    invoice_number: str
    total: float | None = None


def answer(request: httpx.Request) -> httpx.Response:
    sent = json.loads(request.content)
    assert sent["schema"] == Bill.model_json_schema()
    assert sent["document_id"] == "doc_a"
    data = {"invoice_number": "INV-7", "total": 7.5}
    return httpx.Response(200, json={"data": data, "evidence": {}, "missing": {}, "valid": True})


async def test_a_class_gives_an_instance_of_a_stored_document() -> None:
    with Client("http://quire.test", transport=httpx.MockTransport(answer)) as quire:
        bill, _ = quire.extract_as(Bill, document_id="doc_a")
    async with AsyncClient("http://quire.test", transport=httpx.MockTransport(answer)) as quire_async:
        same, _ = await quire_async.extract_as(Bill, document_id="doc_a")
    assert bill == same == Bill(invoice_number="INV-7", total=7.5)


def test_a_class_gives_an_instance_and_evidence_of_a_file(url: str) -> None:
    file = ("bill.pdf", pdf("Invoice Number: INV-7731", "Total: 1,204.50 EUR"))
    with Client(url, "acme-write") as quire:
        bill, found = quire.extract_as(Bill, file)
    assert bill == Bill(invoice_number="INV-7731", total=1204.5)
    assert found["evidence"]["/invoice_number"]["verbatim"] == "INV-7731"
