"""Learns the names of scripts: made pages in, `models/neural/script_names.npz` out.

`python -m tests.lab.training.scripts` draws pages in the fonts that MuPDF carries, and in DejaVu where it is
installed, reads the hidden layer of the recogniser for each line, and fits one linear layer.
"""

import argparse
import random
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import pymupdf

from quire.models.neural.ocr.crops import cut_line, describe_lines
from quire.models.neural.ocr.detect import Picture
from quire.models.neural.ocr.rapid import load_reader
from quire.models.neural.ocr.runtime import load_hidden_layer
from quire.models.neural.registry import ModelName, locate_model
from quire.models.neural.script_names import WEIGHTS

Matrix = npt.NDArray[np.float64]
DEJAVU = Path("/usr/share/fonts/truetype/dejavu")
FONTS = ("DejaVuSans.ttf", "DejaVuSerif.ttf", "DejaVuSansMono.ttf")
IN_DEJAVU = frozenset({"Latin", "Cyrillic", "Greek", "Arabic", "Hebrew", "Georgian", "Armenian"})
TEXTS = {
    "Latin": (
        "The quick brown fox jumps over lazy dog invoice total amount due Müller Straße größer señor "
        "mañana façade naïve być może żółw ełk çok güzel ığdır Übermaß contract between parties shall be "
        "governed by law of the state Rechnung Betrag Datum fatura società città però perché année être "
        "où très 2026 12.50 Nr"
    ),
    "Cyrillic": (
        "Привет мир это документ на русском языке договор между сторонами заключён счёт сумма оплаты дата "
        "подпись директор Москва улица дом квартира телефон україна їжак ґанок є питання рахунок България "
        "въпрос договор член закон съд Србија љубав њега ћирилица џеп Общество с ограниченной "
        "ответственностью 2026 12,50"
    ),
    "Greek": (
        "Καλημέρα κόσμε αυτό είναι έγγραφο στην ελληνική γλώσσα σύμβαση μεταξύ των μερών τιμολόγιο ποσό "
        "πληρωμής ημερομηνία υπογραφή διευθυντής Αθήνα οδός τηλέφωνο άρθρο νόμος δικαστήριο εταιρεία "
        "περιορισμένης ευθύνης Ελλάδα Θεσσαλονίκη ΑΡΙΘΜΟΣ ΣΥΝΟΛΟ 2026 12,50"
    ),
    "Arabic": (
        "مرحبا بالعالم هذا مستند باللغة العربية عقد بين الطرفين فاتورة المبلغ المستحق التاريخ التوقيع "
        "المدير شارع هاتف قانون محكمة شركة ذات مسؤولية محدودة المملكة العربية القاهرة این یک سند به زبان "
        "فارسی است قرارداد گزارش پرداخت چهارشنبه ٢٠٢٦"
    ),
    "Hebrew": (
        "שלום עולם זה מסמך בשפה העברית חוזה בין הצדדים חשבונית סכום לתשלום תאריך חתימה מנהל ירושלים רחוב "
        "טלפון חוק בית משפט חברה בעירבון מוגבל מדינת ישראל תל אביב מספר סך הכל 2026 12.50"
    ),
    "Devanagari": (
        "नमस्ते दुनिया यह हिंदी भाषा में एक दस्तावेज है अनुबंध पक्षों के बीच चालान देय राशि तारीख "
        "हस्ताक्षर निदेशक दिल्ली सड़क फोन कानून न्यायालय कंपनी सीमित भारत सरकार मुंबई संख्या कुल योग "
        "मराठी भाषा आहे नेपाली"
    ),
    "Thai": (
        "สวัสดีชาวโลก นี่คือเอกสารภาษาไทย สัญญา ระหว่างคู่สัญญา ใบแจ้งหนี้ จำนวนเงิน ที่ต้องชำระ วันที่ "
        "ลายเซ็น ผู้อำนวยการ กรุงเทพมหานคร ถนน โทรศัพท์ กฎหมาย ศาล บริษัท จำกัด ประเทศไทย เชียงใหม่ "
        "หมายเลข รวมทั้งสิ้น"
    ),
    "Hangul": (
        "안녕하세요 세계 이것은 한국어 문서입니다 계약 당사자 사이 송장 지불 금액 날짜 서명 이사 "
        "서울특별시 도로 전화 법률 법원 주식회사 유한책임 대한민국 부산광역시 번호 합계 회의록 "
        "참석자 감사합니다"
    ),
    "Han": (
        "会议记录 参加人员 人民币伍佰元整 请于三月十五日前付款 合同双方 发票金额 日期签名 "
        "北京市朝阳区 电话号码 法律法院 有限责任公司 中华人民共和国 總計編號 臺灣臺北市 "
        "これは日本語の文書です 契約書 請求書 お支払い 金額 日付 署名 東京都 電話番号 法律 裁判所 "
        "株式会社 ありがとうございます カタカナ テスト"
    ),
    "Bengali": (
        "নমস্কার বিশ্ব এটি বাংলা ভাষায় একটি নথি চুক্তি পক্ষগুলির মধ্যে চালান প্রদেয় পরিমাণ তারিখ "
        "স্বাক্ষর পরিচালক ঢাকা রাস্তা ফোন আইন আদালত কোম্পানি সীমিত বাংলাদেশ কলকাতা সংখ্যা মোট"
    ),
    "Tamil": (
        "வணக்கம் உலகம் இது தமிழ் மொழியில் ஒரு ஆவணம் ஒப்பந்தம் தரப்பினர் இடையே விலைப்பட்டியல் செலுத்த "
        "வேண்டிய தொகை தேதி கையொப்பம் இயக்குனர் சென்னை தெரு தொலைபேசி சட்டம் நீதிமன்றம் நிறுவனம் இந்தியா "
        "எண் மொத்தம்"
    ),
    "Georgian": (
        "გამარჯობა მსოფლიო ეს არის დოკუმენტი ქართულ ენაზე ხელშეკრულება მხარეებს შორის ინვოისი თანხა "
        "თარიღი ხელმოწერა დირექტორი თბილისი ქუჩა ტელეფონი კანონი სასამართლო კომპანია საქართველო ნომერი "
        "სულ"
    ),
    "Armenian": (
        "Բարեւ աշխարհ սա հայերեն փաստաթուղթ է պայմանագիր կողմերի միջեւ հաշիվ վճարման գումար ամսաթիվ "
        "ստորագրություն տնօրեն Երեւան փողոց հեռախոս օրենք դատարան ընկերություն Հայաստան համար ընդամենը"
    ),
}
"""Words of contracts and bills in each script, Latin ones of several languages."""
PENALTY = 0.01
STEPS = 600
RATE = 0.05


def draw_page(script: str, rng: random.Random) -> Picture:
    """A page of six lines of random words, in random type and quality."""
    words = TEXTS[script].split()
    lines = "".join(f"<p style='margin:3px'>{' '.join(rng.choices(words, k=rng.randint(2, 5)))}</p>" for _ in range(6))
    size, dpi = rng.choice((8, 9, 10, 11, 12, 14, 18)), rng.choice((100, 120, 150, 200))
    weight = "bold" if rng.random() < 0.3 else "normal"
    family = rng.choice(("serif", "sans-serif"))
    css, archive = "", None
    if script in IN_DEJAVU and DEJAVU.is_dir() and rng.random() < 0.45:
        archive, family = pymupdf.Archive(str(DEJAVU)), "own"
        css = f"@font-face {{font-family: own; src: url({rng.choice(FONTS)})}}"
    with pymupdf.open() as document:
        page = document.new_page(width=330, height=240)
        style = f"font-size:{size}px;font-weight:{weight};font-family:{family}"
        page.insert_htmlbox((15, 15, 315, 235), f"<div style='{style}'>{lines}</div>", css=css, archive=archive)
        pixels = page.get_pixmap(dpi=dpi)
    return worsen(np.frombuffer(pixels.samples, np.uint8).reshape(pixels.height, pixels.width, 3), rng)


def worsen(picture: Picture, rng: random.Random) -> Picture:
    """The picture with blur, noise and grey paper, each at times."""
    worse = np.asarray(picture, np.float32)
    if rng.random() < 0.5:
        worse = np.asarray(cv2.GaussianBlur(worse, (3, 3), rng.uniform(0.3, 1.2)), np.float32)
    if rng.random() < 0.5:
        noise = np.random.default_rng(rng.getrandbits(30)).normal(0, rng.uniform(3, 18), worse.shape)
        worse = worse + noise.astype(np.float32)
    if rng.random() < 0.3:
        worse = worse * rng.uniform(0.6, 0.9) + rng.uniform(0, 30)
    return np.clip(worse, 0, 255).astype(np.uint8)


def make_rows(rounds: int, seed: int) -> tuple[Matrix, npt.NDArray[np.int64]]:
    """Features of all lines, and the index of each line's script."""
    rng, reader = random.Random(seed), load_reader()
    hidden = load_hidden_layer(locate_model(ModelName.TEXT_RECOGNISER))
    rows: list[npt.NDArray[np.float32]] = []
    labels: list[int] = []
    for _ in range(rounds):
        for label, script in enumerate(TEXTS):
            picture, boxes = reader.find_upright_lines(draw_page(script, rng))
            if boxes:
                features, _ = describe_lines([cut_line(picture, box) for box in boxes], hidden)
                rows += list(features)
                labels += [label] * len(features)
    return np.asarray(rows, np.float64), np.asarray(labels)


def fit(rows: Matrix, labels: npt.NDArray[np.int64]) -> tuple[Matrix, Matrix]:
    """Weights and bias of a softmax regression on standardised features, folded back to the features themselves."""
    mean, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-3
    scaled, wanted = (rows - mean) / spread, np.eye(len(TEXTS))[labels]
    scaled = np.hstack([scaled, np.ones((len(rows), 1))])
    weights = np.zeros((scaled.shape[1], len(TEXTS)))
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, STEPS + 1):
        scores = scaled @ weights
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        slope = scaled.T @ (shares - wanted) / len(rows) + PENALTY * weights
        first, second = 0.9 * first + 0.1 * slope, 0.999 * second + 0.001 * slope**2
        weights -= RATE * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    folded = weights[:-1] / spread[:, None]
    return folded, weights[-1] - mean @ folded


def main() -> None:
    """Learn from made pages and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=16, help="pages of each script")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--out", type=Path, default=WEIGHTS)
    given = parser.parse_args()
    rows, labels = make_rows(given.rounds, given.seed)
    weights, bias = fit(rows, labels)
    names = np.array(list(TEXTS))
    np.savez(given.out, weights=weights.astype(np.float32), bias=bias.astype(np.float32), names=names)
    print(f"{len(rows)} lines, {((rows @ weights + bias).argmax(axis=1) == labels).mean():.4f} of them right")


if __name__ == "__main__":
    main()
