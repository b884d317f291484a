"""Labels: the lexicon's languages, and words that change what a total is."""

import pytest

from quire.models.derive.fields.labels import match_label, name_key, rank_total
from quire.models.derive.fields.lexicon import LABELS, Key


@pytest.mark.parametrize(
    ("label", "key"),
    [
        ("Invoice No.:", Key.INVOICE_NUMBER), ("INVOICE #", Key.INVOICE_NUMBER), ("Facture n°", Key.INVOICE_NUMBER),
        ("Rechnungs-Nr.", Key.INVOICE_NUMBER), ("N.º de factura", Key.INVOICE_NUMBER),
        ("Numero fattura", Key.INVOICE_NUMBER),
        ("Factuurnummer:", Key.INVOICE_NUMBER), ("Nº da fatura", Key.INVOICE_NUMBER),
        ("Rechnungsdatum", Key.INVOICE_DATE), ("Date d'échéance", Key.DUE_DATE), ("Fälligkeitsdatum", Key.DUE_DATE),
        ("Total TTC :", Key.TOTAL), ("Gesamtbetrag", Key.TOTAL), ("Te betalen", Key.TOTAL),
        ("Totale da pagare", Key.TOTAL),
        ("Total HT", Key.SUBTOTAL), ("Zwischensumme", Key.SUBTOTAL), ("MwSt. 19 %", Key.TAX), ("TVA 20% :", Key.TAX),
        ("USt-IdNr.", Key.VAT_ID), ("Partita IVA", Key.VAT_ID), ("GST REG NO", Key.VAT_ID),
        ("P.O. Number", Key.PO_NUMBER),
        ("Bill To:", Key.CUSTOMER), ("Sold By :", Key.SUPPLIER), ("favourite colour", None), ("", None),
    ],
)  # fmt: skip
def test_labels_name_their_key_in_every_language(label: str, key: Key | None) -> None:
    assert name_key(label) == key


def test_every_phrase_of_the_lexicon_names_its_own_key_or_an_earlier_one() -> None:
    order = list(LABELS)
    for key, phrases in LABELS.items():
        for phrase in phrases.split(";"):
            found = name_key(phrase)
            assert found is not None, phrase
            assert order.index(found) <= order.index(key), phrase


def test_a_label_ends_where_its_words_end() -> None:
    text = "Facture n° 2022089083"
    match = match_label(text)
    assert match is not None
    assert text[match[1] :] == " 2022089083"


@pytest.mark.parametrize(
    ("label", "rank"),
    [
        ("TOTAL", 1), ("GRAND TOTAL", 2), ("TOTAL (EXCLUDING GST)", 0), ("TOTAL SALES (INCLUSIVE OF GST)", 2),
        ("TOTAL QTY", 0),
        ("TOTAL TAX", 0), ("Total HT", 0), ("Total TTC", 2), ("Total due after discount", 2), ("TOTAL ROUNDED", 2),
    ],
)  # fmt: skip
def test_words_behind_a_total_mark_the_final_total(label: str, rank: int) -> None:
    assert rank_total(label) == rank
