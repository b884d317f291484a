"""Look for planted values in redacted files and outputs of all 25 formats: `[canaries per format, default 300]`.

Each file is read, searched, redacted and given out in every way without a service. A value that is left is a leak and
ends with status 1. A refusal is counted by its code and leaks nothing. A file whose values are not to be seen in the
original would prove nothing, so these are counted too.
"""

import sys
import time
from collections import Counter

from tests.security.formats.files import FORMATS, make_format_case
from tests.security.formats.leaks import find_format_leaks, spell
from tests.security.leaks import letters


def main(canaries: int, formats: tuple[str, ...] = FORMATS) -> int:
    """Return the number of leaks; each kind is printed once."""
    leaked: Counter[tuple[str, str]] = Counter()
    started, planted_all = time.process_time(), 0
    for kind in formats:
        tally, planted, visible, number = Counter[str](), 0, 0, 0
        while planted < canaries:
            case = make_format_case(kind, number)
            planted += len(case.needles)
            seen = spell(case.data, kind) + letters(case.name + "".join(case.lines))
            visible += sum(needle in seen for needle in case.needles)
            for leak in find_format_leaks(case, tally):
                leaked[kind, leak] += 1
                if leaked[kind, leak] == 1:
                    print(f"LEAK {kind} {number}: {leak}", flush=True)
            number += 1
        planted_all += planted
        print(f"{kind}: {number} files, {planted} canaries ({visible} visible), {dict(tally)}", flush=True)
    seconds = time.process_time() - started
    print(f"{len(formats)} formats, {planted_all} canaries, {leaked.total()} leaks, {seconds:.0f} CPU s")
    return leaked.total()


if __name__ == "__main__":
    sys.exit(1 if main(int(sys.argv[1]) if len(sys.argv) > 1 else 300) else 0)
