"""Counts as Word writes them: letters, digits and words of many scripts (ECMA-376, ST_NumberFormat)."""

from collections.abc import Callable
from typing import Final

from quire.models.extract.formats.flow.counting import alphabetic, roman

_ALPHABETS: Final = {
    "russianLower": "абвгдежзиклмнопрстуфхцчшщыэюя",
    "russianUpper": "АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЫЭЮЯ",
    "hebrew2": "אבגדהוזחטיכלמנסעפצקרשת",
    "arabicAlpha": "أبتثجحخدذرزسشصضطظعغفقكلمنهوي",
    "arabicAbjad": "أبجدهوزحطيكلمنسعفصقرشتثخذضظغ",
    "thaiLetters": "กขคงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรลวศษสหฬอฮ",
    "hindiVowels": "कखगघङचछजझञटठडढणतथदधनपफबभमयरलवशषसह",
    "hindiConsonants": "अआइईउऊऋऌऍऎएऐऑऒओऔ",
    "aiueoFullWidth": "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン",
    "aiueo": "ｱｲｳｴｵｶｷｸｹｺｻｼｽｾｿﾀﾁﾂﾃﾄﾅﾆﾇﾈﾉﾊﾋﾌﾍﾎﾏﾐﾑﾒﾓﾔﾕﾖﾗﾘﾙﾚﾛﾜｦﾝ",
    "irohaFullWidth": "イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノ"
    "オクヤマケフコエテアサキユメミシヱヒモセスン",
    "iroha": "ｲﾛﾊﾆﾎﾍﾄﾁﾘﾇﾙｦﾜｶﾖﾀﾚｿﾂﾈﾅﾗﾑｳヰﾉｵｸﾔﾏｹﾌｺｴﾃｱｻｷﾕﾒﾐｼヱﾋﾓｾｽﾝ",
    "ganada": "가나다라마바사아자차카타파하",
    "chosung": "ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ",
    "ideographTraditional": "甲乙丙丁戊己庚辛壬癸",
    "ideographZodiac": "子丑寅卯辰巳午未申酉戌亥",
    "ideographEnclosedCircle": "㊀㊁㊂㊃㊄㊅㊆㊇㊈㊉",
    "decimalEnclosedFullstop": "⒈⒉⒊⒋⒌⒍⒎⒏⒐⒑⒒⒓⒔⒕⒖⒗⒘⒙⒚⒛",
    "decimalEnclosedParen": "⑴⑵⑶⑷⑸⑹⑺⑻⑼⑽⑾⑿⒀⒁⒂⒃⒄⒅⒆⒇",
    "chicago": "*†‡§",
}
"""Characters for 1, 2, 3 …; after the last one letters are doubled, other signs become digits."""
_DOUBLED: Final = frozenset({"russianLower", "russianUpper", "arabicAlpha", "thaiLetters", "chicago", "hebrew2"})
_DIGITS: Final = {
    "decimalFullWidth": "０１２３４５６７８９", "decimalFullWidth2": "０１２３４５６７８９",
    "ideographDigital": "〇一二三四五六七八九", "japaneseDigitalTenThousand": "〇一二三四五六七八九",
    "taiwaneseDigital": "○一二三四五六七八九", "koreanDigital": "영일이삼사오육칠팔구",
    "koreanDigital2": "零一二三四五六七八九", "thaiNumbers": "๐๑๒๓๔๕๖๗๘๙", "hindiNumbers": "०१२३४५६७८९",
}  # fmt: skip
_COUNTING: Final = {
    "chineseCounting": ("〇一二三四五六七八九", "十百千", False),
    "chineseCountingThousand": ("〇一二三四五六七八九", "十百千", False),
    "taiwaneseCounting": ("〇一二三四五六七八九", "十百千", False),
    "taiwaneseCountingThousand": ("〇一二三四五六七八九", "十百千", False),
    "japaneseCounting": ("〇一二三四五六七八九", "十百千", False),
    "koreanCounting": ("영일이삼사오육칠팔구", "십백천", False),
    "chineseLegalSimplified": ("零壹贰叁肆伍陆柒捌玖", "拾佰仟", True),
    "ideographLegalTraditional": ("零壹貳參肆伍陸柒捌玖", "拾佰仟", True),
    "japaneseLegal": ("零壱弐参四伍六七八九", "拾百阡", True),
}
"""Digits, the signs of ten, hundred and thousand, and whether a one before ten is written."""
_KOREAN: Final = ("", "하나", "둘", "셋", "넷", "다섯", "여섯", "일곱", "여덟", "아홉")
_KOREAN_TENS: Final = ("", "열", "스물", "서른", "마흔", "쉰", "예순", "일흔", "여든", "아흔")
_HEBREW: Final = (
    (400, "ת"), (300, "ש"), (200, "ר"), (100, "ק"), (90, "צ"), (80, "פ"), (70, "ע"), (60, "ס"), (50, "נ"), (40, "מ"),
    (30, "ל"), (20, "כ"), (16, "טז"), (15, "טו"), (10, "י"), (9, "ט"), (8, "ח"), (7, "ז"), (6, "ו"), (5, "ה"),
    (4, "ד"), (3, "ג"), (2, "ב"), (1, "א"),
)  # fmt: skip
_ONES: Final = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS: Final = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_ORDINALS: Final = {"one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth",
                    "nine": "ninth", "twelve": "twelfth"}  # fmt: skip


def format_count(count: int, format_: str) -> str:
    """Return a count in one of Word's number formats; unknown formats are decimal.

    >>> format_count(21, "chineseCounting"), format_count(3, "russianLower"), format_count(21, "ordinalText")
    ('二十一', 'в', 'Twenty-first')
    """
    if (alphabet := _ALPHABETS.get(format_)) is not None:
        times, index = divmod(count - 1, len(alphabet))
        return alphabet[index] * (times + 1) if 0 < count <= 780 and (not times or format_ in _DOUBLED) else str(count)
    if (digits := _DIGITS.get(format_)) is not None:
        return "".join(digits[int(digit)] for digit in str(abs(count)))
    if format_ in _COUNTING:
        return _count(count, *_COUNTING[format_])
    if format_.startswith("zeros"):
        return str(count).zfill(int(format_[5:]))
    make = _OTHER.get(format_)
    return make(count) if make is not None else str(count)


def _count(count: int, digits: str, units: str, writes_one: bool) -> str:
    """Return a count with signs for ten, hundred and thousand: 二十一; a gap has one zero: 一百〇五."""
    if not 0 < count < 10_000:
        return "".join(digits[int(digit)] for digit in str(abs(count)))
    text = ""
    is_gap = False
    for power in range(3, -1, -1):
        digit = count // 10**power % 10
        if not digit:
            is_gap = bool(text)
            continue
        text += digits[0] if is_gap else ""
        is_gap = False
        is_plain_ten = power == 1 and digit == 1 and not text and not writes_one
        text += ("" if is_plain_ten else digits[digit]) + (units[power - 1] if power else "")
    return text


def _circled(count: int) -> str:
    for first, last, start in ((1, 20, 0x2460), (21, 35, 0x3251), (36, 50, 0x32B1)):
        if first <= count <= last:
            return chr(start + count - first)
    return str(count)


def _hebrew(count: int) -> str:
    if not 0 < count < 1000:
        return str(count)
    text = ""
    for value, letter in _HEBREW:
        while count >= value and (value not in (15, 16) or count == value):
            text += letter
            count -= value
    return text


def _korean_legal(count: int) -> str:
    return _KOREAN_TENS[count // 10] + _KOREAN[count % 10] if 0 < count < 100 else str(count)


def _ordinal(count: int) -> str:
    ending = "th" if count % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(count % 10, "th")
    return f"{count}{ending}"


def _cardinal(count: int) -> str:
    if not 0 <= count < 1000:
        return str(count)
    if count < 20:
        return _ONES[count]
    if count < 100:
        return _TENS[count // 10] + (f"-{_ONES[count % 10]}" if count % 10 else "")
    return f"{_ONES[count // 100]} hundred" + (f" {_cardinal(count % 100)}" if count % 100 else "")


def _ordinal_text(count: int) -> str:
    text = _cardinal(count)
    last = text.replace("-", " ").split()[-1]
    ordinal = _ORDINALS.get(last) or (last[:-1] + "ieth" if last.endswith("y") else last + "th")
    return text[: len(text) - len(last)] + ordinal


_OTHER: Final[dict[str, Callable[[int], str]]] = {
    "lowerLetter": alphabetic,
    "upperLetter": lambda count: alphabetic(count).upper(),
    "lowerRoman": roman,
    "upperRoman": lambda count: roman(count).upper(),
    "decimalZero": lambda count: f"{count:02d}",
    "none": lambda count: "",
    "bullet": lambda count: "",
    "decimalEnclosedCircle": _circled,
    "decimalEnclosedCircleChinese": _circled,
    "hebrew1": _hebrew,
    "koreanLegal": _korean_legal,
    "ordinal": _ordinal,
    "cardinalText": lambda count: _cardinal(count).capitalize(),
    "ordinalText": lambda count: _ordinal_text(count).capitalize(),
    "numberInDash": lambda count: f"- {count} -",
    "hex": lambda count: f"{count:X}",
}
