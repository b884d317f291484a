"""A program as a user of the Python client writes it: it knows a base URL and a token, nothing of what stands there.

The same lines run against the engine and against the hosted console.
"""

from pathlib import Path

import pytest
from quire_client import ApiError, Client


def run(base_url: str, token: str, paper: Path, *, search: bool = True) -> list[str]:
    """Reads `paper` alone and in a batch, looks at every output both surfaces offer; the texts of its chunks."""
    with Client(base_url, token) as quire:
        parsed = quire.parse(paper, timeout_s=50)
        assert "tree" in parsed
        job = parsed["job"]
        tree = parsed["tree"]
        assert tree is not None
        assert tree["document_id"] == job["documents"][0]["document_id"]

        changes: list[str] = []
        batch = quire.create_job([paper, paper, ("note.txt", b"\0\1 no document")])
        assert (batch["status"], batch["documents"]) == ("queued", [])
        ended = quire.wait(batch["id"], timeout_s=120, on_change=lambda now: changes.append(now["status"]))
        assert (ended["status"], changes[-1], len(ended["documents"])) == ("partial", "partial", 3)
        assert sorted(document["error"] or "" for document in ended["documents"]) == ["", "", "unsupported-format"]

        texts = []
        for document in ended["documents"]:
            if document["status"] == "succeeded":
                pair = batch["id"], document["document_id"]
                assert quire.get_tree(*pair)["blocks"]
                texts += [chunk["text"] for chunk in quire.get_chunks(*pair)]
                assert quire.export_graph(*pair)["nodes"]
                assert quire.export_context(*pair, max_tokens=500)["markdown"]
        assert len(quire.export_finetune(batch["id"]).splitlines()) == len(texts)
        if search:
            hits = quire.search(q="harbour", limit=3)
            assert len(hits) == 3
            for hit in hits:
                found = quire.get_job(hit["job_id"])
                assert hit["document_id"] in [document["document_id"] for document in found["documents"]]
                assert quire.get_tree(hit["job_id"], hit["document_id"])["blocks"]
        with pytest.raises(ApiError) as unknown:
            quire.get_job("job_" + "a" * 26)
        assert (unknown.value.status, unknown.value.code) == (404, "not-found")
    with Client(base_url, "wrong") as stranger, pytest.raises(ApiError) as refused:
        stranger.get_job(batch["id"])
    assert (refused.value.status, refused.value.code) == (401, "unauthenticated")
    return texts
