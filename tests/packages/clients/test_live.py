"""Both Python clients against the service on a real socket."""

from pathlib import Path

import pytest
from quire_client import (
    ApiError,
    AsyncClient,
    Client,
    DocumentFailed,
    FileLike,
    LoadOptions,
    WaitTimeout,
    load_texts,
)

from tests.api.harness import PDF, PNG


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    path = tmp_path / "paper.pdf"
    path.write_bytes(PDF)
    return path


def test_a_batch_from_paths_is_waited_for(url: str, paper: Path) -> None:
    seen: list[str] = []
    with Client(url, "acme-write") as quire:
        job = quire.create_job([paper, ("bad.txt", b"\0\1 nothing")], metadata={"case": 7})
        job = quire.wait(job["id"], timeout_s=30, on_change=lambda now: seen.append(now["status"]))
        assert (job["status"], job["metadata"], seen[-1]) == ("partial", {"case": 7}, "partial")
        good, bad = job["documents"]
        assert (good["source_file"], bad["error"]) == ("paper.pdf", "unsupported-format")
        assert [letter["document_id"] for letter in quire.iter_dead_letters()] == [bad["document_id"]]
        page = quire.get_page(job["id"], good["document_id"], 1, dpi=72)
        assert (page.data, page.media_type, page.width, page.page_count) == (PNG, "image/png", 595.0, 1)
        assert quire.get_asset(job["id"], good["document_id"], "p1-0.png").media_type == "image/png"
        assert "Hello" in quire.export_markdown(job["id"], good["document_id"])
        assert [event.kind for event in quire.stream_job_events(job["id"])] == ["job", "end"]
        quire.delete_job(job["id"])
        with pytest.raises(ApiError) as refused:
            quire.get_job(job["id"])
        assert (refused.value.status, refused.value.code) == (404, "not-found")
        assert refused.value.request_id


def test_a_file_that_cannot_be_read_is_an_error_that_names_it(url: str) -> None:
    with (
        Client(url, "acme-write") as quire,
        pytest.raises(DocumentFailed, match=r"bad\.png: unsupported-format") as bad,
    ):
        quire.parse(("bad.png", PNG))
    assert (bad.value.code, bad.value.document["status"]) == ("unsupported-format", "failed")


async def test_the_awaiting_client_says_so_too(url: str) -> None:
    async with AsyncClient(url, "acme-write") as quire:
        with pytest.raises(DocumentFailed):
            await quire.parse(("bad.png", PNG))


def test_texts_are_loaded_in_order_with_flat_metadata(url: str, paper: Path) -> None:
    with Client(url, "acme-write") as quire:
        sources: list[FileLike] = [(f"{number}.pdf", PDF) for number in range(6)]
        loaded = list(load_texts(quire, [*sources, paper]))
    assert [one.metadata["file_name"] for one in loaded] == [*(f"{number}.pdf" for number in range(6)), "paper.pdf"]
    assert loaded[-1].metadata["source"] == str(paper)
    assert {one.text for one in loaded} == {"Hello"}
    assert all(isinstance(value, str | int) for one in loaded for value in one.metadata.values())
    assert (loaded[0].metadata["page"], loaded[0].metadata["last_page"]) == (1, 1)
    assert len({one.id for one in loaded}) == len(loaded)


def test_a_whole_document_is_one_text(url: str, paper: Path) -> None:
    with Client(url, "acme-write") as quire:
        (loaded,) = load_texts(quire, [paper], LoadOptions(split="document"))
    assert loaded.id == loaded.metadata["document_id"]
    assert "Hello" in loaded.text


def test_the_same_key_makes_one_job(url: str, paper: Path) -> None:
    with Client(url, "acme-write") as quire:
        first, again = (quire.create_job(paper, idempotency_key="k1") for _ in range(2))
        assert first["id"] == again["id"]


def test_an_organisation_sees_its_own_jobs_only(url: str, paper: Path) -> None:
    with Client(url, "acme-write", org="sales") as sales, Client(url, "acme-write") as other:
        job = sales.create_job(paper)
        assert [listed["id"] for listed in sales.iter_jobs(limit=1)] == [job["id"]]
        assert other.list_jobs() == []


def test_validation_errors_say_where(url: str) -> None:
    with Client(url, "acme-write") as quire, pytest.raises(ApiError) as refused:
        quire.list_jobs(limit=0)
    assert refused.value.status == 422
    assert "limit" in refused.value.detail


async def test_the_awaiting_client_does_the_same(url: str, paper: Path) -> None:
    async with AsyncClient(url, "acme-write") as quire:
        with paper.open("rb") as file:
            answer = await quire.parse(file, timeout_s=30)
        assert "job" in answer
        job = answer["job"]
        assert job["status"] == "succeeded"
        assert [listed["id"] async for listed in quire.iter_jobs(limit=1)] == [job["id"]]
        assert [event.kind async for event in quire.stream_job_events(job["id"])] == ["job", "end"]
        assert (await quire.wait(job["id"]))["id"] == job["id"]
        chunks = await quire.get_chunks(job["id"], job["documents"][0]["document_id"])
        assert chunks[0]["text"] == "Hello"


def test_waiting_ends_in_time_and_the_job_continues(url: str) -> None:
    with Client(url, "acme-write") as quire:
        queued = {"id": "job_x", "status": "running"}
        quire.get_job = lambda job_id, *, wait=None: queued  # type: ignore[method-assign, assignment, return-value]
        with pytest.raises(WaitTimeout):
            quire.wait("job_x", timeout_s=0)
