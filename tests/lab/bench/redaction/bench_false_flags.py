"""Report pattern findings on documents that are known to hold little personal data.

`python -m tests.lab.bench.redaction.bench_false_flags TREES [--show] [--known FILE]` reads the `.json` trees below a
folder, such as the results of `quire extract --to tree`. It prints the number of findings per kind, the findings per
page and the CPU time per page. `--show` prints each finding with its surroundings, so that a person can judge it.
`--known` names a file with one true value per line; these values are not counted.
"""

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from quire.models.cdom.flags import PII_PREFIX, is_pii_flag
from quire.models.cdom.tree import Tree, load_tree
from quire.models.pii.flagging.flag import flag_tree
from quire.models.pii.letters import letters
from quire.models.pii.patterns.kind_patterns import RegexDetector
from tests.lab.bench.results import save_results

AROUND = 60
"""Characters shown on either side of a finding."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One flagged value and the text around it."""

    kind: str
    value: str
    around: str


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("trees", type=Path)
    arguments.add_argument("--show", action="store_true")
    arguments.add_argument("--known", type=Path)
    options = arguments.parse_args()
    known = {letters(line) for line in options.known.read_text().splitlines()} if options.known else set[str]()
    detector = RegexDetector(urls=False)
    pages, kinds, cpu_s = 0, Counter[str](), 0.0
    for path in sorted(options.trees.rglob("*.json")):
        tree = load_tree(path.read_bytes())
        started = time.process_time()
        flagged = flag_tree(tree, detector)
        cpu_s += time.process_time() - started
        pages += len(tree.pages)
        for finding in find_flagged(flagged):
            if letters(finding.value) not in known:
                kinds[finding.kind] += 1
                if options.show:
                    print(f"{finding.kind}\t{finding.value!r}\t{finding.around!r}\t{path.stem}")
    found = sum(kinds.values())
    report = {
        "pages": pages,
        "findings": dict(kinds.most_common()),
        "pages_per_finding": round(pages / max(1, found), 1),
        "cpu_ms_per_page": round(cpu_s * 1000 / max(1, pages), 3),
    }
    print(json.dumps(report, indent=1))
    save_results("false_flags", report)


def find_flagged(tree: Tree) -> Iterator[Finding]:
    """Yield the personal data that the flags of a tree mark."""
    for block in tree.blocks:
        for span in block.flag_spans:
            if not is_pii_flag(span.flag):
                continue
            text = block.text
            if span.cell is not None and block.table is not None:
                text = block.table.cells[span.cell].text
            around = text[max(0, span.start - AROUND) : span.end + AROUND]
            yield Finding(span.flag.removeprefix(PII_PREFIX), text[span.start : span.end], around)


if __name__ == "__main__":
    main()
