"""`python -m quire.cluster.jobs.finetune_export`: make fine-tune records of a corpus, in JSONL shards named by content.

The corpus is a folder of trees (TREES, the output of `bulk_extract`) or an organisation's documents in a service
(`--from-service`; with `--job` the shards together are what the endpoint of that job sends). Chunking runs on the
cluster and its parts are kept, so a killed export resumes. Near-duplicates over the whole corpus are found there too.
The lines are written here, in one order: the same corpus gives the same bytes.
"""

import hashlib
import json
import logging
import secrets
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import click
from pydantic import TypeAdapter

from quire.cluster.errors import StartRefused
from quire.cluster.jobs.work.corpus import Corpus, CorpusDocument, FolderCorpus, ServiceCorpus, cut_groups
from quire.cluster.jobs.work.duplicates import LINE_BITS, find_duplicates
from quire.cluster.jobs.work.folders import Folder, FolderUnavailable, absolute_url, open_folder
from quire.cluster.jobs.work.ledger import SUMMARY
from quire.cluster.jobs.work.service import find_service
from quire.cluster.jobs.work.shards import drop_others, write_shards
from quire.cluster.jobs.work.spread import JobStopped, Progress, Row, connect, spread
from quire.models.cdom.chunk import Chunk
from quire.models.derive.finetune import FinetuneOptions, Split, Style, export_lines, passes
from quire.models.derive.finetune_template import InvalidTemplate
from quire.models.derive.language import detect_language
from quire.storage.values.errors import StorageError
from quire.storage.values.rows import Scope

log = logging.getLogger("quire.jobs")
PARTS = "parts"
MEAN, MOST = 32, 128
"""Mean and most documents of a part."""
CHUNK = TypeAdapter(Chunk)


@dataclass(frozen=True, slots=True)
class Part:
    """Documents and the file of those of their chunks that pass the gates, named by a hash of its inputs."""

    name: str
    documents: tuple[CorpusDocument, ...]


class CutRow:
    """Worker whose row is a part as JSON; it returns counts. The part is written atomically."""

    def __init__(self, corpus: Corpus, output: str, options: FinetuneOptions) -> None:
        self._cut, self._folder, self._options = corpus.open(), open_folder(output, make=True), options

    def __call__(self, row: Row) -> Row:
        """Cut the documents of a part and write their chunks."""
        part = load_part(row["part"])
        lines = [
            json.dumps([document.name, CHUNK.dump_python(chunk, mode="json")])
            for document in part.documents
            for chunk in self._cut(document)
            if passes(chunk, self._options, detect_language)
        ]
        self._folder.write(part.name, "".join(line + "\n" for line in lines).encode())
        return {"documents": len(part.documents), "chunks": len(lines)}

    def close(self) -> None:
        """Close the corpus."""
        self._cut.close()


def plan_parts(corpus: Corpus, options: FinetuneOptions) -> list[Part]:
    """Return the parts of the corpus as it is now, in order."""
    gates = [options.min_chars, options.max_chars, options.language]
    salt = json.dumps([corpus.salt(), gates])
    return [Part(_part_name(salt, group), tuple(group)) for group in cut_groups(corpus.documents(), MEAN, MOST)]


def _part_name(salt: str, group: Sequence[CorpusDocument]) -> str:
    facts = json.dumps([salt, [list(asdict(document).values()) for document in group]])
    return f"{PARTS}/{hashlib.sha256(facts.encode()).hexdigest()[:40]}.jsonl"


def dump_part(part: Part) -> str:
    """Return a part as JSON."""
    return json.dumps([part.name, [list(asdict(document).values()) for document in part.documents]])


def load_part(text: str) -> Part:
    """Return the part of its JSON."""
    name, documents = json.loads(text)
    return Part(name, tuple(CorpusDocument(*facts) for facts in documents))


def read_chunks(folder: Folder, parts: Sequence[Part], numbers: deque[int]) -> Iterator[tuple[str, Chunk]]:
    """Yield (document, chunk) in the order of the parts; one part is in memory at a time.

    Appends the number of each chunk, as `find_duplicates` has it.
    """
    for number, part in enumerate(parts):
        for line, text in enumerate(folder.read(part.name).splitlines()):
            name, facts = json.loads(text)
            numbers.append(number << LINE_BITS | line)
            yield name, CHUNK.validate_python(facts)


def export(
    corpus: Corpus, output: str, options: FinetuneOptions, *, workers: int | None, shard_lines: int
) -> dict[str, Any]:
    """Cut what has no part yet, then write the shards; returns the summary. Raises `JobStopped`, `StorageError`."""
    folder = open_folder(output, make=True)
    folder.sweep()
    parts = plan_parts(corpus, options)
    written = {name for name, _ in folder.names(PARTS)}
    undone = [part for part in parts if part.name not in written]
    total = sum(len(part.documents) for part in undone)
    log.info("%d documents in %d parts, %d documents to cut", sum(len(p.documents) for p in parts), len(parts), total)
    if undone:
        connect()
        progress = Progress(total)
        rows = [{"part": dump_part(part)} for part in undone]
        for row in spread(rows, CutRow, (corpus, output, options), workers=workers, cpus=corpus.cpus):
            progress.step(int(row["documents"]), {"chunks": int(row["chunks"])})
    dropped = find_duplicates(output, [part.name for part in parts], workers=workers) if options.dedup else set()
    passed = replace(options, min_chars=None, max_chars=None, language=None, dedup=False)
    numbers: deque[int] = deque()
    chunks = read_chunks(folder, parts, numbers)
    lines = export_lines(chunks, passed, seen=lambda _: numbers.popleft() in dropped)
    prefix = options.split.value if options.split else "all"
    shards = write_shards(folder, prefix, lines, lines_per_shard=shard_lines)
    drop_others(folder, shards)
    summary = {
        "documents": sum(len(part.documents) for part in parts),
        "shards": len(shards),
        "lines": sum(shard.lines for shard in shards),
    }
    folder.write(SUMMARY, (json.dumps(summary, indent=1) + "\n").encode())
    for name, _ in list(folder.names(PARTS)):
        folder.delete(name)
    return summary


@click.command()
@click.argument("trees", required=False)
@click.option(
    "-o", "--output", required=True, metavar="TO", help="A folder or s3://bucket/prefix, of this export alone."
)
@click.option("--from-service", is_flag=True, help="An organisation's documents instead of TREES.")
@click.option("--tenant", help="Tenant: a key's name.")
@click.option("--org", default="default", show_default=True)
@click.option("--job", help="Only this job's documents.")
@click.option(
    "--redacted/--not-redacted",
    default=None,
    help="Mask all values except rejected ones, the default of --from-service; one unfinished scan stops the export.",
)
@click.option("--workdir", type=click.Path(path_type=Path), help="Of a service on this machine; else that of the node.")
@click.option("--style", type=click.Choice([style.value for style in Style]), default=Style.COMPLETION.value)
@click.option("--template", metavar="JSON", help="Own form of a record: a JSON object whose texts are Jinja templates.")
@click.option("--dedup/--no-dedup", default=True, show_default=True, help="Drop near-duplicates over the whole corpus.")
@click.option("--min-chars", type=click.IntRange(0))
@click.option("--max-chars", type=click.IntRange(0))
@click.option("--language", help="Only chunks in this language (ISO 639-1).")
@click.option("--split", type=click.Choice([split.value for split in Split]))
@click.option("--val-ratio", type=click.FloatRange(0, 1), default=0.05, show_default=True)
@click.option("--shard-lines", type=click.IntRange(1, 10_000_000), default=100_000, show_default=True)
@click.option("--workers", type=click.IntRange(1, 10_000), help="Documents cut at once; one per CPU by default.")
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
def main(
    trees: str | None, output: str, from_service: bool, tenant: str | None, org: str, job: str | None,
    redacted: bool | None, workdir: Path | None, style: str, template: str | None,
    dedup: bool, min_chars: int | None, max_chars: int | None, language: str | None,
    split: str | None, val_ratio: float, shard_lines: int, workers: int | None, dry_run: bool,
) -> None:  # fmt: skip
    """Fine-tune records of a whole corpus; the same corpus gives the same files."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    try:
        options = FinetuneOptions(
            style=Style(style), dedup=dedup, min_chars=min_chars, max_chars=max_chars, language=language,
            split=Split(split) if split else None, val_ratio=val_ratio, template=template,
        )  # fmt: skip
        corpus = _corpus(trees, from_service, tenant, org, job, redacted, workdir)
        if dry_run:
            click.echo(json.dumps({"documents": len(corpus.documents())}))
            return
        summary = export(corpus, absolute_url(output), options, workers=workers, shard_lines=shard_lines)
    except InvalidTemplate as error:
        raise click.UsageError(f"--template: {error}") from None
    except NotADirectoryError:
        raise click.UsageError(f"no such folder: {trees}") from None
    except (JobStopped, FolderUnavailable, StorageError) as error:
        raise click.ClickException(f"stopped, run it again to go on: {error or type(error).__name__}") from None
    except StartRefused as error:
        raise click.ClickException(str(error)) from None
    click.echo(json.dumps(summary))


def _corpus(
    trees: str | None, from_service: bool, tenant: str | None, org: str, job: str | None,
    redacted: bool | None, workdir: Path | None,
) -> Corpus:  # fmt: skip
    if (trees is None) == (not from_service):
        raise click.UsageError("say what to export: either TREES or --from-service")
    if trees is not None:
        if redacted:
            raise click.UsageError("--redacted needs --from-service; for a folder of trees use bulk_extract --redacted")
        return FolderCorpus(absolute_url(trees))
    if tenant is None:
        raise click.UsageError("--from-service needs --tenant")
    redacted = True if redacted is None else redacted
    run = secrets.token_hex(8) if redacted else ""
    scope = Scope(tenant=tenant, org=org)
    return ServiceCorpus(service=find_service(workdir), scope=scope, job_id=job, redacted=redacted, run=run)


if __name__ == "__main__":
    main()
