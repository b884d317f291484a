"""Identity, tax, social-security and health numbers of each country behind their own words.

A number that passes the country's checksum is accepted within reach of its word. A number of the right form that fails
it, such as a misread one, is accepted directly next to the word, unless the word has other meanings.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import ModuleType

from quire.models.pii.kinds import Hit, Kind
from quire.models.pii.patterns.clues import Clues
from quire.models.pii.patterns.labels import Labels
from quire.models.pii.patterns.pattern import AND

_SEPARATOR = r"(?:[ \n]?[./_–-]?[ \n]?)"
_SHAPE_PART = re.compile(r"(\[[^]]{1,20}\]|[A9X]|\\?.)(\{\d{1,3}(?:,\d{1,3})?\})?(\?)?")
_CLASSES = {"A": "[A-Z]", "9": "[0-9]", "X": "[A-Z0-9]"}
_INITIALS = re.compile(r"\.(?<=\b[^\W\d_]\.)")
_NOT_PART = re.compile(r"[^A-Z0-9&Ñ]")


@dataclass(frozen=True, slots=True)
class NationalNumber:
    """One number of a country.

    `shapes` describe its characters: `A` a letter, `9` a digit, `X` either, with repeats as in a regular expression and
    alternatives parted by `|`. Separators may stand anywhere. `check` is a module of python-stdnum.
    """

    country: str
    labels: Labels
    shapes: str
    check: str | None = None
    ambiguous: bool = False
    kind: Kind = Kind.NATIONAL_ID

    def find(self, clues: Clues) -> Iterator[Hit]:
        """Yield the numbers of this kind in a text."""
        regex, behind = _regex(self.shapes), 0
        for place in self.labels.starts(clues):
            match = regex.match(clues.text, place) if place >= behind else None
            while match is not None and self._accepts(clues, *match.span(), listed=bool(behind) and place < behind):
                yield Hit(self.kind, *match.span())
                behind = match.end()
                gap = AND.match(clues.text, behind)
                match = regex.match(clues.text, gap.end()) if gap is not None else None

    def _accepts(self, clues: Clues, start: int, end: int, *, listed: bool) -> bool:
        value = clues.text[start:end]
        valid = self.check is not None and is_valid(self.check, value)
        if listed:
            return valid or not self.ambiguous
        if valid and "\n" not in value:
            return self.labels.is_named(clues, start, end)
        return (valid or not self.ambiguous) and self.labels.is_close(clues, start, end)


@cache
def _regex(shapes: str) -> re.Pattern[str]:
    alternatives = list[str]()
    for shape in shapes.split("|"):
        parts, required = list[str](), False
        for characters, repeat, optional in _SHAPE_PART.findall(shape):
            one = _CLASSES.get(characters, characters)
            times = re.fullmatch(r"\{(\d+)(?:,(\d+))?\}", repeat)
            least, most = (int(times[1]), int(times[2] or times[1])) if times else (1, 1)
            piece = _SEPARATOR.join([one] * least) + f"(?:{_SEPARATOR}{one}){{0,{most - least}}}" * (most > least)
            if optional:
                parts.append(f"(?:{_SEPARATOR}{piece})?" if parts else f"(?:{piece}{_SEPARATOR})?")
            else:
                parts.append((_SEPARATOR if required else "") + piece)
                required = True
        alternatives.append("".join(parts))
    return re.compile(rf"(?i)(?<![A-Z0-9])(?:{'|'.join(alternatives)})(?![A-Z0-9]|[.,][0-9])")


@cache
def _module(name: str) -> ModuleType:
    return import_module(f"stdnum.{name}")


def is_valid(name: str, value: str) -> bool:
    """Return whether the number passes the check of this module of python-stdnum."""
    compact = _NOT_PART.sub("", value.upper())
    module = _module(name)
    for candidate in (compact, value):
        try:
            if module.is_valid(candidate):
                return True
        except (ValueError, KeyError, IndexError):
            continue
    return False


def _row(
    country: str, words: str, shapes: str, check: str | None = None, *, ambiguous: bool = False,
    kind: Kind = Kind.NATIONAL_ID,
) -> NationalNumber:  # fmt: skip
    return NationalNumber(country, Labels(*words.split("|")), shapes, check, ambiguous, kind)


NATIONAL_NUMBERS: tuple[NationalNumber, ...] = (
    _row("AR", "cuit|cuil|clave única de identificación tributaria", "9{11}", "ar.cuit"),
    _row("AR", "dni|documento nacional de identidad|documento", "9{7,8}", "ar.dni", ambiguous=True),
    _row("AT", "svnr|sv nr|sv nummer|svnummer|sozialversicherungsnummer|versicherungsnummer|sozialversicherungsnr", "9{10}", "at.vnr"),
    _row("AT", "abgabenkontonummer|steuernummer|steuernr", "9{9}"),
    _row("AU", "tfn|tax file number|tax file no", "9{8,9}", "au.tfn"),
    _row("AU", "medicare|medicare no|medicare number|medicare card", "9{10,11}"),
    _row("AU", "abn|acn", "9{9}|9{11}", "au.abn", ambiguous=True),
    _row("BE", "rijksregisternummer|rijksregister|numéro national|registre national|insz|niss|rrn|nn", "9{11}", "be.nn"),
    _row("BE", "identiteitskaart|carte d identité|numéro de carte d identité", "9{12}"),
    _row("BG", "егн|egn|единен граждански номер", "9{10}", "bg.egn"),
    _row("BG", "лнч|lnch", "9{10}", "bg.pnf"),
    _row("BR", "cpf", "9{11}", "br.cpf"),
    _row("BR", "cnpj", "9{14}", "br.cnpj"),
    _row("BR", "rg|registro geral", "9{8}X"),
    _row("BR", "pis|pasep|nis|nit pis", "9{11}"),
    _row("BR", "cnh|título de eleitor|titulo de eleitor", "9{11,12}"),
    _row("BY", "унп|учётный номер плательщика", "9{9}", "by.unp"),
    _row("BY", "идентификационный номер|ідэнтыфікацыйны нумар", "9{7}A9{3}A{2}9"),
    _row("CA", "sin|nas|social insurance number|numéro d assurance sociale", "9{9}", "ca.sin"),
    _row("CA", "health card|ohip|ramq|phn|health number|carte santé|assurance maladie|medicare number", "9{9,10}A{0,2}|A{4}9{8}"),
    _row("CH", "ahv|avs|ahv nr|ahv nummer|no avs|sozialversicherungsnummer", "7569{10}", "ch.ssn"),
    _row("CL", "rut|run|rol único tributario|rol unico tributario", "9{7,8}[0-9K]", "cl.rut"),
    _row("CN", "身份证|身份证号|身份证号码|公民身份号码|身份證|id card", "9{17}[0-9X]", "iso7064.mod_11_2"),
    _row("CN", "统一社会信用代码|纳税人识别号", "X{18}|X{15}", "cn.uscc"),
    _row("CO", "cédula|cedula|cédula de ciudadanía|cedula de ciudadania|c c", "9{6,10}"),
    _row("CO", "nit", "9{8,10}", "co.nit", ambiguous=True),
    _row("CR", "cédula|cedula de identidad", "9{9}", "cr.cpf"),
    _row("CY", "φπα|αφτ|tic|arc", "9{8}A", "cy.vat"),
    _row("CZ", "rodné číslo|rodne cislo|rč|r č|rod č", "9{9,10}", "cz.rc"),
    _row("CZ", "občanský průkaz|číslo op|č op|občanského průkazu|obcansky prukaz", "9{9}"),
    _row("CZ", "dič|dic", "CZ9{8,10}|9{8,10}", "cz.dic"),
    _row("DE", "steuer id|steuerid|idnr|steueridentifikationsnummer|steuer identifikationsnummer|steuerliche identifikationsnummer|steuer idnr|tin", "9{11}", "de.idnr"),
    _row("DE", "steuernummer|steuer nr|st nr|stnr|steuernr", "9{10,13}", "de.stnr"),
    _row("DE", "rentenversicherungsnummer|rentenversicherungsnr|rvnr|rv nummer|rv nr|sozialversicherungsnummer|sv nummer|svnr|versicherungsnummer|sozialversicherungsausweis", "9{8}A9{3}"),
    _row("DE", "personalausweisnummer|personalausweis|personalausweisnr|ausweisnummer|ausweis nr|ausweisnr|perso nr|ausweis|aufenthaltstitel", "[A-Z]X{8}9?D?"),
    _row("DE", "krankenversichertennummer|kvnr|krankenversicherungsnummer|versichertennummer|versicherten nr|krankenkassennummer|kv nummer|gesundheitskarte", "A9{9}"),
    _row("DE", "führerschein|führerscheinnummer|führerschein nr|fuehrerschein|fahrerlaubnis", "[A-Z0-9]X{10}"),
    _row("DK", "cpr|cpr nr|cpr nummer|cprnr|personnummer", "9{10}", "dk.cpr"),
    _row("DO", "cédula|cedula", "9{11}", "do.cedula"),
    _row("DZ", "numéro d identification nationale|nin|رقم التعريف الوطني", "9{18}"),
    _row("EC", "cédula|cedula|cédula de identidad|ruc", "9{10}|9{13}", "ec.ci"),
    _row("EE", "isikukood|ik|personal code", "9{11}", "ee.ik"),
    _row("EG", "الرقم القومي|رقم قومي|national id", "9{14}"),
    _row("ES", "dni|nif|documento nacional de identidad|d n i|n i f", "9{8}A", "es.dni"),
    _row("ES", "nie|n i e|número de identidad de extranjero", "[XYZ]9{7}A", "es.nie"),
    _row("ES", "nif|cif", "A9{7}X", "es.nif"),
    _row("ES", "nuss|nss|naf|seguridad social|número de la seguridad social|nº seguridad social|afiliación", "9{11,12}"),
    _row("FI", "hetu|henkilötunnus|henkilötunnuksen|sotu|personbeteckning", "9{6}[-+A-FU-Y]?9{3}X", "fi.hetu"),
    _row("FR", "nir|numéro de sécurité sociale|sécurité sociale|n sécu|nº sécu|no sécu|sécu|insee|carte vitale", "[1-478]9{14}|[1-478]9{12}|[1-478]9{4}2[AB]9{8}|[1-478]9{4}2[AB]9{6}", "fr.nir"),
    _row("FR", "spi|numéro fiscal|numero fiscal|nif|n fiscal|référence fiscale|identifiant fiscal", "9{13}", "fr.nif"),
    _row("FR", "cni|carte nationale d identité|carte d identité|carte nationale", "9{12}|X{9}"),
    _row("GB", "nino|ni|ni number|ni no|national insurance|national insurance number|national insurance no|nat ins", "A{2}9{6}[A-D]?"),
    _row("GB", "nhs|nhs no|nhs number", "9{10}", "gb.nhs"),
    _row("GB", "utr|unique taxpayer reference|tax reference", "9{10}K?", "gb.utr"),
    _row("GB", "driving licence|driving license|driver number|dvla", "[A-Z9]{5}9{6}[A-Z9]{2}X{3}(?:X{2})?"),
    _row("GB", "chi|chi number|chi no", "9{10}"),
    _row("GR", "αφμ|α φ μ|afm|αριθμός φορολογικού μητρώου", "9{9}", "gr.vat"),
    _row("GR", "αμκα|α μ κ α|amka", "9{11}", "gr.amka"),
    _row("GR", "αδτ|α δ τ|ταυτότητα|δελτίο ταυτότητας|αριθμός ταυτότητας|αρ ταυτότητας|δελτιο ταυτοτητας", r"[^\W\d_]{1,2}9{6}"),
    _row("HK", "hkid|hkid no|hong kong identity card|香港身份證|身份證號碼|身份證|香港身份证", r"A{1,2}9{6}\(?[0-9A]\)?"),
    _row("HR", "oib|osobni identifikacijski broj", "9{11}", "hr.oib"),
    _row("HR", "jmbg|jedinstveni matični broj", "9{13}", "si.emso"),
    _row("HR", "osobna iskaznica|broj osobne iskaznice", "9{9}"),
    _row("HU", "adóazonosító jel|adóazonosító|adóazonosító szám|adószám|adójel", "89{9}|9{11}"),
    _row("HU", "taj|taj szám|tajszám|társadalombiztosítási", "9{9}"),
    _row("HU", "személyi szám|személyi azonosító|személyi igazolvány|személyi ig|személyi igazolvány szám", "9{11}|9{6}A{2}"),
    _row("ID", "nik|ktp|no ktp|nomor induk kependudukan|nomor ktp", "9{16}"),
    _row("ID", "npwp|no npwp", "9{15,16}"),
    _row("IE", "pps|ppsn|pps no|pps number|personal public service number", "9{7}A{1,2}", "ie.pps"),
    _row("IL", "teudat zehut|תעודת זהות|ת ז|ת״ז|ת\"ז|מספר זהות|israeli id|tz", "9{8,9}", "il.idnr"),
    _row("IN", "aadhaar|aadhar|aadhaar no|आधार|uidai|uid", "9{12}", "in_.aadhaar"),
    _row("IN", "pan|pan no|pan card|pan number|permanent account number|पैन", "[A-Z]{5}9{4}A", "in_.pan"),
    _row("IN", "epic|epic no|voter id|elector|voter card", "A{3}9{7}", "in_.epic"),
    _row("IN", "gstin|gst", "9{2}A{5}9{4}AXZX", "in_.gstin"),
    _row("IN", "driving licence|driving license|dl no", "A{2}9{13}"),
    _row("IS", "kennitala|kt|kennitölu", "9{10}", "is_.kennitala"),
    _row("IT", "codice fiscale|cod fisc|cod fiscale|cf|c f", "A{6}X{2}AX{2}AX{3}A", "it.codicefiscale"),
    _row("IT", "partita iva|p iva|piva", "9{11}", "it.iva"),
    _row("IT", "carta d identità|carta identità|carta di identità|carta d identita|cie|tessera sanitaria", "A{2}9{5}A{0,2}|A{2}9{7}|9{20}|9{7}A{2}"),
    _row("IT", "patente|patente di guida|patente n", "A{2}9{7}A|X{10}"),
    _row("JP", "マイナンバー|個人番号|my number", "9{12}", "jp.in_"),
    _row("JP", "運転免許証|免許証番号|基礎年金番号|保険証|在留カード", "9{10,12}|A{2}9{8}A{2}"),
    _row("KE", "kra pin|kra", "A9{9}A", "ke.pin"),
    _row("KR", "주민등록번호|주민번호|외국인등록번호|rrn|resident registration number", "9{13}", "kr.rrn"),
    _row("KR", "운전면허|운전면허번호|사업자등록번호", "9{10}|9{12}"),
    _row("KZ", "иин|жсн|iin", "9{12}"),
    _row("LT", "asmens kodas|asmens kodą|a k|ak", "9{11}", "lt.asmens"),
    _row("LU", "matricule|matricule national|cns|numéro de matricule|sozialversicherungsnummer", "9{13}"),
    _row("LV", "personas kods|pers kods|p k", "9{11}", "lv.pvn"),
    _row("MD", "idnp|cod personal", "9{13}"),
    _row("MT", "id card|identity card|karta tal identità|identity card no", "9{5,7}[MGAPLHBZ]"),
    _row("MX", "curp", "A{4}9{6}A{6}X9", "mx.curp"),
    _row("MX", "rfc", r"[A-Z&Ñ]{3,4}9{6}X{3}", "mx.rfc"),
    _row("MX", "nss|número de seguridad social|imss", "9{11}"),
    _row("MX", "clave de elector|credencial de elector|ine|ife", "A{6}9{8}A9{3}|9{13}"),
    _row("MY", "mykad|nric|no kad pengenalan|kad pengenalan|ic no|no ic|ic", "9{12}"),
    _row("NG", "nin|national identification number|bvn", "9{11}"),
    _row("NL", "bsn|bsn nr|bsnnummer|burgerservicenummer|sofinummer|sofi nummer|sofi nr", "9{8,9}", "nl.bsn"),
    _row("NL", "rijbewijs|rijbewijsnummer|identiteitskaart|id kaart|paspoortnummer|documentnummer", "9{10}|A{2}X{6}9"),
    _row("NO", "fødselsnummer|fødselsnr|fnr|personnummer|f nr|d nummer|fodselsnummer", "9{11}", "no.fodselsnummer"),
    _row("NZ", "ird|ird no|ird number|inland revenue number", "9{8,9}", "nz.ird"),
    _row("NZ", "nhi|nhi no|nhi number", "A{3}9{4}|A{3}9{2}A{2}"),
    _row("PE", "dni|documento nacional de identidad|ruc", "9{8}|9{11}", "pe.cui", ambiguous=True),
    _row("PH", "tin|philsys|psn|sss no|sss number|umid|philhealth", "9{9}|9{10}|9{12}|9{16}"),
    _row("PK", "cnic|nicop|شناختی کارڈ|nadra", "9{13}", "pk.cnic"),
    _row("PL", "pesel|nr pesel", "9{11}", "pl.pesel"),
    _row("PL", "nip|nr nip", "9{10}", "pl.nip"),
    _row("PL", "dowód osobisty|dowód|nr dowodu|dowodu osobistego|dowod osobisty|seria i numer|numer dowodu", "A{3}9{6}"),
    _row("PL", "prawo jazdy", "9{9,13}"),
    _row("PT", "nif|contribuinte|número de contribuinte|n contribuinte|nº contribuinte|número de identificação fiscal", "[1235689]9{8}", "pt.nif"),
    _row("PT", "cartão de cidadão|cartao de cidadao|bilhete de identidade", "9{8}9A{2}9|9{8,9}"),
    _row("PT", "niss|segurança social|nº segurança social|número de segurança social", "[12]9{10}"),
    _row("PT", "número de utente|nº utente|utente|sns", "9{9}"),
    _row("RO", "cnp|cod numeric personal", "9{13}", "ro.cnp"),
    _row("RO", "ci seria|seria|carte de identitate|buletin|c i", "A{2}9{6}|A{2}nr9{6}"),
    _row("RS", "јмбг|jmbg|матични број|matični broj|emšo|emso|embg|ембг", "9{13}", "si.emso"),
    _row("RU", "инн|inn", "9{12}|9{10}", "ru.inn"),
    _row("RU", "снилс|snils|страховой номер", "9{11}"),
    _row("RU", "паспорт|серия|серия и номер|паспортные данные", "9{10}"),
    _row("RU", "водительское удостоверение|полис омс|омс|полис", "9{10}|9{16}"),
    _row("RU", "огрнип|огрн", "9{13}|9{15}", "ru.ogrn"),
    _row("SA", "رقم الهوية|الهوية الوطنية|هوية|iqama|الإقامة|رقم الإقامة|saudi id", "[12]9{9}"),
    _row("AE", "emirates id|الهوية الإماراتية|eid", "7849{12}"),
    _row("SE", "personnummer|person nr|personnr|pnr|p nr|samordningsnummer|person nummer", "9{2}?9{6}[-+]?9{4}", "se.personnummer"),
    _row("SG", "nric|fin|nric no|fin no|nric fin", "[STFGM]9{7}A"),
    _row("SI", "emšo|emso", "9{13}", "si.emso"),
    _row("SI", "davčna številka|davčna št|davcna stevilka", "9{8}", "si.ddv"),
    _row("SK", "rodné číslo|rodne cislo|r č|rč", "9{9,10}", "sk.rc"),
    _row("SK", "občiansky preukaz|číslo op|č op|obciansky preukaz", "A{2}9{6}"),
    _row("TH", "เลขประจำตัวประชาชน|บัตรประชาชน|เลขบัตรประชาชน|เลขประจําตัวประชาชน|thai id", "9{13}", "th.pin"),
    _row("TR", "t c kimlik no|tc kimlik|tc kimlik no|kimlik no|t c kimlik|tckn|kimlik numarası|t c no|tc no", "9{11}", "tr.tckimlik"),
    _row("TR", "vergi no|vergi numarası|vkn|vergi kimlik no", "9{10}", "tr.vkn"),
    _row("TW", "身分證|身分證字號|身份證字號|國民身分證|統一證號|居留證", "A[1289ABCD]9{8}"),
    _row("UA", "інн|рнокпп|ідентифікаційний код|іпн|податковий номер|ідентифікаційний номер|rnokpp|ipn", "9{10}", "ua.rntrc"),
    _row("UA", "єдрпоу|edrpou", "9{8}", "ua.edrpou"),
    _row("UA", "паспорт|посвідчення", r"[^\W\d_]{2}9{6}|9{9}"),
    _row("US", "ssn|ssns|social security|social security number|social security no|soc sec|soc sec no|ss no|ss number", "9{9}", "us.ssn", kind=Kind.SSN),
    _row("US", "itin|individual taxpayer|taxpayer identification|tin|tax id|ptin|atin", "9{9}|P9{8}", "us.tin"),
    _row("US", "ein|fein|employer identification|employer id|federal tax id|employer identification number|federal id", "9{9}"),
    _row("US", "medicare|mbi|medicare mbi|medicare beneficiary|medicare no|medicare id|medicare number", "[1-9]AX9AX9A{2}9{2}|9{9}A9?"),
    _row("US", "dea|dea no|dea number|dea registration|dea reg", "[A-Z][A-Z9]9{7}"),
    _row("US", "npi|npi no|npi number", "[12]9{9}"),
    _row("US", "mrn|medical record|medical record no|medical record number|patient id|patient no|patient number|patientennummer|patienten nr|hospital no|hospital number|chart no|member id|policy holder id", "A{0,3}9{5,10}"),
    _row("US", "driver s license|drivers license|driver license|driver s licence|dl no|dln", "A9{7,14}|A{2}9{6}A?|9{7,9}"),
    _row("US", "green card|alien number|uscis|uscis no|alien registration", "A?9{8,9}|A{3}9{10}"),
    _row("UY", "cédula|cedula|c i|cédula de identidad|rut", "9{7,8}|9{12}"),
    _row("VE", "rif|cédula|cedula", "[VEJPG]9{7,9}", "ve.rif"),
    _row("VN", "cccd|cmnd|căn cước|căn cước công dân|chứng minh nhân dân|số cccd|số cmnd", "9{12}|9{9}"),
    _row("VN", "mã số thuế|mst", "9{10}|9{13}", "vn.mst"),
    _row("ZA", "sa id|id number|id no|south african id|rsa id|identity number|identity no|identiteitsnommer", "9{13}", "za.idnr"),
    _row("ZA", "sars|tax number|tax no|income tax number|tax reference number", "[01239]9{9}", "za.tin", ambiguous=True),
)  # fmt: skip


def _rows_by_head() -> dict[str, list[NationalNumber]]:
    rows: dict[str, list[NationalNumber]] = {}
    for row in NATIONAL_NUMBERS:
        for head in row.labels.heads:
            rows.setdefault(head, []).append(row)
    return rows


_ROWS = _rows_by_head()
_DOTTED = tuple((stem, row) for row in NATIONAL_NUMBERS for stem in row.labels.stems)
_UNSPACED_ROWS = tuple(row for row in NATIONAL_NUMBERS if row.labels.unspaced)


def find_national(clues: Clues) -> Iterator[Hit]:
    """Yield the national numbers of a text. A text without any of their words costs one comparison of sets."""
    found = dict[int, NationalNumber]()
    for head in (clues.tokens | clues.initials.keys()) & _ROWS.keys():
        found.update((id(row), row) for row in _ROWS[head])
    if _INITIALS.search(clues.lower):
        found.update((id(row), row) for stem, row in _DOTTED if stem in clues.lower)
    if clues.is_unspaced:
        found.update((id(row), row) for row in _UNSPACED_ROWS)
    for row in found.values():
        yield from row.find(clues)


def load_checks() -> None:
    """Import the checks of all numbers, for a process that cannot open files later."""
    for number in NATIONAL_NUMBERS:
        if number.check is not None:
            _module(number.check)
