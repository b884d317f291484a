"""The pages of the file that had a claim's name before, so that pages that did not change are not read again."""

from quire.models.cdom.version import READER_VERSION
from quire.storage.objects.artifacts import KEPT_PAGES
from quire.storage.postgres.tables import LONG
from quire.storage.store import Store
from quire.storage.values.errors import NotFound
from quire.storage.values.rows import Claim, DocumentId
from quire.storage.values.scoping import OWNED, owned_by

# Ids are random, so the newest document is found by its time; a name has few.
_FIND = f"""
select d.id, d.published_attempt from documents d join jobs j on j.id = d.job_id and {OWNED}
where d.tenant = %(tenant)s and d.org = %(org)s
  and d.source_file = (select source_file from documents where id = %(document_id)s)
  and d.{LONG.replace(" and ", " and d.")} and d.reader_version = %(reader_version)s
order by d.created_at desc limit 1
"""


def read_earlier_pages(store: Store, claim: Claim) -> bytes:
    """Return the kept pages of the newest document of the claim's name in its organisation; empty without one.

    Raises:
        StoreUnavailable: The database or the store of files does not answer.
    """
    wanted = owned_by(claim.scope, document_id=claim.document_id, reader_version=READER_VERSION)
    row = store.db.fetch_one(_FIND, wanted)
    if row is None:
        return b""
    try:
        return store.artifacts.read(DocumentId(row["id"]), row["published_attempt"], KEPT_PAGES)
    except NotFound:
        return b""
