"""`python -m tests.budget [--lower]`: print each number with its budget; `--lower` writes those that can fall.

Lines get 1 % of room, so that a fix does not need a new number. Counts get none.
"""

import math
import sys

from tests.budget.measure import FILE, lower, measure, read_budget

if __name__ == "__main__":
    measured = measure()
    if "--lower" in sys.argv[1:]:
        FILE.write_text(lower(FILE.read_text(), measured))
    budget = read_budget()
    for name, number in measured.items():
        print(f"{name:30} {number:>10g} of {budget.get(name, math.nan):g}")
