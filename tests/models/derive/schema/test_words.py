"""Evidence has the boxes of its words where pages keep them, and redacted trees keep no words."""

import random
from dataclasses import replace

from quire.models.cdom.geometry import Bbox, bbox_area, intersection_area
from quire.models.cdom.original import ReadOptions
from quire.models.cdom.tree import PiiScan, Tree, dump_tree, load_tree
from quire.models.derive.schema.extract import extract_data, read_schema
from quire.models.extract.formats.pdf.engine import pymupdf
from quire.models.pii.redact import redact_tree
from tests.models.extract.formats.pdf.paper import Paper, read_tree

LEAST_RIGHT, LEAST_SHARED = 0.95, 0.5
LABELS = ("Invoice number", "Order number", "Reference", "Customer number")


def make_paper(seed: int) -> tuple[bytes, str]:
    """Return a page on which a paragraph or a line holds a number, and that number."""
    chance = random.Random(seed)
    number = f"{chance.choice(('RE-', 'A', '2024/'))}{chance.randrange(10_000, 99_999)}"
    paper = Paper()
    label = chance.choice(LABELS)
    if seed % 2:
        paper.text(50, 60, f"{label}: {number}", size=chance.choice((8, 10, 14)))
    else:
        paper.lines(50, 60, ["We thank you for your order and", f"send the goods. {label}: {number}"])
    paper.prose(50, 200, 6)
    return paper.save(), number


def shared(box: Bbox, other: Bbox) -> float:
    common = intersection_area(box, other)
    return common / (bbox_area(box) + bbox_area(other) - common)


def read(data: bytes, *, words: bool) -> Tree:
    return load_tree(dump_tree(read_tree(data, words=words)))


def test_evidence_has_the_boxes_of_its_words() -> None:
    right = asked = 0
    for seed in range(24):
        data, number = make_paper(seed)
        labels = {"type": "string", "x-quire": {"labels": list(LABELS)}}
        schema = read_schema({"type": "object", "properties": {"id": labels}})
        answer = extract_data(read(data, words=True), schema)
        (printed,) = [word[:4] for word in pymupdf.open(stream=data)[0].get_text("words") if word[4] == number]
        asked += 1
        place = answer.evidence["/id"].places[0] if "/id" in answer.evidence else None
        right += place is not None and place.bbox is not None and shared(place.bbox, printed) >= LEAST_SHARED
    assert right >= LEAST_RIGHT * asked


def test_trees_keep_words_only_on_request() -> None:
    data, number = make_paper(1)
    assert b'"words"' not in dump_tree(read(data, words=False))
    tree = read(data, words=True)
    assert number in [word.text for word in tree.pages[0].words]
    assert ReadOptions().digest() != ReadOptions(words=True).digest()


def test_redacted_trees_keep_no_words() -> None:
    tree = replace(read(make_paper(1)[0], words=True), pii=PiiScan(engine="rules", version="1", complete=True))
    assert all(not page.words for page in redact_tree(tree, {}).pages)
