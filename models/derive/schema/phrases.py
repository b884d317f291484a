"""Phrases that may name a part of the schema on the page, and how well a label fits them.

They come from the property's name, title and description, the author's hints, the lexicon of fields and synonyms.
"""

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Generic, TypeVar

from quire.models.derive.fields.labels import LEXICON, label_words, name_key
from quire.models.derive.fields.lexicon import Key
from quire.models.derive.fields.roles import head_key
from quire.models.derive.schema.nodes import ArrayNode, Leaf, ObjectNode

Words = tuple[str, ...]
Owner = TypeVar("Owner", bound=Hashable)

MAX_DESCRIPTION_WORDS = 7
"""Words of a description that is also a label."""
LEAST_FIT = 0.6
"""Minimum share of common words (Dice) of a label and a phrase."""
MAX_KNOWN = 20_000  # labels whose fits are kept with a schema
MAX_WORDS = 8  # words of a label; longer is a sentence
FOREIGN = 0.25
"""Share of words that no phrase has, from which a label's fit is below .8."""
NAME, HINT, LEXICAL, SYNONYM, DESCRIBED, PARENTED, GENERAL = 1.0, 1.0, 0.92, 0.88, 0.85, 1.0, 0.86
"""Weight (0..1) of a phrase by its origin."""
_SHORT = {
    "no": "number", "nr": "number", "num": "number", "n": "number", "#": "number", "°": "number", "qty": "quantity",
    "amt": "amount", "inv": "invoice", "desc": "description", "ref": "reference", "acct": "account", "acc": "account",
    "tel": "phone", "telephone": "phone", "addr": "address", "id": "number", "identifier": "number", "cust": "customer",
    "org": "organisation", "organization": "organisation", "mail": "email", "po": "order", "purchase": "order",
}  # fmt: skip
_EMPTY = frozenset({"the", "of", "in", "on", "for", "and", "is", "per", "this", "s"})
_QUALIFYING = frozenset(
    {
        "net", "gross", "excl", "incl", "ex", "inc", "vat", "tax", "gst", "ht", "ttc", "ohne", "mit", "mwst", "ust",
        "tva", "hors", "iva", "btw", "eur", "usd", "gbp", "chf", "inr", "rm", "our", "your", "vk", "netto", "brutto",
    }
)  # fmt: skip
"""Words that qualify a label without changing what it names; left out when nothing fits with them."""
UNQUALIFIED = 0.95
"""Weight (0..1) of a label without its qualifying words."""
_SYNONYMS = (
    "total;grand total;amount due;total due;balance due;total payable;amount payable;total amount;please pay",
    "net;net amount;subtotal;sub total;net total;total net;total excluding tax;total excluding vat;taxable amount;"
    "amount before tax;total before tax;nettobetrag;total ht;montant ht;base imponible;imponibile",
    "supplier;vendor;seller;issuer;merchant;company;from;bill from;sold by;billed by",
    "customer;buyer;client;bill to;billed to;sold to;purchaser;recipient;invoice to",
    "quantity;units;pieces;pcs;hours;days;count;menge;anzahl;stk;quantite;qte;cantidad;cant;quantita;aantal",
    "description;item;product;article;particulars;details;designation;service;goods;bezeichnung;beschreibung;"
    "artikel;libelle;descripcion;concepto;descrizione;omschrijving;narrative;transaction;memo;text",
    "unit price;price;rate;unit cost;price each;each;cost;einzelpreis;preis;prix unitaire;prix;pu;p u;precio;"
    "precio unitario;prezzo;prezzo unitario;stukprijs;price per unit",
    "amount;total;line total;net amount;line amount;extended price;extension;sum;value;total price;betrag;gesamt;"
    "zeilenbetrag;positionsbetrag;gesamtpreis;montant;montant ht;total ht;importe;importo;bedrag;"
    "totale;totaal;valor;wartosc;kwota",
    "date;posting date;transaction date;booking date;value date;day;datum;fecha;data;posted",
    "balance;running balance;closing balance;saldo;solde;kontostand",
    "debit;withdrawal;withdrawals;paid out;money out;payments;debits;soll;charge;charges",
    "credit;deposit;deposits;paid in;money in;receipts;credits;haben",
    "sku;item code;article number;code;part number;item number;product code;artikelnummer;reference;item;art number",
    "reference;ref;reference number;transaction number;voucher",
    "opening balance;balance brought forward;previous balance;beginning balance;starting balance;old balance;"
    "alter saldo;anfangssaldo;ancien solde;solde initial;saldo anterior;saldo inicial;saldo iniziale;"
    "saldo precedente;vorig saldo;beginsaldo;saldo poczatkowe;saldo poprzednie",
    "closing balance;ending balance;new balance;balance carried forward;final balance;neuer saldo;endsaldo;"
    "nouveau solde;solde final;saldo final;nuevo saldo;saldo finale;nuovo saldo;nieuw saldo;eindsaldo;novo saldo;"
    "saldo koncowe;nowe saldo",
    "birth date;date of birth;dob;born;born on;geburtsdatum;date de naissance;fecha de nacimiento",
    "given name;first name;forename;vorname;prenom;nombre",
    "family name;last name;surname;nachname;nom;apellidos",
    "phone;telephone;phone number;mobile;tel;telefon",
    "position;line;pos;row;item number;line number;number",
    "tax rate;vat rate;tax percentage;vat percentage;rate",
    "start date;from;period start;start;begin;beginning;effective date",
    "end date;to;until;period end;end;expiry date;expiration date",
    "period;statement period;billing period;service period",
    "ordered;ordered quantity;quantity ordered;bestellt;commande;pedido;ordinato;besteld;zamowiono",
    "delivered;shipped;delivered quantity;quantity shipped;geliefert;livre;entregado;consegnato;geleverd;entregue;"
    "wydano;dostarczono",
    "weight;gewicht;poids;peso;masa;waga",
    "delivery note number;delivery note;lieferscheinnummer;lieferschein nr;bon de livraison n;n de bl;numero de bl;"
    "albaran n;numero de albaran;ddt n;numero ddt;pakbonnummer;pakbon nr;guia n;guia de remessa n;wz nr;numer wz",
    "delivery date;date of supply;ship date;lieferdatum;leistungsdatum;date de livraison;fecha de entrega;"
    "data di consegna;leverdatum;data de entrega;data dostawy;data sprzedazy",
    "employee;employee name;mitarbeiter;arbeitnehmer;salarie;employe;trabajador;empleado;dipendente;werknemer;"
    "medewerker;trabalhador;funcionario;pracownik",
    "staff number;employee number;personnel number;personalnummer;personal nr;matricule;n de empleado;"
    "numero de empleado;matricola;personeelsnummer;n mecanografico;n de funcionario;numero de funcionario;"
    "nr pracownika",
    "gross pay;gross salary;gross wage;gesamtbrutto;bruttolohn;bruttogehalt;salaire brut;total devengado;"
    "salario bruto;totale competenze;retribuzione lorda;brutoloon;totaal bruto;total de abonos;vencimento bruto;"
    "wynagrodzenie brutto;suma brutto",
    "net pay;net salary;net wage;take home pay;amount paid;auszahlungsbetrag;auszahlung;nettolohn;nettogehalt;"
    "net a payer;net paye;liquido a percibir;salario neto;netto in busta;netto a pagare;nettoloon;netto te betalen;"
    "liquido a receber;total liquido;do wyplaty;wynagrodzenie netto",
    "deductions;total deductions;summe abzuge;abzuge;total des retenues;retenues;total a deducir;total deducciones;"
    "totale trattenute;trattenute;totaal inhoudingen;inhoudingen;total de descontos;descontos;suma potracen;"
    "potracenia razem",
    "experience;work experience;professional experience;employment;employment history;work history;career;"
    "career history;jobs;positions;posts;berufserfahrung;beruflicher werdegang;werdegang;experience professionnelle;"
    "experiencia;experiencia profesional;experiencia laboral;esperienza;esperienza professionale;"
    "esperienze professionali;werkervaring;experiencia profissional;doswiadczenie;doswiadczenie zawodowe",
    "education;education and training;academic background;qualifications;degrees;studies;ausbildung;bildung;studium;"
    "formation;formacion;formacion academica;estudios;istruzione;formazione;istruzione e formazione;opleiding;"
    "opleidingen;formacao;formacao academica;educacao;wyksztalcenie",
    "languages;language skills;sprachen;sprachkenntnisse;langues;idiomas;lingue;talen;jezyki",
    "skills;technical skills;kenntnisse;fahigkeiten;competences;habilidades;competenze;vaardigheden;competencias;"
    "umiejetnosci",
    "revenue;revenues;net revenue;total revenue;sales;net sales;turnover;umsatzerlose;umsatz;chiffre d affaires;ventas;"
    "ingresos;ricavi;omzet;receitas;przychody",
    "cost of revenue;cost of sales;cost of goods sold;cost of products sold;total cost of revenue;umsatzkosten",
    "gross profit;gross margin;bruttoergebnis;rohertrag",
    "operating income;operating profit;income from operations;profit from operations;operating income loss;"
    "betriebsergebnis;resultat operationnel;resultado de explotacion;risultato operativo",
    "net income;net earnings;net profit;net income loss;profit for the period;profit for the year;konzernergebnis;"
    "jahresuberschuss;periodenergebnis;resultat net;resultado neto;utile netto;nettowinst",
    "income tax;income taxes;income tax expense;provision for income taxes;tax expense;ertragsteuern",
    "cash;cash and cash equivalents;zahlungsmittel;tresorerie;efectivo;liquide mittel",
    "accounts receivable;receivables;trade receivables;accounts receivable net;forderungen",
    "accounts payable;trade payables;verbindlichkeiten",
    "inventory;inventories;vorrate;stocks;existencias;rimanenze",
    "equity;total equity;shareholders equity;stockholders equity;total stockholders equity;total shareholders equity;"
    "eigenkapital;capitaux propres;patrimonio neto;patrimonio netto",
    "total assets;bilanzsumme;summe aktiva;total actif;activo total;totale attivo",
    "basic eps;eps basic;earnings per share basic;basic earnings per share;net income per share basic",
    "diluted eps;eps diluted;earnings per share diluted;diluted earnings per share;net income per share diluted",
    "account holder;kontoinhaber;titulaire;titular;intestatario;rekeninghouder;posiadacz rachunku",
)


@lru_cache(maxsize=20_000)
def plain_words(text: str) -> Words:
    """Return the words of a label without case, accents, plural and empty words; abbreviations are written out."""
    words = [_stem(_SHORT.get(word, word)) for word, _ in label_words(text[:200])]
    return tuple(word for word in words if word not in _EMPTY) or tuple(words)


def _stem(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def split_name(name: str) -> str:
    """Return the words of a property's name: `invoiceNumber` and `invoice_number` are `invoice number`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[_\W]+", " ", name).strip()


@lru_cache(maxsize=1)
def _lexicon_phrases() -> dict[Key, tuple[Words, ...]]:
    phrases: dict[Key, dict[Words, None]] = defaultdict(dict)
    for words, key in LEXICON.items():
        phrases[key][plain_words(" ".join(words))] = None
    return {key: tuple(found) for key, found in phrases.items()}


@lru_cache(maxsize=1)
def _synonym_groups() -> dict[Words, tuple[Words, ...]]:
    groups: dict[Words, dict[Words, None]] = defaultdict(dict)
    for group in _SYNONYMS:
        phrases = [plain_words(phrase) for phrase in group.split(";")]
        for phrase in phrases:
            groups[phrase].update(dict.fromkeys(phrases))
    return {phrase: tuple(found) for phrase, found in groups.items()}


def leaf_key(leaf: Leaf) -> Key | None:
    """Return the lexicon's key for what a leaf names: by its name, its title, or a short description."""
    return _key_of(leaf.name, leaf.title, leaf.description, leaf.path[-2] if len(leaf.path) > 1 else "")


@lru_cache(maxsize=10_000)
def _key_of(name: str, title: str, description: str, parent: str) -> Key | None:
    read = (head_key(plain_words(split_name(text)), plain_words(split_name(parent))) for text in (name, title) if text)
    by_words = next((key for key in read if key is not None), None)
    if by_words is not None:
        return by_words
    described = re.split(r"[.;:(\n]", description, maxsplit=1)[0]
    texts = (split_name(name), title, described)
    named = (name_key(text) for text in texts if 0 < len(text.split()) <= MAX_DESCRIPTION_WORDS)
    return next((key for key in named if key is not None), None)


_ALIKE = (
    frozenset({Key.DATE, Key.INVOICE_DATE}), frozenset({Key.SUPPLIER, Key.COMPANY, Key.NAME}),
    frozenset({Key.CUSTOMER, Key.NAME}), frozenset({Key.ORDER_NUMBER, Key.PO_NUMBER, Key.REFERENCE}),
    frozenset({Key.RECEIPT_NUMBER, Key.INVOICE_NUMBER, Key.REFERENCE}), frozenset({Key.PHONE, Key.FAX}),
)  # fmt: skip
"""Keys whose labels may name each other's values."""


@lru_cache(maxsize=20_000)
def names_other(label: str, key: Key | None) -> bool:
    """Return True for a label that the lexicon knows as the name of something else than the key."""
    named = name_key(label) if key is not None else None
    return named is not None and named is not key and not any({named, key} <= alike for alike in _ALIKE)


_GENERIC = frozenset(
    {
        ("item",), ("reference",), ("total",), ("rate",), ("cost",), ("number",), ("company",), ("from",), ("to",),
    }
)  # fmt: skip
"""Phrases of several groups: they name what the label says, but bring no group along."""


def phrases_of(node: Leaf | ArrayNode | ObjectNode) -> dict[Words, float]:
    """Return the phrases of a part of the schema, each with its weight (0..1)."""
    name = split_name(node.path[-1]) if node.path else ""
    own = dict.fromkeys((plain_words(name), *([plain_words(node.title)] if node.title else [])), NAME)
    phrases = dict(own)
    for label in node.hints.labels:
        phrases[plain_words(label)] = HINT
    described = re.split(r"[.;:(\n]", node.description, maxsplit=1)[0].split()
    if 0 < len(described) <= MAX_DESCRIPTION_WORDS:
        phrases.setdefault(plain_words(" ".join(described)), DESCRIBED)
    if len(node.path) > 1 and name:
        phrases.setdefault(plain_words(f"{split_name(node.path[-2])} {name}"), PARENTED)
    if isinstance(node, Leaf):
        for phrase, weight in _known_phrases(leaf_key(node)):
            phrases.setdefault(phrase, weight)
    for words in list(own):
        key = name_key(" ".join(words))
        for phrase in _lexicon_phrases().get(key, ()) if key is not None else ():
            phrases.setdefault(phrase, LEXICAL)
        if words not in _GENERIC or len(own) == 1:
            for phrase in _synonym_groups().get(words, ()):
                phrases.setdefault(phrase, SYNONYM)
    phrases.pop((), None)
    return phrases


_NUMBERS: tuple[Words, ...] = (("number",), ("nummer",), ("numero",), ("numer",))
"""Labels that name the number of the document itself."""


def _known_phrases(key: Key | None) -> Iterator[tuple[Words, float]]:
    """Yield the lexicon's phrases for a key, and those for any date if it is the date of an invoice."""
    yield from ((phrase, LEXICAL) for phrase in _lexicon_phrases().get(key, ())) if key is not None else ()
    if key is Key.INVOICE_DATE:
        yield from ((phrase, GENERAL) for phrase in _lexicon_phrases()[Key.DATE])
    if key is Key.INVOICE_NUMBER:
        yield from ((phrase, GENERAL) for phrase in _NUMBERS)


@dataclass(frozen=True, slots=True)
class Fit(Generic[Owner]):
    """Quality (0..1) with which a label names a part of the schema."""

    owner: Owner
    score: float


class PhraseIndex(Generic[Owner]):
    """Phrases by their words, so that a label is compared only with those that share one."""

    def __init__(self, phrases: Iterable[tuple[Owner, Words, float]]) -> None:
        by_phrase: dict[Words, dict[Owner, float]] = {}
        self._first: dict[Owner, Words] = {}
        for owner, words, weight in phrases:
            owners = by_phrase.setdefault(words, {})
            owners[owner] = max(weight, owners.get(owner, 0.0))
            self._first.setdefault(owner, words)
        self._phrases = [(words, len(set(words)), owners) for words, owners in by_phrase.items()]
        self._by_word: dict[str, list[int]] = defaultdict(list)
        for number, (words, _, _) in enumerate(self._phrases):
            for word in set(words):
                self._by_word[word].append(number)
        self._known: dict[Words, list[Fit[Owner]]] = {}

    @property
    def named(self) -> Iterable[tuple[Owner, Words]]:
        """Return the owners with the words of their names."""
        return self._first.items()

    def fits(self, label: str) -> Sequence[Fit[Owner]]:
        """Return the parts that a label names, the best first."""
        return self._fits(plain_words(label))

    def _fits(self, words: Words) -> list[Fit[Owner]]:
        found = self._known.get(words)
        if found is None:
            if len(self._known) >= MAX_KNOWN:
                self._known.clear()
            found = self._known[words] = self._compare(words)
        return found

    def names(self, label: str, least: float) -> bool:
        """Return whether a label names a part with at least that fit, which is above .8."""
        words = plain_words(label)
        if len(words) > MAX_WORDS or FOREIGN * len(words) < sum(not self._is_own(word) for word in words):
            return False
        fits = self._fits(words)
        return bool(fits) and fits[0].score >= least

    def begins(self, word: str) -> bool:
        """Return False for a word that begins no label with a fit above .8."""
        return any(map(self._is_own, plain_words(word)[:1]))

    def _is_own(self, word: str) -> bool:
        return word in self._by_word or word in _QUALIFYING or word in _EMPTY or word.isdecimal() or word == "%"

    def _compare(self, words: Words) -> list[Fit[Owner]]:
        if not words or len(words) > MAX_WORDS:
            return []
        common: dict[int, int] = {}
        own = dict.fromkeys(words)
        for word in own:
            for number in self._by_word.get(word, ()):
                common[number] = common.get(number, 0) + 1
        best: dict[Owner, float] = {}
        plain = tuple(word for word in words if not word.isdecimal() and word != "%")
        if plain and len(plain) < len(words):
            best = {fit.owner: UNQUALIFIED * fit.score for fit in self._compare(plain)}
        for number, count in common.items():
            phrase, length, owners = self._phrases[number]
            fit = 2 * count / (len(own) + length)
            if fit < LEAST_FIT:
                continue
            fit = 1.0 if phrase == words else 0.95 * fit if fit < 1.0 else fit
            if fit >= LEAST_FIT:
                for owner, weight in owners.items():
                    best[owner] = max(best.get(owner, 0.0), fit * weight)
        if not best and len(bare := tuple(word for word in words if word not in _QUALIFYING)) < len(words):
            return [Fit(fit.owner, UNQUALIFIED * fit.score) for fit in self._compare(bare)]
        return sorted((Fit(owner, score) for owner, score in best.items()), key=lambda fit: -fit.score)
