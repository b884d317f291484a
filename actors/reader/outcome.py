"""From a read document to what is published: artifact names and the numbers of its row.

In comes a `ReadOutcome` with a tree, out a `Result`. Pure.
"""

from collections import Counter
from typing import Any

from quire.actors.reader.publisher import Result
from quire.models.cdom.ports import ReadOutcome
from quire.models.cdom.tree import Page, PageStatus, Tree
from quire.models.derive.doubts import lowest_confidence
from quire.models.pii.places import find_places
from quire.storage.objects.artifacts import ASSETS, KEPT_PAGES, TREE
from quire.storage.values.rows import Claim, Succeeded


def describe(claim: Claim, outcome: ReadOutcome) -> Result:
    """Return the publishable result of a document that was read; `outcome.tree` must be there."""
    tree = outcome.tree
    assert tree is not None
    row = Succeeded(claim=claim, manifest={}, **read_facts(tree))
    files = {TREE: outcome.tree_json} | {ASSETS + name: content for name, content in outcome.assets.items()}
    if outcome.kept_pages:
        files[KEPT_PAGES] = outcome.kept_pages
    return Result(finished=row, artifacts=files, tree=tree, embedded=outcome.embedded)


def read_facts(tree: Tree) -> dict[str, Any]:
    """Return the fields of `ReadFacts` that follow from the tree alone."""
    return {
        "format": tree.source.format,
        "pages": len(tree.pages),
        "reader_version": tree.provenance.reader_version,
        "route_counts": count_routes(tree),
        "confidence": mean_confidence(tree.pages),
        "lowest_confidence": lowest_confidence(tree),
        "flags": find_places(tree),
        "notice": tree.describe_damage(),
        "warnings": tuple(sorted({warning.code for warning in tree.warnings})),
    }


def count_routes(tree: Tree) -> dict[str, int]:
    """Return the number of pages per route."""
    return dict(Counter(page.route.value for page in tree.pages))


def mean_confidence(pages: tuple[Page, ...]) -> float | None:
    """Return the mean over the pages that were read, 3 decimals; None without such pages."""
    read = [page.confidence for page in pages if page.status is PageStatus.OK]
    return round(sum(read) / len(read), 3) if read else None
