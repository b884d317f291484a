"""Composition of targets: their kinds, and the loop that sends documents to them."""

from collections.abc import Sequence

from actors.background.target_records import FindVectors, TargetRecords
from actors.background.target_sender import TargetSender
from actors.search.index_writer import IndexWriting
from cluster.bootstrap.enabled import embeds
from cluster.bootstrap.opening import open_runtime_store
from cluster.compose.plugins import load_plugins
from cluster.runtime import Runtime
from configs.settings import Settings
from models.cdom.chunk import Chunk
from models.cdom.ports import PortUnavailable
from models.cdom.tree import Tree
from models.derive.chunks.chunking import settings_of
from models.derive.chunks.chunks import ChunkSettings, chunk_tree
from models.neural.embed.tokenizer import load_tokenizer
from storage.index.table.entries import KnownVectors
from storage.targets.backlog import ClaimedTarget, TargetBacklog
from storage.targets.contract import Target, TargetNetwork
from storage.targets.opening import TargetKinds
from storage.values.errors import StoreUnavailable
from storage.values.rows import Scope
from storage.webhooks.egress import Egress


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
