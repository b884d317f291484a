"""Documents whose reading ended without a tree, and the backoff after faults."""

import pytest

from quire.actors.reader.retry import Backoff, Disposition, judge, locate
from quire.models.cdom.errors import RETRYABLE, ErrorCode
from quire.models.cdom.ports import ReadOutcome


@pytest.mark.parametrize("code", sorted(set(ErrorCode) - RETRYABLE))
def test_deterministic_errors_are_final_at_once(code: ErrorCode) -> None:
    assert judge(ReadOutcome(error=code)) is Disposition.FAIL


@pytest.mark.parametrize("code", sorted(RETRYABLE))
def test_errors_of_the_infrastructure_are_retried(code: ErrorCode) -> None:
    assert judge(ReadOutcome(error=code)) is Disposition.RETRY


def test_uncharged_outcome_is_released() -> None:
    assert judge(ReadOutcome(error=ErrorCode.WORKER_KILLED, charged=False)) is Disposition.RELEASE


def test_a_tree_is_published() -> None:
    assert judge(ReadOutcome()) is Disposition.PUBLISH


def test_pauses_grow_to_a_limit_and_end_with_a_success() -> None:
    waits = list[float]()

    def wait(seconds: float) -> bool:
        waits.append(seconds)
        return False

    backoff = Backoff(wait, first_s=1, most_s=5)
    for _ in range(4):
        backoff.pause()
    backoff.reset()
    backoff.pause()
    assert waits == [1, 2, 4, 5, 1]


def test_a_log_line_about_an_exception_quotes_none_of_its_text() -> None:
    with pytest.raises(ValueError, match="letter") as caught:
        raise ValueError("the text of somebody's letter")
    assert locate(caught.value).startswith("ValueError at test_retry.py:")
    assert "letter" not in locate(caught.value)
