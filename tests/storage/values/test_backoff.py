"""Pauses between tries."""

import pytest

from quire.storage.values.backoff import BackoffPolicy


def test_pauses_double_up_to_the_bound() -> None:
    policy = BackoffPolicy(0.5, 3.0)
    assert [policy.pause_s(failures) for failures in range(5)] == [0.5, 1.0, 2.0, 3.0, 3.0]


@pytest.mark.parametrize("failures", [30, 10**9])
def test_failures_without_end_wait_no_longer_than_the_bound(failures: int) -> None:
    assert BackoffPolicy(0.001, 7.0).pause_s(failures) == 7.0
