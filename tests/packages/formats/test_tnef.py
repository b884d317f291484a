"""winmail.dat: fields, bodies and attachments of mails that Outlook packed."""

import pytest

from quire.models.cdom.errors import ResourceLimit
from quire.models.cdom.original import Format
from quire.models.cdom.tree import BlockType
from quire.models.extract.formats.flow.document import embedded_of
from quire.models.extract.formats.sniffing.signatures import sniff
from quire.models.extract.registry import open_document
from quire.models.rare_formats.outlook import tnef
from tests.models.extract.flow_trees import DEFAULTS, read_tree, texts
from tests.models.extract.formats.mail.winmail import attached, binary, long, named, properties, wide, winmail


def test_winmail_is_read_as_a_mail_with_its_recipients() -> None:
    person = properties(wide(0x3001, "Bo"), wide(0x39FE, "bo@x.org"), long(0xC15, 2))
    data = winmail(
        named("keywords", "x"), wide(0x37, "Zwölf Häuser"), wide(0xC1A, "Ann"), wide(0x5D01, "ann@x.org"),
        wide(0x1000, "Body."), people=[person],
    )  # fmt: skip
    tree = read_tree(data)
    assert sniff(data) is Format.TNEF
    assert texts(tree) == ["Subject: Zwölf Häuser", "From: Ann <ann@x.org>", "Cc: Bo <bo@x.org>", "Body."]
    assert tree.coverage is not None
    assert tree.coverage.complete


def test_html_body_is_preferred_and_read_in_its_code_page() -> None:
    html = "<h1>Привет</h1><p>x</p>".encode("cp1251")
    tree = read_tree(winmail(binary(0x1013, html), long(0x3FDE, 1251), body="plain"))
    assert texts(tree, BlockType.HEADING) == ["Привет"]
    assert "plain" not in texts(tree)
    assert tree.coverage is not None
    assert tree.coverage.complete


def test_body_attribute_is_used_when_no_property_has_the_body() -> None:
    assert texts(read_tree(winmail(body="Grüße")))[-1] == "Grüße"


def test_attached_files_are_embedded_documents() -> None:
    inner = winmail(body="inside")
    files = [
        attached("LONGNA~1.TXT", b"text", wide(0x3707, "long name.txt")),
        attached("mail", b"", binary(0x3701, bytes(16) + inner, 0x0D)),
    ]
    document = open_document(winmail(body="See files", files=files), DEFAULTS)
    embedded = embedded_of(document)
    assert [(file.path, file.name, file.data) for file in embedded] == [
        ("1/long name.txt", "long name.txt", b"text"), ("2/mail", "mail", inner),
    ]  # fmt: skip


def test_cut_winmail_gives_the_parts_before_the_cut() -> None:
    whole = winmail(body="Body text")
    assert texts(read_tree(whole[:-3]))[-1] == "Body text"
    assert texts(read_tree(whole[:40])) == ["Subject: Short"]


def test_too_many_properties_end_as_resource_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tnef, "MAX_PROPERTIES", 3)
    with pytest.raises(ResourceLimit):
        read_tree(winmail(*[long(number, 1) for number in range(4)]))
