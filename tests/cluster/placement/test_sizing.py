"""Number and placement of readers."""

import pytest

from quire.cluster.placement.sizing import MOST_API, pools, size_api, size_readers


@pytest.mark.parametrize(("cores", "readers"), [(1, 1), (2, 2), (4, 4), (64, 4)])
def test_without_a_number_there_are_as_many_readers_as_cores_up_to_four(cores: int, readers: int) -> None:
    sizing = size_readers(cores=cores, workers=None, background=False, least=1, most=None)
    assert (sizing.minimum, sizing.maximum, sizing.own_application) == (readers, readers, False)


def test_worker_count_is_a_fixed_pool_without_a_separate_application() -> None:
    sizing = size_readers(cores=2, workers=7, background=False, least=1, most=3)
    assert sizing.fixed
    assert (sizing.maximum, sizing.own_application) == (7, False)


def test_no_workers_means_no_reader_pool() -> None:
    sizing = size_readers(cores=2, workers=0, background=False, least=1, most=None)
    assert set(pools(sizing)) == {"api", "background", "recogniser"}


def test_in_the_background_the_pool_scales_in_an_application_of_its_own() -> None:
    sizing = size_readers(cores=2, workers=1, background=True, least=0, most=9)
    assert (sizing.minimum, sizing.maximum, sizing.own_application, sizing.fixed) == (0, 9, True, False)


def test_the_background_pool_is_never_smaller_than_its_minimum() -> None:
    assert size_readers(cores=2, workers=None, background=True, least=6, most=None).maximum == 6


def test_the_node_offers_a_cpu_per_reader_and_one_more() -> None:
    assert size_readers(cores=2, workers=16, background=False, least=1, most=None).node_cpus == 17


@pytest.mark.parametrize(
    ("cores", "machines", "least", "most", "expected"),
    [
        (2, 1, 1, None, (1, MOST_API, 2)),
        (16, 1, 1, None, (1, MOST_API, 8)),
        (2, 1, 4, None, (4, MOST_API, 4)),
        (2, 1, 1, 6, (1, 6, 6)),
        (16, 3, 2, None, (2, MOST_API, 1)),
        (16, 3, 7, None, (7, MOST_API, 3)),
        (2, 3, 2, 6, (2, 6, 2)),
    ],
)
def test_api_replicas_use_half_the_cores_or_one_per_machine(
    cores: int, machines: int, least: int, most: int | None, expected: tuple[int, int, int]
) -> None:
    replicas = size_api(cores=cores, machines=machines, least=least, most=most)
    assert (replicas.minimum, replicas.maximum, replicas.per_node) == expected
