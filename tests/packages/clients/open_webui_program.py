"""Open WebUI's own loader, unchanged, before our door; run by `live_frameworks` where it is installed.

Its engine is set as its settings set it; what it gives are the pages that its answers cite.
"""

import os

os.environ |= {"FROM_INIT_PY": "true", "WEBUI_SECRET_KEY": "of this test", "DATA_DIR": os.getcwd()}
os.environ |= {"VECTOR_DB": "none", "ENABLE_DB_MIGRATIONS": "false"}

import pytest
from open_webui.retrieval.loaders.main import Loader

SETTINGS = {
    "rag.content_extraction_engine": "docling",
    "rag.docling_server_url": os.environ["QUIRE_DOOR"],
    "rag.docling_api_key": os.environ["QUIRE_TOKEN"],
    "rag.docling_params": {"do_ocr": "true"},
}
pages = Loader(SETTINGS).load("report.pdf", "application/pdf", "report.pdf")
assert [page.metadata["page"] for page in pages] == [0, 1, 2], pages
assert "Harbour Crane Inspection" in pages[0].page_content
assert all("\f" not in page.page_content for page in pages)
with pytest.raises(Exception, match="Error calling Docling"):
    Loader(SETTINGS).load("broken.bin", "application/octet-stream", "broken.bin")
print("ok")
