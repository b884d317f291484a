"""A recognised page whose ink gave no text is not judged, and therefore not complete."""

import pytest

from quire.models.cdom.coverage import ScanCoverage
from quire.models.extract.coverage.account import MIN_UNREAD_COMPONENTS, account_recognised


@pytest.mark.parametrize(
    ("scan", "judged"),
    [
        (ScanCoverage(components=MIN_UNREAD_COMPONENTS, covered=0), False),
        (ScanCoverage(components=400, covered=0), False),
        (ScanCoverage(components=MIN_UNREAD_COMPONENTS - 1, covered=0), True),
        (ScanCoverage(components=400, covered=380), True),
        (None, True),
    ],
)
def test_page_is_judged_unless_its_ink_gave_no_text(scan: ScanCoverage | None, judged: bool) -> None:
    coverage = account_recognised(None, [], [], number=1, kept=False, scan=scan)
    assert (coverage.judged, coverage.scan) == (judged, scan)
