"""Read a locked document again with its password: fetch its original from the engine and send it as a new upload.

The result is a new document with a separate place, end, page count and event. The locked one is removed once the new
one is accepted.
"""

from typing import Any

import httpx

from quire.serve_apps.api.http.uploads import StoredFile
from quire.serve_apps.console.callers.callers import ConsoleCaller
from quire.serve_apps.console.sending.removing import remove_document
from quire.serve_apps.console.sending.submitting import send_stored
from quire.serve_apps.console.store.rows import SentDocument


async def unlock(caller: ConsoleCaller, locked: SentDocument, password: str) -> str | None:
    """Return the new document's id, or None if the engine refuses the password's form.

    Raises:
        NotFound: The original does not exist.
        EngineFailed: The engine did not answer.
        MonthlyPagesUsed: The plan's pages are used up.
        TooManyDocuments: The plan's number of concurrent documents is reached.
    """
    stored = await _fetch(caller, locked)
    answer = await send_stored(caller, [stored], {"password": password})
    if answer.status_code != httpx.codes.CREATED:
        return None
    await remove_document(caller, locked.document_id)
    job: dict[str, Any] = answer.json()
    return str((job["documents"] + job["pending"])[0]["document_id"])


async def _fetch(caller: ConsoleCaller, locked: SentDocument) -> StoredFile:
    """Download the original into the spool."""
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
