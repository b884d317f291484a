"""Outputs of one document: tree, derivations, exports, pictures, review, search."""

import csv
import io
import json
import re
import zipfile
from typing import Any

import httpx

from quire.models import export as outputs
from tests.lab.conformance.probe import UNKNOWN, UNKNOWN_DOCUMENT, NotRun, Probe, answers, members, row

PERSON = "conformance.person@example.org"
BLOCK = (
    "id type parent level page bbox order text spans table asset_ref continues confidence flags flag_spans provenance"
)
OUTPUTS = tuple(output.path for output in outputs.OUTPUTS.values())


async def scanned(probe: Probe) -> None:
    """Raises NotRun where this service looks for no personal data."""
    tree = (await probe.get(f"{probe.ingested}/tree")).json()
    if not (tree.get("pii") or {}).get("complete"):
        raise NotRun("this service looks for no personal data")


@row("4 outputs", "GET tree: blocks with page, bbox, order, confidence, flags, provenance")
async def tree(probe: Probe) -> None:
    body = (await probe.get(f"{probe.document}/tree")).json()
    members(body, "cdom_version document_id source metadata pages blocks warnings provenance")
    members(body["blocks"][0], BLOCK)
    assert [block["order"] for block in body["blocks"]] == list(range(len(body["blocks"])))


@row("4 outputs", "every output: an unknown document is 404, a foreign one the same 404")
async def foreign(probe: Probe) -> None:
    header = probe.key("foreign")
    for output in (*OUTPUTS, "pages/1", "assets/dot.png", "original"):
        unknown = await probe.http.get(f"/v1/jobs/{UNKNOWN}/documents/{UNKNOWN_DOCUMENT}/{output}", headers=header)
        theirs = await probe.http.get(f"{probe.ingested}/{output}", headers=header)
        assert (theirs.status_code, theirs.content) == (404, unknown.content), output


@row("4 outputs", "every output: another organisation of the same tenant is 404")
async def other_org(probe: Probe) -> None:
    for output in OUTPUTS:
        answer = await probe.http.get(f"{probe.ingested}/{output}", headers={"X-DE-Org": "conformance-other"})
        assert answer.status_code == 404, output


def words(answer: httpx.Response) -> str:
    """Return the words of an output, without escapes; of a Word file the texts of its parts."""
    if not answer.content.startswith(b"PK"):
        return answer.text.replace("\\", "")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as package:
        parts = [package.read(name).decode("utf-8", "replace") for name in package.namelist()]
    return re.sub(r"<[^>]*>", "", "\n".join(parts))


@row("4 outputs", "redacted=true masks what nobody rejected, in every output; the tree stays")
async def redacted(probe: Probe) -> None:
    await scanned(probe)
    for output in OUTPUTS:
        raw = await probe.get(f"{probe.ingested}/{output}")
        masked = await probe.get(f"{probe.ingested}/{output}", redacted="true")
        assert PERSON not in words(masked), output
        shown = PERSON in words(raw)
        assert shown or output in ("export/graph", "fields"), f"{output} does not show it"
    lines = await probe.get(f"/v1/jobs/{probe.made['id']}/export/finetune", redacted="true")
    assert PERSON not in lines.text


@row("4 outputs", "redacted twice, misspelt or no boolean: 422, never the raw tree")
async def redacted_misspelt(probe: Probe) -> None:
    for query in ("REDACTED=true", "redact=true", "redacted=perhaps", "redacted=true&redacted=false"):
        answer = await probe.http.get(f"{probe.ingested}/tree?{query}")
        assert answer.status_code == 422, f"{answer.status_code} for {query}"


@row("4 outputs", "GET semantics: typed objects with evidence block ids")
async def semantics(probe: Probe) -> None:
    body = (await probe.get(f"{probe.ingested}/semantics")).json()
    ids = {block["id"] for block in (await probe.get(f"{probe.ingested}/tree")).json()["blocks"]}
    for one in body["objects"]:
        members(one, "id type value attributes confidence evidence")
        assert set(one["evidence"]) <= ids, one["evidence"]
    assert {"section", "figure", "email"} <= {one["type"] for one in body["objects"]}


@row("4 outputs", "GET fields: key, canonical_key, evidence with page and bbox; deterministic")
async def fields(probe: Probe) -> None:
    first = await probe.get(f"{probe.ingested}/fields")
    entry = next(one for one in first.json() if one["value"] == "CONF-4711")
    members(entry, "key canonical_key value value_type normalized confidence evidence")
    members(entry["evidence"], "block_id page bbox")
    assert (await probe.get(f"{probe.ingested}/fields")).content == first.content


@row("4 outputs", "GET fields?keys=: by key or canonical key, in any case; unknown ones are []")
async def field_keys(probe: Probe) -> None:
    entry = (await probe.get(f"{probe.ingested}/fields")).json()[0]
    for name in (entry["key"].upper(), f"nothing,{entry['canonical_key']}"):
        found = (await probe.get(f"{probe.ingested}/fields", keys=name)).json()
        assert entry in found, name
    assert (await probe.get(f"{probe.ingested}/fields", keys="no such key")).json() == []


@row("4 outputs", "GET chunks: section path, pages, flags; the same again, byte for byte")
async def chunks(probe: Probe) -> None:
    first = await probe.get(f"{probe.ingested}/chunks")
    for chunk in first.json():
        members(chunk, "id index text tokens section_path pages block_ids flags language")
    assert ["Invoice"] in [chunk["section_path"] for chunk in first.json()]
    assert (await probe.get(f"{probe.ingested}/chunks")).content == first.content


@row("4 outputs", "GET export/html: one page, every text escaped, no script")
async def html(probe: Probe) -> None:
    answer = await probe.get(f"{probe.ingested}/export/html")
    assert answer.headers["content-type"].startswith("text/html")
    assert "<script" not in answer.text
    assert "&lt;script&gt;" in answer.text
    assert "<h1" in answer.text


@row("4 outputs", "GET export/markdown: text escaped, tables=auto|html|pipe, another is 422")
async def markdown(probe: Probe) -> None:
    text = (await probe.get(f"{probe.ingested}/export/markdown")).text
    assert text.startswith("# Invoice")
    assert "<script>" not in text.replace("\\<", "")
    for style, expected in (("auto", 200), ("html", 200), ("pipe", 200), ("other", 422)):
        await probe.get(f"{probe.document}/export/markdown", expected, tables=style)


@row("4 outputs", "GET export/graph: nodes and typed edges; neo4j gives two CSV files")
async def graph(probe: Probe) -> None:
    body = (await probe.get(f"{probe.ingested}/export/graph")).json()
    members(body["nodes"][0], "id type label page")
    members(body["edges"][0], "source target type")
    files = (await probe.get(f"{probe.ingested}/export/graph", format="neo4j")).json()
    assert files.keys() == {"nodes.csv", "edges.csv"}, str(files.keys())
    assert len(list(csv.reader(io.StringIO(files["nodes.csv"])))) == len(body["nodes"]) + 1
    await probe.get(f"{probe.ingested}/export/graph", 422, format="dot")


@row("4 outputs", "GET export/context: within max_tokens (default 4000), truncated honestly")
async def context(probe: Probe) -> None:
    whole = (await probe.get(f"{probe.ingested}/export/context")).json()
    members(whole, "max_tokens tokens truncated omitted markdown")
    small = (await probe.get(f"{probe.ingested}/export/context", max_tokens=16)).json()
    assert (whole["max_tokens"], small["truncated"]) == (4000, True)
    assert small["tokens"] <= 16, str(small["tokens"])


@row("8 limits", "max_tokens 16 to 1,000,000, else 422")
async def context_bounds(probe: Probe) -> None:
    for value, expected in ((15, 422), (16, 200), (1_000_000, 200), (1_000_001, 422)):
        await probe.get(f"{probe.document}/export/context", expected, max_tokens=value)


@row("4 outputs", "GET assets/{path}: the picture of an asset_ref; climbing out is 404")
async def assets(probe: Probe) -> None:
    tree = (await probe.get(f"{probe.ingested}/tree")).json()
    ref = next(block["asset_ref"] for block in tree["blocks"] if block["asset_ref"])
    answer = await probe.get(f"{probe.ingested}/assets/{ref}")
    assert (answer.content, answer.headers["content-type"]) == (probe.kept["asset"], "image/png")
    for path in ("..%2f..%2ftoken", "%2e%2e/%2e%2e/token", "../token", "none.png"):
        await probe.get(f"{probe.ingested}/assets/{path}", 404)


@row("4 outputs", "GET pages/{page}: a PNG with its size in points; others are 404 or 422")
async def pages(probe: Probe) -> None:
    answer = await probe.get(f"{probe.document}/pages/1")
    assert answer.content.startswith(b"\x89PNG")
    tree = (await probe.get(f"{probe.document}/tree")).json()
    assert float(answer.headers["x-page-width"]) > 0
    assert int(answer.headers["x-page-count"]) == len(tree["pages"])
    for dpi, expected in ((36, 200), (300, 200), (35, 422), (301, 422)):
        await probe.get(f"{probe.document}/pages/1", expected, dpi=dpi)
    assert (await probe.http.get(f"{probe.document}/pages/9999")).status_code in (404, 422)
    assert (await probe.http.get(f"{probe.document}/pages/one")).status_code in (404, 422)


@row("4 outputs", "GET export/finetune: JSON lines in every style; unknown ones are 422")
async def finetune(probe: Probe) -> None:
    place = f"/v1/jobs/{probe.made['id']}/export/finetune"
    names = {"completion": "text", "chat": "messages", "instruction": "output", "raw": "text"}
    for style, name in names.items():
        lines = [json.loads(line) for line in (await probe.get(place, style=style)).text.splitlines()]
        assert lines, style
        assert all(name in line for line in lines), f"{style}: {lines[0].keys()}"
    default = await probe.get(place)
    assert default.content == (await probe.get(place, style="completion")).content
    await probe.get(place, 422, style="poem")


@row("4 outputs", "GET export/finetune: dedup, min_chars, max_chars, language filter records")
async def finetune_filters(probe: Probe) -> None:
    place = f"/v1/jobs/{probe.job['id']}/export/finetune"
    everything = (await probe.get(place)).text.splitlines()
    assert len((await probe.get(place, dedup="true")).text.splitlines()) <= len(everything)
    assert (await probe.get(place, min_chars=10_000_000)).text == ""
    assert (await probe.get(place, max_chars=1)).text == ""
    assert (await probe.get(place, language="xx")).text == ""


@row("4 outputs", "GET export/finetune: split is a stable partition; val_ratio 0.05, else as said")
async def finetune_split(probe: Probe) -> None:
    place = f"/v1/jobs/{probe.job['id']}/export/finetune"
    everything = sorted((await probe.get(place)).text.splitlines())
    ratios: tuple[dict[str, Any], ...] = ({}, {"val_ratio": 0.5})
    for ratio in ratios:
        parts = [(await probe.get(place, split=split, **ratio)).text.splitlines() for split in ("train", "val")]
        assert sorted(parts[0] + parts[1]) == everything, str(ratio)
        assert (await probe.get(place, split="val", **ratio)).text.splitlines() == parts[1]
    await probe.get(place, 422, split="test")
    await probe.get(place, 422, val_ratio=2)


answers("4 outputs", "GET coverage: what became of every character", "{doc}/coverage", kind=dict)


@row("4 outputs", "GET original: the bytes as sent; GET archive: a zip")
async def original(probe: Probe) -> None:
    answer = await probe.get(f"{probe.document}/original")
    assert answer.content.startswith(b"%PDF")
    assert "content-disposition" in answer.headers
    archive = await probe.get(f"/v1/jobs/{probe.job['id']}/archive")
    assert archive.content.startswith(b"PK")


@row("4 additions", "ETag: If-None-Match of a tree is 304")
async def etag(probe: Probe) -> None:
    tag = (await probe.get(f"{probe.document}/tree")).headers["etag"]
    await probe.ask("GET", f"{probe.document}/tree", 304, headers={"If-None-Match": tag})
