"""The evaluate page: self-contained, valid, escaped, with a row per document."""

import html5lib
import lxml.html
from pydantic_core import to_jsonable_python

from quire.models.cdom.errors import ErrorCode
from quire.models.derive.quality import rate_document, rate_failure, summarise
from quire.models.export.quality_html import report_to_html
from tests.models.derive.trees import long_tree

HOSTILE = '"><script>alert(1)</script>.pdf'


def page() -> str:
    rows = [rate_document(HOSTILE, long_tree(3)), rate_failure("=b.doc", ErrorCode.UNSUPPORTED_FORMAT)]
    return report_to_html(to_jsonable_python(summarise(rows)))


def test_the_page_is_valid_and_runs_and_fetches_nothing() -> None:
    html5lib.HTMLParser(strict=True).parse(page())
    root = lxml.html.document_fromstring(page())
    assert not root.xpath("//script|//link|//img|//iframe|//@href|//@src|//@*[starts-with(name(), 'on')]")
    assert "default-src 'none'" in page()


def test_every_document_has_a_row_and_failures_name_their_code() -> None:
    root = lxml.html.document_fromstring(page())
    rows = root.xpath("//tbody/tr")
    assert [row.xpath("string(th)") for row in rows] == [HOSTILE, "=b.doc"]
    assert "unsupported-format" in rows[1].text_content()


def test_charts_have_a_text_description() -> None:
    root = lxml.html.document_fromstring(page())
    said = [drawing.get("aria-label") for drawing in root.xpath("//svg")]
    assert "Documents by format: pdf 1" in said
    assert "Failures by code: unsupported-format 1" in said


def test_a_report_of_no_documents_is_a_page() -> None:
    assert "<main>" in report_to_html(to_jsonable_python(summarise([])))
