"""Values are found by the structure of a page: types, sums, addresses and headings of groups, in several languages."""

import random
from typing import Any

from quire.models.cdom.tree import BlockType, Tree
from quire.models.derive.schema.answer import Missing
from quire.models.derive.schema.extract import extract_data, read_schema
from tests.builders import make_block, make_table, make_tree, table_block

LEAST_RIGHT = 0.95
TEXT, NUMBER, DAY = {"type": "string"}, {"type": "number"}, {"type": "string", "format": "date"}
HEADS = (
    ("Bezeichnung", "Menge", "Einzelpreis", "Betrag"), ("Libellé", "Qté", "PU", "Montant"),
    ("Nazwa", "Ilość", "Cena", "Kwota"),
    ("Aaa", "Bbb", "Ccc", "Ddd"),
)  # fmt: skip
SELLERS = (
    ("Seilerei Brandt KG", "Lindenweg 3", "80331 München"),
    ("Atelier Morvan SARL", "3 rue du Port", "44000 Nantes"),
    ("Van Dalen B.V.", "Havenstraat 14", "3024 TK Rotterdam"),
)
BUYERS = (("Pier Nine Hotel", "Calle Mayor 31", "41001 Sevilla"), ("Anna Lindqvist", "12 Wharf Road", "Leeds LS1 4DY"))
GOODS = ("Hemp rope", "Brass lantern", "Deck paint", "Crane hire", "Oak plank")
LINE = {"description": TEXT, "quantity": NUMBER, "unit_price": NUMBER, "amount": NUMBER}


def objects(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def rows_of(**properties: Any) -> dict[str, Any]:
    return {"type": "array", "items": objects(**properties)}


def money(cents: int) -> str:
    return f"{cents / 100:,.2f}".replace(",", "x").replace(".", ",").replace("x", ".")


def make_bill(seed: int, *, grouped: bool = False) -> tuple[Tree, dict[str, Any]]:
    """Return a bill without any label for parties and totals, whose columns may have nonsense as heads."""
    chance = random.Random(seed)
    seller, buyer = chance.choice(SELLERS), chance.choice(BUYERS)
    groups: list[tuple[str, list[dict[str, Any]]]] = []
    rows: list[list[str]] = [list(chance.choice(HEADS))]
    for number in range(2 if grouped else 1):
        name = f"Auftrag {chance.randrange(100, 999)}{number}"
        rows += [[name, "", "", ""]] if grouped else []
        lines = []
        for goods in chance.sample(GOODS, 3):
            quantity, price = chance.randrange(2, 20), chance.randrange(150, 9_000)
            lines.append(
                {
                    "description": goods,
                    "quantity": quantity,
                    "unit_price": price / 100,
                    "amount": quantity * price / 100,
                }
            )
            rows.append([goods, str(quantity), money(price), money(quantity * price)])
        groups.append((name.split()[1], lines))
    net = round(sum(line["amount"] for _, lines in groups for line in lines) * 100)
    tax = round(net * 0.19)
    y = 300 + 14 * len(rows)
    tree = make_tree(
        make_block(BlockType.PARAGRAPH, " · ".join(seller), bbox=(50, 60, 250, 68)),
        make_block(BlockType.PARAGRAPH, " ".join(buyer), bbox=(50, 72, 160, 110)),
        make_block(BlockType.TABLE, "", table=make_table(rows), bbox=(50, 300, 540, y)),
        make_block(
            BlockType.PARAGRAPH, f"{money(net)} {money(tax)} {money(net + tax)}", bbox=(470, y + 10, 540, y + 50)
        ),
    )
    truth: dict[str, Any] = {"net": net / 100, "vat_amount": tax / 100, "grand_total": (net + tax) / 100,
                             "seller": seller[0], "buyer_name": buyer[0]}  # fmt: skip
    lines = groups[0][1]
    truth |= {"orders": [{"order_number": name, "lines": own} for name, own in groups]} if grouped else {"lines": lines}
    return tree, truth


HEAD = {"seller": TEXT, "buyer_name": TEXT, "net": NUMBER, "vat_amount": NUMBER, "grand_total": NUMBER}


def test_bills_are_read_without_labels() -> None:
    read = read_schema(objects(**HEAD, lines=rows_of(**LINE)))
    right = asked = 0
    for seed in range(30):
        tree, truth = make_bill(seed)
        data = extract_data(tree, read).data
        asked += len(truth)
        right += sum(data.get(name) == value for name, value in truth.items())
    assert right >= LEAST_RIGHT * asked, (right, asked)


def test_rows_under_headings_fill_arrays_inside_arrays() -> None:
    read = read_schema(objects(orders=rows_of(order_number=TEXT, lines=rows_of(**LINE))))
    right = 0
    for seed in range(30):
        tree, truth = make_bill(seed, grouped=True)
        right += extract_data(tree, read).data["orders"] == truth["orders"]
    assert right >= LEAST_RIGHT * 30, right


def test_balances_name_debits_and_credits() -> None:
    read = read_schema(objects(entries=rows_of(booked_on=DAY, text=TEXT, debit=NUMBER, credit=NUMBER, balance=NUMBER)))
    for seed in range(20):
        chance = random.Random(seed)
        balance, rows, truth = 500_000, [["Kdy", "Co", "A", "B", "C"]], []
        for day in range(1, 9):
            amount = chance.choice((-1, 1)) * chance.randrange(100, 9_000)
            balance += amount
            paid = [money(-amount), ""] if amount < 0 else ["", money(amount)]
            rows.append([f"2024-03-0{day}", chance.choice(GOODS), *paid, money(balance)])
            truth.append(
                (f"2024-03-0{day}", -amount / 100 if amount < 0 else None, amount / 100 if amount > 0 else None)
            )
        tree = make_tree(make_block(BlockType.TABLE, "", table=make_table(rows), bbox=(50, 300, 540, 450)))
        found = extract_data(tree, read).data["entries"]
        assert [(row["booked_on"], row.get("debit"), row.get("credit")) for row in found] == truth, seed


def test_sum_that_does_not_hold_lowers_its_parts() -> None:
    labels = ("Net amount: 100.00", "VAT: 19.00", "Total due: 150.00")
    tree = make_tree(*(make_block(BlockType.PARAGRAPH, label) for label in labels))
    answer = extract_data(tree, read_schema(objects(net=NUMBER, tax=NUMBER, total=NUMBER)))
    assert answer.data == {"net": 100.0, "tax": 19.0, "total": 150.0}
    assert all(evidence.confidence <= 0.6 for evidence in answer.evidence.values())


def test_missing_columns_and_rows_have_reasons() -> None:
    tree, _ = make_bill(1)
    deep = objects(
        lines=rows_of(**LINE, discount_code=TEXT), a=rows_of(b=rows_of(c=rows_of(d=rows_of(e=rows_of(f=TEXT)))))
    )
    missing = extract_data(tree, read_schema(deep)).missing
    assert missing["/lines/0/discount_code"] is Missing.NO_COLUMN
    assert missing["/a"] is Missing.NOT_SUPPORTED


def test_texts_split_over_columns_without_a_head_are_whole() -> None:
    right = 0
    for seed in range(24):
        chance, is_known = random.Random(seed), seed % 3 > 0
        heads = ["Description", "Amount"] if is_known else ["Lohnart", "Wert"]
        goods = [f"{ware} {chance.randrange(10, 99)} mm" for ware in chance.sample(("Rope", "Hook", "Lamp", "Sail"), 4)]
        split, rows, truth = chance.randrange(1, 3), [[heads[0], "", heads[1]]], []
        for number, good in enumerate(goods):
            words, price = good.split(), f"{chance.randrange(100, 90_000) / 100:,.2f}"
            parts = [good, ""] if number == 0 else [" ".join(words[:split]), " ".join(words[split:])]
            rows.append([*parts, price])
            truth.append({"item": good, "amount": float(price.replace(",", ""))})
        schema = objects(elements={"type": "array", "items": objects(item=TEXT, amount=NUMBER)})
        right += extract_data(make_tree(table_block(rows)), read_schema(schema)).data == {"elements": truth}
    assert right >= 23, right


def test_address_below_the_title_is_no_invoice_number() -> None:
    for seed in range(20):
        seller, title = SELLERS[seed % len(SELLERS)], ("Facture", "Rechnung", "Invoice", "Factuur")[seed % 4]
        blocks = (make_block(BlockType.HEADING, title), make_block(BlockType.PARAGRAPH, " · ".join(seller)))
        assert extract_data(make_tree(*blocks), read_schema(objects(invoice_number=TEXT))).data == {}
