"""Fields: where labels stand, what bills leave unlabelled, evidence that leads back to the page."""

from hypothesis import given, settings

from quire.models.cdom.flags import HIDDEN_TEXT
from quire.models.cdom.tree import BlockType, Tree
from quire.models.derive.document_fields import find_fields
from quire.models.derive.fields.extracted_field import ExtractedField
from quire.models.derive.fields.fields import select_fields
from quire.models.derive.fields.values import ValueType
from tests.builders import lines_tree, make_block, make_tree, table_block
from tests.models.derive.strategies import trees

P = BlockType.PARAGRAPH


def by_key(tree: Tree) -> dict[str, ExtractedField]:
    """The surest field of each key."""
    fields = sorted(find_fields(tree), key=lambda field: field.confidence)
    return {field.canonical_key: field for field in fields}


def receipt() -> Tree:
    return lines_tree(
        ("TAX INVOICE", (200, 20, 300, 32)),
        ("MORNING STAR BAKERY SDN BHD (123456-X)", (100, 40, 400, 54)),
        ("12, JALAN MAWAR 3,", (150, 60, 350, 72)),
        ("43000 KAJANG, SELANGOR", (150, 76, 350, 88)),
        ("TEL : 03-1234 5678", (150, 92, 350, 104)),
        ("DATE", (50, 120, 90, 132)), (": 03/04/2018 10:58", (100, 120, 220, 132)),
        ("2 X BREAD", (50, 150, 150, 162)), ("9.00", (350, 150, 390, 162)),
        ("SUB-TOTAL", (50, 170, 130, 182)), ("9.00", (350, 170, 390, 182)),
        ("ROUNDING", (50, 190, 130, 202)), ("-0.02", (350, 190, 390, 202)),
        ("TOTAL RM", (50, 210, 130, 222)), ("8.98", (350, 210, 390, 222)),
        ("CASH", (50, 230, 130, 242)), ("10.00", (350, 230, 390, 242)),
        ("CHANGE", (50, 250, 130, 262)), ("1.02", (350, 250, 390, 262)),
    )  # fmt: skip


def test_receipt_yields_issuer_address_date_and_total_without_labels() -> None:
    fields = by_key(receipt())
    assert fields["supplier"].value == "MORNING STAR BAKERY SDN BHD"
    assert fields["address"].value == "12, JALAN MAWAR 3, 43000 KAJANG, SELANGOR"
    assert (fields["date"].normalized, fields["date"].value_type) == ("2018-04-03", ValueType.DATE)
    assert (fields["total"].normalized, fields["subtotal"].normalized) == ("8.98", "9.00")
    assert (fields["paid"].normalized, fields["change"].normalized, fields["rounding"].normalized) == (
        "10.00",
        "1.02",
        "-0.02",
    )
    assert fields["phone"].normalized == "0312345678"


def test_evidence_names_block_page_and_box() -> None:
    total = by_key(receipt())["total"]
    assert (total.evidence.block_id, total.evidence.page, total.evidence.bbox) == ("b14", 1, (350, 210, 390, 222))


def test_evidence_of_a_line_or_cell_is_the_box_of_its_block() -> None:
    box = (10.0, 10.0, 200.0, 60.0)
    lines = make_block(P, "Name: Ada\nDue date: 2020-01-02", bbox=box)
    table = table_block([["Invoice date", "2020-01-02"]], header_rows=0, bbox=box)
    assert {field.evidence.bbox for field in find_fields(make_tree(lines, table))} == {box}


def test_captions_code_and_table_heads_are_not_pairs() -> None:
    blocks = (
        make_block(BlockType.CAPTION, "Table 1: levels"),
        make_block(BlockType.CODE, "if level > 1: warn()"),
        table_block([["Item", "Amount"], ["Gauge", "1.20"], ["Weir", "1.30"]]),
    )
    assert [field.key for field in find_fields(make_tree(*blocks))] == ["Gauge", "Weir"]


def test_the_colon_of_a_mask_labels_nothing() -> None:
    texts = ("[REDACTED:person]", "Seen by [REDACTED:person] and [REDACTED:email]", "Name: [REDACTED:person]")
    fields = find_fields(make_tree(*(make_block(P, text) for text in texts)))
    assert [(field.key, field.value) for field in fields] == [("Name", "[REDACTED:person]")]


def test_a_label_and_its_value_in_one_line() -> None:
    fields = by_key(make_tree(make_block(P, "Invoice No: INV-7"), make_block(P, "Favourite colour: blue")))
    assert (fields["invoice_number"].key, fields["invoice_number"].value) == ("Invoice No", "INV-7")
    assert (fields["favourite_colour"].value, fields["favourite_colour"].value_type) == ("blue", ValueType.TEXT)


def test_a_value_under_its_label() -> None:
    tree = lines_tree(
        ("Registered Number", (10, 10, 90, 20)), ("Due date", (10, 30, 60, 40)), ("5 June 2021", (10, 42, 70, 52))
    )
    assert by_key(tree)["due_date"].normalized == "2021-06-05"


def test_value_next_to_its_label_wins_over_a_value_below() -> None:
    tree = lines_tree(("Date:", (10, 10, 40, 20)), ("1 May 2020", (60, 10, 120, 20)), ("2 May 2020", (10, 22, 70, 32)))
    assert by_key(tree)["date"].normalized == "2020-05-01"


def test_a_label_without_colon_and_its_number_in_one_line() -> None:
    fields = by_key(make_tree(make_block(P, "Facture n°562044387 du 02 Juillet 2015")))
    assert fields["invoice_number"].normalized is not None
    assert fields["invoice_number"].normalized.startswith("562044387")


def test_two_pairs_in_one_line_are_two_fields() -> None:
    fields = by_key(make_tree(make_block(P, "QTY: 5 DATE: 03/04/2018")))
    assert (fields["quantity"].normalized, fields["date"].normalized) == ("5", "2018-04-03")


def test_rows_of_a_two_column_table_are_pairs_with_their_cell_as_evidence() -> None:
    tree = make_tree(table_block([["Invoice date", "2020-01-02"], ["Customer", "Ada"]], header_rows=0))
    fields = by_key(tree)
    assert (fields["invoice_date"].normalized, fields["invoice_date"].evidence.cell) == ("2020-01-02", 1)
    assert fields["customer"].value == "Ada"


def test_a_header_over_one_row_of_values_is_read_by_column() -> None:
    fields = by_key(make_tree(table_block([["Invoice No", "Date", "Due date"], ["A-9", "2020-01-02", "2020-02-02"]])))
    assert fields["invoice_number"].value == "A-9"
    assert fields["due_date"].normalized == "2020-02-02"


def test_a_table_of_data_is_not_taken_for_fields() -> None:
    rows = [["Station", "Level", "Flow"]] + [[f"s{n}", str(n), f"{n}.5"] for n in range(6)]
    assert find_fields(make_tree(table_block(rows))) == []


def test_form_blocks_are_read_like_lines() -> None:
    fields = by_key(
        make_tree(make_block(BlockType.KEY_VALUE, "Name: Ada"), make_block(BlockType.CHECKBOX, "Married: [x]"))
    )
    assert fields["name"].value == "Ada"
    assert "married" in fields


def test_clocks_urls_and_prose_are_not_labels() -> None:
    texts = (
        "Meet at 12:30 in the hall",
        "https://example.org/a",
        "He said this and that and many other things: nothing",
    )
    assert [f for f in find_fields(make_tree(*(make_block(P, text) for text in texts)))] == []


def test_hidden_text_gives_no_field() -> None:
    assert find_fields(make_tree(make_block(P, "Total: 99.00", flags=(HIDDEN_TEXT,)))) == []


def test_fields_are_selected_by_key_or_canonical_key_without_case() -> None:
    fields = find_fields(make_tree(make_block(P, "Invoice No: INV-7"), make_block(P, "Due date: 2020-01-02")))
    assert [f.canonical_key for f in select_fields(fields, "INVOICE_NUMBER")] == ["invoice_number"]
    assert [f.canonical_key for f in select_fields(fields, "invoice no, DUE DATE")] == ["invoice_number", "due_date"]
    assert select_fields(fields, "nothing") == []
    assert select_fields(fields, None) == fields


@settings(max_examples=50)
@given(trees())
def test_every_field_leads_to_its_block_and_runs_are_equal(tree: Tree) -> None:
    fields = find_fields(tree)
    known = {block.id: block for block in tree.blocks}
    for field in fields:
        block = known[field.evidence.block_id]
        assert field.evidence.page == block.page
        assert HIDDEN_TEXT not in block.flags
        assert 0 < field.confidence <= 1
        assert field.evidence.cell is None or (block.table and field.evidence.cell < len(block.table.cells))
    assert fields == find_fields(tree)


def test_heading_is_pair_only_when_its_label_is_known() -> None:
    headings = [make_block(BlockType.HEADING, text) for text in ("Part I: New toys", "Invoice No: INV-7")]
    assert [field.canonical_key for field in find_fields(make_tree(*headings))] == ["invoice_number"]


def test_a_phone_or_email_ends_where_other_words_begin() -> None:
    fields = by_key(make_tree(make_block(P, "Tel: 01 71 17 61 67 – write to us")))
    assert fields["phone"].value == "01 71 17 61 67"


def test_rows_of_a_bill_joined_into_one_text_still_name_their_amounts() -> None:
    text = "Justificatif 1 0,75 € 0,75 € Papier 0 3,50 € 0 € Total HT : 46,68 € Total TTC : 56,02 €"
    fields = by_key(make_tree(make_block(P, text)))
    assert (fields["subtotal"].normalized, fields["total"].normalized) == ("46.68", "56.02")


def test_rounded_bill_yields_the_payable_amount() -> None:
    rows = ("Total: 60.31", "Rounding adj: -0.01", "RM 60.30", "Cash: 70.30", "Change: 10.00")
    assert by_key(make_tree(*(make_block(P, row) for row in rows)))["total"].normalized == "60.30"


def test_letters_with_strokes_are_those_without_in_labels() -> None:
    for label in ("Do zapłaty", "DO ZAPŁATY", "Wartość brutto", "Kwota do zapłaty", "Termin płatności"):
        fields = by_key(make_tree(make_block(P, f"{label}: 12.05.2024"), make_block(P, f"{label} 60,31 zł")))
        assert fields.keys() & {"total", "due_date"}, label


def test_a_percentage_in_a_label_is_not_its_amount() -> None:
    tree = lines_tree(
        ("VAT (20%)", (50, 20, 110, 32)), ("12.40", (300, 20, 330, 32)),
        ("Total", (50, 40, 110, 52)), ("74.40", (300, 40, 330, 52)),
    )  # fmt: skip
    fields = by_key(tree)
    assert (fields["tax"].normalized, fields["total"].normalized) == ("12.40", "74.40")


def test_labels_joined_in_one_text_are_paired_with_amounts_in_order() -> None:
    tree = lines_tree(
        ("Net amount: VAT 20%:", (50, 20, 110, 46)), ("GBP 62.00 GBP 12.40", (300, 20, 390, 46)),
        ("Grand Total:", (50, 50, 110, 62)), ("GBP 74.40", (300, 50, 390, 62)),
    )  # fmt: skip
    fields = by_key(tree)
    assert (fields["subtotal"].normalized, fields["tax"].normalized) == ("62.00", "12.40")


def test_two_column_titles_side_by_side_are_not_a_pair() -> None:
    tree = lines_tree(
        ("Invoice No.", (50, 20, 110, 32)), ("Due date", (150, 20, 220, 32)),
        ("A-7", (50, 34, 110, 46)), ("2 June 2023", (150, 34, 220, 46)),
    )  # fmt: skip
    fields = by_key(tree)
    assert (fields["invoice_number"].value, fields["due_date"].normalized) == ("A-7", "2023-06-02")


def test_sender_line_between_dots_names_the_issuer() -> None:
    tree = make_tree(make_block(P, "Old Quay Ltd · 7 Mill Lane · Leeds LS1 4DY"), make_block(P, "Invoice No: 7"))
    assert by_key(tree)["supplier"].value == "Old Quay Ltd"


SEATS = (
    "Siège social :", "Siège social", "Adresse :", "Tél :", "Registered office:", "Registered office", "Head office:",
    "Address:", "Sitz der Gesellschaft:", "Sitz:", "Hauptsitz:", "Anschrift:", "Domicilio social:", "Dirección:",
    "Sede legale:", "Sede:", "Indirizzo:", "Statutaire zetel:", "Vestigingsadres:", "Adres:", "Morada:", "Siedziba:",
    "Kundennummer:", "VAT no:",
)  # fmt: skip
ADDRESSES = (
    ("NETHARBOUR", "16 rue Mollien", "92100 Boulogne"), ("Brandt KG", "Lindenweg 3", "80331 München"),
    ("Van Dalen B.V.", "Havenstraat 14", "3024 TK Rotterdam"), ("Pier Nine", "12 Wharf Road", "Leeds LS1 4DY"),
)  # fmt: skip


def test_name_ends_where_a_label_in_its_line_begins() -> None:
    right = asked = 0
    for form in ("{} {} {} - {} – Tel: 0171 55", "{} {} {}, {}", "{}, {} {} · {}", "{} – {} {} {}"):
        for number, label in enumerate(SEATS):
            name, street, town = ADDRESSES[number % len(ADDRESSES)]
            foot = make_block(P, form.format(name, label, street, town), bbox=(50, 800, 400, 810))
            tree = make_tree(make_block(P, "Invoice no: A-17", bbox=(50, 50, 150, 60)), foot)
            asked += 1
            right += [field.value for field in find_fields(tree) if field.canonical_key == "supplier"] == [name]
    assert right >= 0.95 * asked


def test_total_is_the_payment_less_the_change_when_tax_explains_it() -> None:
    tree = make_tree(
        make_block(P, "Total: 16.98"),
        make_block(P, "Total tax: 1.02"),
        make_block(P, "Due 18.00"),
        make_block(P, "Cash: 20.00"),
        make_block(P, "Change: 2.00"),
    )
    assert by_key(tree)["total"].normalized == "18.00"


def test_net_total_of_a_bill_with_tax_is_not_its_total() -> None:
    tree = make_tree(make_block(P, "Net total: 100.00"), make_block(P, "VAT: 20.00"), make_block(P, "Total: 120.00"))
    assert by_key(tree)["total"].normalized == "120.00"


def test_currency_is_read_from_a_sentence_and_tax_number_from_a_text() -> None:
    tree = make_tree(
        make_block(P, "Invoice No: 7"),
        make_block(P, "Total: 120.00"),
        make_block(P, "All amounts in GBP."),
        make_block(P, "Old Quay Ltd, 7 Mill Lane, USt-Id DE 232 446 240, info"),
    )
    fields = by_key(tree)
    assert (fields["currency"].normalized, fields["vat_id"].normalized) == ("GBP", "DE232446240")


def test_receipt_in_typewriter_letters_has_fields() -> None:
    tree = make_tree(make_block(BlockType.CODE, "Receipt No: 4471\nelse: return\nTotal       12.40"))
    assert by_key(tree).keys() == {"receipt_number", "total"}
