"""Words of made documents in eight languages: labels, heads of tables, names, and how each language writes numbers."""

from dataclasses import dataclass
from typing import Any

Forms = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Language:
    """Labels by meaning, each in several forms; `thousands` and `decimal` marks; forms of dates; months."""

    code: str
    thousands: str
    decimal: str
    dates: Forms
    months: Forms
    labels: dict[str, Forms]


def _labels(**forms: str) -> dict[str, Forms]:
    return {name: tuple(form.strip() for form in text.split("|")) for name, text in forms.items()}


ENGLISH = Language(
    "en", ",", ".", ("{d} {month} {y}", "{month} {d}, {y}", "{y}-{m:02}-{d:02}"),
    ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
     "December"),
    _labels(
        invoice="Invoice|Tax invoice|Bill", number="Invoice number|Invoice no.|Inv. no.|Document no.",
        date="Invoice date|Date|Issued", due="Due date|Payable by|Payment due", order="Order no.|Your order",
        customer_number="Customer no.|Client ID", to="Bill to|Billed to|Customer", vat_id="VAT ID|VAT reg. no.",
        net="Subtotal|Net amount|Total excl. VAT", tax="VAT|VAT amount|Tax", total="Total|Amount due|Total incl. VAT",
        position="Pos.|No.|#", article="Item no.|SKU", description="Description|Item|Service", quantity="Qty|Quantity",
        unit="Unit", price="Unit price|Price|Rate", amount="Amount|Line total|Total", rate="VAT %|Tax rate",
        delivery="Delivery date|Date of supply", phone="Phone|Tel.", thanks="Thank you for your order.",
        statement="Account statement", opening="Opening balance|Balance brought forward",
        closing="Closing balance|New balance", posted="Date|Posted", details="Details|Narrative",
        debit="Debit|Paid out", credit="Credit|Paid in", balance="Balance", account="Account holder",
        payslip="Payslip", employee="Employee", staff="Staff no.|Personnel number", gross_pay="Gross pay",
        net_pay="Net pay|Amount paid", deductions="Total deductions", pay="Pay element|Element",
        note="Delivery note", note_number="Delivery note no.", weight="Weight kg", ordered="Ordered",
        delivered="Delivered",
    ),
)  # fmt: skip
GERMAN = Language(
    "de", ".", ",", ("{d:02}.{m:02}.{y}", "{d}. {month} {y}"),
    ("Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November",
     "Dezember"),
    _labels(
        invoice="Rechnung", number="Rechnungsnummer|Rechnungs-Nr.|Belegnummer|Nummer",
        date="Rechnungsdatum|Datum|Belegdatum", due="Fällig am|Zahlbar bis", order="Bestellnummer|Ihre Bestellung",
        customer_number="Kundennummer|Kunden-Nr.", to="Rechnung an|Kunde", vat_id="USt-IdNr.|USt-ID",
        net="Nettobetrag|Summe netto|Zwischensumme|Warenwert", tax="MwSt.|Umsatzsteuer|zzgl. USt.|Steuerbetrag",
        total="Rechnungsbetrag|Gesamtbetrag|Bruttobetrag|Zu zahlen|Endsumme", position="Pos.|Nr.",
        article="Artikel-Nr.|Art.-Nr.", description="Bezeichnung|Beschreibung|Leistung", quantity="Menge|Anzahl",
        unit="Einheit|ME", price="Einzelpreis|E-Preis|Preis", amount="Betrag|Gesamt|G-Preis|Gesamtpreis",
        rate="MwSt. %|USt.", delivery="Lieferdatum|Leistungsdatum", phone="Telefon|Tel.",
        thanks="Vielen Dank für Ihren Auftrag.", statement="Kontoauszug", opening="Alter Saldo|Anfangssaldo",
        closing="Neuer Saldo|Endsaldo", posted="Buchungstag|Datum", details="Verwendungszweck|Buchungstext",
        debit="Soll|Belastung", credit="Haben|Gutschrift", balance="Saldo", account="Kontoinhaber",
        payslip="Lohnabrechnung", employee="Mitarbeiter|Arbeitnehmer", staff="Personalnummer|Personal-Nr.",
        gross_pay="Gesamtbrutto|Bruttolohn", net_pay="Auszahlungsbetrag|Nettolohn", deductions="Summe Abzüge",
        pay="Lohnart|Bezug", note="Lieferschein", note_number="Lieferscheinnummer|Lieferschein-Nr.",
        weight="Gewicht kg", ordered="Bestellt", delivered="Geliefert",
    ),
)  # fmt: skip
FRENCH = Language(
    "fr", " ", ",", ("{d:02}/{m:02}/{y}", "{d} {month} {y}"),
    ("janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre",
     "décembre"),
    _labels(
        invoice="Facture", number="Facture n°|N° de facture|Numéro", date="Date de facture|Date|Émise le",
        due="Échéance|Date d'échéance|À payer avant le", order="N° de commande|Votre commande",
        customer_number="N° client|Code client", to="Facturé à|Client|Destinataire", vat_id="N° TVA|TVA intracom.",
        net="Total HT|Montant HT", tax="TVA|Montant TVA", total="Total TTC|Net à payer|Montant TTC",
        position="N°|Pos.", article="Référence|Réf.", description="Désignation|Libellé|Prestation",
        quantity="Quantité|Qté", unit="Unité", price="Prix unitaire|P.U. HT|PU", amount="Montant|Total HT|Montant HT",
        rate="TVA %|Taux TVA", delivery="Date de livraison", phone="Tél.|Téléphone",
        thanks="Merci de votre confiance.", statement="Relevé de compte", opening="Ancien solde|Solde initial",
        closing="Nouveau solde|Solde final", posted="Date|Date opération", details="Libellé|Opération", debit="Débit",
        credit="Crédit", balance="Solde", account="Titulaire", payslip="Bulletin de paie", employee="Salarié",
        staff="Matricule", gross_pay="Salaire brut", net_pay="Net à payer|Net payé", deductions="Total des retenues",
        pay="Rubrique", note="Bon de livraison", note_number="Bon de livraison n°|N° de BL", weight="Poids kg",
        ordered="Commandé", delivered="Livré",
    ),
)  # fmt: skip
SPANISH = Language(
    "es", ".", ",", ("{d:02}/{m:02}/{y}", "{d} de {month} de {y}"),
    ("enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre",
     "diciembre"),
    _labels(
        invoice="Factura", number="Número de factura|Factura nº|N.º", date="Fecha de factura|Fecha|Fecha de emisión",
        due="Vencimiento|Fecha de vencimiento", order="Pedido n.º|Su pedido", customer_number="N.º de cliente",
        to="Cliente|Facturar a", vat_id="NIF|CIF", net="Base imponible|Subtotal", tax="IVA|Cuota IVA",
        total="Total|Total factura|Total a pagar|Importe total", position="N.º|Pos.", article="Código|Ref.",
        description="Descripción|Concepto", quantity="Cantidad|Cant.|Uds.", unit="Unidad", price="Precio|Precio unitario",
        amount="Importe|Total", rate="% IVA", delivery="Fecha de entrega", phone="Teléfono|Tel.",
        thanks="Gracias por su confianza.", statement="Extracto de cuenta", opening="Saldo anterior|Saldo inicial",
        closing="Saldo final|Nuevo saldo", posted="Fecha|F. operación", details="Concepto|Descripción",
        debit="Cargo|Debe", credit="Abono|Haber", balance="Saldo", account="Titular", payslip="Nómina",
        employee="Trabajador|Empleado", staff="N.º de empleado", gross_pay="Total devengado|Salario bruto",
        net_pay="Líquido a percibir|Salario neto", deductions="Total a deducir|Total deducciones", pay="Concepto",
        note="Albarán", note_number="Albarán n.º|Número de albarán", weight="Peso kg", ordered="Pedido",
        delivered="Entregado",
    ),
)  # fmt: skip
ITALIAN = Language(
    "it", ".", ",", ("{d:02}/{m:02}/{y}", "{d} {month} {y}"),
    ("gennaio", "febbraio", "marzo", "aprile", "maggio", "giugno", "luglio", "agosto", "settembre", "ottobre",
     "novembre", "dicembre"),
    _labels(
        invoice="Fattura", number="Numero fattura|Fattura n.|Documento n.", date="Data fattura|Data|Data documento",
        due="Scadenza|Data di scadenza", order="Ordine n.|Vs. ordine", customer_number="Codice cliente",
        to="Cliente|Spett.le|Destinatario", vat_id="Partita IVA|P. IVA", net="Imponibile|Totale imponibile",
        tax="IVA|Imposta|Totale IVA", total="Totale fattura|Totale documento|Totale da pagare|Totale", position="N.|Pos.",
        article="Codice|Cod. art.", description="Descrizione|Articolo", quantity="Quantità|Q.tà|Qtà", unit="U.M.",
        price="Prezzo|Prezzo unitario", amount="Importo|Totale", rate="IVA %|Aliquota", delivery="Data di consegna",
        phone="Telefono|Tel.", thanks="Grazie per la fiducia.", statement="Estratto conto",
        opening="Saldo iniziale|Saldo precedente", closing="Saldo finale|Nuovo saldo", posted="Data|Data operazione",
        details="Descrizione|Causale", debit="Dare|Uscite", credit="Avere|Entrate", balance="Saldo",
        account="Intestatario", payslip="Busta paga", employee="Dipendente", staff="Matricola",
        gross_pay="Totale competenze|Retribuzione lorda", net_pay="Netto in busta|Netto a pagare",
        deductions="Totale trattenute", pay="Voce", note="Documento di trasporto", note_number="DDT n.|Numero DDT",
        weight="Peso kg", ordered="Ordinato", delivered="Consegnato",
    ),
)  # fmt: skip
DUTCH = Language(
    "nl", ".", ",", ("{d:02}-{m:02}-{y}", "{d} {month} {y}"),
    ("januari", "februari", "maart", "april", "mei", "juni", "juli", "augustus", "september", "oktober", "november",
     "december"),
    _labels(
        invoice="Factuur", number="Factuurnummer|Factuurnr.", date="Factuurdatum|Datum",
        due="Vervaldatum|Te betalen voor", order="Ordernummer|Uw bestelling", customer_number="Klantnummer|Debiteurnr.",
        to="Factuur aan|Klant", vat_id="Btw-nummer|BTW-id", net="Subtotaal|Totaal excl. btw", tax="Btw|Btw-bedrag",
        total="Totaal|Totaal incl. btw|Te betalen", position="Nr.|Pos.", article="Artikelnr.|Artikelcode",
        description="Omschrijving", quantity="Aantal", unit="Eenheid", price="Prijs|Stukprijs|Prijs per stuk",
        amount="Bedrag|Totaal", rate="Btw %", delivery="Leverdatum", phone="Telefoon|Tel.",
        thanks="Hartelijk dank voor uw bestelling.", statement="Rekeningafschrift", opening="Vorig saldo|Beginsaldo",
        closing="Nieuw saldo|Eindsaldo", posted="Datum|Boekdatum", details="Omschrijving|Mededeling", debit="Af|Debet",
        credit="Bij|Credit", balance="Saldo", account="Rekeninghouder", payslip="Loonstrook",
        employee="Werknemer|Medewerker", staff="Personeelsnummer", gross_pay="Brutoloon|Totaal bruto",
        net_pay="Nettoloon|Netto te betalen", deductions="Totaal inhoudingen", pay="Looncomponent", note="Pakbon",
        note_number="Pakbonnummer|Pakbon nr.", weight="Gewicht kg", ordered="Besteld", delivered="Geleverd",
    ),
)  # fmt: skip
PORTUGUESE = Language(
    "pt", ".", ",", ("{d:02}/{m:02}/{y}", "{d} de {month} de {y}"),
    ("janeiro", "fevereiro", "março", "abril", "maio", "junho", "julho", "agosto", "setembro", "outubro", "novembro",
     "dezembro"),
    _labels(
        invoice="Fatura", number="Fatura n.º|Número da fatura", date="Data da fatura|Data|Data de emissão",
        due="Vencimento|Data de vencimento", order="Encomenda n.º", customer_number="N.º de cliente",
        to="Cliente|Faturar a|Exmo(s). Sr(s).", vat_id="NIF|Contribuinte", net="Total ilíquido|Subtotal|Valor líquido",
        tax="IVA|Valor do IVA", total="Total|Total a pagar|Total da fatura", position="N.º|Pos.", article="Código|Ref.",
        description="Descrição|Artigo", quantity="Quantidade|Qtd.", unit="Unidade", price="Preço|Preço unitário",
        amount="Valor|Total|Montante", rate="IVA %", delivery="Data de entrega", phone="Telefone|Tel.",
        thanks="Obrigado pela preferência.", statement="Extrato de conta", opening="Saldo anterior|Saldo inicial",
        closing="Saldo final|Novo saldo", posted="Data|Data mov.", details="Descrição|Movimento", debit="Débito",
        credit="Crédito", balance="Saldo", account="Titular", payslip="Recibo de vencimento",
        employee="Trabalhador|Funcionário", staff="N.º mecanográfico|N.º de funcionário",
        gross_pay="Total de abonos|Vencimento bruto", net_pay="Líquido a receber|Total líquido",
        deductions="Total de descontos", pay="Abono", note="Guia de remessa", note_number="Guia n.º|Guia de remessa n.º",
        weight="Peso kg", ordered="Pedido", delivered="Entregue",
    ),
)  # fmt: skip
POLISH = Language(
    "pl", " ", ",", ("{d:02}.{m:02}.{y}", "{y}-{m:02}-{d:02}"), ENGLISH.months,
    _labels(
        invoice="Faktura|Faktura VAT", number="Nr faktury|Faktura nr|Numer", date="Data wystawienia|Data faktury",
        due="Termin płatności", order="Nr zamówienia", customer_number="Nr klienta", to="Nabywca|Odbiorca",
        vat_id="NIP", net="Wartość netto|Suma netto|Razem netto", tax="VAT|Kwota VAT",
        total="Do zapłaty|Razem brutto|Wartość brutto|Suma brutto", position="Lp.", article="Kod|Indeks",
        description="Nazwa towaru|Nazwa|Opis", quantity="Ilość", unit="J.m.", price="Cena|Cena netto",
        amount="Wartość|Wartość netto|Kwota", rate="VAT %|Stawka VAT", delivery="Data dostawy|Data sprzedaży",
        phone="Telefon|Tel.", thanks="Dziękujemy za zamówienie.", statement="Wyciąg z rachunku",
        opening="Saldo początkowe|Saldo poprzednie", closing="Saldo końcowe|Nowe saldo", posted="Data|Data księgowania",
        details="Opis|Tytuł operacji", debit="Obciążenia|Wypłaty", credit="Uznania|Wpłaty", balance="Saldo",
        account="Posiadacz rachunku", payslip="Pasek wynagrodzeń", employee="Pracownik", staff="Nr pracownika",
        gross_pay="Wynagrodzenie brutto|Suma brutto", net_pay="Do wypłaty|Wynagrodzenie netto",
        deductions="Suma potrąceń|Potrącenia razem", pay="Składnik", note="Dokument WZ", note_number="WZ nr|Numer WZ",
        weight="Masa kg", ordered="Zamówiono", delivered="Wydano",
    ),
)  # fmt: skip
LANGUAGES = (ENGLISH, GERMAN, FRENCH, SPANISH, ITALIAN, DUTCH, PORTUGUESE, POLISH)
PLACES: dict[str, tuple[tuple[str, str], ...]] = {
    "en": (("12 Wharf Road", "Leeds LS1 4DY"), ("4 Mill Lane", "Bristol BS1 5TR"), ("88 Station Street", "Portland, OR 97201")),
    "de": (("Hafenstraße 7", "20457 Hamburg"), ("Am Markt 12a", "04109 Leipzig"), ("Lindenweg 3", "80331 München")),
    "fr": (("3 rue du Port", "44000 Nantes"), ("18 avenue Foch", "69006 Lyon"), ("5 place Ducale", "08000 Charleville")),
    "es": (("Calle Mayor 31", "41001 Sevilla"), ("Avenida del Puerto 9", "46021 Valencia"), ("Calle Luna 4", "28004 Madrid")),
    "it": (("Via Garibaldi 22", "16124 Genova"), ("Corso Italia 8", "20122 Milano"), ("Via Verdi 5", "40121 Bologna")),
    "nl": (("Havenstraat 14", "3024 TK Rotterdam"), ("Keizersgracht 101", "1015 CJ Amsterdam"), ("Dorpsweg 2", "3511 AB Utrecht")),
    "pt": (("Rua do Cais 40", "4050-253 Porto"), ("Avenida Central 7", "1200-195 Lisboa"), ("Largo da Feira 3", "3000-123 Coimbra")),
    "pl": (("ul. Portowa 5", "80-861 Gdańsk"), ("ul. Długa 17", "31-147 Kraków"), ("al. Jana Pawła II 3", "00-854 Warszawa")),
}  # fmt: skip
FIRMS: dict[str, Forms] = {
    "en": ("Northern Rope Works Ltd", "Harbour Glass Company", "Kettle and Crane LLC", "Bellweather Marine Inc."),
    "de": ("Lantern & Tar GmbH", "Seilerei Brandt KG", "Elbwerk AG", "Tischlerei Ohlsen"),
    "fr": ("Atelier Morvan SARL", "Cordages du Ponant SAS", "Imprimerie Valmy", "Boulangerie Auger EURL"),
    "es": ("Talleres Ribera S.L.", "Cuerdas del Sur S.A.", "Ferretería Olmo", "Muebles Castro S.L."),
    "it": ("Officina Brandi S.r.l.", "Corderia Ligure S.p.A.", "Falegnameria Rossi", "Grafica Mare S.n.c."),
    "nl": ("Van Dalen B.V.", "Touwslagerij De Haan", "Waterman Techniek B.V.", "Drukkerij Noord"),
    "pt": ("Cordoaria do Norte Lda", "Oficina Tavares Lda", "Vidraria Douro S.A.", "Móveis Pinto"),
    "pl": ("Lina Port Sp. z o.o.", "Stolarnia Kowal", "Żagle Bałtyk S.A.", "Drukarnia Wisła Sp. z o.o."),
}  # fmt: skip
CLIENTS: Forms = (
    "City Water Board", "Mill Lane School", "Pier Nine Hotel", "Jonas Keel", "Orchard Clinic", "Tidewater Museum",
    "Anna Lindqvist", "Meridian Foods", "Stadtwerke Norden", "Hôtel du Lac", "Museo Portuale", "Cooperativa Sur",
)  # fmt: skip
GOODS: Forms = (
    "Hemp rope 20 m", "Brass lantern", "Deck paint white", "Consulting", "Steel shackle M8", "Crane hire",
    "Annual inspection", "Oak plank", "LED panel 4000K", "Delivery to site", "Rubber fender", "Monthly maintenance",
    "Canvas cover", "Anchor chain 10 mm", "Safety training", "Software licence 2024",
)  # fmt: skip
NOTES: Forms = ("as agreed on site", "serial no. 4471-B", "colour grey", "including fittings", "for building C")
UNITS: Forms = ("pcs", "h", "m", "kg")
Data = dict[str, Any]
