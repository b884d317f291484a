"""Records of the caller's own form: filled exactly, and nothing but insertion and choice."""

import json

import pytest

from quire.models.cdom.chunk import Chunk, ChunkId
from quire.models.derive.finetune import FinetuneOptions, make_records
from quire.models.derive.finetune_template import MAX_TEMPLATE_CHARS, InvalidTemplate, check_template

FORM = {
    "prompt": "What does {{ document }} say about {{ heading | lower }}?",
    "answer": "{{ text }}",
    "tags": ["{{ section }}", "{% if pages %}page {{ pages | first }}{% endif %}"],
    "weight": 1,
}


def chunk_of(text: str, *path: str) -> Chunk:
    return Chunk(
        id=ChunkId("c-1"), index=0, text=text, tokens=1, section_path=path, pages=(2, 3), block_ids=(), bboxes=(),
        flags=(), language=None,
    )  # fmt: skip


def records(template: object, *chunks: Chunk) -> list[dict[str, object]]:
    options = FinetuneOptions(template=json.dumps(template))
    return list(make_records([("doc_1", chunk) for chunk in chunks], options))


def test_record_has_the_form_of_the_template_and_metadata() -> None:
    assert records(FORM, chunk_of('Cranes\n\nCranes "lift" loads.', "Harbour", "Cranes")) == [
        {
            "prompt": "What does doc_1 say about cranes?",
            "answer": 'Cranes "lift" loads.',
            "tags": ["Harbour > Cranes", "page 2"],
            "weight": 1,
            "metadata": {"document": "doc_1", "pages": [2, 3], "section": ["Harbour", "Cranes"]},
        }
    ]


def test_chunk_without_heading_is_left_out_only_if_the_template_uses_it() -> None:
    bare = chunk_of("Loose text.")
    assert records(FORM, bare) == []
    assert [record["only"] for record in records({"only": "{{ text }}"}, bare)] == ["Loose text."]


def test_metadata_of_the_template_replaces_the_usual_one() -> None:
    [record] = records({"metadata": None, "text": "{{ text }}"}, chunk_of("Loose text."))
    assert record == {"metadata": None, "text": "Loose text."}


HOSTILE = (
    "{% for a in range(9999999) %}x{% endfor %}", "{{ text * 999999999 }}", "{{ text.__class__.__mro__ }}",
    "{{ ''.join(['a']) }}", "{{ config }}", "{{ self }}", "{{ text['upper'] }}", "{% set a = text %}", "{{ cycler }}",
    "{% macro m() %}{% endmacro %}", "{% include 'x' %}", "{% import 'x' as y %}", "{{ text | format }}",
    "{{ 9 ** 9 }}",
    "{{ text | attr('x') }}", "{{ text | map('upper') }}", "{{ text", "{{ [1] }}", "{{ text ~ text }}",
    "{% extends 'x' %}", "{{ lipsum() }}", "{{ text | center(99999999) }}", "{{ text | indent }}", "{{ 1 + 1 }}",
    "{% if pages < text %}x{% endif %}",
)  # fmt: skip


@pytest.mark.parametrize("template", [json.dumps({"text": text}) for text in HOSTILE])
def test_anything_but_insertion_and_choice_is_refused(template: str) -> None:
    with pytest.raises(InvalidTemplate):
        check_template(template)


@pytest.mark.parametrize("template", ["", "[]", "{}", '"x"', "{", "1" * (MAX_TEMPLATE_CHARS + 1), "[" * 3000])
def test_template_that_is_no_object_of_texts_is_refused(template: str) -> None:
    with pytest.raises(InvalidTemplate):
        FinetuneOptions(template=template)
