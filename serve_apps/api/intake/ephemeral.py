"""Files that are read once without being stored or metered: a few at a time, 55 seconds at most."""

from dataclasses import dataclass, replace

from fastapi import Request

from quire.models.cdom.errors import ErrorCode, ExtractError, UnsupportedFormat
from quire.models.cdom.ports import PortUnavailable, ReadOutcome
from quire.models.extract.formats.sniffing.signatures import sniff
from quire.serve_apps.api.context.deps import Call
from quire.serve_apps.api.context.ephemeral_slots import TIME_LIMIT_S
from quire.serve_apps.api.http.multipart import PartRules, PartsReader
from quire.serve_apps.api.http.uploads import body_chunks


@dataclass(frozen=True, slots=True)
class EphemeralFile:
    """One uploaded file, in memory only."""

    part: str
    name: str
    content: bytes


async def receive_files(request: Request, call: Call, max_files: int) -> list[EphemeralFile]:
    """Return the request's files, with any part names. Raises the same errors as an upload."""
    limits = call.running.resources.limits
    rules = PartRules(names=None, max_files=max_files, max_file_bytes=limits.max_upload_bytes)
    reader = PartsReader(request.headers.get("content-type", ""), rules)
    async for data in body_chunks(request, limits.upload_idle_s):
        reader.feed(data)
    reader.finish()
    return [EphemeralFile(file.part, file.name, b"".join(file.pending)) for file in reader.files]


async def read_file(call: Call, file: EphemeralFile, *, words: bool = False) -> ReadOutcome:
    """Read the file once and return the outcome; with `words`, pages keep their words with boxes.

    Raises:
        PortUnavailable: The deployment has no reader for such files.
    """
    port = call.running.resources.ports.read_once
    if port is None:
        raise PortUnavailable("read_once", "not part of this deployment")
    try:
        sniff(file.content)
    except UnsupportedFormat as error:
        return ReadOutcome(error=ErrorCode.UNSUPPORTED_FORMAT, detail=error.detail)
    return await port.read_once(file.content, replace(call.running.resources.options, words=words), TIME_LIMIT_S)


def format_of(file: EphemeralFile) -> str | None:
    """Return the file's format by its content, or None if it has no known format."""
    try:
        return sniff(file.content).value
    except ExtractError:
        return None
