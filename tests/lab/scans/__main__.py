"""`python -m tests.lab.scans receipts|forms|tables|turns [--seeds FIRST LAST] [--show]`: made scans against truth.

Receipts: how many of eight scripts are right, how many are rubbish, and of those how many say that they are complete.
Scripts beyond Latin and Han need Tesseract's packs (`PATH`, `TESSDATA_PREFIX`); without them a page must say so.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator

from tests.lab.scans.forms import make_form
from tests.lab.scans.judge import (
    RUBBISH,
    is_complete,
    judge_form,
    judge_receipt,
    judge_table,
    list_texts,
    read_scan,
    score_words,
)
from tests.lab.scans.receipts import make_receipt
from tests.lab.scans.tables import make_table

_SHOWN = 900
"""Characters of a page that are printed."""
ENOUGH = 0.9
"""Share of the words, pairs, boxes or cells of a page from which it is right."""


def measure_receipts(seeds: range, *, show: bool) -> Iterator[tuple[str, bool]]:
    states: Counter[str] = Counter()
    for seed in seeds:
        made = make_receipt(seed)
        tree = read_scan(made.data)
        f1, is_wrong = judge_receipt(made, tree)
        state = "rubbish and complete" if is_wrong else "read" if f1 >= RUBBISH else "said"
        states[state] += 1
        codes = sorted({warning.code for warning in tree.warnings})
        if show or is_wrong:
            print(f"{seed} {made.kind}: {state} F1 {f1:.2f} complete {is_complete(tree)} {codes}")
        if is_wrong or (show and f1 < RUBBISH):
            print("   ", " ".join(list_texts(tree))[:160])
        yield f"{made.script}: {'read' if f1 >= RUBBISH else 'not read'}", not is_wrong
    print(dict(states))


def measure_forms(seeds: range, *, show: bool) -> Iterator[tuple[str, bool]]:
    for seed in seeds:
        made = make_form(seed)
        missing, wrong, more = judge_form(made, tree := read_scan(made.data))
        pairs, boxes = 1 - len(missing) / len(made.pairs), 1 - len(wrong) / len(made.boxes)
        if show and (missing or wrong or more):
            print(f"{seed} {made.kind}: pairs {pairs:.2f} {missing} boxes {boxes:.2f} {wrong} too many {more}")
            print("   ", " | ".join(list_texts(tree))[:_SHOWN])
        yield f"pairs {made.kind.split()[1]}", pairs >= ENOUGH
        yield "boxes", boxes >= ENOUGH and not more
        yield f"all {made.kind.split()[2]}", pairs >= ENOUGH and boxes >= ENOUGH and not more


def measure_tables(seeds: range, *, show: bool) -> Iterator[tuple[str, bool]]:
    for seed in seeds:
        made = make_table(seed)
        share = judge_table(made, tree := read_scan(made.data))
        if show and share < 1:
            print(f"{seed} {made.kind}: cells {share:.2f}")
            print("   ", " | ".join(list_texts(tree))[:_SHOWN])
        yield f"tables {made.kind.split()[2]}", share >= ENOUGH


def measure_turns(seeds: range, *, show: bool) -> Iterator[tuple[str, bool]]:
    for seed in seeds:
        turned = (180, 90, 270)[seed % 3]
        made = make_form(seed, turned=turned)
        labels = [text for pair in made.pairs for text in pair] + [label for label, _ in made.boxes]
        f1 = score_words(labels, read_scan(made.data), by_letter=made.kind.startswith("zh"))
        if show and f1 < RUBBISH:
            print(f"{seed} {made.kind} {turned}: F1 {f1:.2f}")
        yield f"turned by {turned}", f1 >= RUBBISH


MEASURES = {"receipts": measure_receipts, "forms": measure_forms, "tables": measure_tables, "turns": measure_turns}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.lab.scans", description=__doc__)
    parser.add_argument("what", choices=sorted(MEASURES))
    parser.add_argument("--seeds", type=int, nargs=2, default=(0, 99), metavar=("FIRST", "LAST"))
    parser.add_argument("--show", action="store_true", help="print each page that is wrong")
    chosen = parser.parse_args()
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for kind, is_right in MEASURES[chosen.what](range(chosen.seeds[0], chosen.seeds[1] + 1), show=chosen.show):
        total[kind] += 1
        right[kind] += is_right
    for kind in sorted(total):
        print(f"{kind}: {right[kind]} of {total[kind]}")
    print(f"all: {right.total()} of {total.total()}, {right.total() / max(1, total.total()):.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
