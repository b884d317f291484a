"""Places that tenants share: capacity, turns, the last place, waiting rooms, and what ends while it waits."""

import asyncio
import threading
from collections import Counter
from contextvars import copy_context
from random import Random

import pytest

from quire.serve_apps.api.lanes.bulkhead import Bulkhead
from quire.serve_apps.api.lanes.fair_places import TENANT, FairPlaces, Overloaded
from quire.storage.values.errors import StoreUnavailable
from tests.waiting import PATIENCE_S


async def hold(places: FairPlaces, tenant: str, release: asyncio.Event, order: list[str]) -> None:
    TENANT.set(tenant)
    async with places.entered():
        order.append(tenant)
        await release.wait()


async def settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


async def test_one_tenant_holds_all_places_while_it_is_alone() -> None:
    places, release, order = FairPlaces(4, most_waiting=9), asyncio.Event(), list[str]()
    tasks = [asyncio.create_task(hold(places, "a", release, order)) for _ in range(6)]
    await settle()
    assert order == ["a"] * 4
    release.set()
    await asyncio.gather(*tasks)
    assert order == ["a"] * 6


async def test_another_tenant_is_served_at_once_after_it_has_been_seen() -> None:
    places, release, order = FairPlaces(4, most_waiting=99), asyncio.Event(), list[str]()
    done = asyncio.Event()
    done.set()
    await asyncio.create_task(hold(places, "b", done, []))
    tasks = [asyncio.create_task(hold(places, "a", release, order)) for _ in range(80)]
    await settle()
    assert order == ["a"] * 3
    for _ in range(50):
        await asyncio.create_task(hold(places, "b", done, order))
    assert order[3:] == ["b"] * 50
    release.set()
    await asyncio.gather(*tasks)


async def test_waiting_tenants_take_turns() -> None:
    places, release, order = FairPlaces(1, most_waiting=99), asyncio.Event(), list[str]()
    tasks = [asyncio.create_task(hold(places, tenant, release, order)) for tenant in "aaaaabbc"]
    await settle()
    release.set()
    await asyncio.gather(*tasks)
    assert order == list("aabcabaa")


async def test_only_the_own_calls_of_a_tenant_fill_its_waiting_room() -> None:
    places, release, order = FairPlaces(2, most_waiting=3), asyncio.Event(), list[str]()
    tasks = [asyncio.create_task(hold(places, "a", release, order)) for _ in range(40)]
    tasks += [asyncio.create_task(hold(places, "b", release, order)) for _ in range(3)]
    await settle()
    release.set()
    ended = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(result) for result in ended[:40]].count(Overloaded) == 35
    assert ended[40:] == [None] * 3


async def test_one_tenant_may_be_limited_to_one_place() -> None:
    places, release, order = FairPlaces(8, most_waiting=9, most_held=1), asyncio.Event(), list[str]()
    tasks = [asyncio.create_task(hold(places, tenant, release, order)) for tenant in "aab"]
    await settle()
    assert order == ["a", "b"]
    release.set()
    await asyncio.gather(*tasks)


@pytest.mark.parametrize("seed", range(24))
async def test_no_place_is_lost_or_doubled_when_callers_leave_at_any_time(seed: int) -> None:
    random, count = Random(seed), Random(seed).randint(1, 4)
    places, held, most = FairPlaces(count, most_waiting=30), Counter[str](), 0

    async def visit(tenant: str) -> None:
        nonlocal most
        TENANT.set(tenant)
        async with places.entered():
            held[tenant] += 1
            most = max(most, held.total())
            try:
                for _ in range(random.randint(0, 3)):
                    await asyncio.sleep(0)
            finally:
                held[tenant] -= 1

    tasks = list[asyncio.Task[None]]()
    for _ in range(60):
        tasks.append(asyncio.create_task(visit(random.choice("abc"))))
        if random.random() < 0.4:
            random.choice(tasks).cancel()
        if random.random() < 0.5:
            await asyncio.sleep(0)
    async with asyncio.timeout(PATIENCE_S):
        await asyncio.gather(*tasks, return_exceptions=True)
    assert (most <= count, held.total()) == (True, 0)
    release, order = asyncio.Event(), list[str]()
    again = [asyncio.create_task(hold(places, tenant, release, order)) for tenant in "abcd"[:count]]
    await settle()
    assert len(order) == count
    release.set()
    await asyncio.gather(*again)


async def test_abandoned_call_keeps_its_thread_until_it_ends() -> None:
    lane, ended = Bulkhead("test", 1, run_timeout_s=0.01), threading.Event()
    with pytest.raises(StoreUnavailable):
        await lane.run(ended.wait, PATIENCE_S)
    second = asyncio.create_task(lane.run(lambda: "second"))
    await settle()
    assert not second.done()
    ended.set()
    assert await second == "second"
    lane.close()


async def test_call_in_a_thread_knows_its_tenant() -> None:
    lane = Bulkhead("test", 1)
    TENANT.set("acme")
    assert await lane.run(TENANT.get) == "acme"
    lane.close()


def test_threads_share_places_by_tenant() -> None:
    places, order, go = FairPlaces(1, most_waiting=99), list[str](), threading.Event()

    def visit(tenant: str) -> None:
        TENANT.set(tenant)
        with places.held():
            go.wait(PATIENCE_S)
            order.append(tenant)

    threads = [threading.Thread(target=copy_context().run, args=(visit, tenant)) for tenant in "aaab"]
    for thread in threads:
        thread.start()
        while thread is threads[0] and not places._held:
            thread.join(0.001)
    while sum(map(len, places._waiting.values())) < 3:
        threads[0].join(0.001)
    go.set()
    for thread in threads:
        thread.join()
    assert order.index("b") <= 2
