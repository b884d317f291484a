"""Measures the sandbox: one-page documents in a fresh child each, in a shared child, and in this process.

`python -m tests.lab.bench.bench_sandbox [FILE…]`: own one-page PDFs, or the files given. Prints JSON; CPU is user +
system of this process and of everything it started.
"""

import io
import json
import os
import resource
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pymupdf

from quire.actors.reading.original import borrow_descriptor, identify
from quire.actors.reading.read_document import DocumentReader
from quire.actors.sandbox.assemble_document import finish_tree
from quire.actors.sandbox.limits import SandboxLimits
from quire.models.cdom.original import ReadOptions
from quire.models.cdom.tree import dump_tree
from quire.models.extract.registry import open_document

DOCUMENTS = 200
OPTIONS = ReadOptions()


def make_documents() -> list[bytes]:
    words = "The quick brown fox jumps over the lazy dog while nobody looks. "
    documents = []
    for number in range(20):
        with pymupdf.open() as document:
            page = document.new_page()
            page.insert_text((72, 60), f"Heading {number}", fontsize=18)
            page.insert_textbox((72, 90, 523, 770), words * 40, fontsize=10)
            documents.append(document.tobytes())
    return documents


def read_here(data: bytes) -> bytes:
    with borrow_descriptor(io.BytesIO(data)) as descriptor:
        source = identify(descriptor)
    document = open_document(data, OPTIONS)
    contents = [document.read_page(number).content for number in document.facts.page_numbers]
    return dump_tree(finish_tree(document.facts, contents, source=source, options=OPTIONS))


def cpu_s() -> float:
    usages = (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def measure(read: Callable[[bytes], object], documents: list[bytes], close: Callable[[], None]) -> dict[str, float]:
    """Per document: wall ms (p50, p99), CPU ms of parent and all, documents per second. `close` reaps the server."""
    read(documents[0])
    walls: list[float] = []
    own, begun = time.process_time(), time.perf_counter()
    for number in range(DOCUMENTS):
        start = time.perf_counter()
        read(documents[number % len(documents)])
        walls.append(1000 * (time.perf_counter() - start))
    wall, own = time.perf_counter() - begun, time.process_time() - own
    close()
    walls.sort()
    return {
        "wall_ms_p50": round(statistics.median(walls), 2),
        "wall_ms_p99": round(walls[int(0.99 * len(walls))], 2),
        "parent_cpu_ms": round(1000 * own / DOCUMENTS, 2),
        "documents_per_s": round(DOCUMENTS / wall, 1),
    }


def measure_sandbox(documents: list[bytes], documents_per_child: int) -> dict[str, float]:
    """As `measure`, with the CPU of the server and its children, less what starting the server took."""
    before = cpu_s()
    idle = DocumentReader(SandboxLimits())
    idle.read(io.BytesIO(documents[0]), OPTIONS)
    idle.close()
    start_up = cpu_s() - before
    before = cpu_s()
    reader = DocumentReader(SandboxLimits(), documents_per_child=documents_per_child)
    figures = measure(lambda data: reader.read(io.BytesIO(data), OPTIONS), documents, reader.close)
    figures["all_cpu_ms"] = round(1000 * (cpu_s() - before - start_up) / DOCUMENTS, 2)
    return figures


def main() -> None:
    documents = [Path(name).read_bytes() for name in sys.argv[1:]] or make_documents()
    before = os.getloadavg()[0]
    here = measure(read_here, documents, lambda: None)
    figures = {
        "load": round(before, 2),
        "in_process": {**here, "all_cpu_ms": here["parent_cpu_ms"]},
        "child_per_document": measure_sandbox(documents, 1),
        "child_for_64": measure_sandbox(documents, 64),
    }
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
