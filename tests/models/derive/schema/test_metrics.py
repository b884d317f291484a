"""Arrays with a value for each period are read from the row that their name labels, by seed."""

import random
from dataclasses import replace
from typing import Any

from pydantic_core import to_json

from quire.models.cdom.tree import BlockType, Tree, dump_tree
from quire.models.derive.schema.extract import extract_data, read_schema
from tests.builders import make_block, make_table, make_tree
from tests.models.derive.schema.grounding import find_ungrounded

LEAST_RIGHT = 0.95
METRICS = {
    "revenue": ("Net sales", "Revenues", "Total revenue", "Umsatzerlöse", "Revenue"),
    "cost_of_sales": ("Cost of sales", "Cost of goods sold", "Cost of revenue"),
    "operating_income": ("Operating income", "Income from operations", "Betriebsergebnis"),
    "net_income": ("Net income", "Net earnings", "Net income (loss)", "Konzernergebnis"),
    "total_assets": ("Total assets", "TOTAL ASSETS", "Bilanzsumme"),
}
OTHERS = ("Interest expense", "Goodwill", "Other, net", "Depreciation", "Deferred charges")
DATES = ("September 30, {}", "June 30, {}", "30. Juni {}", "31 March {}")
DAYS = {"September 30, {}": "{}-09-30", "June 30, {}": "{}-06-30", "30. Juni {}": "{}-06-30", "31 March {}": "{}-03-31"}


def schema_of(*, dated: bool) -> dict[str, Any]:
    period = {"period_end": {"type": "string", "format": "date"}} if dated else {"fiscal_year": {"type": "integer"}}
    item = {"type": "object", "properties": {"value": {"type": "number"}, **period}}
    return {"type": "object", "properties": {name: {"type": "array", "items": item} for name in METRICS}}


def make_filing(seed: int) -> tuple[Tree, dict[str, list[dict[str, Any]]], dict[str, Any]]:
    """Return a statement with metrics as rows, what it states, and the schema.

    Heads have one or two levels, signs of money a column of their own, and rows other places.
    """
    chance = random.Random(seed)
    year, date = chance.randrange(2008, 2025), chance.choice(DATES)
    years = [year - back for back in range(chance.choice((2, 2, 3)))]
    dated, levels, signs = seed % 3 > 0, seed % 2 + 1, seed % 4 == 3
    truth: dict[str, list[dict[str, Any]]] = {}
    rows: list[list[str]] = []
    for name in [*METRICS, *OTHERS]:
        numbers = [chance.randrange(-9_000, 90_000) for _ in years]
        texts = [f"({-number:,})" if number < 0 else f"{number:,}" for number in numbers]
        cells = [part for text in texts for part in (("$", text) if signs else (text,))]
        rows.append([chance.choice(METRICS[name]) if name in METRICS else name, *cells])
        if name in METRICS:
            heads = [DAYS[date].format(own) if dated else own for own in years]
            key = "period_end" if dated else "fiscal_year"
            truth[name] = [{"value": number, key: head} for number, head in zip(numbers, heads, strict=True)]
    chance.shuffle(rows)
    space = [""] * (len(rows[0]) - 1)
    rows.insert(chance.randrange(len(rows)), ["Continuing operations:", *space])
    blank: list[str] = [""] if signs else []
    if levels == 2:
        day = date.replace(", {}", ",").replace(" {}", "")
        top = [part for _ in years for part in (*blank, day if dated else "Year ended")]
        below = [part for own in years for part in [*blank, str(own)]]
        rows[:0] = [["(in thousands)", *top], ["", *below]]
    else:
        only = [date.format(own) if dated else str(own) for own in years]
        rows.insert(0, ["", *[part for head in only for part in (*blank, head)]])
    y = 100 + 14 * len(rows)
    tree = make_tree(
        make_block(BlockType.PARAGRAPH, "Notes to the statements", bbox=(50, 40, 250, 50)),
        make_block(BlockType.TABLE, "", table=make_table(rows), bbox=(50, 100, 540, y)),
    )
    return tree, truth, schema_of(dated=dated)


def test_metrics_are_read_from_their_rows_by_period() -> None:
    right = values = stated = 0
    for seed in range(48):
        tree, truth, schema = make_filing(seed)
        answer = extract_data(tree, read_schema(schema))
        assert not find_ungrounded(dump_tree(tree), to_json(answer))[1]
        for name, items in truth.items():
            found = answer.data.get(name, [])
            values += len(items)
            stated += len(found)
            right += sum(item in found for item in items)
    assert min(right / values, right / stated) >= LEAST_RIGHT


def table_of(*rows: tuple[str, ...]) -> Any:
    return make_block(BlockType.TABLE, "", table=make_table([list(row) for row in rows]))


def test_metrics_that_tables_state_differently_are_in_doubt() -> None:
    tables = [table_of(("", "2024", "2023"), ("Net sales", number, "80"), ("Goodwill", "3", "4")) for number in "57"]
    item = {"type": "object", "properties": {"value": {"type": "number"}, "fiscal_year": {"type": "integer"}}}
    names = {name: {"type": "array", "items": item} for name in ("revenue", "goodwill", "inventory")}
    answer = extract_data(make_tree(*tables), read_schema({"type": "object", "properties": names}))
    assert answer.data["revenue"] == [{"value": 5, "fiscal_year": 2024}, {"value": 80, "fiscal_year": 2023}]
    assert answer.evidence["/revenue/0/value"].confidence <= 0.6 < answer.evidence["/goodwill/0/value"].confidence
    assert "inventory" not in answer.data  # no row is its own, so none of another metric is taken


def test_arrays_of_dates_and_amounts_are_rows_of_a_table() -> None:
    table = table_of(("Date", "Deposit"), ("3 May 2024", "5.00"), ("4 May 2024", "7.00"))
    item = {
        "type": "object",
        "properties": {"date": {"type": "string", "format": "date"}, "amount": {"type": "number"}},
    }
    schema = {"type": "object", "properties": {"deposits": {"type": "array", "items": item}}}
    answer = extract_data(make_tree(table), read_schema(schema))
    assert answer.data["deposits"] == [{"date": "2024-05-03", "amount": 5}, {"date": "2024-05-04", "amount": 7}]


def test_single_values_are_of_the_newest_period() -> None:
    right = values = 0
    for seed in range(48):
        tree, truth, _ = make_filing(seed)
        schema = {"type": "object", "properties": {name: {"type": "number"} for name in METRICS}}
        data = extract_data(tree, read_schema(schema)).data
        values += len(truth)
        right += sum(data.get(name) == items[0]["value"] for name, items in truth.items())
    assert right / values >= LEAST_RIGHT


def test_dates_that_are_split_over_cells_or_stand_above_head_their_columns() -> None:
    right = 0
    for seed in range(24):
        chance = random.Random(seed)
        year, month = chance.randrange(2008, 2025), chance.choice(("September", "June"))
        numbers = [chance.randrange(1_000, 90_000) for _ in range(2)]
        above = make_block(BlockType.PARAGRAPH, f"Three months ended {month} 30,", bbox=(300, 86, 480, 96))
        if seed % 2:
            heads = ["", month, "30,", f"{year}", month, "30,", f"{year - 1}"]
            rows = [["", "Three Months Ended", *[""] * 5], heads,
                    ["Net sales", "$", "", f"{numbers[0]:,}", "$", "", f"{numbers[1]:,}"]]  # fmt: skip
        else:
            rows = [["", f"{year}", f"{year - 1}"], ["Net sales", f"{numbers[0]:,}", f"{numbers[1]:,}"]]
        cells = make_table(rows)
        wide = 490 / len(rows[0])
        edges = [50 + wide * col for col in range(len(rows[0]) + 1)]
        boxed = tuple(
            replace(cell, bbox=(edges[cell.col], 100 + 14 * cell.row, edges[cell.col + 1], 112 + 14 * cell.row))
            for cell in cells.cells
        )
        table = make_block(BlockType.TABLE, "", table=replace(cells, cells=boxed), bbox=(50, 100, 540, 142))
        tree = make_tree(table) if seed % 2 else make_tree(above, table)
        wanted = [{"value": number, "period_end": f"{year - back}-{'09' if month == 'September' else '06'}-30"}
                  for back, number in enumerate(numbers)]  # fmt: skip
        right += extract_data(tree, read_schema(schema_of(dated=True))).data["revenue"] == wanted
    assert right >= 23


def test_number_beyond_years_is_no_year() -> None:
    for name, is_year in (("start_year", True), ("fiscalYear", True), ("cost_per_year", False), ("year_count", False)):
        for number in (68_013, 401):
            schema = {"type": "object", "properties": {name: {"type": "integer"}}}
            label = name.replace("_", " ").replace("Y", " Y")
            answer = extract_data(make_tree(make_block(BlockType.PARAGRAPH, f"{label}: {number}")), read_schema(schema))
            assert answer.data == ({} if is_year else {name: number})
