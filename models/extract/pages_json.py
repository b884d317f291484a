"""Pages and document facts as JSON bytes: what a reading child sends, what ranges of pages are joined from."""

from functools import cache

from pydantic import TypeAdapter

from models.extract.contract import DocumentFacts, PageContent


@cache
def page_adapter() -> TypeAdapter[PageContent]:
    return TypeAdapter(PageContent)


@cache
def facts_adapter() -> TypeAdapter[DocumentFacts]:
    return TypeAdapter(DocumentFacts)


def dump_page(content: PageContent) -> bytes:
    """One page as compact JSON; fields that have their default are left out."""
    return page_adapter().dump_json(content, exclude_defaults=True)


def load_page(stored: bytes) -> PageContent:
    """The page again; raises `pydantic.ValidationError` when the bytes are no page."""
    return page_adapter().validate_json(stored)


def dump_facts(facts: DocumentFacts) -> bytes:
    return facts_adapter().dump_json(facts)


def load_facts(stored: bytes) -> DocumentFacts:
    """The facts again; raises `pydantic.ValidationError` when the bytes are none."""
    return facts_adapter().validate_json(stored)
