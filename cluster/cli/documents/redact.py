"""`quire redact`: turns a file into a redacted file of the same kind, in the same sandbox as the service.

Without a review, every flag is masked. Knows no Ray, no database and no HTTP.
"""

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from quire.actors.reading.recognise_document import recognise_document
from quire.actors.recogniser import Recogniser
from quire.cluster.cli.documents.batch import open_reader, write_whole
from quire.cluster.cli.documents.extract import check_detector
from quire.cluster.compose.redacted import flag_outcome
from quire.models.cdom.errors import ErrorCode, ExtractError
from quire.models.cdom.original import OcrMode, ReadOptions
from quire.models.cdom.ports import ReadOutcome, RedactionRefused
from quire.models.cdom.tree import dump_tree
from quire.models.neural.ocr import make_recogniser
from quire.models.pii.errors import PiiIncomplete

if TYPE_CHECKING:
    from quire.actors.reading.read_document import DocumentReader


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
            data, masked = _redact(reader, file, options)
    except NoRedactedFile as error:
        click.echo(f"{file}: {error}", err=True)
        sys.exit(1)
    _write(output, data)
    if str(output) != "-":
        click.echo(f"{describe_masked(masked)} → {output}", err=True)


def describe_masked(values: Sequence[str]) -> str:
    """Return a summary such as `masked 3 values: 2 email, 1 phone`; `values` are the kinds of all masked places."""
    if not values:
        return "no personal data found; the file was rewritten and read again by two engines"
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(Counter(values).items()))
    noun = "value" if len(values) == 1 else "values"
    return f"masked {len(values)} {noun}: {kinds}; read again by two engines"


def _redact(reader: "DocumentReader", file: Path, options: ReadOptions) -> tuple[bytes, list[str]]:
    """Return the redacted file and the kinds of its masked values.

    Raises:
        NoRedactedFile: The file cannot be read or redacted.
    """
    try:
        with file.open("rb") as original:
            outcome = flag_outcome(_read(reader, original, options))
            if outcome.tree is None:
                raise NoRedactedFile(outcome.error or ErrorCode.INTERNAL)
            data = reader.redact(original, dump_tree(outcome.tree), {}, options.password)
            return data, [span.flag.removeprefix("pii:") for block in outcome.tree.blocks for span in block.flag_spans]
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
    if str(output) == "-":
        sys.stdout.buffer.write(data)
        return
    try:
        write_whole(output, data)
    except OSError as error:
        raise click.UsageError(f"cannot write {output}: {error.strerror}") from None
