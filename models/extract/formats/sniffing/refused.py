"""Formats that are recognised but not read: their names and advice, raised as `UnsupportedFormat`."""

from typing import Final

from quire.models.cdom.errors import UnsupportedFormat

_AS_PDF: Final = "export it as PDF"
_UNPACK: Final = "unpack it and send the files inside"
_SIGNATURES: Final = (
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", _UNPACK),
    (b"Rar!\x1a\x07", "a RAR archive", _UNPACK),
    (b"!BDN", "an Outlook mailbox (.pst)", "export its mails as .eml or .msg"),
    (b"\xdb\xa5", "a Word 2 document", "save it as .docx"),
    (b"\xffWPC", "a WordPerfect document", "save it as .docx or PDF"),
    (b"\0\0\x1a\0", "a Lotus 1-2-3 workbook", "save it as .xlsx"),
    (b"\0\0\x02\0", "a Lotus 1-2-3 workbook", "save it as .xlsx"),
    (b"\x09\0\x04\0", "an Excel 2 workbook", "save it as .xlsx"),
    (b"\x09\x02\x06\0", "an Excel 3 workbook", "save it as .xlsx"),
    (b"\x09\x04\x06\0", "an Excel 4 workbook", "save it as .xlsx"),
    (b"\xe4\x52\x5c\x7b\x8c\xd8\xa7\x4d", "a OneNote section", _AS_PDF),
    (b"AT&TFORM", "a DjVu document", _AS_PDF),
    (b"%!PS", "a PostScript file", _AS_PDF),
    (b"\xc5\xd0\xd3\xc6", "an EPS drawing", _AS_PDF),
    (b"AC10", "an AutoCAD drawing", _AS_PDF),
)
"""Signature, name and advice."""
_ROOTS: Final = (
    ("visiodocument", "a Visio drawing (.vsd)", _AS_PDF),
    ("quill", "a Publisher document", _AS_PDF),
    ("fileheader", "a Hangul document (.hwp)", "save it as .docx or PDF"),
    ("matost", "a Microsoft Works document", "save it as .docx or PDF"),
)
"""A stream or storage at the root of a compound file, name and advice."""
_OPENOFFICE_1: Final = b"application/vnd.sun.xml."
"""Start of the types of packages before OpenDocument."""


def refuse(name: str, advice: str) -> UnsupportedFormat:
    """Return the error for a format that is recognised but not read."""
    return UnsupportedFormat(f"{name} is not read; {advice}")


def check_signature(data: bytes) -> None:
    """Raise `UnsupportedFormat` for bytes of a format that is recognised but not read."""
    for signature, name, advice in _SIGNATURES:
        if data.startswith(signature):
            raise refuse(name, advice)


def check_stated_type(stated: bytes) -> None:
    """Raise `UnsupportedFormat` for a package that states such a type."""
    if stated.startswith(_OPENOFFICE_1):
        raise refuse("an OpenOffice 1 document (.sxw, .sxc, .sxi)", "save it as OpenDocument or PDF")


def check_root(names: set[str]) -> None:
    """Raise `UnsupportedFormat` for such names at the root of a compound file (in lower case)."""
    for entry, name, advice in _ROOTS:
        if entry in names:
            raise refuse(name, advice)


def check_package(names: set[str]) -> None:
    """Raise `UnsupportedFormat` for such names in a package (in lower case)."""
    folders = {name.partition("/")[0] for name in names if "/" in name}
    is_iwork = any(name.endswith(".iwa") for name in names) or bool(names & {"index.apxl", "index.zip"})
    if is_iwork or ("index.xml" in names and "quicklook" in folders):
        raise refuse("Apple iWork (Pages, Numbers, Keynote)", "export it as PDF or as an Office file")
    if "[content_types].xml" in names and "visio" in folders:
        raise refuse("a Visio drawing (.vsdx)", _AS_PDF)
    if any(name.endswith((".fdseq", ".fpage")) for name in names):
        raise refuse("an XPS document", _AS_PDF)
