"""LlamaIndex's reader: texts of `quire_client.load_texts` as `Document`."""

from collections.abc import Iterator
from typing import Any

from llama_index.core.readers.base import BasePydanticReader
from llama_index.core.schema import Document
from quire_client import Client, FileLike, LoadOptions, load_texts
from quire_client.loading import OnError, Split

_NOT_EMBEDDED = ["job_id", "document_id", "chunk_id", "boxes", "format", "page_count"]
"""Metadata unrelated to the content; it is hidden from the embedder and the model."""


class QuireReader(BasePydanticReader):
    """Read files with `QuireReader().load_data("report.pdf")`, or as `file_extractor` of a directory reader.

    Without `url` and `token` the service is that of QUIRE_URL and QUIRE_TOKEN.
    With `on_error="warn"` a file that cannot be read is skipped with a warning.
    """

    is_remote: bool = True
    url: str | None = None
    token: str | None = None
    split: Split = "chunk"
    redacted: bool = False
    on_error: OnError = "raise"

    def lazy_load_data(  # type: ignore[override]
        self, file: FileLike | list[FileLike], extra_info: dict[str, Any] | None = None, **options: Any
    ) -> Iterator[Document]:
        """Yield each passage as it arrives. `options`: `pages`, `password`, `ocr`. Raises `DocumentFailed`."""
        options.pop("fs", None)  # the file system of a directory reader; files are streamed from their paths
        several = file if isinstance(file, list) else [file]
        reading = LoadOptions(split=self.split, redacted=self.redacted, on_error=self.on_error, **options)
        with Client(self.url, self.token) as client:
            for loaded in load_texts(client, several, reading):
                yield Document(
                    id_=loaded.id,
                    text=loaded.text,
                    metadata=dict(loaded.metadata) | (extra_info or {}),
                    excluded_embed_metadata_keys=_NOT_EMBEDDED,
                    excluded_llm_metadata_keys=_NOT_EMBEDDED,
                )
