"""Trees with flags of personal data by the configured engine and plugins, as a value that pickles."""

from dataclasses import dataclass
from functools import cache

from quire.cluster.compose.plugins import Detectors, load_plugins
from quire.models.cdom.tree import Tree
from quire.models.pii.engines.choose import TreeFlagger, make_detector
from quire.models.pii.flagging.flag import flag_tree


@dataclass(frozen=True, slots=True)
class PluginFlagger:
    """The service's own engine and the detectors of the plugins that `allowed` names."""

    own: TreeFlagger
    allowed: tuple[str, ...]

    def __call__(self, tree: Tree) -> Tree:
        """Return the tree with flags of all detectors."""
        return flag_tree(tree, _detectors_of(self))


@cache
def _detectors_of(flagger: PluginFlagger) -> Detectors:
    own = make_detector(flagger.own.engine, flagger.own.languages, urls=flagger.own.urls)
    return Detectors([own, *load_plugins(flagger.allowed).detectors])
