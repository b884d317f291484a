"""`--report` states the characters of a file in a line, and states when they were not counted."""

from quire.cluster.cli.documents.batch import Extraction
from quire.cluster.cli.documents.reports import describe_coverage


def stated(
    *, placed: int, excluded: dict[str, int] | None = None, lost: int = 0, unknown: list[int] | None = None
) -> dict[str, object]:
    left_out = excluded or {}
    counts = {"painted": placed + sum(left_out.values()) + lost, "placed": placed, "excluded": left_out, "lost": lost}
    return {"characters": counts, "complete": not lost and not unknown, "unknown": unknown or []}


def test_every_file_that_was_read_has_a_line() -> None:
    done = [
        Extraction("b.pdf", "out/b.json", None, coverage=stated(placed=1200, excluded={"covered": 40, "clipped": 2})),
        Extraction("a.pdf", "out/a.json", None, coverage=stated(placed=7)),
        Extraction("c.pdf", None, "malformed"),
    ]
    assert describe_coverage(done) == [
        "a.pdf: complete; 7 of 7 characters are in the result",
        "b.pdf: complete; 1,200 of 1,242 characters are in the result; left out: 2 clipped, 40 covered",
    ]


def test_lost_text_and_unjudged_pages_stand_out() -> None:
    done = [Extraction("a.pdf", "a.json", None, coverage=stated(placed=9, lost=3, unknown=[2, 5]))]
    assert describe_coverage(done) == [
        "a.pdf: NOT complete; 9 of 12 characters are in the result; LOST: 3; could not be checked: page 2, 5"
    ]
    assert describe_coverage([Extraction("x", "y", None, coverage={"complete": False})]) == [
        "x: NOT complete; characters not counted"
    ]
