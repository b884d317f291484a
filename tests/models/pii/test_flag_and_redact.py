import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.models.cdom.tree import FlagSpan, Span, Tree, dump_tree
from quire.models.pii.flagging.flag import flag_tree
from quire.models.pii.kinds import Hit
from quire.models.pii.paint import view_page
from quire.models.pii.patterns.kind_patterns import RegexDetector
from quire.models.pii.redact import PiiIncomplete, mask_spans, redact_tree
from tests.models.pii.trees import paragraph, table, tree

DETECTOR = RegexDetector()


def scanned(*texts: str) -> Tree:
    return flag_tree(tree(*(paragraph(i, text) for i, text in enumerate(texts))), DETECTOR)


def text_of(redacted: Tree) -> str:
    return dump_tree(redacted).decode()


def test_a_block_carries_its_flags_and_where_they_apply() -> None:
    block = scanned("Write to ann@example.com today.").blocks[0]
    assert block.flags == ("pii:email",)
    assert block.flag_spans == (FlagSpan(flag="pii:email", start=9, end=24),)


def test_redacted_tree_has_no_latex() -> None:
    spans = (Span(start=0, end=5, bold=True), Span(start=22, end=23, latex="ann@example.com"))
    block = replace(paragraph(0, "write to nobody where x holds"), spans=spans)
    redacted = redact_tree(flag_tree(tree(block), DETECTOR), {})
    assert redacted.blocks[0].spans == (Span(start=0, end=5, bold=True), Span(start=22, end=23))
    assert "ann@" not in text_of(redacted)


def test_the_scan_is_recorded_on_the_tree() -> None:
    scan = scanned("nothing").pii
    assert scan is not None
    assert (scan.engine, scan.complete) == ("regex", True)


def test_a_card_number_broken_over_two_blocks_is_masked_in_both() -> None:
    redacted = redact_tree(scanned("card 4111 1111", "1111 1111 thanks"), {})
    assert [block.text for block in redacted.blocks] == ["card [REDACTED:credit_card]", "[REDACTED:credit_card] thanks"]


def test_address_torn_at_hyphen_is_masked_in_both_parts() -> None:
    redacted = redact_tree(scanned("write to ann.example@post-", "amt.example.org"), {})
    assert "ann" not in text_of(redacted)
    assert "amt.example" not in text_of(redacted)


def test_a_number_broken_over_table_cells_is_masked_in_each() -> None:
    redacted = redact_tree(flag_tree(tree(table(0, "4111 1111", "1111 1111", "EUR")), DETECTOR), {})
    cells = redacted.blocks[0].table
    assert cells is not None
    assert [cell.text for cell in cells.cells] == ["[REDACTED:credit_card]", "[REDACTED:credit_card]", "EUR"]


@pytest.mark.parametrize(
    ("cells", "masked"),
    [
        (("+44 20 79", "460958"), True),
        (("+44 20 79", "46.95"), True),
        (("4111", "1111", "1111", "1111"), True),
        (("203.0", "113.7"), False),
        (("<12", "203.0.113.7", "9"), True),
    ],
)
def test_decimal_figures_of_neighbouring_cells_are_not_a_torn_number(cells: tuple[str, ...], masked: bool) -> None:
    (block,) = flag_tree(tree(table(0, *cells)), DETECTOR).blocks
    assert bool(block.flag_spans) is masked


def test_a_link_target_is_masked_with_its_words() -> None:
    block = paragraph(0, "Write to Ann today", spans=(Span(start=9, end=12, href="mailto:ann@example.com"),))
    redacted = redact_tree(flag_tree(tree(block), DETECTOR), {})
    assert redacted.blocks[0].text == "Write to [REDACTED:email] today"
    assert "ann@example.com" not in text_of(redacted)


def test_only_a_rejected_flag_keeps_its_text() -> None:
    found = scanned("ann@example.com and 203.0.113.77")
    kept = redact_tree(found, {("b0", "pii:email", 0): "rejected", ("b0", "pii:ip", 1): "approved"})
    assert kept.blocks[0].text == "ann@example.com and [REDACTED:ip]"
    assert redact_tree(found, {("b0", "pii:email", 0): "whatever"}).blocks[0].text.startswith("[REDACTED:email]")


def test_the_same_value_elsewhere_keeps_its_own_flag() -> None:
    found = scanned("ann@example.com", "again ann@example.com")
    redacted = redact_tree(found, {("b0", "pii:email", 0): "rejected"})
    assert [block.text for block in redacted.blocks] == ["ann@example.com", "again [REDACTED:email]"]


def test_a_flag_without_spans_masks_the_whole_block() -> None:
    found = flag_tree(tree(paragraph(0, "nothing to see")), DETECTOR)
    block = paragraph(0, "all of it", flags=("pii:unknown-kind",))
    redacted = redact_tree(Tree(**{**{f: getattr(found, f) for f in found.__slots__}, "blocks": (block,)}), {})
    assert redacted.blocks[0].text == "[REDACTED:unknown-kind]"


def test_metadata_that_names_people_is_left_out() -> None:
    redacted = redact_tree(scanned("x"), {})
    assert redacted.metadata.title is None
    assert redacted.metadata.author is None
    assert "Ann" not in text_of(redacted)


def test_a_tree_without_a_completed_scan_is_refused() -> None:
    class Broken:
        name, version = "broken", "1"

        def detect(self, text: str) -> list[Hit]:
            raise RuntimeError("boom")

    with pytest.raises(PiiIncomplete):
        redact_tree(tree(paragraph(0, "x")), {})
    failed = flag_tree(tree(paragraph(0, "x")), Broken())
    assert failed.pii is not None
    assert not failed.pii.complete
    with pytest.raises(PiiIncomplete):
        redact_tree(failed, {})


def test_boxes_to_paint_are_cells_where_only_cells_are_flagged() -> None:
    found = flag_tree(tree(table(0, "ann@example.com", "EUR"), paragraph(1, "bob@example.com")), DETECTOR)
    assert view_page(found, {}, 1).hidden == ((0.0, 0.0, 9.0, 9.0), (10.0, 20.0, 200.0, 35.0))


def test_scanning_twice_gives_the_same_flags() -> None:
    once = scanned("ann@example.com, +33 1 84 17 61 18")
    assert flag_tree(once, DETECTOR) == once


@given(st.lists(st.text(max_size=40), max_size=4), st.integers(0, 40))
def test_a_planted_address_never_survives_redaction(texts: list[str], at: int) -> None:
    where = at % (len(texts) + 1)
    planted = [*texts[:where], "canary.person@mail.example.com", *texts[where:]]
    assert "canary.person" not in json.loads(text_of(redact_tree(scanned(*planted), {}))).__repr__()


@given(
    st.text(min_size=1, max_size=60),
    st.lists(st.tuples(st.integers(0, 59), st.integers(1, 20)), max_size=6),
)
def test_no_masked_character_survives(text: str, ranges: list[tuple[int, int]]) -> None:
    spans = [FlagSpan(flag="pii:email", start=s, end=min(s + n, len(text))) for s, n in ranges if s < len(text)]
    masked, moved = mask_spans(text, spans)
    covered = {i for span in spans for i in range(span.start, span.end)}
    assert masked.replace("[REDACTED:email]", "") == "".join(c for i, c in enumerate(text) if i not in covered) or any(
        "[REDACTED" in text[i : i + 10] for i in range(len(text))
    )
    assert len(moved) <= len(spans)


def test_address_at_the_end_of_a_sentence_does_not_join_the_next_paragraph() -> None:
    found = scanned("Please write to ann@example.com.", "Yours sincerely")
    assert found.blocks[0].flag_spans == (FlagSpan(flag="pii:email", start=16, end=31),)
    assert found.blocks[1].flags == ()


def test_address_torn_after_dot_is_masked_in_both_parts() -> None:
    redacted = redact_tree(scanned("write to ann.meier@post.", "example.org today"), {})
    assert "ann.meier" not in text_of(redacted)
    assert "example.org" not in text_of(redacted)
