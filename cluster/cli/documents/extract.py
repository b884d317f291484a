"""`quire extract`: files in, trees out, in the same sandbox as the service but without one.

Knows no Ray, no database and no HTTP: importing this must stay cheap.
"""

import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

from quire.cluster.cli.documents.batch import ExtractItem, FileBatch, has_newer_result
from quire.cluster.cli.documents.extract_files import FoundFile, FoundFiles, NoSuchFile, find_files, name_results
from quire.cluster.cli.documents.extract_formats import (
    EXTRACT_FORMATS,
    MarkdownChoices,
    Write,
    format_of,
    make_data_writer,
)
from quire.cluster.cli.documents.reports import (
    RunCounts,
    describe_coverage,
    explain_skipped,
    make_report,
    name_skipped,
    summarise,
)
from quire.cluster.cli.shared.choices import NamedChoice
from quire.cluster.cli.shared.options import CommandStopped, settings_from
from quire.cluster.cli.shared.progress import ProgressBar
from quire.cluster.compose.redacted import name_without_names, settings_of_command
from quire.cluster.interrupts import exit_interrupted, undone_by
from quire.models.cdom.errors import MlUnavailable
from quire.models.cdom.original import OcrMode, ReadOptions, TableParts, parse_pages
from quire.models.export import ALIASES

STANDARD = Path("-")
"""Standard input as a document, standard output as the place of its result."""
_EXAMPLES = """\b
Examples:
  quire report.pdf                               Markdown to standard output
  quire extract report.pdf -o report.html        a file; its suffix names the format
  quire extract https://example.com/a.pdf -o -   fetched under the rules of webhooks
  quire extract scans/ -o out/ --to md           a folder; subfolders are kept
  curl -s URL | quire extract - --to md -o -     standard input
  quire extract scans/ -o out/ --resume          only files without a result
  quire extract *.pdf -o out/ --json > all.json  a report for programs
  quire extract bill.pdf --schema bill.json -o - values by a JSON Schema
"""


def _parse_pages(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[tuple[int, int], ...]:
    """Parse the pages, or stop with a usage error."""
    try:
        return parse_pages(value) if value else ()
    except ValueError as error:
        raise click.BadParameter(str(error), ctx, param) from None


def _parse_langs(ctx: click.Context, param: click.Parameter, value: str) -> tuple[str, ...]:
    """Parse `zh,en` into ("en", "zh")."""
    from quire.models.neural.ocr.langs import check_default_langs

    try:
        return check_default_langs(value.split(","))
    except MlUnavailable as error:
        raise click.BadParameter(error.detail, ctx, param) from None


@click.command(epilog=_EXAMPLES)
@click.argument("paths", nargs=-1, required=True, metavar="PATH|URL|-...")
@click.option(
    "--to", type=NamedChoice(list(EXTRACT_FORMATS), ALIASES),
    metavar="|".join(EXTRACT_FORMATS),
    help="Output format (md = markdown, json = tree). The default follows the suffix of -o, else the tree.",
)  # fmt: skip
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, allow_dash=True),
    help="Folder for the results, or a file for one document (out.md). - is standard output. Without -o and --to, one "
    "file is written as Markdown to standard output, and several or a folder as trees into this folder.",
)  # fmt: skip
@click.option("--jobs", type=click.IntRange(1, 64), help="Documents to read in parallel. The default is one per core.")
@click.option("--pages", callback=_parse_pages, help="Pages to read, such as 1-3,8.")
@click.option("--password", help="Password of encrypted files.")
@click.option(
    "--ocr", type=click.Choice([mode.value for mode in OcrMode]), default=OcrMode.AUTO.value, show_default=True
)
@click.option(
    "--ocr-lang", "ocr_langs", callback=_parse_langs, envvar="SVC_OCR_LANGS", default="en", show_default=True,
    help="Languages of scans, like zh,en. Without the option SVC_OCR_LANGS.",
)  # fmt: skip
@click.option(
    "--table-parts", type=click.Choice([parts.value for parts in TableParts]), default=TableParts.JOINED.value,
    show_default=True, help="Return a table that continues over pages as one table or as one per page.",
)  # fmt: skip
@click.option("--words", is_flag=True, help="Keep the words of pages with their boxes in trees and evidence.")
@click.option("--accurate", is_flag=True, help="Check doubtful tables with a layout detector. Slower; needs a model.")
@click.option(
    "--layout-model", type=click.Path(path_type=Path, file_okay=False), envvar="SVC_LAYOUT_MODEL",
    help="Folder with model.onnx and labels.txt for --accurate. The default is the installed model.",
)  # fmt: skip
@click.option(
    "--furniture/--no-furniture", default=None,
    help="Write Markdown with or without running headers and footers. Only --plain keeps them by default.",
)  # fmt: skip
@click.option("--plain", is_flag=True, help="Write Markdown as printed: without emphasis and link targets.")
@click.option("--redacted", is_flag=True, help="Mask personal data. Results are named by number.")
@click.option(
    "--schema", metavar="FILE|JSON",
    help="JSON Schema of an object. Writes the values that it describes, each with its evidence, instead of --to.",
)  # fmt: skip
@click.option("--resume", is_flag=True, help="Read only files without a result that is newer than the file.")
@click.option("--json", "as_json", is_flag=True, help="Write a report of all files as JSON to standard output.")
@click.option("--report", "report_coverage", is_flag=True, help="Report how many characters of each file were read.")
@click.option("-q", "--quiet", is_flag=True, help="Print no summary. Failures are still printed.")
@click.option("--workdir", type=click.Path(path_type=Path, file_okay=False), help="Folder for temporary files.")
def extract(
    paths: tuple[str, ...], to: str | None, output: Path | None, jobs: int | None, pages: tuple[tuple[int, int], ...],
    password: str | None, ocr: str, ocr_langs: tuple[str, ...], table_parts: str, words: bool, accurate: bool,
    layout_model: Path | None,
    furniture: bool | None, plain: bool, redacted: bool, schema: str | None, resume: bool,
    as_json: bool, report_coverage: bool, quiet: bool,
    workdir: Path | None,
) -> None:  # fmt: skip
    """Read files, folders, patterns, addresses and standard input (-); write one result per document.

    Exit status: 0 all were read, 1 some failed ("FILE: code: what to do" on stderr), 2 wrong use, 130 interrupted.
    """
    started = time.monotonic()
    write = None if schema is None else _data_writer(schema, to)
    _use_temporary_folder(workdir)
    with _collected(paths) as selection:
        asks = output or to or write or as_json or resume or redacted
        shown = not asks and len(selection.files) == len(paths) == 1 and not Path(paths[0]).is_dir()
        output = output or (STANDARD if shown else Path())
        format_name = to or ("markdown" if shown else "tree" if write is not None else _format_of(output, selection))
        suffix = EXTRACT_FORMATS[format_name][0]
        _make_folder(output.parent if _is_file_name(output, suffix) else output)
        _check_use(selection, output, suffix, as_json, resume=resume, redacted=redacted)
        if redacted:
            check_detector()
        if accurate:
            check_layout_model(layout_model)
        all_items = _items(selection.files, output, suffix, redacted)
        items = [item for item in all_items if not (resume and _is_done(item))]
        options = ReadOptions(
            pages=pages, password=password, ocr=OcrMode(ocr), ocr_langs=ocr_langs, table_parts=TableParts(table_parts),
            second_opinion=accurate, words=words or schema is not None,
        )  # fmt: skip
        with ProgressBar(len(items)).shown() as bar:
            choices = MarkdownChoices(furniture=plain if furniture is None else furniture, plain=plain)
            batch = FileBatch(items, format_name, options, bar, choices, redacted, layout_model, write)
            is_interrupted = bool(items) and not batch.run(min(jobs or os.cpu_count() or 1, len(items)))
    if as_json:
        click.echo(json.dumps(make_report(batch.done, selection.skipped), ensure_ascii=False, indent=1))
    if report_coverage:
        click.echo("\n".join(describe_coverage(batch.done)), err=True)
    if not quiet and output != STANDARD:
        click.echo(explain_skipped(selection.skipped), err=True, nl=False)
        counts = RunCounts(len(all_items) - len(items), len(items) - len(batch.done) if is_interrupted else None)
        click.echo(summarise(batch.done, selection.skipped, output, time.monotonic() - started, counts), err=True)
    if is_interrupted:
        sys.stdout.flush()
        exit_interrupted()  # the readers' threads may be in the middle of a page
    if any(item.error for item in batch.done):
        sys.exit(1)


def _format_of(output: Path, selection: FoundFiles) -> str:
    """Return the format of the suffix of -o.

    Raises:
        click.UsageError: One document is written to a name whose suffix is that of no format.
    """
    known = sorted({suffix for suffix, _ in EXTRACT_FORMATS.values()})
    has_suffix = output.suffix[1:].isalpha() and not output.is_dir()
    if has_suffix and output.suffix.lower() not in known and len(selection.files) == 1:
        raise click.UsageError(f"-o {output}: no format has this suffix; there are {' '.join(known)}")
    return format_of(output)


def _is_done(item: ExtractItem) -> bool:
    return item.result is not None and has_newer_result(item.file, item.result)


def _data_writer(stated: str, to: str | None) -> Write:
    """Return the writer of values by a schema (JSON, or a file of it), or stop if the schema cannot be used."""
    if to is not None:
        raise click.UsageError("--schema and --to exclude each other")
    try:
        text = stated if stated.lstrip().startswith("{") else Path(stated).read_bytes()
    except OSError:
        raise click.UsageError(f"--schema: no such file: {stated}") from None
    try:
        return make_data_writer(json.loads(text))
    except ValueError:
        raise click.UsageError(f"--schema: {stated[:200]} is not JSON") from None


@contextmanager
def _collected(paths: Sequence[str]) -> Iterator[FoundFiles]:
    """Yield the files to read; standard input is in a temporary file while the block runs."""
    named = [path for path in paths if path != str(STANDARD) and not _is_url(path)]
    try:
        selection = find_files(named)
    except NoSuchFile as error:
        raise click.UsageError(f"no such file: {error}") from None
    if len(named) == len(paths):
        yield selection
        return
    with (
        tempfile.TemporaryDirectory(prefix="quire-") as folder,
        undone_by(lambda: shutil.rmtree(folder, ignore_errors=True)),
    ):
        for number, path in enumerate(dict.fromkeys(path for path in paths if path not in named)):
            selection.files.append(_brought(path, Path(folder) / str(number)))
        yield selection


def _brought(path: str, file: Path) -> FoundFile:
    """Store standard input or the content of a URL in a file."""
    if not _is_url(path):
        file.write_bytes(sys.stdin.buffer.read())
        return FoundFile(file, Path("stdin"))
    from quire.cluster.cli.documents.download import download  # an HTTP client, which files do not need

    return FoundFile(file, Path(download(path, file)))


def _is_url(path: str) -> bool:
    return path.startswith(("http://", "https://"))


def _is_file_name(output: Path, suffix: str) -> bool:
    """Return True for the name of one result: it has the format's suffix and is not a folder."""
    return output != STANDARD and output.suffix.lower() == suffix and not output.is_dir()


def _check_use(
    selection: FoundFiles, output: Path, suffix: str, as_json: bool, *, resume: bool, redacted: bool
) -> None:
    if not selection.files:
        raise click.UsageError("no document found" + name_skipped(selection.skipped))
    if (output == STANDARD or _is_file_name(output, suffix)) and len(selection.files) > 1:
        raise click.UsageError(f"-o {output} takes one document, not {len(selection.files)}; pass a folder")
    if output == STANDARD and as_json:
        raise click.UsageError("--json and -o - cannot both write to standard output")
    if resume and (redacted or output == STANDARD):
        other = "--redacted, whose results are named by number" if redacted else "-o -"
        raise click.UsageError(f"--resume needs results by name and cannot be used with {other}")


def _items(files: list[FoundFile], output: Path, suffix: str, redacted: bool) -> list[ExtractItem]:
    places = [file.place for file in files]
    names = (
        [Path(name) for name in name_without_names(len(files), suffix)] if redacted else name_results(places, suffix)
    )
    return [
        ExtractItem(
            file=file.path,
            name=str(file.path if file.path.name == file.place.name else file.place),
            result=None if output == STANDARD else output if _is_file_name(output, suffix) else output / name,
        )
        for file, name in zip(files, names, strict=True)
    ]


def check_detector() -> None:
    """Fail before reading any file if the configured PII engine is not installed."""
    from quire.models.pii.engines.choose import check_engine
    from quire.models.pii.errors import EngineMissing

    settings = settings_of_command(settings_from())
    try:
        check_engine(settings.pii_engine, settings.pii_languages)
    except EngineMissing as error:
        raise CommandStopped(str(error)) from None


def check_layout_model(folder: Path | None) -> None:
    """Fail before reading any file if the layout model is not installed."""
    from quire.models.neural.layout.detector import locate_detector

    try:
        locate_detector(folder)
    except MlUnavailable as error:
        raise CommandStopped(f"--accurate: {error.detail} (see docs/operating.md for the installation)") from None


def _use_temporary_folder(workdir: Path | None) -> None:
    """Keep temporary files, standard input and downloads among them, below the workdir that was given."""
    if workdir is not None:
        temporary = workdir.expanduser() / "tmp"
        _make_folder(temporary)
        tempfile.tempdir = str(temporary)


def _make_folder(folder: Path) -> None:
    try:
        if folder != STANDARD:
            folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise click.UsageError(f"cannot write the results: {error}") from None
