"""Files inside files are read in a sandboxed child, and reading imports nothing after the child is locked."""

import io
import struct
import subprocess
import sys
from collections.abc import Iterator

import pymupdf
import pytest

from quire.actors.reading.read_document import DocumentReader
from quire.actors.sandbox.limits import SandboxLimits
from quire.models.cdom.original import ReadOptions
from quire.models.export.markdown import tree_to_markdown
from tests.actors.sandbox.test_every_format import MHTML, make_files
from tests.models.extract.flow_trees import zipped
from tests.models.extract.formats.common.compound_files import cell as biff_cell
from tests.models.extract.formats.common.compound_files import compound, wide
from tests.models.extract.formats.common.compound_files import workbook as biff
from tests.models.extract.formats.common.signed import signed
from tests.models.extract.formats.hidden_files import HIDDEN
from tests.models.extract.formats.mail.winmail import attached, winmail
from tests.models.extract.formats.sniffing.test_encodings import SENTENCES
from tests.models.extract.formats.test_strangers import BOOK, MAILBOX, SHEET_XML, _flat, _strict
from tests.models.extract.formats.test_wrapped import MAIL, make_mail
from tests.models.extract.formats.word.docx.test_chunks import with_chunk
from tests.packages.formats.test_msg import outlook
from tests.packages.formats.test_word_2003 import paragraph, run, word_2003

CALENDAR = (
    b"From: a@b.org\nTo: b@b.org\nSubject: s\nContent-Type: text/calendar\n\n"
    b"BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:needle\nDTSTART:20260105T090000Z\nEND:VEVENT\nEND:VCALENDAR\n"
)
REPORT = (
    b"From: a@b.org\nTo: b@b.org\nSubject: s\nMIME-Version: 1.0\n"
    b"Content-Type: multipart/report; report-type=delivery-status; boundary=B\n\n--B\n\nneedle\n--B\n"
    b"Content-Type: message/delivery-status\n\nFinal-Recipient: rfc822; c@d.org\nStatus: 5.1.1\n--B--\n"
)


def _mail_in_mail() -> bytes:
    """An Outlook message with a message attached to it."""
    attachment = "__attach_version1.0_#00000000"
    inner = (attachment, "__substg1.0_3701000D")
    method = struct.pack("<HHIII", 3, 0x3705, 6, 5, 0)
    return outlook(
        attached={
            (attachment, "__properties_version1.0"): bytes(8) + method,
            (*inner, "__properties_version1.0"): bytes(24),
            (*inner, "__substg1.0_0037001F"): "Inner".encode("utf-16-le"),
            (*inner, "__substg1.0_1000001F"): "needle".encode("utf-16-le"),
        }
    )


def make_containers() -> dict[str, bytes]:
    """A file of each container, variant and embedded kind."""
    files = make_files("needle")
    with pymupdf.open() as pdf:
        pdf.new_page().insert_text((72, 72), "The preview of the whole document")
        iwork = zipped({"index.apxl": "x", "QuickLook/Preview.pdf": pdf.tobytes()})
    book = biff({"S": [biff_cell(0x204, 0, 0, wide("cell"))]})
    return {
        "mail in Outlook message": _mail_in_mail(),
        "Word object in workbook": compound({("Workbook",): book, ("MBD0", "WordDocument"): b"x" * 600}),
        "archive in archive": zipped({"inner.zip": files["zip"]}),
        "mailbox": MAILBOX,
        "calendar": CALENDAR,
        "HTML in Word": with_chunk(b"<p>needle</p>"),
        "web archive in Word": with_chunk(f"{MHTML}--B\nContent-Type: text/html\n\n<p>x</p>\n--B--".encode()),
        "rich text in Word": with_chunk(rb"{\rtf1 needle\par}"),
        "text in Word": with_chunk("Müller für größere".encode("cp1252")),
        "strict workbook": _strict(BOOK),
        "flat workbook": _flat(BOOK),
        "workbook of 2003 in XML": SHEET_XML.encode(),
        "Word file of 2003 in XML": word_2003(paragraph(run("needle"))),
        "signed file": signed(b"needle in a signed file"),
        "signed calendar": signed(CALENDAR),
        "signed body of a mail": make_mail(signed(MAIL)),
        "winmail.dat with files": winmail(files=[attached("a.csv", b"A;B\n1;2\n")]),
        "preview of an iWork file": iwork,
        "report of a mail server": REPORT,
        "records that state their delimiter": "sep=;\nA;B\n1;Ä\n".encode("cp1252"),
        "ragged records": b"Name,Qty,Price\nPen,3\nInk,2,4.50\n",
        "text in two encodings": "Größe Maß Köln ".encode() + "Größe".encode("cp1252"),
        **{f"hidden cells of {name}": data for name, data in HIDDEN.items()},
        **{f"text in {name}": sentence.encode(encoding) for name, (encoding, sentence) in SENTENCES.items()},
    }


@pytest.fixture(scope="module")
def reader() -> Iterator[DocumentReader]:
    reader = DocumentReader(SandboxLimits())
    yield reader
    reader.close()


def test_containers_and_their_members_are_read_in_the_sandbox(reader: DocumentReader) -> None:
    for name, data in make_containers().items():
        outcome = reader.read(io.BytesIO(data), ReadOptions())
        assert outcome.error is None, (name, outcome.detail)
        for member in outcome.embedded:
            inner = reader.read(io.BytesIO(member.data), ReadOptions())
            assert inner.error is None, (name, member.path, inner.detail)


def test_mail_attached_to_an_outlook_message_keeps_its_words(reader: DocumentReader) -> None:
    outcome = reader.read(io.BytesIO(_mail_in_mail()), ReadOptions())
    (member,) = outcome.embedded
    inner = reader.read(io.BytesIO(member.data), ReadOptions()).tree
    assert inner is not None
    assert "needle" in tree_to_markdown(inner)
    assert "**Subject:** Inner" in tree_to_markdown(inner)


LOCKED = """
import sys
from quire.models.extract.pipeline.preload import preload
from tests.actors.sandbox.test_containers import make_containers
from tests.actors.sandbox.test_every_format import make_files
from tests.models.extract.flow_trees import read_tree

class Locked:
    def find_spec(self, name, path=None, target=None):
        print(name)
        raise ImportError(name)

files = {**make_containers(), **make_files("needle")}
preload()
sys.meta_path.insert(0, Locked())
for data in files.values():
    read_tree(data)
print("read", len(files))
"""


def test_reading_imports_nothing_after_the_child_is_locked() -> None:
    done = subprocess.run([sys.executable, "-c", LOCKED], capture_output=True, text=True, timeout=120, check=False)
    expected = f"read {len({**make_containers(), **make_files('needle')})}"
    assert (done.stdout.split("\n")[:-1], done.stderr) == ([expected], "")
