"""The details of a document say what became of its characters."""

from quire.serve_apps.ui.browser.visit import PAGES


def test_excluded_and_lost_characters_are_counted_by_name() -> None:
    stated = {
        "characters": {"painted": 1250, "placed": 1200, "excluded": {"off_page": 8, "covered": 40}, "lost": 2},
        "unknown": [3, 4],
    }
    text = str(PAGES.get_template("kit.html").module.characters(stated))  # type: ignore[attr-defined]
    assert text == (
        "1,200 of 1,250 are in the result, 8 off page, 40 covered, <strong>2 lost</strong>; not checked: page 3, 4"
    )


def test_a_complete_document_says_no_more_than_that() -> None:
    stated = {"characters": {"painted": 7, "placed": 7, "excluded": {}, "lost": 0}, "unknown": []}
    text = str(PAGES.get_template("kit.html").module.characters(stated))  # type: ignore[attr-defined]
    assert text == "7 of 7 are in the result"
