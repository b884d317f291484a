"""Pools under load and the cluster's limits, in the simulation with the product's own policy and measured costs."""

from xml.etree import ElementTree

import pytest

from tests.lab.sim.costs import WORKS, Work, make_work
from tests.lab.sim.deployment import Deployment
from tests.lab.sim.figures import SMALL, breaking_point, measure_scaling, run_bursts, run_day, run_losses, run_steady
from tests.lab.sim.plots import Line, draw

BY_NAME = {work.name: work for work in WORKS}


def test_a_steady_load_is_held_by_a_steady_pool() -> None:
    """Four readers' work; by the queue's depth alone it swung between 2 and 15, 13 on average."""
    run = run_steady()
    after = [moment.running for moment in run.history[120:]]
    assert (min(after), max(after)) >= (5, 5)
    assert max(after) <= 8
    assert sum(after) / len(after) <= 7
    assert max(moment.oldest_wait_s for moment in run.history[120:]) < 5


def test_bursts_take_all_nodes_and_the_pool_comes_back_each_time() -> None:
    run = run_bursts()
    for burst in (30, 330, 630):
        told = {moment.at: moment.running for moment in run.history}
        assert max(told[at] for at in range(burst, burst + 60)) == 64
        assert told[burst + 250] <= 4
    assert run.history[-1].queued == 0


def test_lost_nodes_lose_no_document_and_the_rest_keep_up() -> None:
    run = run_losses()
    assert run.done == 40 * 900
    assert run.restarted > 0
    assert run.history[-1].oldest_wait_s == 0
    assert sorted(run.waits)[len(run.waits) * 99 // 100] < 15


def test_a_rising_and_falling_load_is_followed_and_the_pool_ends_at_zero() -> None:
    run = run_day()
    assert run.history[-1].running == 0
    busy = [moment.running for moment in run.history if 600 <= moment.at < 1200]
    assert 35 <= sum(busy) / len(busy) <= 55
    assert sorted(run.waits)[len(run.waits) * 99 // 100] < 5


def test_a_short_lull_does_not_scale_in() -> None:
    run = Deployment(nodes=8, work=SMALL).run(300, lambda second: 0 if 150 <= second < 175 else 24)
    assert min(moment.running for moment in run.history[140:200]) >= 12


@pytest.mark.parametrize(
    ("name", "least"),
    [("1 page, no search", 0.9), ("1 page in jobs of one, no search", 0.9), ("20 pages, no search", 0.9)],
)
def test_small_documents_scale_to_sixty_four_nodes(name: str, least: float) -> None:
    (_, many) = measure_scaling(BY_NAME[name], (1, 64))
    assert many.efficiency >= least
    assert not many.limit


def test_a_database_of_eight_cores_carries_sixty_four_nodes() -> None:
    (_, many) = measure_scaling(BY_NAME["1 page, no search"], (1, 64), cores=8)
    assert many.efficiency >= 0.8


@pytest.mark.parametrize("name", ["100 pages, no search", "20 pages, vectors too", "5 scanned pages, vectors too"])
def test_one_to_sixty_four_nodes_are_at_least_ninety_per_cent_efficient(name: str) -> None:
    (_, many) = measure_scaling(BY_NAME[name], (1, 64))
    assert many.efficiency >= 0.9
    assert not many.limit


@pytest.mark.parametrize(
    ("work", "limit", "at"),
    [
        (BY_NAME["1 page, no search"], "database", 118),
        (BY_NAME["20 pages, keyword search"], "index writer", 11),
    ],
)
def test_more_nodes_do_not_help_beyond_the_breaking_point(work: Work, limit: str, at: int) -> None:
    name, nodes = breaking_point(work)
    assert (name, round(nodes + 0.5)) == (limit, at)
    half, twice, more = measure_scaling(work, (max(1, at // 2), 2 * at, 3 * at))
    assert half.limit == ""
    assert twice.limit == more.limit == limit
    assert more.per_s <= 1.05 * twice.per_s  # the first and the last groups weigh a little


@pytest.mark.parametrize("nodes", [1, 16, 256])
def test_burst_into_an_empty_pool_is_processed_and_pool_shrinks_again(nodes: int) -> None:
    work = make_work("long", 100)
    documents = nodes * 40
    run = Deployment(nodes=nodes, work=work).run(400, lambda second: documents if second == 0 else 0)
    assert run.done == documents
    assert run.history[-1].running == 0
    assert max(moment.running for moment in run.history) == min(nodes * 4, documents // 4)


@pytest.mark.parametrize(("job", "nodes"), [("1 page, no search", 6), ("1 page in jobs of one, no search", 1)])
def test_one_api_replica_is_full_where_replicas_on_every_node_are_not(job: str, nodes: int) -> None:
    work = BY_NAME[job]
    name, at = breaking_point(work, doors=1)
    assert (name, round(at)) == ("door", nodes)
    (_, one) = measure_scaling(work, (1, 16), doors=1)
    (_, many) = measure_scaling(work, (1, 16))
    assert (one.limit, many.limit) == ("door", "")
    assert one.per_s < many.per_s / 2


def test_a_plot_is_well_formed() -> None:
    svg = draw("a < b", "nodes", "%", [Line("one & two", [(1, 10), (2, 30), (4, 20)])], logarithmic=True)
    root = ElementTree.fromstring(svg)
    assert len([one for one in root if one.tag.endswith("polyline")]) == 1
