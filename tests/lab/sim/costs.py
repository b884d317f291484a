"""Cost of a document per resource, in seconds, as the benches measured it, and workloads made of it.

Sources: `bench_small` with 6,000 documents of one page and 400 of 20 pages (PostgreSQL 18, fsync on, two readers, two
cores, load 3 to 6) gives the database's CPU from claim to end, in groups, 0.56 and 3.1 ms, and the node's, reader and
sandbox, 18.6 and 170 ms. Intake costs the database 0.10 ms more for each document of a job of ten. An earlier run
(`make bench SUITE=door`, load 17 to 22) gives the CPU of API replica and proxy for each one-page document, 0.82 ms in
jobs of ten and 5.25 ms in jobs of one. Older: one by one 3.25 ms of the database before there were groups; indexing
9,914 chunks per CPU second (`bench_purge`'s filling of a million); OCR 1.4 CPU seconds per page, embedding 33 chunks
per CPU second. Two chunks a page, four readers on the four cores of a node, a database of
sixteen.
"""

from dataclasses import dataclass

GROUPED_S, SINGLE_S = 0.66e-3, 3.25e-3
"""Of a document of one page."""
DATABASE_PAGE_S = (3.2e-3 - GROUPED_S) / 19
"""Of each page more: its reservation, its progress, its derived files."""
DOOR_S = {10: 0.82e-3, 1: 5.25e-3}
"""Of API replica and proxy for a document of one page, by documents per job."""
GROUP = 16
DATABASE_CORES = 16
GROUP_BYTES, PAGE_BYTES = 512 << 10, 2000
"""A group's originals together; a born-digital page of text."""
CHUNK_S = 1 / 9914
READ_PAGE_S = (170e-3 - 18.6e-3) / 19
AROUND_S = 18.6e-3 - READ_PAGE_S
OCR_PAGE_S = 1.4
EMBED_CHUNK_S = 1 / 33
CHUNKS_PER_PAGE = 2
REPLICA_START_S = 11.0
LEASE_S = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """One kind of document. `node_s`: seconds of one core of a node; `index_s`: of the one index writer; `group`: how
    many of them one claim takes; `further_s`: of one core of the database, in addition to the cost of every document;
    `door_s`: of one core of a node, by API replica and proxy.
    """

    name: str
    node_s: float
    index_s: float = 0.0
    group: int = 1
    further_s: float = 0.0
    door_s: float = 0.0

    def database_s(self, group: int) -> float:
        """Of one core of the database, for one document of a group of that size."""
        return self.further_s + (GROUPED_S if group >= GROUP // 2 else SINGLE_S)


def make_work(
    name: str, pages: int, *, job: int = 10, search: bool = False, embed: bool = False, scans: bool = False
) -> Work:
    """A document of so many pages in a job of `job` documents, read at the measured costs."""
    chunks = pages * CHUNKS_PER_PAGE
    node_s = AROUND_S + pages * (OCR_PAGE_S if scans else READ_PAGE_S) + (chunks * EMBED_CHUNK_S if embed else 0.0)
    group = 1 if scans else max(1, min(GROUP, GROUP_BYTES // (pages * PAGE_BYTES)))
    index_s = chunks * CHUNK_S if search else 0.0
    further_s = (pages - 1) * DATABASE_PAGE_S
    return Work(name=name, node_s=node_s, index_s=index_s, group=group, further_s=further_s, door_s=DOOR_S[job])


WORKS = (
    make_work("1 page, no search", 1),
    make_work("1 page in jobs of one, no search", 1, job=1),
    make_work("20 pages, no search", 20),
    make_work("100 pages, no search", 100),
    make_work("20 pages, keyword search", 20, search=True),
    make_work("20 pages, vectors too", 20, search=True, embed=True),
    make_work("5 scanned pages, vectors too", 5, search=True, embed=True, scans=True),
)
