"""Office packages under a password: opened with it, refused without, by counts and never by time."""

import contextlib
import io
from collections.abc import Callable

import pytest

from quire.actors.reading.read_document import DocumentReader
from quire.actors.sandbox.limits import SandboxLimits
from quire.models.cdom.errors import Encrypted, ErrorCode, Malformed, ResourceLimit
from quire.models.cdom.original import ReadOptions
from quire.models.extract.formats.common.encryption import unlock
from quire.models.extract.formats.common.encryption.package import MAX_SPINS
from tests.models.extract.formats.common.compound_files import compound
from tests.models.extract.formats.common.locks import lock_agile, lock_standard
from tests.models.extract.formats.sheets.workbooks import sheet, text_cell, workbook
from tests.models.extract.formats.word.docx.files import make_docx, paragraph

PACKAGE = make_docx("".join(paragraph(f"needle {at}") for at in range(2000)))
PASSWORD = "Kennwort€"
KINDS: dict[str, Callable[[], bytes]] = {
    "agile": lambda: lock_agile(PACKAGE, PASSWORD),
    "agile, sha1 and 128 bits": lambda: lock_agile(PACKAGE, PASSWORD, name="SHA1", bits=128),
    "agile, sha384 and 192 bits": lambda: lock_agile(PACKAGE, PASSWORD, name="SHA384", bits=192),
    "standard": lambda: lock_standard(PACKAGE, PASSWORD),
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_password_opens_a_package(kind: str) -> None:
    assert unlock(KINDS[kind](), PASSWORD) == PACKAGE


@pytest.mark.parametrize("kind", KINDS)
def test_no_password_and_a_wrong_one_do_not(kind: str) -> None:
    for password, says in ((None, "wants a password"), ("kennwort€", "wrong password")):
        with pytest.raises(Encrypted, match=says):
            unlock(KINDS[kind](), password)


def test_other_ciphers_are_said_to_be_not_read() -> None:
    for data in (lock_agile(PACKAGE, PASSWORD, cipher="DES"), lock_standard(PACKAGE, PASSWORD, cipher=0x6801)):
        with pytest.raises(Encrypted, match="not read"):
            unlock(data, PASSWORD)


def test_password_that_would_be_hashed_for_minutes_passes_limit() -> None:
    with pytest.raises(ResourceLimit):
        unlock(lock_agile(PACKAGE, PASSWORD, spins=MAX_SPINS + 1), PASSWORD)


@pytest.mark.parametrize(
    "streams",
    [
        {("EncryptedPackage",): b"x" * 600},
        {("EncryptionInfo",): b"\4\0\4\0", ("EncryptedPackage",): b"x" * 600},
        {("EncryptionInfo",): b"\4\0\4\0____<a/>", ("EncryptedPackage",): b"x" * 600},
        {("EncryptionInfo",): b"\3\0\2\0____", ("EncryptedPackage",): b"x" * 600},
    ],
)
def test_package_without_lock_information_is_malformed(streams: dict[tuple[str, ...], bytes]) -> None:
    with pytest.raises(Malformed):
        unlock(compound(streams), PASSWORD)


def test_broken_locks_end_as_one_of_the_errors_of_a_document() -> None:
    whole = lock_agile(PACKAGE[:5000], PASSWORD)
    start = whole.index(b"<encryption")
    for at in range(start, start + 1000, 7):
        broken = whole[:at] + b"0" + whole[at + 1 :]
        with contextlib.suppress(Encrypted, Malformed, ResourceLimit):
            assert len(unlock(broken, PASSWORD)) == 5000


def test_sandbox_reads_locked_files_and_names_the_inner_format() -> None:
    reader = DocumentReader(SandboxLimits())
    sheets = lock_agile(workbook(sheet(f"<row>{text_cell('A1', 'needle')}</row>")), PASSWORD)
    try:
        for data, kind in ((KINDS["standard"](), "docx"), (sheets, "xlsx")):
            read = reader.read(io.BytesIO(data), ReadOptions(password=PASSWORD))
            assert read.tree is not None
            assert (read.tree.source.format, read.tree.source.bytes) == (kind, len(data))
            refused = reader.read(io.BytesIO(data), ReadOptions(password="other"))
            assert (refused.error, refused.detail) == (ErrorCode.ENCRYPTED, "wrong password")
            assert reader.read(io.BytesIO(data), ReadOptions()).error is ErrorCode.ENCRYPTED
    finally:
        reader.close()
