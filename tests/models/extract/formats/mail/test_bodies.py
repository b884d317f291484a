"""Mail bodies at the edges: content locations, named bodies, calendars, delivery reports and flowed lines."""

from quire.models.cdom.tree import BlockType, Tree
from tests.models.extract.flow_trees import read_tree, texts

HEAD = "From: A <a@example.org>\r\nTo: b@example.org\r\nSubject: S\r\nMIME-Version: 1.0\r\n"
EVENT = (
    "BEGIN:VCALENDAR\r\nBEGIN:VTIMEZONE\r\nTZID:Europe/Berlin\r\nDTSTART:19700329T020000\r\nEND:VTIMEZONE\r\n"
    "BEGIN:VEVENT\r\nDTSTART:20260105T090000Z\r\nDTEND;TZID=Europe/Berlin:20260105T110000\r\n"
    "SUMMARY:Budget\\, second\r\n  round\r\nORGANIZER;CN=Ann:mailto:a@example.org\r\n"
    "ATTENDEE:mailto:b@example.org\r\nLOCATION:Room 5\r\nBEGIN:VALARM\r\nDESCRIPTION:no\r\nEND:VALARM\r\n"
    "END:VEVENT\r\nEND:VCALENDAR\r\n"
)


def _mail(fields: str, body: str) -> Tree:
    return read_tree((HEAD + fields + "\r\n" + body).encode())


def test_mail_with_a_byte_order_mark_keeps_its_first_field() -> None:
    tree = read_tree(b"\xef\xbb\xbf" + (HEAD + "\r\nbody").encode())
    assert "From: A <a@example.org>" in texts(tree, BlockType.KEY_VALUE)
    assert "body" in texts(tree)


def test_html_part_with_a_content_location_is_the_body() -> None:
    tree = _mail("Content-Type: text/html\r\nContent-Location: https://x.org/page.html\r\n", "<p>inside</p>")
    assert "inside" in texts(tree)


def test_named_inline_text_is_the_body_when_it_comes_first() -> None:
    fields = 'Content-Type: text/plain; name="body.txt"\r\nContent-Disposition: inline; filename="body.txt"\r\n'
    assert "inside" in texts(_mail(fields, "inside"))


def test_named_text_after_the_body_is_an_attachment() -> None:
    parts = (
        "--b\r\nContent-Type: text/plain\r\n\r\nfirst\r\n"
        '--b\r\nContent-Type: text/plain; name="a.txt"\r\n\r\nsecond\r\n--b--\r\n'
    )
    said = texts(_mail("Content-Type: multipart/mixed; boundary=b\r\n", parts))
    assert "first" in said
    assert "second" not in said


def test_calendar_part_gives_the_fields_of_its_event() -> None:
    said = texts(_mail("Content-Type: text/calendar; method=REQUEST\r\n", EVENT), BlockType.KEY_VALUE)
    assert said[3:] == [
        "Summary: Budget, second round",
        "Start: 2026-01-05 09:00 UTC",
        "End: 2026-01-05 11:00 Europe/Berlin",
        "Location: Room 5",
        "Organizer: Ann <a@example.org>",
        "Attendee: b@example.org",
    ]


def test_delivery_report_shows_recipient_and_status() -> None:
    parts = (
        "--b\r\nContent-Type: text/plain\r\n\r\nNot delivered\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\n"
        "Reporting-MTA: dns; mx\r\n\r\nFinal-Recipient: rfc822; c@example.org\r\nStatus: 5.1.1\r\n--b--\r\n"
    )
    said = "\n".join(texts(_mail("Content-Type: multipart/report; boundary=b\r\n", parts)))
    assert "Not delivered" in said
    assert "c@example.org\nStatus: 5.1.1" in said


def test_flowed_lines_are_joined_and_quoted_lines_are_not() -> None:
    body = "one \r\ntwo\r\n> three \r\n> four\r\n\r\n-- \r\nname"
    said = texts(_mail("Content-Type: text/plain; format=flowed\r\n", body), BlockType.PARAGRAPH)
    assert [line.rstrip() for text in said for line in text.split("\n")] == [
        "one two",
        "> three",
        "> four",
        "--",
        "name",
    ]


def test_read_receipt_shows_its_disposition() -> None:
    parts = (
        "--b\r\nContent-Type: message/disposition-notification\r\n\r\n"
        "Final-Recipient: rfc822;x@x.org\r\nDisposition: manual-action; displayed\r\n--b--\r\n"
    )
    said = texts(_mail("Content-Type: multipart/report; boundary=b\r\n", parts))
    assert any("Disposition: manual-action; displayed" in text for text in said)


def test_blank_lines_before_the_header_are_skipped() -> None:
    tree = read_tree(("\r\n\r\n" + HEAD + "\r\nbody").encode())
    assert "Subject: S" in texts(tree, BlockType.KEY_VALUE)
    assert texts(tree, BlockType.PARAGRAPH) == ["body"]
    assert tree.coverage is not None
    assert tree.coverage.complete


def test_picture_is_found_by_its_content_location() -> None:
    parts = (
        '--b\r\nContent-Type: text/html\r\n\r\n<p>seen</p><img src="http://x.org/a.png" alt="chart">\r\n'
        "--b\r\nContent-Type: image/png\r\nContent-Location: http://x.org/a.png\r\n"
        "Content-Transfer-Encoding: base64\r\n\r\niVBORw0KGgo=\r\n--b--\r\n"
    )
    tree = _mail("Content-Type: multipart/related; boundary=b\r\n", parts)
    assert "external-image" not in [warning.code for warning in tree.warnings]
