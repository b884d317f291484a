"""The lazy registry of replica roles: each role's module is imported on its replica only."""

from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True, slots=True)
class Factory:
    """A function without arguments, named by its module, that builds what a replica runs."""

    module: str
    function: str

    def __call__(self) -> Any:
        """Import the module and call the function."""
        return getattr(import_module(self.module), self.function)()


API = Factory("quire.cluster.compose.api", "build_api")
BACKGROUND = Factory("quire.cluster.compose.background", "build_background")
READER = Factory("quire.cluster.compose.reading", "build_reader")
RECOGNISER = Factory("quire.cluster.compose.recognition", "build_recogniser")
VLM = Factory("quire.cluster.compose.recognition", "build_vlm")
SEARCHER = Factory("quire.cluster.compose.search", "build_searcher")
EMBEDDER = Factory("quire.cluster.compose.indexing", "build_embedder")
CONSOLE = Factory("quire.cluster.serve.hosted", "build_console")
COMPAT = Factory("quire.cluster.serve.hosted_compat", "build_compat")
ROLES = (API, BACKGROUND, READER, RECOGNISER, VLM, SEARCHER, EMBEDDER, CONSOLE, COMPAT)
