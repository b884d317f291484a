"""The redacted file is made in the sandbox: with a real child, behind the lockdown."""

import io
from dataclasses import replace

import docx
import pytest

from quire.actors.reading import child_session
from quire.actors.reading.read_document import DocumentReader
from quire.actors.sandbox import child
from quire.actors.sandbox.limits import SandboxLimits
from quire.models.cdom.errors import ExtractError
from quire.models.cdom.original import ReadOptions
from quire.models.cdom.ports import ReadOutcome, RedactionRefused
from quire.models.cdom.tree import Route, Tree, dump_tree
from quire.models.pii.flagging.flag import flag_tree
from quire.models.pii.letters import letters
from quire.models.pii.patterns.kind_patterns import RegexDetector
from tests.models.extract.formats.common.locks import lock_agile
from tests.models.redaction import test_formats as formats
from tests.models.redaction.papers import SECRET, everything, in_text


def read_tree(reader: DocumentReader, original: bytes, options: ReadOptions | None = None) -> Tree:
    outcome = reader.read_until_pixels(io.BytesIO(original), options or ReadOptions())
    assert isinstance(outcome, ReadOutcome)
    assert outcome.tree is not None
    return outcome.tree


def test_a_locked_down_child_makes_and_proves_the_file_or_refuses() -> None:
    original = in_text()
    reader = DocumentReader(SandboxLimits())
    try:
        read = read_tree(reader, original)
        tree = flag_tree(read, RegexDetector())
        made = reader.redact(io.BytesIO(original), dump_tree(tree), {})
        with pytest.raises(RedactionRefused) as refused:
            reader.redact(io.BytesIO(original), dump_tree(read), {})
    finally:
        reader.close()
    assert made.startswith(b"%PDF")
    assert SECRET not in everything(made)
    assert refused.value.code == "pii-incomplete"


@pytest.mark.parametrize("route", [Route.OCR, Route.VLM, Route.MIXED])
def test_a_locked_down_child_redacts_recognised_pages(route: Route) -> None:
    original = in_text()
    reader = DocumentReader(SandboxLimits())
    try:
        read = read_tree(reader, original)
        scan = replace(read, pages=tuple(replace(page, route=route) for page in read.pages))
        made = reader.redact(io.BytesIO(original), dump_tree(flag_tree(scan, RegexDetector())), {})
    finally:
        reader.close()
    assert made.startswith(b"%PDF")
    assert SECRET not in everything(made)


def test_a_locked_down_child_redacts_every_other_format_too() -> None:
    reader = DocumentReader(SandboxLimits())
    try:
        for name, make in formats.FILES.items():
            read = read_tree(reader, make())
            made = reader.redact(io.BytesIO(make()), dump_tree(flag_tree(read, RegexDetector())), {})
            assert letters(SECRET) not in letters(formats.everything(made)), name
    finally:
        reader.close()


def test_locked_child_checks_numbers_of_several_countries() -> None:
    document, written = docx.Document(), io.BytesIO()
    for number in (
        "Steuernummer: 044 241 601 03",
        "CUIT: 20-26756539-3",
        "PESEL: 44051401458",
        "CURP: BOXW310820HNERXN09",
    ):
        document.add_paragraph(f"{number}, {SECRET}")
    document.save(written)
    reader = DocumentReader(SandboxLimits())
    try:
        tree = flag_tree(read_tree(reader, written.getvalue()), RegexDetector())
        made = reader.redact(io.BytesIO(written.getvalue()), dump_tree(tree), {})
    finally:
        reader.close()
    assert letters(SECRET) not in letters(formats.everything(made))


def a_letter() -> bytes:
    document, written = docx.Document(), io.BytesIO()
    document.add_paragraph(f"Ask {SECRET} soon")
    document.save(written)
    return written.getvalue()


@pytest.mark.parametrize("kind", ["docx", "xlsx"])
def test_locked_office_file_is_redacted_with_its_password_and_saved_open(kind: str) -> None:
    plain = {"docx": a_letter, "xlsx": formats.a_workbook}[kind]()
    original, options = lock_agile(plain, "Kennwort€"), ReadOptions(password="Kennwort€")
    reader = DocumentReader(SandboxLimits())
    try:
        read = read_tree(reader, original, options)
        tree = dump_tree(flag_tree(read, RegexDetector()))
        made = reader.redact(io.BytesIO(original), tree, {}, options.password)
        for wrong in (None, "kennwort€"):
            with pytest.raises(ExtractError):
                reader.redact(io.BytesIO(original), tree, {}, wrong)
    finally:
        reader.close()
    assert made.startswith(b"PK")
    assert letters(SECRET) not in letters(formats.everything(made))


def test_a_tree_larger_than_a_request_may_be_is_refused_before_it_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    original = in_text()
    reader = DocumentReader(SandboxLimits())
    try:
        read = read_tree(reader, original)
        tree = dump_tree(flag_tree(read, RegexDetector()))
        monkeypatch.setattr(child_session, "MOST_TREE_BYTES", len(tree) + len(b"[]") - 1)
        with pytest.raises(RedactionRefused, match="too large") as refused:
            reader.redact(io.BytesIO(original), tree, {})
        monkeypatch.setattr(child_session, "MOST_TREE_BYTES", len(tree) + len(b"[]"))
        assert reader.redact(io.BytesIO(original), tree, {}).startswith(b"%PDF")
    finally:
        reader.close()
    assert refused.value.code == "redaction-unproven"


def test_largest_request_of_a_parent_is_below_the_limit_of_a_child() -> None:
    assert child_session.MOST_TREE_BYTES < child._REQUEST_CAP
