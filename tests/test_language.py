"""Docstrings, documents, templates and test names keep to the writing guide in docs/development.md ("Language")."""

from tests.language import RULED_OUT, iter_docstrings, list_files

MAX_SHARE = 0.24
"""Share of docstrings with a ruled-out word; some are right in their place ("a table of its own")."""


def test_docstrings_seldom_use_ruled_out_words() -> None:
    docstrings = [found for path in list_files("*.py") for found in iter_docstrings(path)]
    hits = [f"{place}: {text.splitlines()[0]}" for place, text in docstrings if RULED_OUT.search(text)]
    assert len(hits) <= MAX_SHARE * len(docstrings), "\n".join(hits[:50])


def test_ruled_out_words_are_found() -> None:
    for text in ("What the text itself says.", "Nobody reads it.", "A limit of its own.", "The claim lapses."):
        assert RULED_OUT.search(text)
    for text in ("Return the limit.", "Which of the two is larger?", "Restore the document."):
        assert not RULED_OUT.search(text)
