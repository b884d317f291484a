"""Markup: escaping at the last step, text that no HTML document may hold, the policy."""

import html5lib
from hypothesis import given
from hypothesis import strategies as st

from quire.models.export.markup import CONTENT_SECURITY_POLICY, META_POLICY, element, escape, open_tag, page


@given(st.text(st.characters()))
def test_any_text_is_valid_inside_an_element_and_an_attribute(text: str) -> None:
    written = page("t", "en", "", element("p", escape(text), title=text))
    html5lib.HTMLParser(strict=True).parse(written)


def test_attributes_are_quoted_and_complete() -> None:
    assert open_tag("p", class_='a"b', aria_label="<x>", id=None) == '<p class="a&quot;b" aria-label="&lt;x&gt;">'


def test_header_policy_is_meta_policy_and_sandbox() -> None:
    assert f"{META_POLICY}; sandbox" == CONTENT_SECURITY_POLICY
    assert "script" not in META_POLICY
    assert META_POLICY.startswith("default-src 'none'")
