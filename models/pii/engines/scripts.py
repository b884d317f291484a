"""Names in scripts that the tagger does not read: Chinese and Korean by their family names, Cyrillic by given names."""

import re
from collections.abc import Iterator

from quire.models.pii.kinds import Hit, Kind
from quire.models.pii.normalise import normalise

_HAN, _HANGUL = "\u3400-\u9fff", "\uac00-\ud7af"
_CHINESE = (
    "王李张張刘劉陈陳杨楊赵趙黄黃周吴吳徐孙孫胡朱高林何郭马馬罗羅梁宋郑鄭谢謝韩韓唐冯馮于董萧蕭程曹袁邓鄧许許傅沈曾彭吕呂苏蘇"
    "卢盧蒋蔣蔡贾賈丁魏薛叶葉阎閻余潘杜戴夏钟鍾汪田任姜范方石姚谭譚廖邹鄒熊金陆陸郝孔白崔康毛邱秦江史顾顧侯邵孟龙龍万萬段雷钱錢汤湯尹"
)
"""Family names of four in five people."""
_SAID = r"先生|女士|小姐|老师|老師|经理|經理|医生|醫生|主任|同志|教授|律师|律師|签字|簽字|签名|簽名|签署|簽署"
_NAME = re.compile(
    rf"(?<![{_HAN}])(?:[{_CHINESE}][{_HAN}]{{1,2}}|欧阳[{_HAN}]{{1,2}}|司马[{_HAN}]{{1,2}})(?=\s?(?:{_SAID}))"
    rf"|(?<=[:： ])(?:(?<=(?:姓名|系人|絡人|件人|字人|患者|请人|客户|甲方|乙方|责人).)|(?<=(?:姓名|系人|絡人|件人|字人|患者|请人|客户|甲方|乙方|责人): ))[{_HAN}]{{2,4}}(?![{_HAN}])"
    rf"|(?<![{_HANGUL}])[김이박최정강조윤장임한오서신권황안송전홍][{_HANGUL}]{{2}}(?=\s?(?:씨|님|귀하|선생|과장|부장|대표))"
    rf"|(?:(?<=(?:성명|이름).)|(?<=(?:성명|이름): ))[{_HANGUL}]{{2,4}}(?![{_HANGUL}])"
    rf"|[{_HAN}\u3040-\u30ff]{{2,5}}(?=(?:さん|様|氏|殿)(?![{_HAN}]))"
)
_GIVEN = (
    "Александр|Алексей|Анатолий|Андрей|Антон|Борис|Вадим|Валентин|Василий|Виктор|Виталий|Владимир|Вячеслав|Геннадий|Георгий"
    "|Григорий|Денис|Дмитрий|Евгений|Егор|Иван|Игорь|Илья|Кирилл|Константин|Леонид|Максим|Михаил|Николай|Олег|Павел|Пётр|Петр"
    "|Роман|Сергей|Станислав|Степан|Юрий|Александра|Алина|Анастасия|Анна|Валентина|Вера|Виктория|Галина|Дарья|Евгения"
    "|Екатерина|Елена|Ирина|Ксения|Лариса|Людмила|Маргарита|Марина|Мария|Надежда|Наталья|Нина|Оксана|Олеся|Ольга|Светлана"
    "|Софья|Татьяна|Тамара|Юлия|Олександр|Олексій|Андрій|Володимир|Дмитро|Іван|Ігор|Микола|Михайло|Сергій|Тарас|Юрій"
    "|Ганна|Олена|Катерина|Наталія|Оксана|Тетяна|Георги|Димитър|Иванка|Йордан|Стефан|Никола|Милан|Драган|Јован"
)
_UPPER = "A-ZЀ-Я"
_CAPITAL = rf"[{_UPPER}][a-zа-џ-]+"
"""Texts arrive with Latin letters in place of Cyrillic ones that look alike."""
_FATHERS = "ович|евич|овна|евна|ична|івна"
_CYRILLIC = re.compile(
    rf"(?<!\w)(?:(?:{_CAPITAL} )?(?:{normalise(_GIVEN).text})[a-zа-џ]{{0,2}}(?: {_CAPITAL}){{1,2}}"
    rf"|(?:{_CAPITAL} ){{1,2}}[{_UPPER}][a-zа-џ]+(?:{normalise(_FATHERS).text})[a-zа-џ]{{0,2}}(?: {_CAPITAL})?"
    rf"|{_CAPITAL} [{_UPPER}]\. ?[{_UPPER}]\.|[{_UPPER}]\. ?[{_UPPER}]\. {_CAPITAL})(?!\w)"
)
_UNREAD = re.compile(f"[{_HAN}{_HANGUL}\u3040-\u30ff\u0e00-\u0e7f]")
_CYRILLIC_LETTER = re.compile("[\u0400-\u04ff]")
_PLAUSIBLE = re.compile(
    rf"[{_CHINESE}][{_HAN}]{{1,2}}|[김이박최정강조윤장임한오서신권황안송전홍][{_HANGUL}]{{2}}|[\u30a0-\u30ff・ー]{{3,20}}"
)


def find_unread_names(text: str) -> Iterator[Hit]:
    """Yield names by titles, labels and lists of names."""
    if text.isascii():
        return
    yield from (Hit(Kind.PERSON, *match.span()) for match in _NAME.finditer(text))
    if _CYRILLIC_LETTER.search(text):
        found = (match for match in _CYRILLIC.finditer(text) if _CYRILLIC_LETTER.search(match[0]))
        yield from (Hit(Kind.PERSON, *match.span()) for match in found)


def is_plausible(text: str, hit: Hit) -> bool:
    """Return whether a tagger's finding may be right: one in a script that it does not read needs the form of a name."""
    value = text[hit.start : hit.end]
    if _UNREAD.search(value):
        return hit.kind is Kind.PERSON and _PLAUSIBLE.fullmatch(value) is not None
    return hit.kind is Kind.PERSON or _CYRILLIC_LETTER.search(value) is None or value[:1].isdigit()
