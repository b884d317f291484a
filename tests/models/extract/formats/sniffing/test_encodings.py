"""Texts without a stated encoding are decoded correctly in any language, length and format."""

from email.message import Message

import pytest

from quire.models.cdom.tree import BlockType
from quire.models.extract.formats.sniffing.charset import UNCERTAIN, decode_text
from tests.models.extract.flow_trees import of_type, read_tree, rows_of, texts

SENTENCES = {
    "german": ("cp1252", "Sehr geehrte Frau Müller, für größere Mengen schließt die Rechnung Köln ein"),
    "french": ("cp1252", "Madame, le délai prévu pour Genève est dépassé où la société a été créée"),
    "spanish": ("cp1252", "Estimada señora, la documentación para la reunión del miércoles está en Málaga"),
    "portuguese": ("cp1252", "Prezado João, a informação sobre a instalação não está disponível até amanhã"),
    "italian": ("cp1252", "Gentile signora, la città è più bella e lunedì andrò là con la società"),
    "swedish": ("cp1252", "Hej Åsa, vi möts på måndag för att gå igenom räkningen från Göteborg"),
    "danish": ("cp1252", "Kære Søren, på torsdag mødes vi i København og får også rødgrød"),
    "finnish": ("cp1252", "Hyvä Päivi, tämä on työ ja määrä sekä hinta pöytä löytää sähkö"),
    "dutch": ("cp1252", "Geachte heer, de coördinatie van België is geïnformeerd over ideeën en zeeën"),
    "polish": ("cp1250", "Szanowna Pani, proszę o książkę za usługę w Łodzi i również ćwiczenie"),
    "czech": ("cp1250", "Dobrý den, příští týden se sejdeme ve městě a účet je pěkný"),
    "hungarian": ("cp1250", "Tisztelt Uram, a következő hétfőn szőlő és fű könyv kérem köszönöm"),
    "turkish": ("cp1254", "Sayın müşterimiz, ödeme için teşekkür ederiz yağmur ışık çocuk değil"),
    "russian": ("cp1251", "Уважаемая госпожа Иванова, высылаем вам документы для встречи в среду"),
    "russian-koi8": ("koi8_r", "Уважаемая госпожа Иванова, высылаем вам документы для встречи в среду"),
    "greek": ("cp1253", "Αγαπητή κυρία, σας στέλνουμε τα έγγραφα για τη συνάντηση στην Αθήνα"),
    "hebrew": ("cp1255", "לכבוד הלקוח, אנו שולחים את המסמכים לפגישה ביום רביעי"),
    "arabic": ("cp1256", "السيد المحترم, نرسل إليكم الوثائق للاجتماع يوم الأربعاء"),
    "thai": ("cp874", "เรียน ลูกค้า, เราส่งเอกสารสำหรับการประชุม วันพุธ กรุงเทพ"),
    "japanese": ("cp932", "お客様各位, 本日は会議の資料をお送りします 東京 価格 数量"),
    "japanese-euc": ("euc_jp", "お客様各位, 本日は会議の資料をお送りします 東京 価格 数量"),
    "chinese": ("gb18030", "尊敬的客户, 我们将在星期三发送会议资料 北京 价格 数量"),
    "chinese-traditional": ("cp950", "尊敬的客戶, 我們將在星期三發送會議資料 台北 價格 數量"),
    "korean": ("cp949", "고객님께, 수요일 회의 자료를 보내드립니다 서울 가격 수량"),
}
LENGTHS = (1, 5, 20)


@pytest.mark.parametrize("rows", LENGTHS)
@pytest.mark.parametrize("language", SENTENCES)
def test_records_of_any_language_are_decoded(language: str, rows: int) -> None:
    encoding, sentence = SENTENCES[language]
    words = sentence.replace(",", "").split()
    records = [["no", "text", "more"], *([str(row), " ".join(words[:4]), " ".join(words[4:])] for row in range(rows))]
    data = "\r\n".join(";".join(record) for record in records).encode(encoding)
    assert rows_of(of_type(read_tree(data), BlockType.TABLE)[0]) == records


@pytest.mark.parametrize("rows", LENGTHS)
@pytest.mark.parametrize("language", SENTENCES)
def test_plain_text_of_any_language_is_decoded(language: str, rows: int) -> None:
    encoding, sentence = SENTENCES[language]
    assert decode_text("\n".join([sentence] * rows).encode(encoding)).text == "\n".join([sentence] * rows)


@pytest.mark.parametrize("rows", LENGTHS)
@pytest.mark.parametrize("language", SENTENCES)
def test_pages_of_any_language_are_decoded(language: str, rows: int) -> None:
    encoding, sentence = SENTENCES[language]
    page = f"<html><head><title>T</title></head><body>{f'<p>{sentence}</p>' * rows}</body></html>"
    assert texts(read_tree(page.encode(encoding)), BlockType.PARAGRAPH) == [sentence] * rows


@pytest.mark.parametrize("rows", LENGTHS)
@pytest.mark.parametrize("language", SENTENCES)
def test_mails_of_any_language_are_decoded(language: str, rows: int) -> None:
    encoding, sentence = SENTENCES[language]
    mail = Message()
    mail["From"], mail["To"], mail["Subject"] = "a@example.org", "b@example.org", "x"
    data = mail.as_bytes() + "\n\n".join([sentence] * rows).encode(encoding)
    assert texts(read_tree(data), BlockType.PARAGRAPH) == [sentence] * rows


OTHER_PAGES = {
    "cp850": "german", "iso8859_2": "czech", "iso8859_9": "turkish", "cp866": "russian", "iso8859_5": "russian",
    "iso8859_7": "greek",
}  # fmt: skip
"""Code pages of DOS and Unix that files of these languages have as well."""


@pytest.mark.parametrize("rows", [5, 20])
@pytest.mark.parametrize("encoding", OTHER_PAGES)
def test_code_pages_of_other_systems_are_decoded(encoding: str, rows: int) -> None:
    text = "\n".join([SENTENCES[OTHER_PAGES[encoding]][1]] * rows)
    assert decode_text(text.encode(encoding)).text == text


@pytest.mark.parametrize(
    "text",
    [
        "M;Preis\nMüller;500 €\nÖz;2,5",
        "señor Muñoz",
        "Ærøskøbing",
        "São João",
        "Zürich",
        "“café” – 20°",
        "ÄRGER ÜBER ÖL",
    ],
)
def test_short_western_texts_are_windows_1252(text: str) -> None:
    assert decode_text(text.encode("cp1252")).text == text


@pytest.mark.parametrize(("text", "is_warned"), [("Gyõrben hétfõn", True), (SENTENCES["german"][1], False)])
def test_close_choice_warns_and_clear_choice_does_not(text: str, is_warned: bool) -> None:
    codes = [warning.code for warning in read_tree(text.encode("cp1252")).warnings]
    assert (UNCERTAIN in codes) == is_warned


def test_page_that_misstates_utf8_is_decoded_by_its_bytes() -> None:
    page = '<html><head><meta charset="utf-8"></head><body><p>Müller für größere Öfen</p></body></html>'
    assert texts(read_tree(page.encode("cp1252"))) == ["Müller für größere Öfen"]
