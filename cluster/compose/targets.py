"""Composition of targets: their kinds, and the loop that sends documents to them."""

from collections.abc import Sequence

from quire.actors.background.target_records import FindVectors, TargetRecords
from quire.actors.background.target_sender import TargetSender
from quire.actors.search.index_writer import IndexWriting
from quire.cluster.bootstrap.enabled import embeds
from quire.cluster.bootstrap.opening import open_runtime_store
from quire.cluster.compose.plugins import load_plugins
from quire.cluster.runtime import Runtime
from quire.configs.settings import Settings
from quire.models.cdom.chunk import Chunk
from quire.models.cdom.ports import PortUnavailable
from quire.models.cdom.tree import Tree
from quire.models.derive.chunks.chunking import settings_of
from quire.models.derive.chunks.chunks import ChunkSettings, chunk_tree
from quire.models.neural.embed.tokenizer import load_tokenizer
from quire.storage.index.table.entries import KnownVectors
from quire.storage.targets.backlog import ClaimedTarget, TargetBacklog
from quire.storage.targets.contract import Target, TargetNetwork
from quire.storage.targets.opening import TargetKinds
from quire.storage.values.errors import StoreUnavailable
from quire.storage.values.rows import Scope
from quire.storage.webhooks.egress import Egress


def target_kinds(settings: Settings) -> TargetKinds:
    """Return the kinds of targets of this service. Raises StartRefused for a plug-in that cannot be loaded."""
    allowed = frozenset(name.lower() for name in settings.target_allow)
    network = TargetNetwork(allow=allowed, egress=Egress([*settings.webhook_allow, *settings.target_allow]))
    return TargetKinds(network=network, plugged=load_plugins(settings.plugins).targets)


def make_target_sender(runtime: Runtime, index: IndexWriting | None) -> TargetSender:
    """Return the sender of targets; any number may run."""
    store, kinds = open_runtime_store(runtime), target_kinds(runtime.settings)
    find_vectors = _vectors_of(index) if index is not None and embeds(runtime.settings) else None

    def open_target(target: ClaimedTarget) -> Target:
        return kinds.open(target.kind, target.settings, target.secret)

    records = TargetRecords(store.artifacts, cut_again, find_vectors)
    return TargetSender(TargetBacklog(store), open_target, records.make)


def cut_again(tree: Tree, chunker: str | None) -> list[Chunk]:
    """Cut a tree as it was cut for the index."""
    return chunk_tree(tree, tokenizer=load_tokenizer(), settings=settings_of(chunker, ChunkSettings()))


def _vectors_of(index: IndexWriting) -> FindVectors:
    def find_vectors(scope: Scope, documents: Sequence[str], texts: Sequence[str]) -> KnownVectors:
        try:
            return index.find_vectors(scope, documents, texts)
        except PortUnavailable as error:
            raise StoreUnavailable(error.code) from error

    return find_vectors
