"""File names of multipart parts, as clients of different kinds send them."""

import pytest

from tests.api.jobs.test_multipart import END, read


def name_of(disposition: str) -> str:
    """Return the name of the only file of an upload whose part has this Content-Disposition."""
    head = f"--XX\r\nContent-Disposition: form-data; {disposition}\r\n\r\nx\r\n"
    return read(head.encode() + END).files[0].name


@pytest.mark.parametrize(
    ("disposition", "name"),
    [
        ("name=\"files\"; filename*=utf-8''%D0%B4%D0%B6.pdf", "дж.pdf"),
        ('name="files"; filename="=?utf-8?B?S29hbGHDhC5wZGY=?="; filename*=utf-8\'\'Koala%C3%84.pdf', "KoalaÄ.pdf"),
        ('name="files"; FILENAME* = UTF-8\'de\'%e2%82%ac.pdf; filename="euro.pdf"', "€.pdf"),
        ("name=\"files\"; filename*=iso-8859-1''%E4.pdf", "ä.pdf"),
        ('name="files"; filename="a.pdf"; filename*=utf-8\'\'%ff.pdf', "a.pdf"),  # not UTF-8
        ('name="files"; filename="a.pdf"; filename*=koi8-r\'\'%c1.pdf', "a.pdf"),  # not a charset of RFC 8187
        ('name="files"; filename="a.pdf"; filename*=b.pdf', "a.pdf"),
        ('name="files"; filename="x; filename*=utf-8\'\'y.pdf"', "x; filename*=utf-8''y.pdf"),
        ("name=\"files\"; filename*=utf-8''", "unnamed"),
        ("name=\"files\"; filename*=utf-8''..%2F..%2Fetc%2Fpasswd", "passwd"),
    ],
)
def test_well_formed_extended_name_takes_precedence(disposition: str, name: str) -> None:
    assert name_of(disposition) == name


@pytest.mark.parametrize(
    ("sent", "name"),
    [
        ("a %22b%22.pdf", 'a "b".pdf'),
        ("two%0D%0Alines.pdf", "twolines.pdf"),
        ("100%25 %D0%B4.pdf", "100%25 %D0%B4.pdf"),
    ],
)
def test_escapes_of_browsers_are_decoded_and_other_percent_signs_kept(sent: str, name: str) -> None:
    assert name_of(f'name="files"; filename="{sent}"') == name
