"""Docstrings, documents, templates and test names keep to the writing guide in docs/development.md ("Language")."""

from tests.language import (
    BANNED,
    COMMENT,
    MAX_TEST_NAME,
    RIDDLE,
    ROOT,
    RULED_OUT,
    iter_docstrings,
    iter_messages,
    iter_test_names,
    list_files,
)

MAX_SHARE = 0.01
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


def test_test_names_are_short_and_state_a_behaviour() -> None:
    names = [found for path in list_files("tests/*.py") for found in iter_test_names(path)]
    assert len(names) > 3000
    assert [f"{place}: {name}" for place, name in names if len(name) > MAX_TEST_NAME or RIDDLE.search(name)] == []


def test_riddles_in_test_names_are_found() -> None:
    for name in ("test_what_is_stored", "test_a_caller_who_waits", "test_limits_are_told", "test_a_lapsed_lease"):
        assert RIDDLE.search(name)
    for name in ("test_whole_words_are_masked", "test_store_returns_none", "test_lapstone_is_a_word"):
        assert not RIDDLE.search(name)


def test_pages_and_scripts_contain_no_banned_word() -> None:
    paths = list_files("serve_apps/*/templates/*.html", "serve_apps/*/static/*.js")
    texts = {path: COMMENT[path.suffix].sub("", path.read_text()) for path in paths if ".min." not in path.name}
    assert len(texts) > 30
    hits = [f"{path.relative_to(ROOT)}: {match[0]}" for path, text in texts.items() for match in BANNED.finditer(text)]
    assert hits == []


def test_messages_and_help_contain_no_banned_word() -> None:
    paths = list_files("cluster/*.py", "configs/*.py", "models/neural/*.py", "models/pii/*.py", "models/redaction/*.py")
    paths += list_files("serve_apps/api/*.py", "serve_apps/ui/*.py", "serve_apps/viewer/*.py")
    messages = [message for path in paths for message in iter_messages(path)]
    assert len(messages) > 300
    assert [f"{place}: {text}" for place, text in messages if BANNED.search(text)] == []


def test_documents_contain_no_banned_word() -> None:
    pages = [path for path in list_files("docs/*.md", "*.md") if path.parent in (ROOT, ROOT / "docs")]
    assert len(pages) > 20
    lines = [(path, line) for path in pages for line in path.read_text().splitlines()]
    assert [f"{path.relative_to(ROOT)}: {line}" for path, line in lines if BANNED.search(line)] == []
