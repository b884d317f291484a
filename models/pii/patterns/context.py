"""Words that name values whose own shape says too little: dates of birth, passports, plates, accounts, phones, devices.

The words for the numbers of each country are in `national.py`.
"""

from models.pii.patterns.labels import Labels

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
    "जन्म तिथि", "जन्मतिथि", "生年月日", "出生日期", "出生年月", "出生", "生日", "誕生日", "생년월일", "วันเกิด", "วันเดือนปีเกิด",
    stems=("d.o.b", "birth", "naissance", "geboren", "geburts", "nacimiento", "nascita", "nascimento", "geboorte"),
)  # fmt: skip
SOCIAL = Labels("ssn", "ssns", "soc sec", "social sec", "ss no", "ss number", stems=("social security",))
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
    "λογαριασμός", "αριθμός λογαριασμού", "חשבון בנק", "מספר חשבון", "رقم الحساب", "số tài khoản", "stk", "nomor rekening", "no rekening",
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
HOST_NAMES = Labels(
    "ip", "ipv4", "ip address", "ip adresse", "ip addr", "adresse ip", "host", "dns", "gateway", "ping", "hostname", "localhost",
)  # fmt: skip
"""Words that name a network address."""
PASSWORD_NAMES = Labels(
    "pass", "passcode", "pwd", "pw", "passwd", "mot de passe", "mdp", "senha", "palavra passe", "password",
    "lösenord", "adgangskode", "passord", "salasana", "hasło", "haslo", "heslo", "jelszó", "lozinka", "geslo", "parola",
    "parolă", "şifre", "şifresi", "slaptažodis", "parole", "parool", "пароль", "парола", "лозинка", "κωδικός",
    "κωδικός πρόσβασης", "סיסמה", "كلمة المرور", "كلمة السر", "mật khẩu", "kata sandi", "wifi key", "wpa key", "wpa2 key", "wlan key",
    "netzwerkschlüssel", "wlan schlüssel", "密码", "密碼", "口令", "パスワード", "비밀번호", "รหัสผ่าน",
    stems=("password", "passwort", "passphrase", "kennwort", "wachtwoord", "contraseña", "contrasena"),
)  # fmt: skip
KEY_NAMES = Labels(
    "token", "secret", "client secret", "api key", "apikey", "secret key", "access key", "secret access key",
    "access token", "auth token", "refresh token", "id token", "bearer token", "session token", "account key", "shared key",
    "shared access key", "sharedaccesskey", "accountkey", "private key", "encryption key", "signing key", "master key", "app secret", "app key", "license key", "licence key",
    "product key", "credential", "credentials", "secrets", "storage key", "service key", "api secret", "api token", "consumer key",
    "consumer secret", "webhook secret", "jwt", "cookie", "session id", "sessionid", "sid", "passkey", "schlüssel",
)  # fmt: skip
