"""Background work of a running service: a source is synced, and its events reach a receiver."""

import json
from pathlib import Path

import pytest

from quire.storage.webhooks.signatures import sign_headers
from tests.e2e.papers import paper
from tests.e2e.service import Service
from tests.storage.receivers import Received, receiving
from tests.waiting import until

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]
FILES = {"a.pdf": "Harbour dues", "deep/b.pdf": "Pilotage"}


def genuine(got: Received, secret: str) -> bool:
    """Whether both signatures are the receiver's."""
    facts = (got.headers["x-svc-event"], got.headers["webhook-id"], int(got.headers["webhook-timestamp"]), got.body)
    wanted = sign_headers([secret], *facts)
    return all(got.headers[name.lower()] == wanted[name] for name in ("X-Svc-Signature", "webhook-signature"))


def test_janitor_syncs_a_source_and_the_dispatcher_delivers_its_events(service: Service, tmp_path: Path) -> None:
    client = service.client
    for name, words in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(paper(mark=words))
    with receiving() as receiver:
        body = json.dumps({"url": receiver.url, "events": ["job.finished", "document.finished"]}).encode()
        hook = client.json("POST", "/v1/webhooks", body, "application/json")
        asked = json.dumps({"path": str(tmp_path), "every_minutes": 60}).encode()
        place = f"/v1/sources/{client.json('POST', '/v1/sources', asked, 'application/json')['id']}"
        assert until(lambda: client.json("GET", place)["last_sync"], 90), client.json("GET", place)
        report = client.json("GET", place)["last_sync"]
        assert (report["added"], len(report["job_ids"])) == (2, 1)
        job = client.wait(report["job_ids"][0])
        assert (job["status"], sorted(document["source_file"] for document in job["documents"])) == (
            "succeeded",
            ["a.pdf", "b.pdf"],
        )
        assert until(lambda: len(told(receiver.got, job["id"])) == 3, 60), receiver.got
    assert all(genuine(got, hook["secret"]) for got in receiver.got)
    finished = json.loads(told(receiver.got, job["id"], "job.finished")[0].body)
    assert [line["status"] for line in finished["documents"]] == ["succeeded", "succeeded"]
    client.json("POST", f"/v1/webhooks/{hook['id']}/rotate")


def told(got: list[Received], job_id: str, event: str = "") -> list[Received]:
    """Return the deliveries about this job."""
    return [
        one
        for one in got
        if json.loads(one.body).get("job_id") == job_id and one.headers["x-svc-event"].startswith(event)
    ]
