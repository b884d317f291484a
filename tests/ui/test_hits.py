"""A hit as it is shown: where it leads, rows of a table under their header, the part of its page."""

from typing import Any

import pytest

from quire.models.cdom.search import is_unrelated
from quire.serve_apps.viewer.document_view import ViewPlace
from quire.serve_apps.viewer.hits import address_of, crop_of, show_hits, table_rows

TABLE = "Rope diameters\n\nCrane | Rope | Verdict\nCrane 1 | 27.9 | in service\nCrane 3 | 27.6 | replace linings"


def a_hit(**changed: Any) -> dict[str, Any]:
    facts = {
        "job_id": "job_x",
        "document_id": "doc_x",
        "pages": [2, 3],
        "block_ids": ["b1", "b2"],
        "text": "",
        "snippet": "",
    }
    return facts | {"highlights": [], "bboxes": [], "similarity": 0.9, "has_page_pictures": True} | changed


def marking(text: str, *words: str) -> dict[str, Any]:
    starts = [(text.index(word), word) for word in words]
    return a_hit(text=text, snippet=text, highlights=[[start, start + len(word)] for start, word in starts])


def test_a_hit_leads_to_its_page_with_its_blocks_marked() -> None:
    assert address_of(a_hit(), "/here") == "/here?page=2&blocks=b1,b2#b1"


def test_a_hit_without_a_page_leads_to_its_document() -> None:
    assert "page=1" in address_of(a_hit(pages=[]), "/a")


def test_the_row_that_answers_is_shown_under_its_header() -> None:
    assert table_rows(marking(TABLE, "linings")) == [
        ["Crane", "Rope", "Verdict"],
        ["Crane 3", "27.6", "replace linings"],
    ]


def test_hit_in_text_next_to_a_table_is_not_a_row() -> None:
    assert table_rows(marking(TABLE, "diameters")) == []
    assert table_rows(marking("No table | at all", "table")) == []


def test_a_crop_shows_the_box_with_some_of_its_page() -> None:
    crop = crop_of(a_hit(bboxes=[{"page": 2, "bbox": [60.0, 100.0, 260.0, 900.0]}]))
    assert crop is not None
    assert (crop.page, crop.x, crop.y, crop.width) == (2, 48.0, 88.0, 224.0)
    assert crop.height < 300
    assert crop.box == (60.0, 100.0, 200.0, 800.0)


def test_a_crop_shows_the_whole_passage_not_only_its_heading() -> None:
    heading, text = [60.0, 100.0, 160.0, 120.0], [60.0, 130.0, 500.0, 200.0]
    places = [{"page": 2, "bbox": heading}, {"page": 2, "bbox": text}, {"page": 3, "bbox": [10.0, 10.0, 590.0, 50.0]}]
    crop = crop_of(a_hit(bboxes=places))
    assert crop is not None
    assert crop.box == (60.0, 100.0, 440.0, 100.0)


@pytest.mark.parametrize("boxes", [[], [{"page": 1, "bbox": [5, 5, 5, 5]}]])
def test_hit_without_a_place_has_no_crop(boxes: list[dict[str, Any]]) -> None:
    assert crop_of(a_hit(bboxes=boxes)) is None


def test_distant_hits_are_distinguished_from_none_and_from_good_hits() -> None:
    far, near = a_hit(similarity=0.1), a_hit(similarity=0.6)
    assert is_unrelated("zxqv nothing", [far])
    assert not is_unrelated("zxqv nothing", [far, near])
    assert not is_unrelated("zxqv nothing", [])


def test_hit_of_a_document_without_page_pictures_has_no_crop() -> None:
    place = {"page": 2, "bbox": [60.0, 100.0, 260.0, 900.0]}
    assert crop_of(a_hit(bboxes=[place], has_page_pictures=False)) is None


def test_equal_passages_of_several_documents_are_one_hit() -> None:
    names = [("doc_a", "one.pdf"), ("doc_b", "copy <b>.pdf"), ("doc_a", "one.pdf"), ("doc_c", "x" * 300)]
    hits = [a_hit(document_id=document, source_file=name, text="The same words.") for document, name in names]
    other = a_hit(document_id="doc_d", source_file="other.pdf", text="Other words.")
    elsewhere = a_hit(document_id="doc_e", source_file="e.pdf", text="The same words.", pages=[7, 7])
    shown = show_hits([*hits, other, elsewhere], lambda hit: ViewPlace(address=f"/{hit['document_id']}", outputs=""))
    assert [hit.facts["document_id"] for hit in shown] == ["doc_a", "doc_d", "doc_e"]
    assert [(name, address.partition("?")[0]) for name, address in shown[0].equal] == [
        ("copy <b>.pdf", "/doc_b"),
        ("x" * 300, "/doc_c"),
    ]
    assert shown[1].equal == []
