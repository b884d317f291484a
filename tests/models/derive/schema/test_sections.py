"""Entries under a heading are rows: posts and degrees, with their period before or behind them."""

import random
from typing import Any

import pytest

from quire.models.cdom.tree import Block, BlockType, Tree
from quire.models.derive.schema.extract import extract_data, read_schema
from tests.builders import make_block, make_table, make_tree

TEXT, YEAR, NUMBER = {"type": "string"}, {"type": "integer"}, {"type": "number"}
FIRMS = ("Elbwerk AG", "Atelier Morvan SARL", "Northern Rope Works Ltd", "Ferretería Olmo", "Vidraria Douro S.A.")
TITLES = ("Engineer", "Head of Sales", "Buyer", "Project manager", "Nurse")
HEADINGS = (
    "Experience",
    "Work Experience",
    "Berufserfahrung",
    "Expérience professionnelle",
    "Esperienza professionale",
)
FORMS = (
    ("{title}, {employer}", "{start} – {end}"), ("{title}, {employer} {start} – {end}",),
    ("{start} – {end}: {title}, {employer}",), ("{start}-{end}", "{title} · {employer}"),
    ("{title} | {employer}\n{start} – {end}",), ("{employer}, {title}", "{start} to {end}"),
)  # fmt: skip


def rows_of(**properties: Any) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "object", "properties": properties}}


def make_career(seed: int) -> tuple[Tree, dict[str, Any]]:
    """Return a page with a person's name, address for mail and posts, and what it states."""
    chance = random.Random(seed)
    form, year, posts = FORMS[seed % len(FORMS)], 2024, []
    blocks = [make_block(BlockType.HEADING, "Anna van Dam"), make_block(BlockType.PARAGRAPH, "anna@example.org")]
    blocks.append(make_block(BlockType.HEADING, chance.choice(HEADINGS)))
    for firm in chance.sample(FIRMS, 3):
        start = year - chance.randrange(1, 5)
        posts.append({"title": chance.choice(TITLES), "employer": firm, "start_year": start, "end_year": year})
        blocks += [
            make_block(BlockType.PARAGRAPH, part.format(title=posts[-1]["title"], employer=firm, start=start, end=year))
            for part in form
        ]
        year = start
    blocks.append(make_block(BlockType.HEADING, "Hobbies"))
    blocks.append(make_block(BlockType.PARAGRAPH, "Sailing, since 1999"))
    return make_tree(*blocks), {"name": "Anna van Dam", "experience": posts}


def test_posts_under_a_heading_are_rows() -> None:
    schema = {"name": TEXT, "experience": rows_of(title=TEXT, employer=TEXT, start_year=YEAR, end_year=YEAR)}
    read = read_schema({"type": "object", "properties": schema})
    right = asked = 0
    for seed in range(36):
        tree, truth = make_career(seed)
        data = extract_data(tree, read).data
        right += data.get("name") == truth["name"]
        for found, wanted in zip(data["experience"], truth["experience"], strict=False):
            right += sum(found.get(name) == value for name, value in wanted.items())
        asked += 1 + sum(map(len, truth["experience"]))
    assert right >= 0.95 * asked


@pytest.mark.parametrize("text", ["", "no year at all", "1999 2000 2001", "2019 – 2020", "12/2019"])
def test_section_without_entries_gives_no_rows(text: str) -> None:
    tree = make_tree(make_block(BlockType.HEADING, "Education"), make_block(BlockType.PARAGRAPH, text))
    read = read_schema({"type": "object", "properties": {"education": rows_of(school=TEXT, year=YEAR)}})
    assert not extract_data(tree, read).data.get("education")


@pytest.mark.parametrize("head", ["Voce", "Rubrique", "Składnik", "Bezug", "Abono"])
def test_columns_under_foreign_heads_are_found_by_type(head: str) -> None:
    rows = [[head, "Xyz"], ["Basic pay", "1,691.45"], ["Bonus", "300.00"], ["Overtime", "77.10"]]
    tree = make_tree(make_block(BlockType.TABLE, "", table=make_table(rows, header_rows=1)))
    read = read_schema({"type": "object", "properties": {"elements": rows_of(element=TEXT, paid=NUMBER)}})
    assert extract_data(tree, read).data["elements"] == [
        {"element": text, "paid": float(number.replace(",", ""))} for text, number in rows[1:]
    ]


EVENTS = ("Girls 200 Yard Freestyle", "Men 400 Meter Medley", "Women 50 Meter Backstroke", "Boys 100 Yard Butterfly")
PEOPLE = ("Lindqvist, Anna", "Berg, Ada", "Okafor, Chidi", "Moreau, Lise")
RESULT = rows_of(place={"type": "integer"}, name=TEXT, team=TEXT, finals_time=TEXT)


def make_results(seed: int) -> tuple[Tree, list[dict[str, Any]]]:
    """Return headings of events with the results below them, in a table or in lines of fixed width."""
    chance = random.Random(seed)
    mark, events, blocks = chance.choice(("  ", " - ", ": ", " ")), list[dict[str, Any]](), list[Block]()
    for number, name in enumerate(chance.sample(EVENTS, 3), chance.randrange(1, 40)):
        rows = [(place, chance.choice(PEOPLE), f"Team {chance.choice('ABC')}", f"1:{chance.randrange(10, 60)}.45")
                for place in range(1, chance.randrange(3, 6))]  # fmt: skip
        y = 60 + 120 * len(events)
        blocks.append(make_block(BlockType.HEADING, f"Event {number}{mark}{name}", bbox=(50, y, 300, y + 12)))
        lines = [("", "Name", "Team", "Finals Time"), *[tuple(map(str, row)) for row in rows]]
        if seed % 2:
            table = make_table([list(line) for line in lines])
            blocks.append(make_block(BlockType.TABLE, "", table=table, bbox=(50, y + 14, 500, y + 90)))
        else:
            text = " ".join("  ".join(line) for line in lines)
            blocks.append(make_block(BlockType.PARAGRAPH, text, bbox=(50, y + 14, 500, y + 90)))
        keys = ("place", "name", "team", "finals_time")
        results = [dict(zip(keys, row, strict=True)) for row in rows]
        events.append({"event_number": number, "event_name": name, "results": results})
    return make_tree(*blocks), events


def test_headings_above_tables_and_lines_name_the_groups_of_rows() -> None:
    schema = rows_of(event_number={"type": "integer"}, event_name=TEXT, results=RESULT)
    read = read_schema({"type": "object", "properties": {"events": schema}})
    right = 0
    for seed in range(40):
        tree, events = make_results(seed)
        right += extract_data(tree, read).data["events"] == events
    assert right >= 38
