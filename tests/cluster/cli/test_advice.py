"""Advice on files that were not read fits the cause that the reader states."""

import pytest

from quire.cluster.cli.documents.advice import ADVICE, advise


@pytest.mark.parametrize(
    ("code", "detail", "wanted"),
    [
        ("encrypted", "the file wants a password", "quire extract takes it with --password"),
        ("encrypted", "wrong password", "the password is wrong"),
        ("encrypted", "a kind of encryption that is not read", "certificates"),
        ("malformed", "the file is cut off", "copy or download it again"),
        ("malformed", "no page", "no page"),
        ("malformed", "anything else", "the file is damaged"),
    ],
)
def test_advice_fits_the_cause(code: str, detail: str, wanted: str) -> None:
    assert wanted in (advise(code, detail) or "")


def test_refusal_names_the_format_of_an_unknown_file() -> None:
    assert advise("unsupported-format", "a video") == "a video"
    assert advise("unsupported-format") == ADVICE["unsupported-format"]
