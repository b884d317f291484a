"""The reason for which the GPU tier cannot read pages, in the engine's own words, for health and `quire status`.

It is kept in Ray's own store: a question to the replica would count as work, so the tier would never scale to zero.
"""

from ray.experimental.internal_kv import _internal_kv_get, _internal_kv_put

_KEY, _NAMESPACE = b"vlm_ocr_fault", b"quire"


class VlmFault:
    """The last known reason of all replicas."""

    def __init__(self) -> None:
        self._text = ""

    def write(self, text: str) -> None:
        """Store the reason; an empty text stands for a working engine."""
        if text != self._text:
            self._text = text
            _internal_kv_put(_KEY, text.encode(), overwrite=True, namespace=_NAMESPACE)

    @staticmethod
    def read() -> str:
        """Return the reason; empty if the tier works or was not asked yet."""
        return (_internal_kv_get(_KEY, namespace=_NAMESPACE) or b"").decode()
