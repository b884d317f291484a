"""Requests that the Python client repeats, how often, and after which delay; against scripted answers."""

import itertools
from collections.abc import Callable, Iterator

import httpx
import pytest
from quire_client import ApiError, Client, ConnectionFailed, Retry
from quire_client.retry import read_retry_after

JOB = {"id": "job_a", "status": "queued", "documents": []}
BUSY = {"code": "overloaded", "detail": "busy", "status": 503, "title": "", "type": ""}


def client_of(answer: Callable[[httpx.Request], httpx.Response], **retry: float) -> Client:
    policy = Retry(**({"pause_s": 0.001} | retry))  # type: ignore[arg-type]
    return Client("http://quire.test", "KEY", retry=policy, transport=httpx.MockTransport(answer))


def failing(
    times: int, status: int = 503, headers: dict[str, str] | None = None
) -> tuple[Callable[[httpx.Request], httpx.Response], list[httpx.Request]]:
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        request.read()
        seen.append(request)
        return (
            httpx.Response(status, json=BUSY, headers=headers) if len(seen) <= times else httpx.Response(200, json=JOB)
        )

    return answer, seen


def test_a_read_is_tried_again_until_it_succeeds() -> None:
    answer, seen = failing(3)
    assert client_of(answer).get_job("job_a")["status"] == "queued"
    assert len(seen) == 4


def test_client_stops_after_the_last_attempt_with_the_error_of_the_service() -> None:
    answer, seen = failing(9, 503, {"x-request-id": "r1"})
    with pytest.raises(ApiError) as refused:
        client_of(answer, attempts=2).get_job("job_a")
    assert (refused.value.status, refused.value.code, refused.value.request_id, len(seen)) == (
        503,
        "overloaded",
        "r1",
        2,
    )


def test_an_upload_keeps_its_idempotency_key_and_its_bytes_over_attempts() -> None:
    answer, seen = failing(2)
    client_of(answer).create_job(("a.pdf", b"%PDF-"))
    assert len({request.headers["idempotency-key"] for request in seen}) == 1
    assert all(b"%PDF-" in request.content for request in seen)


def test_unsafe_request_is_sent_once() -> None:
    answer, seen = failing(1)
    with pytest.raises(ApiError):
        client_of(answer).requeue_document("job_a", "doc_a")
    assert len(seen) == 1


def test_a_rate_limit_is_waited_for_even_then() -> None:
    answer, seen = failing(1, 429, {"retry-after": "0"})
    client_of(answer).requeue_document("job_a", "doc_a")
    assert len(seen) == 2


def test_retry_after_beyond_the_limit_ends_the_retries() -> None:
    answer, seen = failing(1, 429, {"retry-after": "3600"})
    with pytest.raises(ApiError) as refused:
        client_of(answer).get_job("job_a")
    assert (refused.value.retry_after, len(seen)) == (3600, 1)


def test_a_lost_connection_is_its_own_error_and_names_the_address() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused")

    with pytest.raises(ConnectionFailed, match="http") as failed:
        client_of(answer).get_stats()
    assert failed.value.url in str(failed.value)


def test_a_refusal_for_good_is_not_repeated() -> None:
    answer, seen = failing(9, 404)
    with pytest.raises(ApiError):
        client_of(answer).get_job("job_a")
    assert len(seen) == 1


def test_an_iterator_follows_the_cursor_to_the_end() -> None:
    cursors: Iterator[int] = itertools.count()

    def answer(request: httpx.Request) -> httpx.Response:
        page = next(cursors)
        assert request.url.params.get("cursor") == (f"c{page}" if page else None)
        return httpx.Response(
            200, json=[{"id": f"job_{page}"}], headers={"x-next-cursor": f"c{page + 1}"} if page < 2 else {}
        )

    assert [job["id"] for job in client_of(answer).iter_jobs()] == ["job_0", "job_1", "job_2"]


def test_a_list_is_a_repeated_parameter() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        assert request.url.params.multi_items() == [("document_id", "doc_a"), ("document_id", "doc_b")]
        return httpx.Response(200, content=b"PAR1")

    assert client_of(answer).export_all_tables(["doc_a", "doc_b"]).data == b"PAR1"


def test_a_pause_grows_and_keeps_below_its_most() -> None:
    retry = Retry(attempts=20, pause_s=1, most_s=5)
    pauses = [retry.delay(attempt, 503, None, repeatable=True) for attempt in range(1, 10)]
    assert all(pause is not None and pause <= 5 for pause in pauses)


@pytest.mark.parametrize(
    ("text", "least"), [("7", 7), ("0.5", 0.5), ("Wed, 21 Oct 2099 07:28:00 GMT", 1e6), ("soon", None), (None, None)]
)
def test_retry_after_is_a_number_or_a_date(text: str | None, least: float | None) -> None:
    seconds = read_retry_after({"retry-after": text} if text else {})
    assert seconds is None if least is None else seconds is not None and seconds >= least
