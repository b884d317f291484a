"""Heading levels from the outline, section numbers and styles; the title; levels that all headings share."""

import random
from dataclasses import replace

import pytest

from quire.models.cdom.tree import BlockType, Route
from quire.models.extract.contract import OutlineEntry, PageBlock, PageContent, TextLook
from quire.models.extract.document.draft import Draft, make_drafts
from quire.models.extract.document.levels import (
    NAMES,
    find_depth,
    find_level_features,
    free_flat_levels,
    rank_styles,
    set_levels,
)

H, P, TITLE = BlockType.HEADING, BlockType.PARAGRAPH, BlockType.TITLE


def make_block(
    text: str, size: float, kind: BlockType = H, *, bold: bool = True, top: float = 100, lines: int = 1,
    font: str = "sans", level: int | None = None, tagged: bool = False,
) -> PageBlock:  # fmt: skip
    look = TextLook(size=size, bold=bold, font=font, lines=lines)
    return PageBlock(type=kind, text=text, bbox=(50, top, 350, top + 12), look=look, level=level, tagged=tagged)


def make_page(number: int, *blocks: PageBlock, body_size: float = 10, route: Route = Route.FAST) -> PageContent:
    content = PageContent(
        number=number, width=400, height=600, body_size=body_size, blocks=blocks, engine="t", version="1"
    )
    return replace(content, route=route)


def body(size: float = 10) -> PageBlock:
    return make_block("Some running text of the page. " * 4, size, P, bold=False)


def set_on(*pages: PageContent, outline: tuple[OutlineEntry, ...] = ()) -> list[Draft]:
    drafts = make_drafts(list(pages))
    set_levels(drafts, list(pages), outline)
    return drafts


def levels_of(drafts: list[Draft]) -> list[int | None]:
    return [draft.level for draft in drafts if draft.type is H]


def scanned(*blocks: PageBlock) -> list[Draft]:
    """Headings of a recognised page: ranks decide, no learned trees."""
    return set_on(make_page(1, *blocks, body(), route=Route.OCR))


@pytest.mark.parametrize(
    ("text", "depth"),
    [
        ("1 Aims", 1), ("1. Aims", 1), ("1.2 Aims", 2), ("10.20.30 Aims", 3), ("  2.1. Aims", 2),
        ("Aims", None), ("1", None), ("1.2", None), ("1 2", None), ("1234 Aims", None), ("1Aims", None),
    ],
)  # fmt: skip
def test_depth_is_the_count_of_numbers(text: str, depth: int | None) -> None:
    assert find_depth(text) == depth


def test_styles_are_ranked_by_size_then_boldness() -> None:
    styles = ((12, False), (16, True), (12, True), (11.8, True), (11.4, True))
    drafts = make_drafts([make_page(1, *(make_block("a", size, bold=bold) for size, bold in styles))])
    ranks = rank_styles(drafts)
    assert ranks == {(16, True): 1, (12, True): 2, (12, False): 3, (11.8, True): 4, (11.4, True): 5}
    assert rank_styles(drafts[3:], 0.5) == {(11.8, True): 1, (11.4, True): 1}
    assert rank_styles(drafts[3:]) == {(11.8, True): 1, (11.4, True): 2}


@pytest.mark.parametrize("seed", range(20))
def test_recognised_headings_have_the_rank_of_their_size(seed: int) -> None:
    draw = random.Random(seed)
    sizes = [draw.choice((24, 20, 17, 14, 12)) for _ in range(draw.randint(3, 9))]
    sizes = [max(sizes), *sizes, max(sizes)]
    expected = sorted(set(sizes), reverse=True)
    drafts = scanned(*(make_block(f"Part {'abcdefghijk'[index]}", size) for index, size in enumerate(sizes)))
    assert levels_of(drafts) == [expected.index(size) + 1 for size in sizes]


def test_recognised_sizes_closer_than_a_step_are_one_style() -> None:
    drafts = scanned(make_block("Aims", 14.5), make_block("Means", 14.0), make_block("Ends", 13.3))
    assert levels_of(drafts) == [1, 1, 2]


def test_section_numbers_of_several_depths_decide() -> None:
    drafts = scanned(
        make_block("1 Aims", 14), make_block("1.1 First", 12), make_block("1.1.1 Deep", 12),
        make_block("Notes", 14), make_block("Remarks", 12), make_block("Small", 11),
        make_block("1.2.3.4.5.6.7 Deepest", 11),
    )  # fmt: skip
    assert levels_of(drafts) == [1, 2, 3, 1, 2, 6, 6]


def test_unnumbered_style_below_numbered_ones_is_one_level_deeper() -> None:
    drafts = scanned(make_block("1 Aims", 14), make_block("1.1 First", 12), make_block("Small", 11))
    assert levels_of(drafts) == [1, 2, 3]


def test_unnumbered_style_above_numbered_ones_has_its_rank() -> None:
    drafts = scanned(
        make_block("Part", 20), make_block("Part two", 20), make_block("1 Aims", 14), make_block("1.1 First", 12)
    )
    assert levels_of(drafts) == [1, 1, 1, 2]


def test_numbers_of_one_depth_do_not_decide() -> None:
    drafts = scanned(
        make_block("Part", 20), make_block("Part two", 20), make_block("1.1 Aims", 14), make_block("1.2 Ends", 12)
    )
    assert levels_of(drafts) == [1, 1, 2, 3]


def test_outline_decides_before_numbers_and_ranks() -> None:
    page = make_page(
        1, make_block("1 Aims!", 20), make_block("1.1 First", 14), make_block("Notes", 12), body(), route=Route.OCR
    )
    outline = (
        OutlineEntry(level=3, title="1  aims", page=1), OutlineEntry(level=9, title="Notes", page=1),
        OutlineEntry(level=5, title="1.1 First", page=2),
    )  # fmt: skip
    assert levels_of(set_on(page, outline=outline)) == [3, 2, 6]


def test_stated_levels_stay() -> None:
    drafts = scanned(make_block("Aims", 20, level=4), make_block("Means", 14), make_block("Ends", 14))
    assert levels_of(drafts) == [4, 1, 1]


def test_first_heading_alone_in_the_highest_rank_is_the_title() -> None:
    drafts = scanned(make_block("Report", 20), make_block("Aims", 14), make_block("Means", 14), make_block("Sub", 12))
    assert [(draft.type, draft.level) for draft in drafts[:4]] == [(TITLE, None), (H, 1), (H, 1), (H, 2)]


@pytest.mark.parametrize(
    "blocks",
    [
        (("Report", 20), ("Aims", 14)),
        (("Report", 20), ("Aims", 20), ("Ends", 14)),
        (("Report", 14), ("Aims", 20), ("Ends", 14)),
        (("1 Report", 20), ("Aims", 14), ("Ends", 14)),
    ],
)
def test_document_without_one_highest_heading_has_no_title(blocks: tuple[tuple[str, float], ...]) -> None:
    drafts = scanned(*(make_block(text, size) for text, size in blocks))
    assert TITLE not in [draft.type for draft in drafts]


def test_numbered_sections_in_the_style_of_the_title_do_not_rival_it() -> None:
    drafts = scanned(make_block("Report", 20), make_block("1 Aims", 20), make_block("1.1 First", 14))
    assert [(draft.type, draft.level) for draft in drafts[:3]] == [(TITLE, None), (H, 1), (H, 2)]


def test_heading_on_a_later_page_is_no_title() -> None:
    late = make_page(2, make_block("Report", 20), make_block("Aims", 14), make_block("Ends", 14), route=Route.OCR)
    assert TITLE not in [draft.type for draft in set_on(make_page(1, body()), late)]


def test_levels_stay_when_a_heading_below_the_title_is_at_the_first_level() -> None:
    drafts = scanned(make_block("Report", 20), make_block("Part", 14, level=None), make_block("Aims", 12))
    assert levels_of(drafts) == [1, 2]


@pytest.mark.parametrize(
    ("look", "kind"),
    [
        ({"size": 9.4, "bold": False}, P), ({"size": 10.5, "bold": False}, H), ({"size": 9.4, "bold": True}, H),
        ({"size": 0.0, "bold": False}, H),
    ],
)  # fmt: skip
def test_light_heading_of_a_page_in_small_type_is_text(look: dict[str, float], kind: BlockType) -> None:
    small = make_page(2, make_block("Remark", look["size"], bold=bool(look["bold"])), body_size=9)
    assert set_on(make_page(1, body(), body()), small)[-1].type is kind


@pytest.mark.parametrize(
    ("text", "body_size", "level"), [("2 Remark", 9, None), ("Remark", 9.5, None), ("Remark", 9, 2)]
)
def test_numbered_stated_or_ordinary_headings_stay(text: str, body_size: float, level: int | None) -> None:
    page = make_page(2, make_block(text, 9.4, bold=False, level=level), body_size=body_size)
    assert set_on(make_page(1, body(), body()), page)[-1].type is H


def number_line(text: str, **look: object) -> BlockType:
    """The type that a bold line gets between the sections 1.1 and 1.4 of its size and font."""
    line = make_block(text, 12, P)
    line = replace(line, look=replace(line.look, **look))  # type: ignore[arg-type]
    return scanned(make_block("1.1 First", 12), line, make_block("1.4 Fourth", 12))[1].type


@pytest.mark.parametrize("text", ["1.2 Second", "1.3 Third", "1.5 Fifth", "1.0 Zeroth"])
def test_bold_line_next_to_a_section_number_is_a_heading(text: str) -> None:
    assert number_line(text) is H


@pytest.mark.parametrize("text", ["1.4 Again", "1.7 Far", "2.2 Other", "Second", "1.2 " + "x" * 97, "1 Upper"])
def test_other_bold_lines_stay_text(text: str) -> None:
    assert number_line(text) is P


@pytest.mark.parametrize("look", [{"bold": False}, {"lines": 2}, {"size": 11.0}, {"font": "serif"}])
def test_numbered_line_in_another_type_stays_text(look: dict[str, object]) -> None:
    assert number_line("1.2 Second", **look) is P


def test_found_section_makes_the_next_one_a_heading() -> None:
    lines = [make_block(f"1.{number} Part", 12, P) for number in (2, 3, 4)]
    assert [draft.type for draft in scanned(make_block("1.1 First", 12), *lines)[:4]] == [H] * 4
    assert len("1.2 " + "x" * 96) == 100
    assert number_line("1.2 " + "x" * 96) is H


def test_printed_headings_get_learned_levels_that_keep_clear_sizes_apart() -> None:
    blocks = [block for index in range(4) for block in (
        make_block(f"Part {'abcd'[index]}", 18), make_block(f"Aim {'abcd'[index]}", 13), body())]  # fmt: skip
    drafts = set_on(make_page(1, *blocks))
    upper, lower = levels_of(drafts)[0::2], levels_of(drafts)[1::2]
    assert len(set(upper)) == len(set(lower)) == 1
    assert (upper[0] or 0) < (lower[0] or 0)


def test_features_have_a_column_for_each_name() -> None:
    page = make_page(
        3, make_block("AIMS", 20, top=60), make_block("1.2 Means", 15), make_block("Ends", 10, bold=False, font="x")
    )
    row = dict(zip(NAMES, find_level_features(make_drafts([page]))[1].tolist(), strict=True))
    exact = {
        "size": 1.5, "of_largest": 0.75, "rank": 2, "ranks": 3, "ranks_below": 1, "bold": 1, "italic": 0, "same": 1,
        "count": 3, "depth": 2, "same_depth": 2, "any_depth": 1, "to_upper": 0.75, "same_first": 0, "first": 0,
        "rank_step": -1, "first_size": 2, "first_rank": 1, "chars": 9, "upper": 0, "same_upper": 0, "page": 0,
        "pages": 0, "same_start": 1, "upper_first": 1, "first_font": 1, "largest": 2, "body": 10, "same_chars": 9,
    }  # fmt: skip
    assert {name: row[name] for name in exact} == exact
    assert row["same_share"] == pytest.approx(1 / 3)
    assert row["to_lower"] == pytest.approx(2 / 3)
    assert row["top"] == pytest.approx(1 / 6)


def free(
    *sizes: float, levels: tuple[int | None, ...] | None = None, tagged: bool = True
) -> tuple[bool, list[int | None]]:
    shared = levels or (2,) * len(sizes)
    blocks = [make_block("Aims", size, level=level, tagged=tagged) for size, level in zip(sizes, shared, strict=True)]
    drafts = make_drafts([make_page(1, *blocks)])
    return free_flat_levels(drafts), [draft.level for draft in drafts]


def test_level_that_all_headings_share_is_removed_when_sizes_differ() -> None:
    assert free(10, 10, 10, 11.5) == (True, [None] * 4)


@pytest.mark.parametrize(
    ("sizes", "levels", "tagged"),
    [
        ((10, 10, 11.5), None, True), ((10, 10, 10, 11.4), None, True), ((10, 10, 10, 12), (2, 2, 2, 3), True),
        ((10, 10, 10, 12), None, False), ((10, 10, 10, 12), (None,) * 4, True),
    ],
)  # fmt: skip
def test_level_stays_when_headings_may_really_have_it(
    sizes: tuple[float, ...], levels: tuple[int | None, ...] | None, *, tagged: bool
) -> None:
    assert free(*sizes, levels=levels, tagged=tagged) == (False, list(levels or (2,) * len(sizes)))


LAW_WORDS = (
    ("PART", "Chapter", "Article"), ("PART", "Section"), ("Part", "Article"), ("BOOK", "Title", "Chapter", "Article"),
    ("Teil", "Kapitel", "Abschnitt", "§"), ("Titre", "Chapitre", "Article"), ("Título", "Capítulo", "Artículo"),
    ("Chapter", "Section"), ("PART", ""), ("Chapter", ""), ("Hoofdstuk", "Artikel"), ("Parte", "Titolo", "Articolo"),
)  # fmt: skip
ROMAN = ("I", "II", "III", "IV")


def make_law(seed: int) -> tuple[PageContent, list[int]]:
    """A law whose headings all have one style: each part has one to three parts of the next kind."""
    rng = random.Random(seed)
    words = LAW_WORDS[seed % len(LAW_WORDS)]
    blocks: list[PageBlock] = []
    levels: list[int] = []

    def add(depth: int) -> None:
        for number in range(rng.randint(2, 3)):
            word, name = words[depth], rng.choice(("Duties of the owner", "Meaning of words", "Scope"))
            shown = ROMAN[number] if depth == 0 else str(number + 1)
            text = f"{number + 1}. {name}" if not word else f"{word} {shown} {name}" if depth else f"{word} {shown}"
            blocks.append(make_block(text, 12))
            levels.append(depth + 1)
            if depth + 1 < len(words):
                add(depth + 1)
            else:
                blocks.append(body())

    add(0)
    return make_page(1, *blocks), levels


@pytest.mark.parametrize("seed", range(36))
def test_words_of_the_law_nest_headings_of_one_style(seed: int) -> None:
    page, levels = make_law(seed)
    read = [level or 0 for level in levels_of(set_on(page))]
    assert [level - read[0] + 1 for level in read] == levels


@pytest.mark.parametrize(
    "texts",
    [
        ("Part of the harbour", "Article of faith", "Rule and order"),
        ("Chapter 1", "Chapter 2", "Chapter 3"),
        ("1. Scope", "2. Words", "Annex A"),
        ("Part-time work", "Section heads", "Titles won"),
    ],
)
def test_words_without_numbers_or_order_change_no_level(texts: tuple[str, ...]) -> None:
    drafts = set_on(make_page(1, *[block for text in texts for block in (make_block(text, 12), body())]))
    assert len({draft.level for draft in drafts if draft.type is H}) == 1
