"""`quire rescan`: searches stored trees for personal data when their scan is missing or by another engine version.

Decisions hold where the same text is in the same place; new flags wait for review. Originals are not read again.
"""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from quire.cluster.bootstrap.opening import open_runtime_store
from quire.cluster.cli.shared.database import runtime_of
from quire.cluster.cli.shared.options import CommandStopped, workdir_option
from quire.cluster.cli.shared.progress import ProgressBar
from quire.models.cdom.tree import dump_tree, load_tree
from quire.models.pii.engines.choose import PiiEngineChoice, make_detector
from quire.models.pii.errors import EngineMissing
from quire.models.pii.flagging.flag import flag_tree
from quire.models.pii.places import find_places
from quire.storage.objects.artifacts import TREE
from quire.storage.review.republish import list_shown, publish_scanned
from quire.storage.values.errors import NotFound, StorageError

if TYPE_CHECKING:
    from quire.models.cdom.tree import PiiScan
    from quire.models.pii.kinds import Detector
    from quire.storage.review.republish import PublishedAttempt
    from quire.storage.store import Store


@click.command()
@workdir_option
@click.option("--all", "everything", is_flag=True, help="Scan trees again that this engine has already scanned.")
def rescan(workdir: Path | None, everything: bool) -> None:
    """Look for personal data again in stored trees without a finished scan by the engine now set."""
    runtime = runtime_of(workdir)
    try:
        detector = make_detector(
            PiiEngineChoice(runtime.settings.pii_engine), runtime.settings.pii_languages, urls=runtime.settings.pii_urls
        )
        store = open_runtime_store(runtime)
        trees, done = list(list_shown(store.db)), Counter[str]()
        with ProgressBar(len(trees)).shown() as bar:
            for shown in trees:
                done[rescan_document(store, shown, detector, everything=everything)] += 1
                bar.step(shown.document_id)
        store.close()
    except (StorageError, EngineMissing) as error:
        raise CommandStopped(str(error) or error.code) from None
    click.echo(", ".join(f"{done[name]} {name}" for name in ("scanned", "incomplete", "up to date", "gone")))
    if done["incomplete"]:
        raise CommandStopped("some trees could not be scanned; their redacted outputs are not available")


def rescan_document(
    store: "Store", shown: "PublishedAttempt", detector: "Detector", *, everything: bool = False
) -> str:
    """Scan one document's tree; return `scanned`, `incomplete`, `up to date` or `gone`."""
    try:
        tree = load_tree(store.artifacts.read(shown.document_id, shown.attempt, TREE))
        if not everything and is_current(tree.pii, detector):
            return "up to date"
        flagged = flag_tree(tree, detector)
        if not publish_scanned(store, shown, dump_tree(flagged), find_places(flagged)):
            return "gone"
    except NotFound:
        return "gone"
    return "scanned" if flagged.pii is not None and flagged.pii.complete else "incomplete"


def is_current(scan: "PiiScan | None", detector: "Detector") -> bool:
    """Return True for a finished scan by this engine in this version."""
    return scan is not None and scan.complete and (scan.engine, scan.version) == (detector.name, detector.version)
