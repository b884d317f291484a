"""Composition of the embedder, without the index's libraries: 1.4 CPU seconds that its replica does not need."""

from quire.actors.search.embedder import Embedder
from quire.cluster.bootstrap.finding import find_runtime
from quire.configs.settings import Settings
from quire.models.neural.embed.load import load_embedder


def make_embedder(settings: Settings) -> Embedder:
    """Return the embedder of these settings, with its model loaded."""
    return Embedder(load_embedder(settings.embedder))


def build_embedder() -> Embedder:
    """Build the embedder of a replica."""
    return make_embedder(find_runtime().settings)
