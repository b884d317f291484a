"""Values of every kind, the words around them, and texts in which they are cut, glued and disturbed."""

import random

VALUES = (
    '"ann o neil"@mail.example.com', "ann [at] mail [dot] example [dot] com", "ann at mail dot example dot com",
    "a n n @ m a i l . c o m", "London SW1A 2AA", "Springfield, IL 62704", "D-10115 Berlin", "4012.8888.8888.1881",
    "C01X00T47", "12-Mar-71",
    "ann.o'neil+x@mail.example.co.uk", "jörg@bücher.example", "ann @ mail.example.com", "ann@mail.\nexample.com",
    "ann.exam\nple@mail.example.com", "+33 1 84 17 61 18", "(202) 555-0143", "01.84.17.61.18", "+44 (0) 20 7946 0958",
    "9472 7916 ext. 12", "4111 1111 1111 1111", "378282246310005", "5500-0000-0000-0004",
    "DE89 3704 0044 0532 0130 00", "GB29NWBK60161331926819", "536-90-4399", "536 90 4399", "536904399",
    "2 55 08 14 168 025 38", "12345678Z", "RSSMRA85T10A562S", "X1234567L", "756.9217.0769.85", "131052-308T",
    "AB 12 34 56 C", "AB123456C", "203.0.113.77", "2001:db8::8a2e:370:7334", "https://example.com/a?b=c",
    "www.example.org", "example.com:8080/path", "X1234567", "123456789", "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<",
    "12/03/1975", "3 March 1975", "March 3, 1975", "221B Baker Street", "12 rue de la Paix", "rue de la Paix 12",
    "via Roma 7", "Hauptstraße 12", "Dam Square 4, Flat 2", "p.o. box 123", "postfach 77", "FR40303265045",
    "IE8D79739I", "ATU13585627", "RO18547290", "AB-123-CD", "B MX 1234", "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2",
    "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", "0x52908400098527886E0F7030069857D2E4169EE7", "ghp_" + "a1B2" * 9,
    "AKIAIOSFODNN7EXAMPLE", "AKIAIOSF ODNN7EXAMPLE", "glpat-" + "a1B2" * 5, "xoxb-1234567890", "sk_live_" + "a1B2" * 4,
    "sk-" + "a1B2" * 5, "AIza" + "a1B2c" * 7, "ya29." + "a1B2" * 5, "SG." + "a1B2" * 4 + "." + "a1B2" * 4,
    "npm_" + "a1B2" * 9, "hf_" + "a1B2" * 8, "eyJhbGciOiJI.eyJzdWIiOiIx.SflKxwRJSM",
    "-----BEGIN PRIVATE KEY-----\n" + "a1B2" * 8 + "\n-----END PRIVATE KEY-----", "password: hunter2secret",
    "api_key=hunter2secret", "api key: 9f86d081884c7d65", "Passwort lautet hunter5secret", "Passwort: sonne",
    "{ann,bob}@mail.example.com",
    "ann.neil @ mail . example", "ann.neil@intranet", "*12.03.1971 in Hamburg", "https://wa.me/4915123456789",
    "[415] 555 2671", "four one five, five five five, two six seven one", "card 4111,1111,1111,1111", "host 1.2.3.4",
    "Account number 000123456789", "IMEI 490154203237518", "VIN 1HGCM82633A004352", "00:1A:2B:3C:4D:5E",
    "wallet 7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV", "Passport 5 7 5 0 3 4 8 0 1", "Mariahilfer Straße 12-14",
    "seed phrase: legal winner thank year wave sausage worth useful legal winner thank yellow", "PIN: 4821",
    "linkedin.com/in/john-example-99", "52.520008, 13.404954", "Authorization: Basic Ym9iOmh1bnRlcjljYW5hcnk=",
    "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXX", "ftp://ann:hunter2@host.example/x",
    "write to ann.lee@nest.\nexample", "ur. 8.1.1956", "resident at Am Alten Markt 7a", "CVV 331",
    "〒150-0043 東京都渋谷区道玄坂2-10-7", "pass: hunter4secret",
    "Passwort für das Portal ist Sommer2024", "api token ab12cd34ef56ab78cd90",
    "driving licence 49975062", "Am Alten Markt 7a, 18055 Rostock",
    "Tel. 55 12 34", "c/ Mayor 12, 28013 Madrid", "ann@ma\nil-x.example",
)  # fmt: skip
CONTEXT_WORDS = (
    "born", "date of birth:", "née", "nato il", "geboren am", "ssn", "social security", "soc. sec", "national id",
    "numéro de sécurité sociale", "DNI", "passport", "Reisepass", "plate", "matrícula", "immatriculation", "call",
    "fax", "iban", "no.", "invoice",
)  # fmt: skip
PLAIN_WORDS = (
    "the", "office", "measured", "every", "rope", "twice", "at", "be", "it", "is", "place", "via", "way", "street",
    "st", "box", "weg", "www", "://", "12", "3.14", "1,234.50", "2024-05-06", "12:30:45", "0.00\n0.00", "page 3 of 12",
)  # fmt: skip


def disturbed(dice: random.Random) -> str:
    """A few values and words in a row, with characters changed, dropped and inserted here and there."""
    pieces = [dice.choice((VALUES, VALUES, CONTEXT_WORDS, PLAIN_WORDS)) for _ in range(dice.randint(2, 9))]
    text = list(dice.choice((" ", " ", "\n", "", ", ")).join(dice.choice(words) for words in pieces))
    for _ in range(dice.randint(0, 4)):
        at = dice.randrange(len(text))
        match dice.randint(0, 3):
            case 0:
                del text[at]
            case 1:
                text.insert(at, dice.choice(" \n-./:,@(_é0A"))
            case 2:
                text[at] = dice.choice(" \n-./:,@0123456789aZ")
            case _:
                text[at:at] = text[at : at + 5]
        if not text:
            break
    return "".join(text)
