"""`python -m tests.lab.bench.redaction.bench_redaction [--pdf 1000] [--docx 200] [--seconds 280] [--office 0]`

Makes files with values in every place, redacts them as the service does, and looks for the values in what is given
out: by MuPDF, pdfium, qpdf's decoded form and the bytes. Refusals are counted; a value found is a leak and exit 1.
With `--office` LibreOffice, where it is installed, reads so many files of each kind too.
Beforehand the same search is held against the originals: a place it cannot see there proves nothing.
"""

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Callable
from functools import cached_property

from quire.models.redaction.planning.errors import RedactionUnproven
from tests.lab.bench.redaction.canary_files import CanaryFile, make_docx, make_pdf, search_docx, search_pdf
from tests.lab.bench.redaction.office_text import OfficeReader, is_installed
from tests.models.redaction.papers import redact

CONTROL = 40
"""Files whose originals are searched as well."""


class Tally:
    """Counts of one kind of file."""

    def __init__(self, kind: str, office: int) -> None:
        self.kind, self.files, self.values = kind, 0, 0
        self.places, self.leaks, self.refused, self.control = (Counter[str]() for _ in range(4))
        self.leaking = set[int]()
        self.office = OfficeReader(office)

    def take(self, number: int, case: CanaryFile, search: Callable[[bytes], dict[str, str]], control: bool) -> None:
        self.files += 1
        self.values += len(case.needles)
        self.places.update(case.needles.values())
        if control:
            seen = search(case.data)
            found = [any(needle in text for text in seen.values()) for needle in case.needles]
            self.control.update("seen" if one else "unseen" for one in found)
        try:
            made = redact(case.data)
        except RedactionUnproven as error:
            self.refused[str(error)[:40]] += 1
            return
        self.office.take(case, made)
        for way, text in search(made).items():
            leaked = [f"{place} by {way}" for needle, place in case.needles.items() if needle in text]
            self.leaks.update(leaked)
            self.leaking |= {number} if leaked else set()

    def report(self) -> dict[str, object]:
        return {
            "kind": self.kind, "files": self.files, "values": self.values, "places": len(self.places),
            "leaks": dict(self.leaks), "leaking files": sorted(self.leaking),
            "refused": dict(self.refused), "seen in originals": dict(self.control), "LibreOffice": self.opened,
        }  # fmt: skip

    @cached_property
    def opened(self) -> dict[str, int]:
        """Return the report of LibreOffice."""
        return self.office.report()


def measure(kind: str, count: int, first: int, seconds: float, office: int) -> Tally:
    make, search = (make_pdf, search_pdf) if kind == "pdf" else (make_docx, search_docx)
    tally, end = Tally(kind, office), time.monotonic() + seconds
    for number in range(first, first + count):
        if time.monotonic() > end:
            break
        tally.take(number, make(number), search, control=tally.files < CONTROL)
    return tally


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pdf", type=int, default=1000)
    parser.add_argument("--docx", type=int, default=200)
    parser.add_argument("--first", type=int, default=0, help="number of the first file: slices of one long run")
    parser.add_argument("--seconds", type=float, default=280, help="wall time after which a kind ends early")
    parser.add_argument("--office", type=int, default=0, help="files of each kind that LibreOffice reads too")
    asked = parser.parse_args()
    if asked.office and not is_installed():
        parser.error("--office needs soffice")
    leaks = 0
    for kind, count in (("docx", asked.docx), ("pdf", asked.pdf)):
        started = time.process_time()
        tally = measure(kind, count, asked.first, asked.seconds, asked.office)
        leaks += tally.leaks.total() + tally.opened["leaks"]
        print(json.dumps(tally.report() | {"cpu_s": round(time.process_time() - started, 1)}), flush=True)
    return 1 if leaks else 0


if __name__ == "__main__":
    sys.exit(main())
