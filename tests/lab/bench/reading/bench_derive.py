"""Speed of everything computed from a tree, in CPU milliseconds on a 100-page born-digital one: a table, then JSON.

`python -m tests.lab.bench.reading.bench_derive [--pages 100] [--rounds 15]`
"""

import json
import statistics
import time
from collections.abc import Callable

import click

from quire.models.derive.chunks.chunks import chunk_tree
from quire.models.derive.diff import compare_trees
from quire.models.derive.document_fields import find_fields
from quire.models.derive.semantics import describe_tree
from quire.models.export.context import tree_to_context
from quire.models.export.graph import graph_to_neo4j, tree_to_graph
from quire.models.export.html import tree_to_html
from quire.models.export.markdown import tree_to_markdown
from quire.models.neural.embed.tokenizer import load_tokenizer
from tests.models.derive.trees import long_tree

TARGETS_MS = {"chunks": 60, "fields": 60, "html": 60, "context": 60, "graph": 40}


def measure(work: Callable[[], object], rounds: int) -> tuple[float, float]:
    """Median and worst CPU milliseconds of `rounds` calls, after one that warms caches."""
    work()
    times = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        times.append(1000 * (time.process_time() - start))
    return statistics.median(times), max(times)


@click.command()
@click.option("--pages", default=100)
@click.option("--rounds", default=15)
def main(pages: int, rounds: int) -> None:
    tree, tokenizer = long_tree(pages), load_tokenizer()
    other = long_tree(pages, seed=8)
    works: dict[str, Callable[[], object]] = {
        "chunks": lambda: chunk_tree(tree, tokenizer),
        "fields": lambda: find_fields(tree),
        "html": lambda: tree_to_html(tree),
        "context": lambda: tree_to_context(tree, max_tokens=4000, tokenizer=tokenizer),
        "context 100k": lambda: tree_to_context(tree, max_tokens=100_000, tokenizer=tokenizer),
        "graph": lambda: tree_to_graph(tree),
        "graph neo4j": lambda: graph_to_neo4j(tree_to_graph(tree)),
        "markdown": lambda: tree_to_markdown(tree),
        "semantics": lambda: describe_tree(tree),
        "compare same": lambda: compare_trees(tree, tree),
        "compare other": lambda: compare_trees(tree, other),
    }
    figures = {name: measure(work, rounds) for name, work in works.items()}
    click.echo(
        f"{len(tree.pages)} pages, {len(tree.blocks)} blocks, {sum(len(b.text) for b in tree.blocks)} characters"
    )
    click.echo(f"{'':15}{'p50 ms':>9}{'max ms':>9}{'target':>9}")
    for name, (median, worst) in figures.items():
        click.echo(f"{name:15}{median:9.1f}{worst:9.1f}{TARGETS_MS.get(name, '–'):>9}")
    click.echo(json.dumps({name: {"p50_ms": round(m, 2), "max_ms": round(w, 2)} for name, (m, w) in figures.items()}))


if __name__ == "__main__":
    main()
