"""The multipart reader alone: what arrives in pieces of any size, and every way to abuse it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quire.models.cdom.original import clean_name
from quire.serve_apps.api.http.multipart import PartRules, PartsReader
from quire.serve_apps.api.http.refusals import BatchTooLarge, InvalidUpload, UploadTooLarge

RULES = PartRules(names=frozenset({"files", "file"}), max_files=3, max_file_bytes=1000)
TYPE = "multipart/form-data; boundary=XX"


def part(name: str, content: bytes, file_name: str | None = None, extra: bytes = b"") -> bytes:
    shown = f'; filename="{file_name}"' if file_name is not None else ""
    return b'--XX\r\nContent-Disposition: form-data; name="%b"%b\r\n%b\r\n%b\r\n' % (
        name.encode(),
        shown.encode(),
        extra,
        content,
    )


END = b"--XX--\r\n"


def read(body: bytes, step: int = 64, rules: PartRules = RULES, content_type: str = TYPE) -> PartsReader:
    reader = PartsReader(content_type, rules)
    for start in range(0, len(body), step):
        reader.feed(body[start : start + step])
    reader.finish()
    return reader


@given(contents=st.lists(st.binary(min_size=1, max_size=300), min_size=1, max_size=3), step=st.integers(1, 400))
@settings(max_examples=60)
def test_file_contents_are_unchanged_for_every_chunk_size(contents: list[bytes], step: int) -> None:
    safe = [content.replace(b"--XX", b"__XX") for content in contents]
    body = b"".join(part("files", content, f"{i}.pdf") for i, content in enumerate(safe)) + END
    files = read(body, step).files
    assert [b"".join(file.pending) for file in files] == safe
    assert [file.name for file in files] == [f"{i}.pdf" for i in range(len(safe))]
    assert all(file.complete and file.head == content[:4096] for file, content in zip(files, safe, strict=True))


def test_fields_are_read_next_to_files() -> None:
    reader = read(part("pages", b"1-3") + part("file", b"%PDF", "a.pdf") + END)
    assert reader.fields == {"pages": "1-3"}


def test_file_at_the_size_limit_is_accepted_and_a_larger_file_refused() -> None:
    assert read(part("files", b"x" * 1000, "a") + END).files[0].size == 1000
    reader = PartsReader(TYPE, RULES)
    reader.feed(part("files", b"x" * 1000, "a")[:-2])
    with pytest.raises(UploadTooLarge):
        reader.feed(b"x" * 64)


def test_one_file_too_many_is_refused_before_its_content() -> None:
    reader = PartsReader(TYPE, RULES)
    reader.feed(b"".join(part("files", b"x", str(i)) for i in range(3)))
    with pytest.raises(BatchTooLarge):
        reader.feed(b'--XX\r\nContent-Disposition: form-data; name="files"; filename="4"\r\n\r\n')


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "malformed-upload"),
        (END, "no-file"),
        (b"junk" * 5000, "malformed-upload"),
        (part("files", b"x", "a"), "malformed-upload"),
        (part("files", b"x", "a")[:-20], "malformed-upload"),
        (part("other", b"x", "a") + END, "unknown-part"),
        (part("files", b"", "a.pdf") + END, "empty-file"),
        (part("files", b"", "") + END, "no-file"),
        (part("files", b"text") + END, "no-file"),
        (b"".join(part(f"f{i}", b"x") for i in range(1000)) + END, "too-many-parts"),
        (part("f", b"x" * 70_000) + END, "field-too-large"),
        (part("f", b"\xff\xfe") + END, "malformed-upload"),
        (part("files", b"x", "a", b"X-Long: " + b"y" * 20_000 + b"\r\n") + END, "malformed-upload"),
        (part("files", b"x", "a", b"X: y\r\n" * 50) + END, "malformed-upload"),
        (b"--XX\r\nno colon here\r\n\r\nx\r\n" + END, "malformed-upload"),
    ],
)
def test_a_body_that_cannot_be_used_is_refused_with_its_reason(body: bytes, code: str) -> None:
    with pytest.raises(InvalidUpload) as caught:
        read(body)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("content_type", "code"),
    [
        ("", "multipart-required"),
        ("application/x-www-form-urlencoded", "multipart-required"),
        ("multipart/form-data", "multipart-required"),
        ("multipart/mixed; boundary=XX", "multipart-required"),
        ("multipart/form-data; boundary=" + "x" * 5000, "malformed-upload"),
    ],
)
def test_a_content_type_without_a_usable_boundary_is_refused(content_type: str, code: str) -> None:
    with pytest.raises(InvalidUpload) as caught:
        PartsReader(content_type, RULES)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ("report.pdf", "report.pdf"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\x.pdf", "x.pdf"),
        ("a\0b\nc\r.pdf", "abc.pdf"),
        ("safe\u202efdp.exe", "safefdp.exe"),
        ("\ud800x", "x"),
        ("Cafe\u0301.pdf", "Café.pdf"),
        (".", "unnamed"),
        ("..", "unnamed"),
        ("a/", "unnamed"),
        ("", "unnamed"),
        ("<img onerror>", "<img onerror>"),
        ("=cmd()", "=cmd()"),
    ],
)
def test_a_file_name_is_cleaned_but_kept_readable(sent: str, shown: str) -> None:
    assert clean_name(sent) == shown


@given(st.text(max_size=4000))
@settings(max_examples=100)
def test_a_cleaned_name_is_short_printable_and_never_a_path(sent: str) -> None:
    name = clean_name(sent)
    assert 0 < len(name.encode()) <= 255
    assert not set("/\\\0\n\r") & set(name)


@given(body=st.binary(max_size=2000), step=st.integers(1, 500))
@settings(max_examples=150)
def test_noise_ends_in_a_refusal_and_never_in_another_error(body: bytes, step: int) -> None:
    with pytest.raises((InvalidUpload, UploadTooLarge, BatchTooLarge)):
        read(b"--XX\r\n" + body.replace(b"XX--", b""), step)
