"""Documents for LlamaIndex, read by a Quire service: `QuireReader`."""

from llama_index.readers.quire.reader import QuireReader

__all__ = ["QuireReader"]
