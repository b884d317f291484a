"""Words that name values whose own shape says too little: dates of birth, passports, plates, accounts, phones, devices.

The words for the numbers of each country are in `national.py`.
"""

from quire.models.pii.patterns.labels import Labels

BIRTH = Labels(
    "born", "dob", "bday", "nascido", "nascida", "né", "née", "geb", "gebdat", "geb dat", "nacido",
    "nacida", "nato il", "nata il", "nato a", "nata a", "fec nac", "fecha nac", "date naiss", "né le",
    "född", "födelsedatum", "födelsedag", "född den", "født", "fødselsdato", "fødselsdag", "fødd", "syntynyt", "syntymäaika",
    "syntymäpäivä", "urodzony", "urodzona", "data urodzenia", "urodz", "narozen", "narozena", "narozený",
    "datum narození", "dat nar", "narodený", "narodená", "dátum narodenia", "született", "születési idő",
    "születési dátum", "szül", "szül idő", "rođen", "rođena", "rojen", "rojena", "datum rođenja", "datum rojstva",
    "născut", "născută", "data nașterii", "data naşterii", "gimęs", "gimusi", "gimimo data", "dzimis", "dzimusi",
    "dzimšanas datums", "sündinud", "sünniaeg", "sünnikuupäev", "doğum tarihi", "doğum", "doğumlu",
    "дата рождения", "родился", "родилась", "г р", "д р", "дата народження", "народився", "народилась", "роден", "родена",
    "дата на раждане", "рођен", "рођена", "датум рођења", "ημερομηνία γέννησης", "ημ γέννησης", "γεννήθηκε", "γεννηθείς",
    "תאריך לידה", "נולד", "נולדה", "تاريخ الميلاد", "تاريخ الولادة", "مواليد", "ngày sinh", "sinh ngày", "tanggal lahir",
    "tgl lahir", "tarikh lahir", "lahir", "fæddur", "fædd", "fæðingardagur", "datëlindja", "data e lindjes", "ditëlindja",
    "petsa ng kapanganakan", "data naixement", "jaiotze data", "dyddiad geni", "gebortsdatum",
    "urodzon", "nar dne", "fødd", "geb am", "geb dat", "d o b", "dat ur",
    "data ur", "dt nasc", "dt nascimento", "data nasc", "fecha de nac", "geboortedatum", "date of birth", "birth date", "year of birth", "geburtsjahr", "jahrgang",
    "nar u", "syntynyt", "syntyi", "года рождения", "год рождения", "г рождения", "г рожд", "дата рожд", "року народження", "р н", "р народження",
    "годишна възраст", "родени", "ημ νία γέννησης", "γέννηση", "d d n", "ddn", "gbdt", "geb d", "sinh năm", "năm sinh", "يوم الميلاد", "ת לידה",
    "जन्म", "出生于", "出生於", "出生年月日", "生まれ", "출생", "태어난", "เกิด", "เกิดวันที่",
    "जन्म तिथि", "जन्मतिथि", "生年月日", "出生日期", "出生年月", "出生", "生日", "誕生日", "생년월일", "วันเกิด", "วันเดือนปีเกิด",
    stems=("d.o.b", "birth", "naissance", "geboren", "geburts", "nacimiento", "nascita", "nascimento", "geboorte"),
)  # fmt: skip
PAPERS = Labels(
    # identity cards and personal numbers
    "identity card", "identity document", "identification number", "identification card", "id number", "id card", "id no", "national id",
    "personal id", "personal number", "personal identity number", "civil id", "citizen id", "residence permit", "resident card",
    "alien registration", "work permit", "visa number", "visa no", "ausweisnummer", "personalausweis", "ausweis", "passnummer", "aufenthaltstitel",
    "personenkennzahl", "personalnummer", "matrikelnummer", "carte d identité", "pièce d identité", "titre de séjour", "carte de séjour",
    "documento de identidad", "cédula de identidad", "tarjeta de residencia", "documento de identidade", "bilhete de identidade",
    "cartão de cidadão", "cartão cidadão", "carta d identità", "documento d identità", "documento di identità", "documento di riconoscimento",
    "permesso di soggiorno", "identiteitskaart", "identiteitsbewijs", "verblijfsvergunning", "personnummer", "identitetskort",
    "id kort", "legitimation", "henkilötunnus", "henkilökortti", "ajokortti", "dowód osobisty", "dowodu osobistego", "karta pobytu",
    "občanský průkaz", "občanského průkazu", "občiansky preukaz", "občianskeho preukazu", "rodné číslo", "rodného čísla", "rodné č",
    "osobna iskaznica", "osobne iskaznice", "osebna izkaznica", "osebne izkaznice", "lična karta", "lične karte", "личная карта", "лична карта",
    "личната карта", "личной карты", "удостоверение личности", "посвідчення особи", "id картка", "лк №", "carte de identitate", "cărții de identitate",
    "buletin", "személyi igazolvány", "személyazonosító", "személyi szám", "személyi azonosító", "isikukood", "isikutunnistus", "id kaart",
    "asmens kodas", "asmens kortelė", "personas kods", "personas apliecība", "kimlik", "nüfus cüzdanı", "kimlik kartı", "ταυτότητα", "δελτίο ταυτότητας",
    "nomor ktp", "kad pengenalan", "k p", "kp", "căn cước", "chứng minh nhân dân", "شناسنامه", "کد ملی", "الهوية", "رقم الهوية", "بطاقة الهوية",
    "رقم البطاقة", "תעודת זהות", "מספר זהות", "आधार", "कार्ड संख्या", "身份证", "身分證", "身份證", "居留证", "居留證", "在留カード", "個人番号", "マイナンバー",
    "주민등록", "외국인등록", "บัตรประชาชน", "บัตรประจำตัวประชาชน", "เลขประจำตัว", "иин", "жсн",
    "nid", "nid no", "nic", "nic no", "c i", "ci", "dni", "cc no", "ic no", "cnic", "nik", "ktp", "nrc", "state id", "voter card", "military id", "identification no", "personal identification",
    "numéro d identification", "número de identificación", "numero di identificazione", "identificatienummer", "identifikationsnummer", "identifikationsnr",
    "número de documento", "nro documento", "documento nº", "doc identidad", "carnet de identidad", "carnet de extranjería", "nip national", "numer identyfikacyjny",
    "číslo dokladu", "číslo průkazu", "broj dokumenta", "matični broj", "број личне карте", "личне карте", "единен граждански номер", "номер документа", "серия и номер",
    "ausweisdokument", "dokumentennummer", "dokumentnummer", "document no", "document number", "kimlik belgesi", "nomor identitas", "số định danh", "số căn cước", "ghana card", "huduma",
    # driving licences
    "driver number", "permis", "permis auto", "carnet conducir", "licencia conducir", "führerscheinnr", "шофьорска книжка", "свидетелство за управление", "права серия", "вод удостоверение",
    "водійське посвідчення", "άδεια οδήγησης", "patente", "vodičák", "řidičák", "vozačka", "dozwolenie", "guida", "licencia", "carta condução", "habilitação", "sim a", "sim c", "gplx",
    "driving licence", "driving license", "driver licence", "driver license", "drivers licence", "drivers license", "driver s license",
    "driver s licence", "licence number", "license number", "dl", "dl no", "dln", "führerschein", "fahrerlaubnis", "permis de conduire",
    "carnet de conducir", "permiso de conducir", "permiso de conducción", "licencia de conducir", "carta de condução", "carteira de motorista", "cnh", "patente di guida",
    "rijbewijs", "körkort", "førerkort", "kørekort", "prawo jazdy", "prawa jazdy", "řidičský průkaz", "řidičského průkazu", "vodičský preukaz",
    "vezetői engedély", "jogosítvány", "permis de conducere", "vozačka dozvola", "vozniško dovoljenje", "свидетельство за управление",
    "водительское удостоверение", "водительского удостоверения", "посвідчення водія", "δίπλωμα οδήγησης", "ehliyet", "sürücü belgesi", "juhiluba",
    "vairuotojo pažymėjimas", "vadītāja apliecība", "sim card driver", "surat izin mengemudi", "lesen memandu", "bằng lái", "رخصة القيادة", "רישיון נהיגה",
    "驾驶证", "駕駛執照", "驾照", "運転免許", "免許証", "운전면허", "ใบขับขี่",
    # taxes
    "tax id", "tax number", "tax no", "tax file", "tax reference", "taxpayer id", "taxpayer number", "taxpayer identification", "tax identification",
    "tin", "steuernummer", "steuer nr", "st nr", "steuer id", "steueridentifikation", "steueridentifikationsnummer", "numéro fiscal", "identifiant fiscal", "n fiscal", "identificación fiscal",
    "identificação fiscal", "contribuinte", "codice fiscale", "partita iva", "fiscaal nummer", "skattenummer", "verotunniste", "nip",
    "numer podatkowy", "dič", "porezni broj", "davčna številka", "davčna št", "данъчен номер", "инн", "іпн", "рнокпп", "податковий номер",
    "cod fiscal", "cod de identificare fiscală", "adóazonosító", "adóazonosító jel", "adószám", "maksukohustuslase", "mokesčių mokėtojo", "nodokļu maksātāja",
    "vergi no", "vergi numarası", "αφμ", "npwp", "mã số thuế", "الرقم الضريبي", "מספר תיק", "税号", "纳税人识别号", "納税者番号", "เลขประจำตัวผู้เสียภาษี",
    # social and health insurance, patients
    "social insurance", "social security", "national insurance", "pension number", "insurance number", "insurance no", "health insurance", "health card",
    "medicare", "medicaid", "medicaid id", "policy number", "policy holder", "member id", "membership no", "subscriber id", "beneficiary id", "patient id", "patient no",
    "patient number", "hospital number", "medical record", "mrn", "student id", "student number", "employee id", "employee number", "employee no", "badge no",
    "sozialversicherungsnummer", "versicherungsnummer", "versichertennummer", "krankenkasse nr", "krankenversicherungsnummer", "rentenversicherungsnummer",
    "rv nummer", "patientennummer", "mitgliedsnummer", "sécurité sociale", "assurance maladie", "numéro d assuré", "numéro ahv", "no avs",
    "seguridad social", "seguro social", "número de afiliación", "afiliación", "segurança social", "número de utente", "utente", "sns", "tessera sanitaria", "inps", "burgerservicenummer",
    "zorgverzekering", "polisnummer", "relatienummer zorg", "sygesikring", "sundhedskort", "kela kortti", "trygdenummer", "ubezpieczenia", "nfz", "číslo pojištěnce",
    "zdravotní pojištění", "osiguranika", "mbo", "emšo", "zzzs", "јмбг", "осигурителен номер", "снилс", "снілс", "полис", "полиса", "asigurat", "cnas", "taj szám", "társadalombiztosítási",
    "haigekassa", "sodra", "sgk", "sgk no", "αμκα", "bpjs", "epf", "socso", "kwsp", "bảo hiểm xã hội", "mã số bhxh", "التأمينات الاجتماعية", "ביטוח לאומי", "社保", "社会保障", "社保号",
    "健保", "保険証", "基礎年金", "年金番号", "건강보험", "ประกันสังคม",
    "tarjeta sanitaria", "cartão de saúde", "cns", "carte vitale", "carte européenne", "caf", "allocataire", "mutuelle", "numéro d adhérent", "adhérent", "mitglied", "mitglied nr", "mitgliedsnr", "versicherten nr", "kassennummer",
    "seguro médico", "numero tessera", "tessera", "karta ubezpieczenia", "europejska karta", "průkaz pojištěnce", "krankenkasse", "krankenversicherung", "unfallversicherung", "pensionsversicherung",
    "medical aid", "medical aid no", "health no", "care card", "ohip", "phn", "chart no", "case file no", "inmate number", "prisoner number", "ruc", "nit", "rut", "rfc", "nss", "cuil", "pis", "nis",
    "voter id", "voter id card", "elector", "epic no", "permanent account", "permanent account number", "pan card", "bvn", "philsys", "umid", "sss",
    stems=("identitäts", "ausweis", "sozialversicher", "krankenversicher", "rentenversicher", "führerschein", "ажырат", "удостоверени", "посвідчення"),
)  # fmt: skip
"""Words for identity papers, driving licences, tax, social-security, insurance and patient numbers of all countries."""
SOCIAL = Labels("ssn", "ssns", "soc sec", "social sec", "ss no", "ss number", stems=("social security",))
CARD_DETAIL = Labels(
    "cvv", "cvc", "cvv2", "cvc2", "csc", "cid", "prüfziffer karte", "kartenprüfnummer", "last four", "last 4", "last four digits", "letzte vier ziffern",
)  # fmt: skip
"""Words before the few figures of a card that are printed apart."""
NATIONAL = Labels(
    "id", "ids", "nir", "nif", "dni", "nie", "ahv", "avs", "nhs", "nino", "bsn", "cpr", "cpf", "pesel", "hetu", "personal no",
    "personal number", "personnummer", "tax no", "tin", "niss", "nss", "citizen", "id card",
    stems=(
        "national", "identi", "insurance", "aadhaar", "steuer", "codice fiscale", "sécurité sociale", "rijksregister",
    ),
)  # fmt: skip
PASSPORT = Labels(
    "passnr", "passnummer", "pass nr", "pass no", "pass nummer", "ppt no", "passi", "passinumero", "passin numero",
    "pas nr", "cestovní pas", "cestovný pas", "číslo pasu", "putovnica", "potni list", "útlevél", "útlevélszám",
    "pașaport", "paşaport", "pasaport", "pasaport no", "pases numurs", "paso numeris", "vegabréf",
    "загранпаспорт", "паспорт", "паспорта", "пасош", "διαβατήριο", "διαβατηρίου", "αρ διαβατηρίου", "דרכון",
    "جواز السفر", "جواز سفر", "hộ chiếu", "nomor paspor", "paspor", "pasport",
    "护照", "護照", "旅券", "パスポート", "여권", "หนังสือเดินทาง",
    stems=(
        "passport", "passeport", "reisepass", "pasaporte", "passaporto", "paspoort", "passaporte", "paszport",
        "pasport", "passapor",
    ),
)  # fmt: skip
PLATE = Labels(
    "vehicle reg", "car reg", "veh reg", "vehicle registration", "number plate", "amtl kennzeichen", "kfz", "kfz kennzeichen", "kennz", "spz", "rz vozidla", "evidenčné číslo", "tablice", "rej", "rendszáma", "tablica",
    "рег номер", "рег знак", "държавен знак", "автомобил", "plakalı", "nopol", "no pol", "biển số", "รถทะเบียน", "ทะเบียนรถ", "لوحة", "מספר רכב",
    "plate", "plates", "plate no", "licence plate", "license plate", "registration n", "registration no", "reg no",
    "registration number", "vrn", "vrm", "targa", "kenteken", "matrícula", "matricula", "nr rej", "numer rejestracyjny",
    "tablica rejestracyjna", "registreringsnummer", "reg nr", "regnr", "nummerplade", "rekisterinumero",
    "rendszám", "număr de înmatriculare", "nr înmatriculare", "registarska oznaka", "registrska tablica", "plaka",
    "plaka no", "госномер", "гос номер", "номерний знак", "регистрационен номер", "πινακίδα", "αριθμός κυκλοφορίας",
    "placa", "车牌", "车牌号", "車牌", "ナンバープレート", "차량번호",
    stems=("immatriculation", "kennzeichen"),
)  # fmt: skip
PHONE = Labels(
    "tel", "tels", "tél", "télé", "tlf", "tlfn", "telf", "téléphone", "telephone", "telephones", "phone", "phones",
    "telefon", "telefonnummer", "telefonnr", "rufnummer", "handy", "handynummer", "mobil", "mobile", "mobilnummer", "mob",
    "móvil", "movil", "celular", "cel", "cell", "cellphone", "cell phone", "teléfono", "telefono", "telefone", "telemóvel", "cellulare",
    "portable", "fax", "telefax", "whatsapp", "viber", "gsm", "telefoon", "mobiel", "telefoonnummer",
    "puhelin", "puh", "matkapuhelin", "gsm nummer", "komórka", "tel kom", "numer telefonu", "telefonu", "mobilní", "telefonní",
    "mobilní telefon", "mobiltelefon", "telefonszám", "mobitel", "număr de telefon", "telefonas", "mob tel", "tālrunis", "telefons",
    "cep", "cep tel", "cep telefonu", "sími", "farsími", "тел", "телефон", "телефона", "моб", "мобильный", "мобилен", "моб тел",
    "мобільний", "τηλ", "τηλέφωνο", "κιν", "κινητό", "טלפון", "נייד", "טל", "هاتف", "جوال", "موبايل", "điện thoại", "đt", "sđt", "telp",
    "no hp",  "telepon", "phone no", "phone number", "ph", "call me", "ring me", "text me", "dial", "phonenumber", "contact no",
    "cp no", "cp", "contact nos", "tel kontaktowy", "telefonický kontakt", "tel privat", "tel gesch", "tel ab", "tel casa", "tel ufficio", "rückruf", "rückrufnummer", "durchwahl", "numéro de téléphone", "mon numéro", "mein nummer", "meine nummer", "mijn nummer",
    "mi número", "meu número", "il mio numero", "my number is", "phone nr", "номер телефона", "номер телефону", "телефон за контакт", "rakam telefon", "số điện thoại", "رقم الهاتف", "رقم الجوال", "מספר טלפון", "फ़ोन", "मोबाइल नंबर",
    "tfno", "tlfno", "tno", "tel nr", "tlf nr", "mobilnr", "mobiltlf", "mobiil", "mobil tel", "mobilais", "mobilus", "mobilusis", "kom", "komórkowy", "natel",
    "kontakttelefon", "erreichbar", "erreichbar unter", "joignable au", "appeler", "teléf", "telef", "tlm", "tlmv", "fono", "celul", "recado", "ring på", "treffes på", "träffas på",
    "bereikbaar op", "bereikbaar", "gsmnr", "puhelinnumero", "puhelinnro", "telefonszáma", "mobilszám", "hívható", "kapcsolat tel", "volejte", "zavolajte", "zvať", "nazovite", "tel mobil",
    "telefon mobil", "sunați", "звоните", "звонить", "сот", "сотовый", "конт тел", "дзвоніть", "обадете се", "gsm no", "irtibat", "irtibat no", "telefon no", "kinito", "σταθερό", "καλέστε",
    "wa no", "hp", "nomor hp", "nomor telepon", "no telp", "no telefon", "liên hệ", "di động", "mob no", "mobile no", "cell no", "phone me", "landline", "home phone", "work phone",
    "reach me at", "reachable at", "contact me on", "contact number", "helpline", "الجوال", "رقم الجوال", "الهاتف", "تلفون", "تليفون", "موبایل", "تلفن", "שיחות", "סלולרי",
    "联系方式", "联络电话", "聯絡電話", "联系人电话", "移动电话", "行動電話", "连络", "連絡先", "携帯番号", "휴대전화", "휴대", "เบอร์", "เบอร์โทร", "มือถือ",
    "फोन", "मोबाइल", "手机", "手機", "电话", "電話", "携帯", "联系电话", "전화", "휴대폰", "핸드폰", "연락처", "โทร", "โทรศัพท์",
    "☎", "☏", "✆", "📞", "📱", "📠",
)  # fmt: skip
ACCOUNT = Labels(
    "account number", "account no", "account nr", "account num", "acct", "acct no", "acct number", "account", "bank account",
    "bank acct", "ac no", "accountnumber", "sort code", "sortcode", "routing", "routing number", "routing no", "aba", "aba routing", "bsb", "ifsc",
    "transit number", "konto", "kontonr", "konto nr", "kontonummer", "kto", "kto nr", "ktonr", "blz", "bankleitzahl",
    "depotnummer", "depot nr", "bankkonto", "bankgiro", "plusgiro", "clearingnummer", "clearing nr", "reg konto", "tilinumero", "compte bancaire",
    "numéro de compte", "rib", "code banque", "code guichet", "cuenta", "cuenta bancaria", "número de cuenta",
    "nro de cuenta", "ccc", "cbu", "cvu", "clabe", "conta", "conta corrente", "agência", "nib", "numero conto", "conto corrente",
    "rekening", "rekeningnummer", "rekeningnr", "bankrekening", "bankrekeningnummer", "rachunek", "numer rachunku", "nr rachunku", "rachunku", "numer konta", "nr konta",
    "nrb", "číslo účtu", "bankovní spojení", "számlaszám", "bankszámla", "bankszámlaszám", "tekući račun", "broj računa", "žiro račun",
    "cont bancar", "număr cont", "hesap no", "hesap numarası", "sąskaita", "sąskaitos numeris", "arvelduskonto", "расчетный счет", "расчётный счёт", "номер счета", "счёт", "рахунок", "сметка",
    "λογαριασμός", "αριθμός λογαριασμού", "חשבון בנק", "מספר חשבון", "رقم الحساب", "số tài khoản", "nomor rekening", "no rekening",
    "s c", "a c", "ac", "a c number", "acc no", "acc number", "iban konto", "kontoverbindung", "kontonummer empfänger", "č ú", "č účtu", "účet", "účtu", "bankový účet", "rach", "nr rach", "rachunek bankowy",
    "nr konta bankowego", "konto bankowe", "rachunku bankowego", "pankkitili", "tilinro", "tili", "clearingnr", "clearing", "reg nr", "regnr", "bankkontonr", "konto nummer", "dankort konto",
    "cuenta corriente", "cuenta de ahorros", "cuenta n", "cta", "cta cte", "cta corriente", "cta ahorro", "clabe interbancaria", "cci", "código de cuenta", "poupança", "conta poupança", "conta bancária", "ag", "cc n", "c c bancario",
    "coordinate bancarie", "coordonnées bancaires", "compte n", "bank rekening", "giro", "postgiro", "račun", "transakcijski račun", "tekući", "банковская карта", "р с", "к с", "расч счет", "лицевой счет", "корр счет",
    "банкова сметка", "банківський рахунок", "розрахунковий рахунок", "рахунку", "hesap", "banka hesap", "λογαριασμού", "αρ λογαριασμού", "حساب بنكي", "رقم حساب", "חשבון", "בנק חשבון", "tài khoản", "norek", "no rek", "rek", "akaun", "no akaun", "nomor akun",
    "账户", "帐户", "賬戶", "銀行賬號", "银行账户", "储蓄卡", "普通預金", "当座預金", "口座番号", "계좌 번호", "통장", "บัญชี", "บัญชีธนาคาร",
    "账号", "帐号", "银行账号", "帳號", "银行卡号", "卡号", "口座番号", "口座", "계좌번호", "계좌", "เลขที่บัญชี", "เลขบัญชี",
    stems=("a/c no", "a/c:", "c/c n"),
)  # fmt: skip
CARD = Labels(
    "card", "cards", "card no", "card number", "credit card", "debit card", "cc", "ccn", "cardnumber", "pan", "visa",
    "mastercard", "amex", "american express", "maestro", "karte", "kreditkarte", "kartennummer", "carte", "carte bancaire",
    "numéro de carte", "tarjeta", "carta", "carta di credito", "cartão", "kaart", "kaartnummer", "karta", "kort",
    "kortnummer", "kart", "kart no", "карта", "номер карты", "κάρτα", "信用卡", "クレジットカード", "카드번호",
)  # fmt: skip
DEVICE = Labels("imei", "imeisv", "meid")
VEHICLE = Labels(
    "vin", "chassis no", "chassis number", "vehicle identification number", "fahrgestellnummer", "fin", "fahrgestell nr",
    "numéro de châssis", "bastidor", "número de bastidor", "telaio", "numero di telaio", "chassisnummer", "numer vin", "车架号",
)  # fmt: skip
WALLET = Labels("wallet", "solana", "monero", "cardano", "xrp", "polkadot", "wallet address")
SEED = Labels(
    "seed phrase", "seed words", "recovery phrase", "recovery words", "mnemonic", "mnemonic phrase", "backup phrase",
    "secret phrase", "recovery seed", "wallet seed",
)  # fmt: skip
RESIDENCE = Labels(
    "address", "home address", "postal address", "residing at", "resides at", "resident at", "resident of", "living at", "lives at", "currently at", "r o", "anschrift", "adresse",
    "wohnanschrift", "wohnhaft in", "wohnhaft", "wohnt in", "wohnung", "domicile", "domicilié à", "domiciliée à", "domicilié au", "domicilié", "domiciliée", "demeurant au", "demeurant à", "demeurant", "résidant au", "résidant", "habite au", "habitant au",
    "dirección", "domicilio", "con domicilio en", "domicilio en", "domiciliado en", "domiciliada en", "residente en", "vive en", "endereço", "morada", "residente na", "residente no", "residente em", "domiciliado na",
    "indirizzo", "residente in", "domiciliato in", "abitante in", "adres", "woonadres", "woonachtig te", "wonende te", "wonende", "bopæl", "adressen", "bosatt", "bostadsadress", "bor på", "bor i", "boende", "bostad", "osoite", "kotiosoite", "asuu",
    "zamieszkały", "zamieszkała", "zam", "adres zamieszkania", "miejsce zamieszkania", "bytem", "trvale bytem", "bydliště", "adresa", "bytom", "trvalý pobyt", "bydlisko", "lakcím", "lakóhely", "lakik", "prebivalište", "s prebivalištem", "adresa stanovanja", "naslov",
    "stanujoč", "domiciliat în", "domiciliată în", "domiciliu", "cu domiciliul în", "locuiește în", "адрес", "адреса", "проживает", "проживающий", "проживающая", "зарегистрирован", "место жительства", "прописка", "проживає", "місце проживання", "живущ", "адрес за кореспонденция",
    "διεύθυνση", "κάτοικος", "adresi", "ikametgah", "ikamet", "elukoht", "aadress", "gyvenamoji vieta", "adresas", "gyvenantis", "dzīvesvieta", "adrese", "alamat", "địa chỉ", "thường trú", "العنوان", "عنوان", "כתובת", "מען", "पता",
    "地址", "住址", "住所", "현주소", "주소", "ที่อยู่",
)  # fmt: skip
"""Words before the place where a person lives."""
HOST_NAMES = Labels(
    "ip", "ipv4", "ip address", "ip adresse", "ip addr", "adresse ip", "host", "dns", "gateway", "ping", "hostname", "localhost",
)  # fmt: skip
"""Words that name a network address."""
PASSWORD_NAMES = Labels(
    "passcode", "pwd", "pw", "passwd", "mot de passe", "mdp", "senha", "palavra passe", "password",
    "lösenord", "adgangskode", "passord", "salasana", "hasło", "haslo", "heslo", "jelszó", "lozinka", "geslo", "parola",
    "parolă", "şifre", "şifresi", "slaptažodis", "parole", "parool", "пароль", "парола", "лозинка", "κωδικός",
    "κωδικός πρόσβασης", "סיסמה", "كلمة المرور", "كلمة السر", "mật khẩu", "kata sandi", "wifi key", "wpa key", "wpa2 key", "wlan key",
    "netzwerkschlüssel", "wlan schlüssel", "密码", "密碼", "口令", "パスワード", "비밀번호", "รหัสผ่าน",
    stems=("password", "passwort", "passphrase", "kennwort", "wachtwoord", "contraseña", "contrasena"), is_announced=False,
)  # fmt: skip
KEY_NAMES = Labels(
    "token", "secret", "client secret", "api key", "apikey", "secret key", "access key", "secret access key",
    "access token", "auth token", "refresh token", "id token", "bearer token", "session token", "account key", "shared key",
    "shared access key", "sharedaccesskey", "accountkey", "private key", "encryption key", "signing key", "master key", "app secret", "app key", "license key", "licence key",
    "product key", "credential", "credentials", "secrets", "storage key", "service key", "api secret", "api token", "consumer key",
    "consumer secret", "webhook secret", "jwt", "cookie", "session id", "sessionid", "sid", "passkey", "schlüssel", is_announced=False,
)  # fmt: skip
