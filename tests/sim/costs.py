"""What a document costs where, in seconds, as the benches measured it; workloads made of it.

Sources: claim + done, durable, 1,306 a second (`bench_queue`); indexing 8,468 chunks per CPU second (`bench_search`);
reading 187 pages per CPU second (`bench_speed`); 17 ms of CPU around each document's child (`bench_service`); OCR 1.4
CPU seconds per page, embedding 33 chunks per CPU second. Two chunks a page, four readers on the four cores of a node.
"""

from dataclasses import dataclass

CLAIM_DONE_S = 1 / 1306
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
    """One kind of document. `node_s`: seconds of one core of a node; `index_s`: of the one index writer."""

    name: str
    node_s: float
    index_s: float = 0.0


def make_work(name: str, pages: int, *, search: bool = False, embed: bool = False, scans: bool = False) -> Work:
    """A document of so many pages, read at the measured costs."""
    chunks = pages * CHUNKS_PER_PAGE
    node_s = AROUND_S + pages * (OCR_PAGE_S if scans else READ_PAGE_S) + (chunks * EMBED_CHUNK_S if embed else 0.0)
    return Work(name=name, node_s=node_s, index_s=chunks * CHUNK_S if search else 0.0)


WORKS = (
    make_work("1 page, no search", 1),
    make_work("20 pages, no search", 20),
    make_work("100 pages, no search", 100),
    make_work("20 pages, keyword search", 20, search=True),
    make_work("20 pages, vectors too", 20, search=True, embed=True),
    make_work("5 scanned pages, vectors too", 5, search=True, embed=True, scans=True),
)
