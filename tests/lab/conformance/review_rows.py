"""Review of flags and search."""

from tests.lab.conformance.output_rows import PERSON, scanned
from tests.lab.conformance.probe import UNKNOWN_DOCUMENT, NotRun, Probe, answers, members, problem, row


@row("4 review", "GET /v1/jobs/{job_id}/review: flagged blocks awaiting a decision")
async def review(probe: Probe) -> None:
    await scanned(probe)
    items = (await probe.get(f"/v1/jobs/{probe.made['id']}/review")).json()
    members(items[0], "document_id block_id page bbox flag text spans state")
    assert {(item["flag"], item["state"]) for item in items} == {("pii:email", "pending")}
    probe.kept["item"] = items[0]


@row("4 review", "GET /v1/review: the inbox with job_id and source_file; pages end on a job")
async def inbox(probe: Probe) -> None:
    await scanned(probe)
    first = await probe.get("/v1/review", limit=1)
    items = first.json()
    members(items[0], "document_id block_id flag state job_id source_file")
    assert len({item["job_id"] for item in items}) == 1, "several jobs"
    if "x-next-cursor" in first.headers:
        rest = (await probe.get("/v1/review", limit=1000, cursor=first.headers["x-next-cursor"])).json()
        assert items[0]["job_id"] not in {item["job_id"] for item in rest}


@row("4 review", "GET /v1/review/documents: what was read with doubt; POST: seen, accepted, and taken back")
async def doubtful(probe: Probe) -> None:
    listed = await probe.get("/v1/review/documents", below=1, limit=1)
    if listed.json():
        members(listed.json()[0], "job_id document_id source_file lowest_confidence lost blocks_below blocks state")
    await probe.get("/v1/review/documents", 422, below=2)
    for said in ("seen", "accepted", "waiting"):
        answer = await probe.ask("POST", f"{probe.ingested}/review", 200, json={"decision": said})
        assert answer.json()["state"] == said
    await probe.ask("POST", f"{probe.ingested}/review", 422, json={"decision": "perhaps"})


@row("4 review", "POST review: approved and rejected, again the same is 200")
async def decide(probe: Probe) -> None:
    await scanned(probe)
    item = probe.kept["item"]
    place = f"{probe.ingested}/blocks/{item['block_id']}/review"
    for decision in ("approved", "approved", "rejected"):
        answer = await probe.ask("POST", place, 200, json={"flag": item["flag"], "decision": decision})
        members(answer.json(), "document_id block_id flag state decided_by decided_at")
        assert answer.json()["state"] == decision


@row("3 states", "a rejected flag is kept as a false positive: redacted shows it")
async def rejected(probe: Probe) -> None:
    await scanned(probe)
    tree = (await probe.get(f"{probe.ingested}/tree", redacted="true")).json()
    texts = {block["id"]: block["text"] for block in tree["blocks"]}
    assert PERSON in texts[probe.kept["item"]["block_id"]]
    assert sum(PERSON in text for text in texts.values()) == 1, "the other one is shown too"


@row("4 review", "POST review: another decision, an unknown flag or member is 422")
async def decide_refused(probe: Probe) -> None:
    place = f"{probe.ingested}/blocks/b1/review"
    for body in ({"flag": "pii:email"}, {"flag": "pii:email", "decision": "perhaps"}, {"decision": "approved"}):
        answer = await probe.ask("POST", place, 422, json=body)
        assert "<" not in answer.json()["detail"][0]["msg"], "names a class of ours"
    problem(await probe.ask("POST", place, 422, json={"flag": "pii:iban", "decision": "approved"}), "unknown-flag")
    await probe.ask(
        "POST", f"{probe.ingested}/blocks/b99/review", 404, json={"flag": "pii:email", "decision": "approved"}
    )


async def search_is_on(probe: Probe) -> None:
    answer = await probe.http.get("/v1/search", params={"q": "invoice"})
    if answer.status_code == 409:
        problem(answer, "search-not-configured")
        raise NotRun("no search index here (409 search-not-configured)")


@row("4 search", "GET /v1/search: hits with provenance, in all three modes; limit 5 by default")
async def search(probe: Probe) -> None:
    await search_is_on(probe)
    for mode in ("vector", "fts", "hybrid"):
        hits = (await probe.get("/v1/search", q="invoice number CONF-4711", mode=mode)).json()
        members(hits[0], "job_id document_id chunk_id score text section_path pages block_ids source_file mode")
        assert len(hits) <= 5, mode
    default = (await probe.get("/v1/search", q="invoice")).json()
    assert {hit["mode"] for hit in default} == {"vector"}


@row("4 search", "GET /v1/search?document_id= narrows; a foreign or unknown one is 404")
async def search_one(probe: Probe) -> None:
    await search_is_on(probe)
    document = probe.made["documents"][0]["document_id"]
    hits = (await probe.get("/v1/search", q="invoice", document_id=document, limit=50)).json()
    assert {hit["document_id"] for hit in hits} == {document}
    assert hits[0]["job_id"] == probe.made["id"]
    await probe.get("/v1/search", 404, q="invoice", document_id=UNKNOWN_DOCUMENT)


@row("4 search", "GET /v1/search is the caller's own: another tenant finds nothing of it")
async def search_foreign(probe: Probe) -> None:
    await search_is_on(probe)
    answer = await probe.ask("GET", "/v1/search", 200, params={"q": "CONF-4711"}, headers=probe.key("foreign"))
    assert "CONF-4711" not in answer.text


answers("4 search", "GET /v1/search without q is 422", "/v1/search", 422)
answers("4 search", "GET /v1/search of an unknown mode is 422", "/v1/search", 422, q="x", mode="magic")
