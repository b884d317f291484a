"""Pictures of a PDF, cut from their page on request: located by `asset_ref` in the tree and drawn in the sandbox.

Drawn pictures are cached in memory for a limited time, so a delete leaves nothing. Callers are admitted beforehand.
"""

import time
from collections.abc import Callable

from quire.models.cdom.ports import PageImage, PortUnavailable, RenderPage
from quire.models.cdom.tree import Block, Tree
from quire.serve_apps.api.context.kept import KeptValues
from quire.storage.jobs.documents import Original
from quire.storage.values.errors import NotFound
from quire.storage.values.rows import DocumentId

ASSET_DPI = 144  # pixels an inch: sharp on a screen of double density
KEPT_BYTES = 32 << 20  # bytes of drawn pictures kept in one process

Key = tuple[DocumentId, int, str]
"""Document, attempt, asset_ref."""


class DrawnPictures:
    """Cache of recently drawn PNG pictures, each at most a quarter of the budget. Thread-safe."""

    def __init__(self, budget: int = KEPT_BYTES, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = budget // 4
        self._pictures = KeptValues[Key, bytes](budget, clock)

    def get(self, key: Key) -> bytes | None:
        """Return the cached picture, or None."""
        return self._pictures.get(key)

    def keep(self, key: Key, picture: bytes) -> None:
        """Cache a picture unless it is larger than the limit per picture."""
        if len(picture) <= self._most:
            self._pictures.keep(key, picture, len(picture))


def find_picture(tree: Tree, asset_ref: str) -> Block:
    """Return the block that shows this picture.

    Raises:
        NotFound: No block shows it, or the block has no place on its page.
    """
    for block in tree.blocks:
        if block.asset_ref == asset_ref and block.bbox is not None:
            return block
    raise NotFound("no such asset")


async def draw_picture(port: RenderPage | None, original: Original, block: Block) -> bytes:
    """Return the block's area as PNG. Raises `NotFound`, `ExtractError`, `PortUnavailable`."""
    if port is None:
        raise PortUnavailable("render_page", "not part of this deployment")
    image: PageImage = await port.render_page(
        original.sha256, block.page, ASSET_DPI, original.options.password, block.bbox
    )
    return image.png
