"""Reads a redacted file other than PDF again: our reader's text, and every part's text, attributes and bytes."""

import zipfile
from io import BytesIO

from lxml import etree

from quire.models.pii.letters import letters
from quire.models.redaction.planning.errors import RedactionUnproven
from quire.models.redaction.planning.plan import RedactionPlan, Reread
from quire.models.redaction.planning.search import Search, texts_of_tree


def require_proof(made: bytes, plan: RedactionPlan, reread: Reread) -> bytes:
    """`made`, when no masked value stands anywhere in it. Raises `RedactionUnproven`."""
    search = Search(plan)
    texts = [(place, text, letters(text)) for place, text in texts_of_tree(reread(made))]
    for place, text, folded in texts:
        if search.in_folded(text, folded):
            raise RedactionUnproven(f"found again in reader: {place}")
    if search.in_joined(folded for _, _, folded in texts):
        raise RedactionUnproven("found again in reader: pieces")
    if search.in_bytes(made):
        raise RedactionUnproven("found again in raw bytes")
    if zipfile.is_zipfile(BytesIO(made)):
        _require_parts(made, search)
    return made


def _require_parts(made: bytes, search: Search) -> None:
    with zipfile.ZipFile(BytesIO(made)) as file:
        for name in file.namelist():
            content = file.read(name)
            if name != "mimetype":
                root = etree.fromstring(content)
                shown = "".join(str(text) for text in root.itertext())
                values = "\n".join(str(value) for element in root.iter() for value in element.attrib.values())
                if search.in_text(shown) or search.in_text(values):
                    raise RedactionUnproven(f"found again in {name}")
            if search.in_bytes(content):
                raise RedactionUnproven(f"found again in {name}")
