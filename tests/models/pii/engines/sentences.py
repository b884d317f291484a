"""Sentences without personal data by class and language, and the same frames with names, made from a seed."""

import random
from collections.abc import Iterator

_ACRONYMS = ("NCIA", "ESEA", "FWER", "CBIIT", "GAGAS", "MITRE", "AFNIC", "CHAMPVA", "RAPTOR", "VASARI")
_PRODUCTS = ("Tomcat", "Maven", "Bugzilla", "Jersey", "Kubernetes", "Oracle", "Linux", "Redis")
_UNITS = ("Kelvin", "Newton", "Pascal", "Tesla", "Hertz", "Weber", "Gauss", "Becquerel")
_NOUNS = ("Workbench", "Thesaurus", "Catalogue", "Registry", "Armadillo", "Broker")
_GERMAN = ("Vorsitz", "Rechnung", "Anlage", "Umsatz", "Kontrolle", "Lieferung", "Betrag", "Konto")
_POLISH = ("Faktura", "Umowa", "Wniosek", "Gmina", "Załącznik", "Zamówienie", "Nazwa", "Podpis")
_SPANISH = ("Factura", "Informe", "Resumen", "Pedido", "Domicilio", "Importe", "Contrato", "Entrega")
FALSE = {
    "acronym": (
        _ACRONYMS,
        (
            "All records of the {0} are kept. Each {0} has a plan.\n{0} may change it.",
            "{0}\nThe parents of the {0} were asked, as the {0} requires.",
            "Die Daten der {0} sind alt. {0} liefert neue.",
        ),
    ),
    "product": (
        _PRODUCTS,
        ("The script starts under {0} on port 80.", "Wir nutzen {0} im Betrieb.", "{0} no arranca en este equipo."),
    ),
    "unit": (_UNITS, ("It was 300 {0} in the room.", "Die Angabe in {0} fehlt.", "El valor en {0} es bajo.")),
    "noun": (
        _NOUNS,
        (
            "The {0} opens. Close the {0} first, then start a new {1}.\n{0} settings are kept.",
            "Open the {0}. Every {1} has one owner.\nUse {0} and see.",
        ),
    ),
    "German sentence": (_GERMAN, ("{0} siehe Seite zwei.", "Der {0} ist offen. {0} folgt.", "{0}: 3.000,00 EUR")),
    "Polish sentence": (_POLISH, ("{0} została wysłana.", "{0}: zobacz stronę drugą.", "Ta {0} jest ważna.")),
    "Spanish sentence": (_SPANISH, ("{0} del mes de mayo.", "El {0} está cerrado.", "{0}: véase la página dos.")),
    "heading in capitals": (
        ("SUMMARY OF RESULTS", "LIST OF TABLES", "PROJECT PLAN", "NAZWA ZADANIA", "ANLAGE ZWEI", "RESUMEN GENERAL"),
        ("{0}\nThe summary of results has a project plan and a list of tables for all.", "{0}\n\nSee page 2."),
    ),
    "Chinese text": (
        ("经理大笑道", "人们口碑相传", "你观察", "我回答说", "客户们都说", "永远不要", "雪很厚"),
        ("{0}：今天很好。", "{0}，然后寄出去。", "他{0}。"),
    ),
    "number of an item": (
        ("C3PR", "SB11", "E40S", "win95", "v3", "T14"),
        ("The {0} release is here.", "Install {0} first.", "Release {0} of the tool.\nMore about {0}."),
    ),
}
"""Class: words, and frames that hold them; `{1}` is the word in small letters."""
_PEOPLE = (
    "Anna Kowalska", "Jan Nowak", "Greg Raley", "Sudha Chudamani", "María García", "Jürgen Habermann", "Lotte van der Berg",
    "Pierre Lefèvre", "Marco Rossi", "Fatima Ahmed", "Christian Heit", "Helmut Eder", "Peter Haasnoot", "Teresa Jaśtak",
)  # fmt: skip
_FRAMES = (
    "The letter was signed by {0} last week.", "Contact: {0}", "Vorsitzender ist {0} aus Kiel.", "{0} was asked to attend the meeting.",
    "El contrato de {0} está listo.", "Umowę podpisuje {0} osobiście.",
)  # fmt: skip
_OTHER_SCRIPTS = (
    ("李小龙 签字", "李小龙"), ("姓名: 王伟", "王伟"), ("患者: 陈晓明", "陈晓明"), ("张伟先生 来电", "张伟"), ("김민수 님께", "김민수"),
    ("성명: 박지영", "박지영"), ("田中太郎様", "田中太郎"), ("佐藤さん が来た", "佐藤"), ("Иван Канарейкин подписал", "Канарейкин"),
    ("Договор подписала Ольга Петровна Сидорова", "Сидорова"), ("Иванов И. И. согласен", "Иванов"), ("С. П. Королёв", "Королёв"),
    ("Передать Ивану Канарейкину лично", "Канарейкину"), ("Олена Шевченко написала", "Шевченко"), ("Директор Дмитрий Комаров", "Комаров"),
    ("刘芳女士", "刘芳"), ("经理 赵敏 签名", "赵敏"), ("Наталья Сергеевна пришла", "Наталья"), ("В. В. Сергеевым", "Сергеевым"),
    ("정우성 대표", "정우성"),
)  # fmt: skip
_STREETS = (
    ("Uferweg 40-42 - D-63571 Gelnhausen",), ("Hauptstraße 5\n12345 Berlin",), ("12 rue de la Paix\n75002 Paris",), ("Calle Mayor 7, 28013 Madrid",),
    ("ul. Szkolna 2, 89-511 Cekcyn",), ("7500 Security Boulevard, Baltimore, MD 21244",), ("10 Downing Street, London SW1A 2AA",),
    ("Kerkstraat 12\n1017 GC Amsterdam",), ("Via Roma 3, 00184 Roma",), ("Mariahilfer Straße 12, 1060 Wien",),
)  # fmt: skip
_BEFORE = ("We live at {0}.", "Adresse: {0}", "Lieferanschrift:\n{0}\nDanke.", "Firma Muster GmbH, {0}")


def make_false(kind: str, count: int) -> Iterator[tuple[str, str]]:
    """Yield texts of a class, each with the word that must not be found."""
    dice = random.Random(kind)
    words, frames = FALSE[kind]
    pairs = [(word, frame) for word in words for frame in frames]
    for _ in range(count):
        word, frame = dice.choice(pairs)
        yield frame.format(word, word.lower()), word


def make_names(count: int) -> Iterator[tuple[str, str]]:
    """Yield texts with a name."""
    dice = random.Random("names")
    for _ in range(count):
        name = dice.choice(_PEOPLE)
        yield dice.choice(_FRAMES).format(name), name


def list_other_scripts() -> tuple[tuple[str, str], ...]:
    """Texts with names in Chinese, Japanese, Korean and Cyrillic letters."""
    return _OTHER_SCRIPTS


def make_addresses(count: int) -> Iterator[tuple[str, str]]:
    """Yield texts with an address of several parts."""
    dice = random.Random("addresses")
    for _ in range(count):
        address = dice.choice(_STREETS)[0]
        yield dice.choice(_BEFORE).format(address), address
