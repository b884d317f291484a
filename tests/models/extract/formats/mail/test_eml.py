"""Mail: fields, bodies, charsets, quoted history, attachments, saved pages, and messages that mean harm."""

import base64

import pytest

from quire.models.cdom.errors import Malformed, ResourceLimit
from quire.models.cdom.flags import QUOTED
from quire.models.cdom.original import ReadOptions
from quire.models.cdom.tree import BlockType
from quire.models.extract.formats.mail.addresses import split_addresses
from quire.models.extract.formats.mail.headers import decode_header, parse_parameters
from quire.models.extract.formats.mail.message import read_eml
from tests.models.extract.flow_trees import read_tree, texts

HEAD = (
    'From: Ann <ann@example.org>\nTo: bob@example.org, "Lee, C." <lee@example.org>\nSubject: Plan\n'
    "Date: Sun, 18 Nov 2007 19:56:07 +1100\n"
)
MULTIPART = "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary"


def mixed(*parts: str, boundary: str = "B") -> bytes:
    body = "".join(f"--{boundary}\n{part}\n" for part in parts)
    return f'{HEAD}{MULTIPART}="{boundary}"\n\n{body}--{boundary}--\n'.encode()


def test_a_mail_is_its_fields_and_its_body() -> None:
    tree = read_tree(f"{HEAD}\nHello\nthere\n\nBye\n".encode())
    assert texts(tree) == [
        "Subject: Plan", "From: Ann <ann@example.org>", "To: bob@example.org, Lee, C. <lee@example.org>",
        "Date: 2007-11-18 19:56 +11:00", "Hello\nthere", "Bye",
    ]  # fmt: skip
    assert (tree.metadata.title, tree.metadata.author, tree.metadata.created) == (
        "Plan",
        "Ann",
        "2007-11-18T19:56:07+11:00",
    )
    assert [block.type for block in tree.blocks[:4]] == [BlockType.KEY_VALUE] * 4


def test_html_body_is_read_when_different_else_the_plain_body() -> None:
    plain, html = "Content-Type: text/plain\n\nplain", "Content-Type: text/html\n\n<ul><li>rich</ul>"
    assert texts(read_tree(mixed(plain, html)))[-1] == "rich"
    assert texts(read_tree(mixed(plain, "Content-Type: text/html\n\n<p> </p>")))[-1] == "plain"


def test_quoted_history_is_flagged() -> None:
    tree = read_tree(f"{HEAD}\nYes.\n\n> Shall we?\n> Really?\n".encode())
    assert [(block.text, block.flags) for block in tree.blocks[4:]] == [
        ("Yes.", ()),
        ("> Shall we?\n> Really?", (QUOTED,)),
    ]


def test_charsets_and_transfer_encodings_are_undone() -> None:
    body = base64.b64encode("Grüße".encode("cp1252")).decode()
    kind = "Content-Type: text/plain; charset"
    for head, text in (
        (f"{kind}=iso-8859-1\nContent-Transfer-Encoding: base64", body),
        ("Content-Transfer-Encoding: quoted-printable", "Gr=C3=BC=C3=9Fe"),
        (f"{kind}=nonsense", "Grüße"),
    ):
        assert texts(read_tree(f"{HEAD}{head}\n\n{text}".encode()))[-1] == "Grüße"


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"=?utf-8?B?R3LDvMOfZQ==?= x", "Grüße x"), (b"=?iso-8859-1?Q?Gr=FC=DFe?=", "Grüße"),
        (b"=?utf-8?Q?a?= =?utf-8?Q?b?=", "ab"), (b"Gr\xfc\xdfe aus K\xf6ln", "Grüße aus Köln"),
        (b"=?utf-8?B?broken", "=?utf-8?B?broken"),
    ],
)  # fmt: skip
def test_headers_are_read_as_people_read_them(raw: bytes, text: str) -> None:
    assert decode_header(raw) == text


def test_long_and_encoded_parameters_are_joined() -> None:
    value = b"attachment; filename*0*=utf-8''Gr%C3%BC; filename*1*=%C3%9Fe; filename*2=.pdf"
    assert parse_parameters(value) == ("attachment", {"filename": "Grüße.pdf"})


def test_groups_comments_and_quotes_in_addresses() -> None:
    text = 'Team: a@x.org, "B, C" <b@x.org>;, (home) d@x.org (Dee)'
    assert split_addresses(text) == [("", "a@x.org"), ("B, C", "b@x.org"), ("Dee", "d@x.org")]


def test_attachments_come_along_with_harmless_names() -> None:
    part = 'Content-Type: application/pdf; name="x"\nContent-Disposition: attachment; '
    part += 'filename="../../e\u202etc.pdf"\n\n%PDF-'
    file = read_eml(mixed("\nbody", part))
    assert [(one.path, one.name, one.data) for one in file.embedded] == [("1.2/etc.pdf", "etc.pdf", b"%PDF-")]


def test_inline_pictures_stand_in_their_place() -> None:
    picture = "Content-Type: image/png\nContent-ID: <p1>\nContent-Transfer-Encoding: base64\n\niVBORw0KGgo="
    tree = read_tree(mixed("Content-Type: text/html\n\n<p>a</p><img src='cid:p1'><p>b</p>", picture))
    assert [(block.type.value, block.asset_ref) for block in tree.blocks[4:]] == [
        ("paragraph", None), ("picture", "image-1.png"), ("paragraph", None),
    ]  # fmt: skip


def test_boundary_that_is_a_prefix_of_another_is_distinguished() -> None:
    inner = 'Content-Type: multipart/alternative; boundary="BB"\n\n--BB\nContent-Type: text/plain\n\ninside\n--BB--'
    assert texts(read_tree(mixed(inner, "Content-Type: text/plain\n\nsecond")))[4:] == ["inside", "second"]


def test_an_encrypted_part_is_a_warning() -> None:
    tree = read_tree(mixed("Content-Type: application/pkcs7-mime; smime-type=enveloped-data\n\nxx"))
    assert [warning.code for warning in tree.warnings] == ["encrypted-part"]


def test_parts_nested_without_end_are_malformed() -> None:
    lines = [HEAD + "MIME-Version: 1.0"]
    for depth in range(3_000):
        lines.append(f"Content-Type: multipart/mixed; boundary=b{depth}\n\n--b{depth}")
    with pytest.raises(Malformed):
        read_tree("\n".join(lines).encode())


def test_parts_without_number_are_a_resource_limit() -> None:
    with pytest.raises(ResourceLimit):
        read_tree(mixed(*(["\nx"] * 200_000)))


def test_a_header_without_end_is_a_resource_limit() -> None:
    with pytest.raises(ResourceLimit):
        read_tree(f"{HEAD}X-Long: {'a' * 10_000_000}".encode())


def test_a_saved_page_is_read_with_its_pictures() -> None:
    page = "Content-Type: text/html\nContent-Location: http://x/\n\n<html><h1>Saved</h1><img alt=p src='http://x/p.png'></html>"
    picture = "Content-Type: image/png\nContent-Location: http://x/p.png\n\n\x89PNG"
    head = "From: <Saved by Blink>\nSnapshot-Content-Location: http://x/\nSubject: s\nMIME-Version: 1.0\n"
    data = f'{head}Content-Type: multipart/related; boundary="B"\n\n--B\n{page}\n--B\n{picture}\n--B--'.encode()
    tree = read_tree(data)
    assert tree.source.format == "mhtml"
    assert [(block.text, block.asset_ref) for block in tree.blocks] == [("Saved", None), ("p", "image-1.png")]


def test_the_limits_on_text_hold_for_mail() -> None:
    with pytest.raises(ResourceLimit):
        read_tree(f"{HEAD}\n{'word ' * 100}".encode(), ReadOptions(max_text_chars=100))


def test_saved_page_without_a_page_keeps_its_format() -> None:
    head = "From: <Saved by Blink>\nSnapshot-Content-Location: x\nContent-Type: multipart/related; boundary=B\n\n"
    tree = read_tree(f"{head}--B\nContent-Type: text/plain\n\nOnly text\n--B--\n".encode())
    assert tree.source.format == "mhtml"
    assert texts(tree)[-1] == "Only text"
