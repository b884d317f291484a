"""`quire redact`: turns a file into a redacted file of the same kind, in the same sandbox as the service.

Without a review, every flag is masked. Knows no Ray, no database and no HTTP.
"""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from actors.reading.recognise_document import recognise_document
from actors.recogniser import Recogniser
from cluster.cli.documents.batch import open_reader
from cluster.cli.documents.extract import check_detector
from cluster.compose.redacted import flag_outcome
from models.cdom.errors import ErrorCode, ExtractError
from models.cdom.original import OcrMode, ReadOptions
from models.cdom.ports import ReadOutcome, RedactionRefused
from models.cdom.tree import dump_tree
from models.neural.ocr import make_recogniser
from models.pii.errors import PiiIncomplete

if TYPE_CHECKING:
    from actors.reading.read_document import DocumentReader


class NoRedactedFile(Exception):
    """The code says why."""


@click.command()
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    help="Redacted file to write. - is standard output.",
)
@click.option("--password", help="Password of an encrypted file. The redacted file has no password.")
@click.option(
    "--ocr", type=click.Choice([mode.value for mode in OcrMode]), default=OcrMode.AUTO.value, show_default=True
)
def redact(file: Path, output: Path, password: str | None, ocr: str) -> None:
    """Write FILE without personal data: read, masked, written as a new file, and read again by two engines.

    Exit status: 0 written, 1 refused ("FILE: code" on stderr, nothing is written), 2 wrong use.
    """
    check_detector()
    options = ReadOptions(password=password, ocr=OcrMode(ocr))
    try:
        with open_reader() as reader:
            data = _redact(reader, file, options)
    except NoRedactedFile as error:
        click.echo(f"{file}: {error}", err=True)
        sys.exit(1)
    _write(output, data)


def _redact(reader: "DocumentReader", file: Path, options: ReadOptions) -> bytes:
    """Return the redacted file.

    Raises:
        NoRedactedFile: The file cannot be read or redacted.
    """
    try:
        with file.open("rb") as original:
            outcome = flag_outcome(_read(reader, original, options))
            if outcome.tree is None:
                raise NoRedactedFile(outcome.error or ErrorCode.INTERNAL)
            return reader.redact(original, dump_tree(outcome.tree), {}, options.password)
    except (RedactionRefused, PiiIncomplete) as error:
        raise NoRedactedFile(error.code) from None
    except ExtractError as error:
        raise NoRedactedFile(error.code.value) from None
    except OSError:
        raise NoRedactedFile(ErrorCode.ORIGINAL_MISSING.value) from None


def _read(reader: "DocumentReader", original: BinaryIO, options: ReadOptions) -> ReadOutcome:
    read = reader.read_until_pixels(original, options)
    if isinstance(read, ReadOutcome):
        return read
    recogniser = Recogniser(lambda: make_recogniser(langs=options.ocr_langs))
    try:
        return recognise_document(read, recogniser)
    finally:
        recogniser.close()


def _write(output: Path, data: bytes) -> None:
    """All of it or nothing under the name asked for."""
    if str(output) == "-":
        sys.stdout.buffer.write(data)
        return
    draft = output.with_name(f".{output.name}.{os.getpid()}")
    try:
        draft.write_bytes(data)
        draft.replace(output)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise click.UsageError(f"cannot write {output}: {error.strerror}") from None
