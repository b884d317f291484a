"""`python -m tests.lab.chaos.canaries [documents] [first]`: plant, read, scan, redact, search; exit 1 on any leak."""

import sys
import time
from collections import Counter

from quire.models.neural.embed.tokenizer import load_tokenizer
from quire.models.pii.engines.choose import make_flagger
from tests.security.canaries import make_case
from tests.security.leaks import leaks
from tests.security.redacted import outputs, read


def main(count: int, first: int) -> int:
    """The number of leaks; each kind of leak is said once with the case that shows it."""
    flag_tree, tokenizer = make_flagger("regex"), load_tokenizer()
    found: Counter[tuple[str, str, str]] = Counter()
    planted, started = 0, time.process_time()
    for number in range(first, first + count):
        case = make_case(number)
        scanned = flag_tree(read(case))
        planted += len(case.needles)
        for name, data, media_type in outputs(scanned, tokenizer):
            for place in leaks(case, data, media_type):
                found[case.kind, place, name] += 1
                if found[case.kind, place, name] == 1:
                    print(f"LEAK case {number}: {case.kind}, {place}, in {name}", flush=True)
    seconds = time.process_time() - started
    print(f"{count} documents, {planted} canaries, {found.total()} leaks, {seconds:.0f} CPU s")
    return found.total()


if __name__ == "__main__":
    numbers = [int(argument) for argument in sys.argv[1:]]
    sys.exit(1 if main(*(numbers + [10_000, 0][len(numbers) :])) else 0)
