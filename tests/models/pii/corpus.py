"""`python -m tests.models.pii.corpus FILE...`: trees (.json) and texts (.jsonl); exit 1 where clues change a finding.

Compares what `test_clues.py` compares, on real documents.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from quire.models.cdom.tree import load_tree
from quire.models.pii.flagging.joined import fields_of, join_loose, join_seams
from quire.models.pii.normalise import normalise
from tests.models.pii.patterns.test_clues import clued, plain


def texts(file: Path) -> Iterator[str]:
    """Yield the scanned texts: of a tree its texts joined both ways, of a collection every `text`."""
    if file.suffix == ".jsonl":
        for line in file.read_text().splitlines():
            yield json.loads(line)["text"]
        return
    fields = fields_of(load_tree(file.read_bytes()).blocks)
    yield join_loose(fields).text
    yield join_seams(fields).text


def main(files: list[str]) -> int:
    """The number of texts in which clues change something."""
    compared = found = different = 0
    for name in files:
        for text in texts(Path(name)):
            copy = normalise(text).text
            hits = list(plain(copy))
            compared, found = compared + 1, found + sum(map(len, hits))
            if hits != list(clued(copy)):
                different += 1
                print(f"DIFFERENT: {name}", flush=True)
    print(f"{compared} texts, {found} findings, {different} different")
    return different


if __name__ == "__main__":
    sys.exit(1 if main(sys.argv[1:]) else 0)
