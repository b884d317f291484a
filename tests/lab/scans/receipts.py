"""Receipts by seed in eight scripts: a shop, some goods with prices, sums, thanks; few words and many figures."""

import random
from dataclasses import dataclass

import numpy as np
import pymupdf

from tests.lab.scans.paper import FONT_FOLDERS, Pixels, encode, turn, worsen


@dataclass(frozen=True)
class Shop:
    """Words of receipts in one language."""

    names: tuple[str, ...]
    streets: tuple[str, ...]
    goods: tuple[str, ...]
    total: tuple[str, ...]
    more: tuple[str, ...]
    thanks: tuple[str, ...]


SHOPS = {
    "Latin": Shop(
        ("Harbour Stores", "Bäckerei Lindner", "Épicerie du Port", "Ferretería Sol", "Sklep Żabka Łódź"),
        ("14 Quay Street", "Hauptstraße 7", "3 rue de la Gare", "Calle Mayor 12"),
        ("Bread", "Milk 1 l", "Käse", "Brötchen", "Beurre", "Pommes", "Café molido", "Azúcar", "Herbata", "Mąka"),
        ("TOTAL", "Summe", "Total à payer", "IMPORTE", "RAZEM"),
        ("Cash", "Change", "MwSt 19 %", "TVA 20 %", "Receipt 2041", "Card", "IVA 21 %"),
        ("Thank you for your visit", "Vielen Dank", "Merci de votre visite", "Gracias por su compra"),
    ),
    "Cyrillic": Shop(
        ("ООО «Ромашка»", "МАГАЗИН ПРОДУКТЫ", "Аптека № 12", "КАФЕ ВОСТОК", "Гастроном «Заря»"),
        ("ул. Ленина, д. 5", "г. Москва, пр. Мира 18", "Невский проспект 44", "ул. Садовая 3"),
        (
            "Хлеб ржаной",
            "МОЛОКО 2,5%",
            "Сыр российский",
            "Масло сливочное",
            "ЧАЙ ЧЁРНЫЙ",
            "Сахар",
            "Яблоки",
            "Вода",
            "КОФЕ МОЛОТЫЙ",
            "Колбаса",
        ),
        ("ИТОГО", "ИТОГ", "К ОПЛАТЕ", "ВСЕГО"),
        ("НАЛИЧНЫМИ", "СДАЧА", "НДС 10%", "КАССИР ИВАНОВА", "ЧЕК № 2041", "Безналичными", "ИНН 7701234567"),
        ("Спасибо за покупку!", "СПАСИБО, ЖДЁМ ВАС СНОВА", "Сохраняйте чек"),
    ),
    "Greek": Shop(
        ("ΑΡΤΟΠΟΙΕΙΟ ΝΙΚΟΣ", "Παντοπωλείο Αθηνά", "ΦΑΡΜΑΚΕΙΟ", "Καφέ Θάλασσα"),
        ("Οδός Ερμού 14", "ΠΑΤΗΣΙΩΝ 82 ΑΘΗΝΑ", "Λεωφόρος Νίκης 5"),
        ("Ψωμί", "ΓΑΛΑ 1 ΛΤ", "Τυρί φέτα", "Ελιές", "ΚΑΦΕΣ", "Ζάχαρη", "Μήλα", "Νερό", "ΛΑΔΙ", "Ντομάτες"),
        ("ΣΥΝΟΛΟ", "Γενικό σύνολο", "ΠΛΗΡΩΤΕΟ"),
        ("ΜΕΤΡΗΤΑ", "ΡΕΣΤΑ", "ΦΠΑ 24%", "Κάρτα", "ΑΦΜ 094123456", "Απόδειξη 2041"),
        ("Ευχαριστούμε πολύ", "ΕΥΧΑΡΙΣΤΟΥΜΕ", "Καλή συνέχεια"),
    ),
    "Han": Shop(
        ("永辉超市", "新华书店", "老北京饭馆", "同仁堂药店"),
        ("北京市朝阳区建国路8号", "上海市南京路120号", "广州市天河区体育东路3号"),
        ("鲜牛奶", "全麦面包", "苹果", "绿茶", "大米五公斤", "鸡蛋", "酱油", "矿泉水", "白糖", "豆腐"),
        ("合计", "总计金额", "应付金额"),
        ("现金", "找零", "收银员张丽", "小票号2041", "会员卡", "增值税"),
        ("谢谢惠顾", "欢迎再次光临", "请保留小票"),
    ),
    "Japanese": Shop(
        ("さくら商店", "コンビニまるや", "喫茶ひまわり", "スーパーたなか"),
        ("東京都新宿区西新宿2丁目", "大阪市北区梅田1-3", "京都市中京区河原町通"),
        ("おにぎり鮭", "牛乳", "食パン", "コーヒー", "りんご", "たまご", "お茶", "弁当", "せっけん", "バター"),
        ("合計", "お買上計", "総合計"),
        ("お預り", "お釣り", "内消費税", "現金", "レシート番号2041", "担当すずき"),
        ("ありがとうございました", "またお越しくださいませ", "毎度ありがとうございます"),
    ),
    "Hangul": Shop(
        ("한빛마트", "서울식당", "행복약국", "바다커피"),
        ("서울특별시 종로구 세종대로 9", "부산광역시 해운대구 12", "대전시 중구 대종로 3"),
        ("우유", "식빵", "사과", "커피", "김치찌개", "계란", "생수", "설탕", "두부", "라면"),
        ("합계", "총 금액", "결제금액"),
        ("현금", "거스름돈", "부가세", "카드", "영수증 번호 2041", "담당자 김민수"),
        ("감사합니다", "또 방문해 주세요", "안녕히 가세요"),
    ),
    "Arabic": Shop(
        ("مخبز النور", "سوق المدينة", "صيدلية الشفاء", "مقهى البحر"),
        ("شارع الملك فهد الرياض", "شارع التحرير القاهرة", "حي السلام جدة"),
        ("خبز", "حليب طازج", "جبنة بيضاء", "تفاح", "قهوة", "سكر", "ماء", "زيت زيتون", "أرز", "شاي أخضر"),
        ("المجموع", "الإجمالي", "المبلغ المستحق"),
        ("نقدا", "الباقي", "ضريبة القيمة المضافة", "بطاقة", "رقم الفاتورة 2041", "أمين الصندوق"),
        ("شكرا لزيارتكم", "نتمنى لكم يوما سعيدا", "احتفظ بالفاتورة"),
    ),
    "Devanagari": Shop(
        ("शर्मा किराना स्टोर", "गुप्ता मिठाई भंडार", "आरोग्य दवाखाना", "सागर भोजनालय"),
        ("महात्मा गांधी मार्ग दिल्ली", "स्टेशन रोड लखनऊ", "सदर बाजार नागपुर"),
        ("दूध", "रोटी", "चावल", "चीनी", "चाय पत्ती", "आलू", "प्याज", "तेल", "दही", "नमक"),
        ("कुल योग", "कुल राशि", "देय राशि"),
        ("नकद", "वापसी", "कर", "कार्ड", "बिल संख्या 2041", "खजांची"),
        ("धन्यवाद", "फिर पधारें", "आपका दिन शुभ हो"),
    ),
}
WAYS = ("clean", "scan", "poor", "photo", "fax")
RIGHT_TO_LEFT = frozenset({"Arabic"})


@dataclass(frozen=True)
class MadeReceipt:
    """A receipt as a file, and its words."""

    data: bytes
    kind: str
    script: str
    words: tuple[str, ...]


def make_receipt(seed: int) -> MadeReceipt:
    """Seeds go through the scripts in turns."""
    chance = random.Random(seed)
    script = sorted(SHOPS)[seed % len(SHOPS)]
    shop = SHOPS[script]
    goods = [(name, f"{chance.randint(50, 99_000) / 100:.2f}")
             for name in chance.sample(shop.goods, chance.randint(2, 8))]  # fmt: skip
    head = [chance.choice(shop.names), chance.choice(shop.streets)]
    sums = [(chance.choice(shop.total), f"{sum(float(price) for _, price in goods):.2f}")]
    sums += [
        (text, f"{chance.randint(100, 9000) / 100:.2f}") for text in chance.sample(shop.more, chance.randint(1, 3))
    ]
    end = [f"{chance.randint(1, 28):02d}.{chance.randint(1, 12):02d}.2025 {chance.randint(8, 21)}:{chance.randint(10, 59)}",
           chance.choice(shop.thanks)]  # fmt: skip
    if chance.random() < 0.3:
        head, end = [text.upper() for text in head], [text.upper() for text in end]
        goods = [(name.upper(), price) for name, price in goods]
    way = WAYS[(seed // len(SHOPS)) % len(WAYS)]
    turned = chance.choice((0, 0, 0, 180, 90, 270))
    dpi = chance.choice((130, 150, 200))
    picture = turn(worsen(_draw(script, head, goods, sums, end, dpi, chance), way, chance), turned)
    words = " ".join([*head, *(part for pair in (*goods, *sums) for part in pair), *end]).split()
    data = encode(picture, chance, chance.choice((dpi, None)))
    return MadeReceipt(data, f"{script} {way} {turned} {dpi}", script, tuple(words))


def _draw(
    script: str,
    head: list[str],
    goods: list[tuple[str, str]],
    sums: list[tuple[str, str]],
    end: list[str],
    dpi: int,
    chance: random.Random,
) -> Pixels:
    direction = " dir=rtl" if script in RIGHT_TO_LEFT else ""
    sides = ("right", "left") if direction else ("left", "right")
    rows = "".join(
        f"<tr><td style='text-align:{sides[0]}'>{name}</td><td style='text-align:{sides[1]}'>{price}</td></tr>"
        for name, price in (*goods, *sums)
    )
    centre = "".join(f"<p style='text-align:center;margin:2px'>{text}</p>" for text in head)
    last = "".join(f"<p style='text-align:center;margin:2px'>{text}</p>" for text in end)
    family, archive, css = chance.choice(("serif", "sans-serif", "monospace")), None, ""
    fonts = [file for folder in FONT_FOLDERS if folder.is_dir() for file in sorted(folder.glob(_FONTS.get(script, "")))
             ] if script in _FONTS else []  # fmt: skip
    if fonts and chance.random() < 0.6:
        file = chance.choice(fonts)
        archive, family = pymupdf.Archive(str(file.parent)), "own"
        css = f"@font-face {{font-family: own; src: url({file.name})}}"
    height = 60 + 22 * (len(goods) + len(sums) + len(head) + len(end))
    with pymupdf.open() as document:
        page = document.new_page(width=230, height=height)
        size, weight = chance.choice((10, 11, 12, 13)), chance.choice(("normal", "normal", "bold"))
        html = f"<div{direction} style='font-size:{size}px;font-weight:{weight};font-family:{family}'>{centre}<table width=200>{rows}</table>{last}</div>"
        page.insert_htmlbox((14, 12, 216, height - 8), html, css=css, archive=archive)
        pixels = page.get_pixmap(dpi=dpi, alpha=False)
    return np.frombuffer(pixels.samples, np.uint8).reshape(pixels.height, pixels.width, 3).copy()


_FONTS = {
    "Latin": "*Sans*.ttf", "Cyrillic": "DejaVuS*.ttf", "Greek": "DejaVuS*.ttf", "Arabic": "DejaVuSans.ttf",
    "Devanagari": "NotoS*Devanagari-*.ttf",
}  # fmt: skip
"""Fonts of the machine that have the letters; MuPDF's own have all of them."""
