"""What a document costs where, in seconds, as the benches measured it; workloads made of it.

Sources: the database's CPU from intake to end, 0.63 ms a document claimed and ended in groups, 3.25 ms one by one
(`bench_small`, PostgreSQL 18, fsync on; the second before there were groups), on 8 cores of its own; indexing
8,468 chunks per CPU second (`bench_search`); reading 187 pages per CPU second (`bench_speed`); 17 ms of CPU around each
document's child (`bench_service`); OCR 1.4 CPU seconds per page, embedding 33 chunks per CPU second. Two chunks a page,
four readers on the four cores of a node.
"""

from dataclasses import dataclass

GROUPED_S, SINGLE_S = 0.63e-3, 3.25e-3
GROUP = 16
DATABASE_CORES = 8
GROUP_BYTES, PAGE_BYTES = 512 << 10, 2000
"""A group's originals together; a born-digital page of text."""
CHUNK_S = 1 / 8468
READ_PAGE_S = 1 / 187
AROUND_S = 0.017
OCR_PAGE_S = 1.4
EMBED_CHUNK_S = 1 / 33
CHUNKS_PER_PAGE = 2
REPLICA_START_S = 11.0
LEASE_S = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """One kind of document. `node_s`: seconds of one core of a node; `index_s`: of the one index writer; `group`: how
    many of them one claim takes."""

    name: str
    node_s: float
    index_s: float = 0.0
    group: int = 1


def make_work(name: str, pages: int, *, search: bool = False, embed: bool = False, scans: bool = False) -> Work:
    """A document of so many pages, read at the measured costs."""
    chunks = pages * CHUNKS_PER_PAGE
    node_s = AROUND_S + pages * (OCR_PAGE_S if scans else READ_PAGE_S) + (chunks * EMBED_CHUNK_S if embed else 0.0)
    group = 1 if scans else max(1, min(GROUP, GROUP_BYTES // (pages * PAGE_BYTES)))
    return Work(name=name, node_s=node_s, index_s=chunks * CHUNK_S if search else 0.0, group=group)


def claim_done_s(group: int) -> float:
    """Of one core of the database, for one document of a group of that size."""
    return GROUPED_S if group >= GROUP // 2 else SINGLE_S


WORKS = (
    make_work("1 page, no search", 1),
    make_work("20 pages, no search", 20),
    make_work("100 pages, no search", 100),
    make_work("20 pages, keyword search", 20, search=True),
    make_work("20 pages, vectors too", 20, search=True, embed=True),
    make_work("5 scanned pages, vectors too", 5, search=True, embed=True, scans=True),
)
