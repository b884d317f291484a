"""Haystack's converter: texts of `quire_client.load_texts` as `Document`."""

from pathlib import Path
from typing import Any, TypeAlias

from haystack import Document, component, default_from_dict, default_to_dict
from haystack.components.converters.utils import normalize_metadata
from haystack.dataclasses import ByteStream
from haystack.utils import Secret
from quire_client import Client, FileLike, LoadOptions, load_texts
from quire_client.loading import OnError, Split

Source: TypeAlias = str | Path | ByteStream


@component
class QuireConverter:
    """Convert files in an indexing pipeline: `QuireConverter().run(sources=["report.pdf"])["documents"]`.

    Without `url` and QUIRE_URL it uses the service of this machine; the token is that of QUIRE_TOKEN.
    With `on_error="warn"` a file that cannot be read is skipped with a warning.
    """

    def __init__(
        self,
        url: str | None = None,
        token: Secret = Secret.from_env_var("QUIRE_TOKEN", strict=False),
        split: Split = "chunk",
        redacted: bool = False,
        on_error: OnError = "raise",
    ) -> None:
        self.url, self.token, self.split, self.redacted = url, token, split, redacted
        self.on_error = on_error

    def to_dict(self) -> dict[str, Any]:
        """Return the saved form of a pipeline's converter; the token stays in the environment."""
        saved: dict[str, Any] = default_to_dict(
            self,
            url=self.url,
            token=self.token.to_dict(),
            split=self.split,
            redacted=self.redacted,
            on_error=self.on_error,
        )
        return saved

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "QuireConverter":
        """Return the converter that `to_dict` saved."""
        data["init_parameters"]["token"] = Secret.from_dict(data["init_parameters"]["token"])
        loaded: QuireConverter = default_from_dict(cls, data)
        return loaded

    @component.output_types(documents=list[Document])
    def run(
        self, sources: list[Source], meta: dict[str, Any] | list[dict[str, Any]] | None = None
    ) -> dict[str, list[Document]]:
        """Read paths, addresses and byte streams.

        Raises `DocumentFailed` at the first that cannot be read; with `on_error="warn"` such files are skipped.
        """
        documents = []
        reading = LoadOptions(split=self.split, redacted=self.redacted, on_error=self.on_error)
        with Client(self.url, self.token.resolve_value()) as client:
            for source, source_meta in zip(sources, normalize_metadata(meta, len(sources)), strict=True):
                stream_meta = source.meta if isinstance(source, ByteStream) else {}
                for loaded in load_texts(client, [_file_of(source)], reading):
                    facts = {**loaded.metadata, **stream_meta, **source_meta}
                    documents.append(Document(id=loaded.id, content=loaded.text, meta=facts))
        return {"documents": documents}


def _file_of(source: Source) -> FileLike:
    if not isinstance(source, ByteStream):
        return source
    name = source.meta.get("file_name") or source.meta.get("file_path") or "document"
    return Path(str(name)).name, source.data
