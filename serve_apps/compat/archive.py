"""Converted documents as one zip: a file per document and format, names made unique."""

import json
import zipfile
from collections.abc import Sequence
from typing import IO, Any

ENDINGS = {"md_content": "md", "html_content": "html", "text_content": "txt", "json_content": "json"}


def zip_documents(file: IO[bytes], documents: Sequence[dict[str, Any]]) -> None:
    """Write the archive to `file`; formats that were not requested are left out."""
    used: set[str] = set()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for document in documents:
            stem = _unique(document["filename"].rsplit(".", 1)[0] or "document", used)
            for name, ending in ENDINGS.items():
                if (content := document[name]) is not None:
                    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
                    archive.writestr(f"{stem}.{ending}", text)


def _unique(stem: str, used: set[str]) -> str:
    name, n = stem, 1
    while name in used:
        n += 1
        name = f"{stem}-{n}"
    used.add(name)
    return name
