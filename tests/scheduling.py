"""Which worker runs which tests: a file is one worker's, and so are all files that share the one running service."""

from xdist.scheduler import LoadFileScheduling

ONE_SERVICE = "tests/e2e/"
"""Where the tests of one running service stand: one worker starts it, and has all of them."""


class FileScheduling(LoadFileScheduling):
    def _split_scope(self, nodeid: str) -> str:
        return ONE_SERVICE if nodeid.startswith(ONE_SERVICE) else str(super()._split_scope(nodeid))
