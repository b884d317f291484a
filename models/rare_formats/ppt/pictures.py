"""Pictures of a deck of PowerPoint 97 to 2003: the list of pictures in the document, their bytes in a stream."""

from typing import Final

from quire.models.cdom.errors import ResourceLimit
from quire.models.extract.formats.flow.drawings import STORE, StoredPictures, read_picture, read_records
from quire.models.rare_formats.ppt.records import PptFile

STREAM: Final = "Pictures"
_DRAWING_GROUP: Final = 0x040B
"""Kind of the record that holds the list of pictures, as the format numbers it."""
MAX_PICTURES: Final = 20_000
"""Pictures that one deck stores."""


class PptPictures(StoredPictures):
    """The pictures of one deck by name; their bytes are read on demand."""

    def __init__(self, file: PptFile, stream: bytes) -> None:
        """Locate the pictures.

        Raises:
            ResourceLimit: There are too many pictures.
        """
        super().__init__()
        self._names: list[str | None] = []
        group = file.child(file.document, _DRAWING_GROUP)
        records = file.walk(group, 1) if group is not None else iter(())
        store = next((record for record in records if record.kind == STORE), None)
        entries = read_records(file.data, store.start, store.end) if store is not None else iter(())
        for number, entry in enumerate(entries, start=1):
            if number > MAX_PICTURES:
                raise ResourceLimit(f"more than {MAX_PICTURES} pictures")
            stored = read_picture(file.data, entry, stream)
            if stored is None:
                self._names.append(None)
                continue
            kind = "bmp" if stored[0].kind == "dib" else stored[0].kind
            name = f"picture-{number}.{kind}"
            self._found[name] = stored
            self._names.append(name)

    def name(self, number: int) -> str | None:
        """Return the name of a picture by its number, counted from 1; None when its bytes are missing."""
        return self._names[number - 1] if 0 < number <= len(self._names) else None
