"""Signed, filled in, locked, broken and hostile PDFs: redacted and proven, or refused. Never half a redacted file."""

import re
from collections.abc import Callable
from io import BytesIO

import pikepdf
import pymupdf
import pytest
from pikepdf import Array, Dictionary, Name, Pdf, String

from quire.models.cdom.original import ReadOptions
from quire.models.cdom.tree import Source, Tree
from quire.models.extract.pipeline.assemble import assemble
from quire.models.extract.registry import open_document
from quire.models.pii.flagging.flag import flag_tree
from quire.models.pii.letters import letters
from quire.models.pii.patterns.kind_patterns import RegexDetector
from quire.models.redaction.planning.errors import RedactionUnproven
from quire.models.redaction.redact import redact_original
from tests.models.redaction.papers import SECRET, SHOWN, append, edited, everything, in_text, read, redact, show


def _field(pdf: Pdf, value: pikepdf.Object) -> pikepdf.Object:
    widget = Dictionary(Type=Name.Annot, Subtype=Name.Widget, Rect=Array([72, 300, 300, 330]), FT=Name.Sig, V=value)
    field = pdf.make_indirect(widget)
    pdf.pages[0].obj.Annots = Array([field])
    return field


def signed() -> bytes:
    """A signature's dictionary with the name of the signer, his reasons and his certificate."""

    def edit(pdf: Pdf) -> None:
        append(pdf, show(f"Signed by {SECRET}"))
        signature = Dictionary(
            Type=Name.Sig, Filter=Name("/Adobe.PPKLite"), SubFilter=Name("/adbe.pkcs7.detached"),
            ByteRange=Array([0, 10, 20, 30]), Contents=String(SECRET.encode() * 3), Name=String(SECRET),
            Reason=String(SECRET), Location=String(SECRET), ContactInfo=String(SECRET),
        )  # fmt: skip
        field = _field(pdf, pdf.make_indirect(signature))
        pdf.Root.AcroForm = Dictionary(Fields=Array([field]), SigFlags=3)
        pdf.Root.Perms = Dictionary(DocMDP=signature)
        pdf.Root.DSS = Dictionary(Certs=Array([pdf.make_stream(SECRET.encode())]))

    return edited(edit)


def with_dynamic_form() -> bytes:
    """XFA: the words of the form are XML that other programs draw."""

    def edit(pdf: Pdf) -> None:
        append(pdf, show(f"Please wait, {SECRET}"))
        parts = [String("template"), pdf.make_stream(f"<template>{SECRET}</template>".encode())]
        parts += [String("datasets"), pdf.make_stream(f"<xfa:datasets>{SECRET}</xfa:datasets>".encode())]
        pdf.Root.AcroForm = Dictionary(Fields=Array([]), XFA=Array(parts))
        pdf.Root.NeedsRendering = True

    return edited(edit)


def locked(owner_only: bool) -> bytes:
    with pymupdf.open(stream=in_text()) as document:
        key = "" if owner_only else "open"
        return bytes(document.tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, owner_pw="owner", user_pw=key))


def cut_off() -> bytes:
    """The end with its table of objects is missing."""
    whole = in_text()
    return whole[: whole.rindex(b"xref")]


def with_wrong_table() -> bytes:
    return re.sub(rb"(\d{10}) 00000 n", b"0000000017 00000 n", in_text())


def with_wrong_lengths() -> bytes:
    return re.sub(rb"/Length \d+", b"/Length 3", in_text())


def in_a_form_that_draws_itself() -> bytes:
    def edit(pdf: Pdf) -> None:
        form = pdf.make_stream(show(SECRET) + b" /Self Do")
        form.Type, form.Subtype, form.BBox = Name.XObject, Name.Form, Array([0, 0, 600, 800])
        form.Resources = Dictionary(XObject=Dictionary(Self=form), Font=pdf.pages[0].obj.Resources.Font)
        append(pdf, b"/Outer Do", XObject=Dictionary(Outer=form))

    return edited(edit)


def with_a_page_twice() -> bytes:
    def edit(pdf: Pdf) -> None:
        append(pdf, show(SECRET))
        pdf.Root.Pages.Kids.append(pdf.pages[0].obj)
        pdf.Root.Pages.Count = 2

    return edited(edit)


def with_attached_file() -> bytes:
    """A PDF in the PDF."""
    with pymupdf.open(stream=in_text()) as document:
        document.embfile_add("inner.pdf", in_text(), filename="inner.pdf")
        return bytes(document.tobytes())


@pytest.mark.parametrize(
    "make",
    [
        signed, with_dynamic_form, lambda: locked(owner_only=True), cut_off, with_wrong_table, with_wrong_lengths,
        in_a_form_that_draws_itself, with_a_page_twice, with_attached_file,
    ],
)  # fmt: skip
def test_a_hard_file_is_redacted_whole_or_refused(make: Callable[[], bytes]) -> None:
    try:
        clean = redact(make())
    except RedactionUnproven:
        return
    assert letters(SECRET) not in letters(everything(clean))
    assert pymupdf.open(stream=clean).page_count == pymupdf.open(stream=make()).page_count


@pytest.mark.parametrize("make", [signed, with_dynamic_form, lambda: locked(owner_only=True), cut_off])
def test_the_common_ones_are_redacted(make: Callable[[], bytes]) -> None:
    assert pymupdf.open(stream=redact(make()))[0].get_text().strip()


def test_nothing_of_a_signature_or_form_is_left_to_be_taken_for_valid() -> None:
    for original in (signed(), with_dynamic_form()):
        with pikepdf.open(BytesIO(redact(original))) as pdf:
            assert not {"/AcroForm", "/Perms", "/DSS", "/NeedsRendering"} & set(pdf.Root.keys())
            assert "/Annots" not in pdf.pages[0].obj


def _read_locked(data: bytes) -> Tree:
    options = ReadOptions(password="open")
    document = open_document(data, options)
    contents = [document.read_page(number).content for number in document.facts.page_numbers]
    source = Source(format="pdf", sha256="0" * 64, bytes=len(data))
    document.close()
    return assemble(document.facts, contents, source=source, options=options)


def test_a_locked_file_wants_its_password_and_leaves_without_one() -> None:
    original = locked(owner_only=False)
    tree = flag_tree(_read_locked(original), RegexDetector())
    with pytest.raises(RedactionUnproven):
        redact_original(original, tree, {}, read)
    clean = redact_original(original, tree, {}, read, "open")
    with pymupdf.open(stream=clean) as document:
        assert not document.needs_pass
        assert SHOWN in document[0].get_text()
    assert letters(SECRET) not in letters(everything(clean))


def test_forms_in_forms_without_end_are_refused() -> None:
    def edit(pdf: Pdf) -> None:
        inner = pdf.make_stream(show(SECRET))
        for _ in range(40):
            inner.Type, inner.Subtype, inner.BBox = Name.XObject, Name.Form, Array([0, 0, 600, 800])
            outer = pdf.make_stream(b"/In Do")
            outer.Resources = Dictionary(XObject=Dictionary(In=inner), Font=pdf.pages[0].obj.Resources.Font)
            inner = outer
        inner.Type, inner.Subtype, inner.BBox = Name.XObject, Name.Form, Array([0, 0, 600, 800])
        append(pdf, b"/Outer Do", XObject=Dictionary(Outer=inner))

    with pytest.raises(RedactionUnproven):
        redact(edited(edit))


def test_three_hundred_pages_are_redacted_to_the_last() -> None:
    with pymupdf.open() as document:
        for number in range(300):
            document.new_page().insert_text((72, 72), f"Page {number}: ask {SECRET} or wait.")
        original = document.tobytes()
    with pymupdf.open(stream=redact(original)) as clean:
        texts = [page.get_text() for page in clean]
    assert len(texts) == 300
    assert all("or wait." in text and letters(SECRET) not in letters(text) for text in texts)
