"""Fields of bills have what the fixed schema adds: names and numbers that no label of the lexicon names, by seed."""

import random

from pydantic_core import to_json

from quire.models.cdom.tree import BlockType, Tree
from quire.models.derive.document_fields import find_fields
from tests.builders import make_block, make_tree

LEAST_RIGHT = 0.9
P = BlockType.PARAGRAPH
SELLERS = (
    ("Seilerei Brandt KG", "Lindenweg 3", "80331 München"), ("Atelier Morvan SARL", "3 rue du Port", "44000 Nantes"),
    ("Van Dalen B.V.", "Havenstraat 14", "3024 TK Rotterdam"), ("Pier Nine Ltd", "12 Wharf Road", "Leeds LS1 4DY"),
)  # fmt: skip
BUYERS = (("City Water Board", "Calle Mayor 31", "41001 Sevilla"), ("Anna Lindqvist", "88 Mill Lane", "Leeds LS1 4DY"))
LABELS = ("Kunde", "Bill to", "Client", "Klant", "Cliente")
NUMBERS = ("Number", "Nummer", "Numéro", "Número")


def make_bill(seed: int) -> tuple[Tree, dict[str, str]]:
    """Return a bill whose customer is labelled with the whole address, and whose number is only called number."""
    chance = random.Random(seed)
    seller, buyer = chance.choice(SELLERS), chance.choice(BUYERS)
    number = f"R-{chance.randrange(1_000, 9_999)}"
    net = chance.randrange(1_000, 90_000)
    tax = round(net * 0.2)
    texts = [
        *seller,
        f"{chance.choice(LABELS)}: {', '.join(buyer)}",
        f"{chance.choice(NUMBERS)}: {number}",
        f"Net {net / 100:.2f}",
        f"VAT 20 %: {tax / 100:.2f}",
        f"Total due: {(net + tax) / 100:.2f}",
    ]
    blocks = [make_block(P, text, bbox=(50, 50 + 20 * n, 300, 62 + 20 * n)) for n, text in enumerate(texts)]
    truth = {"supplier": seller[0], "customer": buyer[0], "invoice_number": number}
    return make_tree(*blocks), truth


def test_bills_have_parties_and_numbers_of_the_fixed_schema() -> None:
    right = asked = 0
    for seed in range(40):
        tree, truth = make_bill(seed)
        fields = find_fields(tree)
        assert to_json(fields) == to_json(find_fields(tree))
        asked += len(truth)
        right += sum(any(f.canonical_key == key and f.value == value for f in fields) for key, value in truth.items())
    assert right >= LEAST_RIGHT * asked


def test_value_that_a_field_states_already_has_one_evidence() -> None:
    tree = make_tree(*(make_block(P, text) for text in ("Invoice no: A-17", "Total: 12.50", "Receipt no: 44")))
    keys = [field.canonical_key for field in find_fields(tree)]
    assert sorted(keys) == ["invoice_number", "receipt_number", "total"]


def test_documents_that_are_no_bills_get_no_further_fields() -> None:
    tree = make_tree(make_block(P, "Number: 17"), make_block(P, "Old Quay Ltd"), make_block(P, "Colour: red"))
    assert {field.canonical_key for field in find_fields(tree)} == {"number", "colour"}
