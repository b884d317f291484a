"""LangChain's loader: texts of `quire_client.load_texts` as `Document`."""

from collections.abc import Iterator, Sequence
from typing import Any

from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document
from quire_client import Client, FileLike, LoadOptions, load_texts


class QuireLoader(BaseLoader):
    """Load files with `QuireLoader("report.pdf").load()`: a path, an address, an open file, or a list of them.

    `options` are those of `LoadOptions` (`split="document"` returns one Markdown text per file, `on_error="warn"`
    skips files that cannot be read, with a warning). The service is that of
    `client`, or of QUIRE_URL and QUIRE_TOKEN.
    """

    def __init__(self, sources: FileLike | Sequence[FileLike], *, client: Client | None = None, **options: Any) -> None:
        self._sources: list[FileLike] = list(sources) if isinstance(sources, list) else [sources]  # type: ignore[list-item]
        self._client, self._options = client, LoadOptions(**options)

    def lazy_load(self) -> Iterator[Document]:
        """Yield each passage as it arrives. By default raises `DocumentFailed` at the first unreadable file."""
        client = self._client or Client()
        for loaded in load_texts(client, self._sources, self._options):
            yield Document(id=loaded.id, page_content=loaded.text, metadata=dict(loaded.metadata))
