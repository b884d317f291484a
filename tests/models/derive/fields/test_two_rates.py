"""Net amount and total of bills with two rates of tax are found by arithmetic, with any label, by seed."""

import random

import pytest

from quire.models.cdom.tree import BlockType, Tree
from quire.models.derive.document_fields import find_fields
from tests.builders import make_block, make_table, make_tree

LEAST_RIGHT = 0.95
RATES = ((7.0, 19.0), (5.5, 20.0), (10.0, 21.0), (6.0, 23.0), (9.0, 21.0))
FORMS = ("taxes summed", "taxes apart", "paid on account")


def money(cents: int) -> str:
    return f"{cents / 100:.2f}"


def make_bill(seed: int, form: str) -> tuple[Tree, dict[str, str]]:
    """Return a bill whose sums have words of no language, and its amounts by key."""
    chance = random.Random(f"{form} {seed}")
    rates = chance.choice(RATES)
    bases = [chance.randrange(2_000, 900_000) for _ in rates]
    taxes = [round(base * rate / 100) for base, rate in zip(bases, rates, strict=True)]
    net, tax, total = sum(bases), sum(taxes), sum(bases) + sum(taxes)
    parts = list(zip(rates, bases, taxes, strict=True))
    rows = [["Ooo", money(net), ""], *([f"Ttt {rate:g} %", money(part), ""] for rate, _, part in parts)]
    if form == "taxes summed":
        rows = [[f"{rate:g} %", money(base), money(part)] for rate, base, part in parts]
        rows += [["Ooo", money(net), ""], ["Ttt", money(tax), ""]]
    rows.append(["Sss", money(total), ""])
    if form == "paid on account":
        rows += [["Uuu", f"-{money(total // 3)}", ""], ["Amount due", money(total - total // 3), ""]]
    tree = make_tree(
        make_block(BlockType.PARAGRAPH, "Invoice no: A-17", bbox=(50, 50, 200, 62)),
        make_block(BlockType.TABLE, "", table=make_table(rows), bbox=(50, 100, 540, 100 + 14 * len(rows))),
    )
    truth = {"subtotal": net, "total": total} | ({"tax": tax} if form == "taxes summed" else {})
    return tree, {key: money(value) for key, value in truth.items()}


@pytest.mark.parametrize("form", FORMS)
def test_amounts_of_two_rates_are_found_by_sums(form: str) -> None:
    right = asked = 0
    for seed in range(30):
        tree, truth = make_bill(seed, form)
        found = {field.canonical_key: field for field in sorted(find_fields(tree), key=lambda field: field.confidence)}
        asked += len(truth)
        right += sum(key in found and found[key].normalized == value for key, value in truth.items())
    assert right >= LEAST_RIGHT * asked
