"""Words for labels in en fr de es it nl pt, by canonical key. `labels` matches them."""

from enum import StrEnum


class Key(StrEnum):
    """Canonical keys that a label can have."""

    INVOICE_NUMBER = "invoice_number"
    INVOICE_DATE = "invoice_date"
    DUE_DATE = "due_date"
    DATE = "date"
    TOTAL = "total"
    SUBTOTAL = "subtotal"
    TAX = "tax"
    CURRENCY = "currency"
    SUPPLIER = "supplier"
    CUSTOMER = "customer"
    CUSTOMER_NUMBER = "customer_number"
    COMPANY = "company"
    NAME = "name"
    ADDRESS = "address"
    IBAN = "iban"
    BIC = "bic"
    VAT_ID = "vat_id"
    REGISTRATION_NUMBER = "registration_number"
    PO_NUMBER = "po_number"
    ORDER_NUMBER = "order_number"
    RECEIPT_NUMBER = "receipt_number"
    REFERENCE = "reference"
    PHONE = "phone"
    FAX = "fax"
    EMAIL = "email"
    WEBSITE = "website"
    PAYMENT_TERMS = "payment_terms"
    DISCOUNT = "discount"
    ROUNDING = "rounding"
    PAID = "paid"
    CHANGE = "change"
    QUANTITY = "quantity"
    TIME = "time"


LABELS: dict[Key, str] = {
    Key.INVOICE_NUMBER: (
        "invoice number;invoice no;invoice #;invoice num;invoice id;invoice;inv no;inv number;inv #;"
        "tax invoice no;tax invoice number;tax invoice;"
        "invoice nr;bill number;bill no;bill #;tax inv no;taxinvno;cash inv no;"
        "facture n°;facture no;facture numero;facture;numero de facture;n° de facture;no de facture;n° facture;"
        "no facture;rechnungsnummer;rechnungsnr;rechnungs nr;rechnung nr;rechnung nummer;rechnung;beleg nr;"
        "belegnummer;numero de factura;n° de factura;no de factura;n° factura;factura n°;factura no;"
        "factura numero;factura num;numero fattura;n° fattura;fattura n°;fattura n;fattura numero;fattura nr;"
        "factuurnummer;factuurnr;factuur nr;factuur nummer;numero da fatura;n° da fatura;fatura n°;fatura no;"
        "fatura numero"
        ";numero documento;documento n;document no;document number;n di fattura;nr faktury;faktura nr"
        ";numer faktury;faktura;n da fatura;numero de la factura;belegnummer"
    ),
    Key.INVOICE_DATE: (
        "invoice date;inv date;date of invoice;bill date;billing date;date of issue;issue date;issued on;issued;"
        "tax invoice date;date de facture;date de facturation;date facture;date d emission;rechnungsdatum;"
        "rechnungs datum;ausstellungsdatum;belegdatum;fecha de factura;fecha factura;fecha de emision;"
        "fecha de expedicion;data fattura;data della fattura;data di emissione;data emissione;factuurdatum;"
        "data da fatura;data fatura;data de emissao"
        ";data documento;data del documento;belegdatum;emise le;date emise;data wystawienia;data faktury"
        ";fecha documento"
    ),
    Key.DUE_DATE: (
        "due date;due;due on;payment due;payment due date;due by;pay by;payable by;date due;date d echeance;echeance;"
        "date limite de paiement;a payer avant le;falligkeitsdatum;fallig am;zahlbar bis;falligkeit;zahlungsziel;"
        "fecha de vencimiento;vencimiento;fecha vencimiento;data di scadenza;scadenza;data scadenza;vervaldatum;"
        "vervaldag;te betalen voor;data de vencimento;vencimento"
        ";data di pagamento;termin platnosci;zahlbar am;fallig;a payer pour le;uiterste betaaldatum"
    ),
    Key.DATE: (
        "date;dated;date time;date and time;date printed;transaction date;receipt date;doc date;document date;"
        "order date;datum;datum zeit;fecha;data;le;du;fait le;datum tijd;data hora"
    ),
    Key.TOTAL: (
        "total;grand total;amt due;nettotal;eat in total;take out total;total amount;total due;amount due;"
        "balance due;total payable;amount payable;net total;nett total;total sales;total amt;total incl;"
        "total rounded;rounded total;total rm;total price;total cost;total to pay;to pay;amount to pay;"
        "invoice total;total invoice;total invoice amount;total value;total ttc;montant ttc;montant total;"
        "total a payer;net a payer;somme a payer;total facture;montant du;total general;gesamtbetrag;gesamtsumme;"
        "gesamt;summe;endbetrag;rechnungsbetrag;zu zahlen;zahlbetrag;zu zahlender betrag;bruttobetrag;"
        "gesamt brutto;total brutto;importe total;total a pagar;total factura;importe a pagar;totale;"
        "totale fattura;totale da pagare;importo totale;totale complessivo;totale documento;totaal;totaalbedrag;"
        "te betalen;totaal te betalen;totaal incl;totaal incl btw;valor total;total geral;valor a pagar;"
        "total da fatura"
        ";totale documento;endsumme;rechnungssumme;zu uberweisen;zu bezahlen;do zaplaty;razem brutto"
        ";wartosc brutto;suma brutto;kwota do zaplaty;razem;total da pagare;importe total;montante total"
        ";total com iva;valor total a pagar"
    ),
    Key.SUBTOTAL: (
        "subtotal;sub total;total excl;total excluding;total before tax;total excl tax;amount before tax;"
        "taxable amount;net subtotal;total sales excluding;total excluding gst;total ht;montant ht;sous total;"
        "total hors taxes;base ht;nettobetrag;netto;nettosumme;zwischensumme;summe netto;gesamt netto;"
        "total netto;base imponible;base;imponibile;totale imponibile;subtotale;totaal excl;totaal excl btw;"
        "subtotaal;bedrag excl;valor liquido;total iliquido;total liquido;net amt;net amount"
        ";warenwert;wartosc netto;suma netto;razem netto;total sin iva;total sem iva;valor base;suma"
        ";totale netto;rechnungsbetrag netto;gesamtnetto;warenbetrag;nettowarenwert"
    ),
    Key.TAX: (
        "tax;total tax;sales tax;vat;gst;total gst;total vat;vat amount;gst amount;tax amount;add gst;"
        "gst payable;service tax;hst;pst;sst;tva;montant tva;total tva;dont tva;mwst;mehrwertsteuer;ust;"
        "umsatzsteuer;steuerbetrag;zzgl mwst;iva;cuota iva;total iva;importe iva;importo iva;totale iva;btw;"
        "btw bedrag;totaal btw;valor iva;imposto;valor do iva"
        ";steuerbetrag;kwota vat;podatek vat;podatek;imposta;totale imposta;mehrwertsteuerbetrag;zzgl ust"
        ";ust betrag;mwst betrag"
    ),
    Key.CURRENCY: "currency;devise;monnaie;wahrung;moneda;divisa;valuta;munt;moeda",
    Key.SUPPLIER: (
        "supplier;vendor;seller;sold by;issued by;from;bill from;merchant;issuer;store;store name;shop;outlet;"
        "fournisseur;vendeur;emetteur;verkaufer;lieferant;rechnungssteller;aussteller;proveedor;vendedor;emisor;"
        "fornitore;venditore;cedente;leverancier;verkoper;fornecedor;emitente"
        ";sprzedawca;wystawca;dostawca"
    ),
    Key.CUSTOMER: (
        "customer;customer name;client;client name;bill to;billed to;sold to;ship to;buyer;invoice to;"
        "invoiced to;"
        "billing address;shipping address;deliver to;account name;purchaser;acheteur;nom du client;nom de l abonne;"
        "facture a;adresse de facturation;kunde;rechnung an;rechnungsempfanger;empfanger;kaufer;cliente;"
        "comprador;facturar a;destinatario;cessionario;acquirente;klant;koper;factuuradres;nome do cliente;"
        "faturar a"
        ";destinataire;facture pour;spett le;spettabile;intestatario fattura;exmo s sr s;exmo s;nabywca"
        ";odbiorca;factuur aan;debiteur;rechnungsadresse;lieferadresse;fakturowano na;cliente final"
    ),
    Key.CUSTOMER_NUMBER: (
        "customer no;customer number;customer id;customer code;account no;account number;account #;acc no;"
        "client id;id client;member no;member id;n° client;numero client;kundennummer;kundennr;kunden nr;"
        "numero de cliente;n° cliente;codigo cliente;codice cliente;klantnummer;klantnr;numero do cliente"
        ";code client;debiteurnr;debiteurnummer;nr klienta;kd nr;kundenkonto"
    ),
    Key.COMPANY: (
        "company;company name;organisation;organization;business name;employer;firm;societe;entreprise;"
        "raison sociale;firma;unternehmen;gesellschaft;empresa;razon social;azienda;ragione sociale;societa;"
        "bedrijf;bedrijfsnaam;nome da empresa"
    ),
    Key.NAME: "name;full name;nom;nom et prenom;nombre;nombre y apellidos;nome;nome e cognome;naam;nome completo",
    Key.ADDRESS: (
        "address;street address;mailing address;home address;office address;registered address;postal address;"
        "addr;warehouse address;adresse;siege social;anschrift;direccion;domicilio;indirizzo;sede legale;adres;"
        "endereco;morada"
    ),
    Key.IBAN: "iban;iban no;iban number;iban nr",
    Key.BIC: "bic;swift;swift code;bic swift;bic code",
    Key.VAT_ID: (
        "vat id;vat no;vat number;vat reg no;vat registration no;vat registration number;vat #;vat tin;tin;"
        "gst no;gst id;gst id no;gst reg no;gst reg;gst registration no;gst registration number;gstin;gst number;"
        "gst #;tax id;tax no;tax number;ein;sst no;sst id;n° tva;no tva;numero tva;tva intracommunautaire;"
        "n° tva intracommunautaire;tva intracom;ust id;ustid;ust idnr;ust id nr;umsatzsteuer id;"
        "umsatzsteuer identifikationsnummer;steuernummer;steuer nr;mwst nr;nif;cif;nif cif;cif nif;n° iva;"
        "numero iva;partita iva;p iva;piva;btw nummer;btw nr;btw id;nipc;contribuinte;cnpj;abn"
        ";nip;btw id;tva intracom;no de tva;id iva"
    ),
    Key.REGISTRATION_NUMBER: (
        "company no;co no;company reg no;co reg;co reg no;reg no;registration no;registration number;"
        "company registration no;company registration number;roc no;business reg no;siret;siren;rcs;"
        "handelsregister;hrb;cin;registro mercantil;rea;kvk;kvk nummer;kvk nr;matricula"
    ),
    Key.PO_NUMBER: (
        "po number;po no;po #;p o number;p o no;p o;po;purchase order;purchase order no;purchase order number;"
        "your po;n° de commande;numero de commande;bon de commande;commande n°;bestellnummer;bestellnr;"
        "bestell nr;numero de pedido;n° de pedido;n° pedido;pedido n°;pedido;numero ordine;n° ordine;ordine n°;"
        "bestelnummer;inkooporder;inkoopordernummer;numero do pedido;nota de encomenda"
    ),
    Key.ORDER_NUMBER: (
        "order no;order number;order #;order id;order;sales order;auftragsnummer;auftragsnr;auftrag nr;ordernummer"
        ";nr zamowienia;numer zamowienia;encomenda n;ihre bestellung;votre commande;su pedido;vs ordine"
        ";uw bestelling;your order"
    ),
    Key.RECEIPT_NUMBER: (
        "receipt no;receipt number;receipt #;receipt;slip no;trans no;transaction no;trx no;doc no;document no;"
        "check no;chk no;ticket n°;ticket no;bon nr;kassenbon;numero de ticket;scontrino n;scontrino;bonnummer;"
        "recibo n°"
    ),
    Key.REFERENCE: (
        "reference;reference no;reference number;ref;ref no;ref number;our ref;your ref;our reference;"
        "your reference;notre reference;votre reference;numero de dossier;n° dossier;referenz;unser zeichen;"
        "ihr zeichen;referencia;riferimento;rif;kenmerk;uw kenmerk;ons kenmerk;referentie;contract no;"
        "vertragsnummer"
    ),
    Key.PHONE: (
        "phone;phone no;phone number;phone #;tel;tel no;telephone;telephone no;telephone number;tel fax;mobile;"
        "mobile no;cell;cell phone;contact no;contact number;hp;h p;hotline;telefon;tel nr;telefonnummer;handy;"
        "mobil;portable;telefono;movil;cellulare;telefoon;telefoonnummer;mobiel;telefone;telemovel"
        ";tel kom"
    ),
    Key.FAX: "fax;fax no;fax number;fax #;telefax;telecopie;faks",
    Key.EMAIL: (
        "email;e mail;email address;e mail address;mail;courriel;adresse email;adresse e mail;"
        "adresse email de contact;correo;correo electronico;posta elettronica;e mailadres;correio eletronico"
    ),
    Key.WEBSITE: (
        "website;web;web site;www;url;homepage;site web;site internet;webseite;internet;im internet;sitio web;"
        "sito web;sito"
    ),
    Key.PAYMENT_TERMS: (
        "payment terms;terms;terms of payment;payment method;conditions de paiement;mode de reglement;"
        "modes de reglement;mode de paiement;zahlungsbedingungen;zahlungsart;condiciones de pago;forma de pago;"
        "condizioni di pagamento;modalita di pagamento;betalingsvoorwaarden;betaalwijze;condicoes de pagamento;"
        "forma de pagamento"
    ),
    Key.DISCOUNT: (
        "discount;total discount;disc;total disc;savings;total savings;you saved;remise;rabais;rabatt;skonto;"
        "nachlass;descuento;sconto;korting;desconto"
    ),
    Key.ROUNDING: (
        "rounding;rounding adj;rounding adjustment;round;round adj;rounded;rounding amt;bill rounding;arrondi;"
        "rundung;redondeo;arrotondamento;afronding;arredondamento"
    ),
    Key.PAID: (
        "cash;paid;amount paid;cash paid;payment;tendered;cash tendered;visa;visa card;master;master card;"
        "mastercard;credit card;debit;card;cash received;received;amount tendered;tender;paid amount;especes;"
        "carte;carte bancaire;bar;gegeben;bezahlt;ec karte;efectivo;tarjeta;pagado;contanti;contante;pagato;"
        "carta;contant;pin;betaald;dinheiro;cartao;pago"
    ),
    Key.CHANGE: (
        "change;change due;cash change;balance;monnaie rendue;rendu;ruckgeld;wechselgeld;cambio;su cambio;resto;"
        "wisselgeld;troco"
    ),
    Key.QUANTITY: (
        "qty;quantity;total qty;total quantity;total item;total items;item count;items;total no of items;"
        "no of items;total qty sold;quantite;nombre;menge;anzahl;cantidad;quantita;aantal;quantidade"
        ";ilosc;stuckzahl;uds;unidades;q ta;qta;qtd;qte livree"
    ),
    Key.TIME: "time;heure;uhrzeit;zeit;hora;ora;tijd",
}
"""Phrases without case and accents, separated by semicolons."""

NEEDS_COLON = frozenset({
    "invoice", "tax invoice",
    "facture", "rechnung", "factura", "fattura", "fatura", "order", "po", "pedido", "commande",
    "receipt", "ticket", "tax", "vat", "gst", "tva", "iva", "btw", "base", "bar", "card", "carte", "pin", "bon",
    "scontrino", "from", "mail", "web", "internet", "le", "du", "data", "datum", "round", "balance", "items",
    "nett", "netto", "to", "ref",
})  # fmt: skip
"""Words that are labels only with a colon or a value behind them; alone they are titles and prose."""

QUALIFIERS = frozenset(
    [
        "#",
        "%",
        "0",
        "10",
        "19",
        "20",
        "21",
        "22",
        "5",
        "6",
        "7",
        "a",
        "after",
        "al",
        "amount",
        "amt",
        "and",
        "b",
        "before",
        "btw",
        "c",
        "chf",
        "code",
        "das",
        "date",
        "de",
        "del",
        "der",
        "die",
        "du",
        "due",
        "eur",
        "excl",
        "excluding",
        "exclusive",
        "gbp",
        "gst",
        "ht",
        "id",
        "in",
        "incl",
        "including",
        "inclusive",
        "inr",
        "iva",
        "la",
        "le",
        "mit",
        "mwst",
        "myr",
        "n",
        "no",
        "nr",
        "num",
        "number",
        "of",
        "ohne",
        "payable",
        "reg",
        "rm",
        "rounding",
        "s",
        "sales",
        "sgd",
        "sst",
        "tax",
        "the",
        "time",
        "total",
        "ttc",
        "tva",
        "usd",
        "ust",
        "vat",
        "°",
    ]
)
"""Words that may stand behind a label without changing what it names."""
