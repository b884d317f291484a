"""Letters that languages use outside ASCII, by frequency, and the legacy encodings of their files."""

from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True, slots=True)
class Language:
    """The letters and encodings of one language.

    `letters` are ordered by frequency, and `encodings` have a log prior each. `words` are frequent, and `rare` are
    ASCII letters that rarely occur. `standard` names the national standard of ideographs and syllables.
    """

    letters: str
    encodings: dict[str, float]
    words: frozenset[str] = field(default_factory=frozenset)
    rare: str = ""
    standard: str = ""
    prior: float = 0.0


def _language(
    letters: str,
    encodings: dict[str, float],
    words: str = "",
    rare: str = "",
    *,
    standard: str = "",
    prior: float = 0.0,
) -> Language:
    return Language(letters, encodings, frozenset(words.split()), rare, standard, prior)


_WESTERN: Final = {"cp1252": 0.0, "cp850": -9.0}
_CENTRAL: Final = {"cp1250": -2.0, "iso8859_2": -3.0}
_CYRILLIC: Final = {"cp1251": -1.0, "koi8_r": -3.0, "cp866": -4.0, "iso8859_5": -6.0}
_CHINESE: Final = (
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里"
    "用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实"
    "日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政"
    "价格数量名称单北京市客户电话地址产品合计编号备注金额"
)
_TRADITIONAL: Final = (
    "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡"
    "用道行所然家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實"
    "日軍者意無力它與長把機十民第公此已工使情明性知全三又關點正業外將兩高間由問很最重並物手應戰向頭文體政"
    "價格數量名稱單台北市客戶電話地址產品合計編號備註金額"
)
_JAPANESE: Final = (
    "のにをはがたでしとてるいれなんうらりあっこすまかさもきおくそけだつめよせンスルーイトリアクッドラシレマタグジフ"
    "カテロプサコメオキ日一国会人年大十二本中長出三同時政事自行社見月分議後前民生連五発間対上部東者党地合市業内"
    "相方四定今回新場金員九入選立開手米力学問高代明実円関決子動京全目表経通外最言現理調体化田当主題下意法不来作"
    "性的要用度務気小成期公持都和機平加山家話受多正設保改数記院女初北心界第産結点教報書名交資面文元重近画海売利"
    "知道信集件別物使求所水品計特情住電番号価格量店客様請注見積"
)
_KOREAN: Final = (
    "이다는의에을가고하지은로를한서기어도사들자나해리대시아라수그있인일정여스부게전제주원장것상보구동과만"
    "성공소안마비오우신조무모생위경내방실회문용관면적니화합간교국명적단금액량격름번호품객요청확세울산"
)

LANGUAGES: Final = (
    _language("üäößéèàÜÖÄ", _WESTERN, "der die und das ist mit von ein für nicht zu den im auf an frau bei", "qxy"),
    _language("éèàêçùôîâûœïëÉÀ", _WESTERN, "le la les de des et est une un pour dans vous que qui nous sur du", "kw"),
    _language("óíáéñúü¿¡ÓÁÍÉÑ", _WESTERN, "el la los de que y en un una por con para las del su es", "kw"),
    _language("ãçáéíóêõúâàôÁÉÇºª", _WESTERN, "o a os de que e do da em um uma para com não por no", "kwy"),
    _language("èàùòìéÈÀ", _WESTERN, "il la di che e un una per con del della non sono le i si", "jkwxy"),
    _language("äåöéÅÄÖ", _WESTERN, "och att det som en på är av för med den till ska vi", "qwz"),
    _language("øåæéØÅÆ", _WESTERN, "og at det en på er af av for med den til ikke jeg som har", "qwxz"),
    _language("äöåÄÖ", _WESTERN, "ja on ei se että oli hän myös tai kun", "bcfqwxz"),
    _language("ëéïèöüóá", _WESTERN, "de het een van en is dat niet op te zijn voor", "qx"),
    _language("éèïñöüôç", _WESTERN, "the of and to in is for that with on", prior=-0.5),
    _language("áíðéóöúýþæÞÍÁÓÖÆ", _WESTERN, "og að sem er til við ekki hann", "cqwz", prior=-3.0),
    _language("àéèóçíòúïü·ÀÉ", _WESTERN, "el la els de que i en un una per amb les del", "kw", prior=-1.0),
    _language("łóżąęśćńźŁŚŻÓĆŹ", _CENTRAL, "i w z na do nie się jest to że od dla oraz", "qvx"),
    _language("íáéěýřčžšůúóťďňČŠŘŽÚ", _CENTRAL, "a v na se je že do to pro není od ve s k", "qwx"),
    _language("áíéčúšýžťľôóäňďŕĺČŠŽÚĽ", _CENTRAL, "a v na sa je že do to pre od vo s k", "qwx", prior=-0.5),
    _language("áéöóőüíúűÁÉÖŐ", _CENTRAL, "a az és hogy nem is egy van meg ez", "qwx"),
    _language("ăîşţâŞŢÎĂÂ", _CENTRAL, "și şi de la cu în pe nu din este care un o că sau pentru lei vă fost", "kqwy"),
    _language("čšžćđČŠŽĆĐ", _CENTRAL, "i je se na za u da su od in ki so pri", "qwxy"),
    _language("ėšįųąžūčęŠŽČĖĮ", {"cp1257": -2.0}, "ir yra kad su iš į ne tai", "qwxh"),
    _language("āīēšņūļžģķčĀĪŠĢ", {"cp1257": -2.0}, "un ir ar no par uz kas ka", "qwxyh"),
    _language("äõüöšžÕÄÜ", {"cp1257": -3.0, "cp1252": -1.0}, "ja on ei see et kui oli", "cqwxyz", prior=-0.5),
    _language("ıüşçöğİŞÇÖÜâ", {"cp1254": -2.0}, "ve bir bu için ile da de olan sayın", "qwx"),
    _language("оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё№", _CYRILLIC, "и в не на что с по как это к а из у"),
    _language("оанитвіерслкмудпязьбгйчїхєжцюшщфґ№", {"cp1251": -1.5, "koi8_u": -3.5}, "і в не на що з до як та у"),
    _language("аиоентрсвлкдпмзъугябчйцжшхщьюф№", _CYRILLIC, "и в на не да се за от с е", prior=-1.0),
    _language("аиоенрстјувкдмлпзгбшчцжћђљњхфџ", _CYRILLIC, "и у је се на да за од са", prior=-1.5),
    _language("αοιετσνηυρπκμλςόίάέήώδγχθφβξζύωϊΐΰϋψ", {"cp1253": -1.5, "iso8859_7": -2.0}, "και το να της η του με"),
    _language("יוהלאמרתשבנםחקדעפטצגזסכןךףץ", {"cp1255": -1.5}, "של את על לא"),
    _language("اليمنوترهبدسعفقكحةجصشطىأخضئذءغثزإظؤآپچژگ،؟", {"cp1256": -1.5}, "في من على إلى"),
    _language("านรอกเ่งทมยลว้ดัีสตะปบคิหแจพืชขใไโผซถุูธ็์ณำฐศ", {"cp874": -2.0}),
    _language(_JAPANESE, {"cp932": -1.5, "euc_jp": -2.0}, standard="euc_jp"),
    _language(_CHINESE, {"gb18030": -1.5}, standard="gb2312"),
    _language(_TRADITIONAL, {"cp950": -1.5}, standard="big5"),
    _language(_KOREAN, {"cp949": -1.5}, standard="euc_kr"),
)  # fmt: skip
"""Languages with their letters. The first letters of a line are most of the letters in its texts."""
