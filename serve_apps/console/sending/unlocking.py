"""A locked document once more, with its password: its original comes back from the engine and is sent as any upload is.

So it is a document of its own, with its own place, end, pages and event; the locked one goes when that one is taken.
"""

from typing import Any

import httpx

from serve_apps.api.http.uploads import StoredFile
from serve_apps.console.callers.callers import ConsoleCaller
from serve_apps.console.sending.removing import remove_document
from serve_apps.console.sending.submitting import send_stored
from serve_apps.console.store.rows import SentDocument


async def unlock(caller: ConsoleCaller, locked: SentDocument, password: str) -> str | None:
    """The new document's id; None where the engine refuses the password's form. Raises NotFound, EngineFailed, and
    what a plan refuses."""
    stored = await _fetch(caller, locked)
    answer = await send_stored(caller, [stored], {"password": password})
    if answer.status_code != httpx.codes.CREATED:
        return None
    await remove_document(caller, locked.document_id)
    job: dict[str, Any] = answer.json()
    return str((job["documents"] + job["pending"])[0]["document_id"])


async def _fetch(caller: ConsoleCaller, locked: SentDocument) -> StoredFile:
    """The original in the spool."""
    running = caller.running
    writer = await running.disk.run(running.spool.new_writer)
    try:
        target = f"/v1/jobs/{locked.job_id}/documents/{locked.document_id}/original"
        async for data in running.engine.download(target, locked.org):
            await running.disk.run(writer.write, data)
        return StoredFile(locked.source_file, await running.disk.run(writer.commit))
    except BaseException:
        writer.abort()
        raise
