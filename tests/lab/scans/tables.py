"""Tables without rules in pictures by seed: a title, text around, three to six columns, four to twelve rows."""

import random
from dataclasses import dataclass

from tests.lab.scans.paper import WAYS, Paper, encode, worsen

HEADS = {
    "en": ("Article", "Colour", "Quantity", "Price", "Total", "Delivery"),
    "de": ("Artikel", "Farbe", "Menge", "Preis", "Betrag", "Lieferung"),
    "fr": ("Article", "Couleur", "Quantité", "Prix", "Montant", "Livraison"),
    "es": ("Artículo", "Color", "Cantidad", "Precio", "Importe", "Entrega"),
    "zh": ("商品", "颜色", "数量", "单价", "金额", "交货"),
}
NAMES = {
    "en": ("Garden chair", "Oak table", "Desk lamp", "Wool rug", "Bookshelf", "Footstool", "Mirror", "Wardrobe",
           "Coat stand", "Side board", "Bench", "Curtain"),
    "de": ("Gartenstuhl", "Eichentisch", "Tischlampe", "Wollteppich", "Bücherregal", "Hocker", "Spiegel",
           "Kleiderschrank", "Garderobe", "Kommode", "Bank", "Vorhang"),
    "fr": ("Chaise", "Table en chêne", "Lampe", "Tapis de laine", "Étagère", "Tabouret", "Miroir", "Armoire",
           "Portemanteau", "Buffet", "Banc", "Rideau"),
    "es": ("Silla", "Mesa de roble", "Lámpara", "Alfombra", "Estantería", "Taburete", "Espejo", "Armario",
           "Perchero", "Aparador", "Banco", "Cortina"),
    "zh": ("花园椅", "橡木桌", "台灯", "羊毛地毯", "书架", "脚凳", "镜子", "衣柜", "衣帽架", "餐具柜", "长凳", "窗帘"),
}  # fmt: skip
COLOURS = {
    "en": ("green", "brown", "white", "grey", "black", "blue"), "de": ("grün", "braun", "weiß", "grau", "schwarz", "blau"),
    "fr": ("vert", "brun", "blanc", "gris", "noir", "bleu"), "es": ("verde", "marrón", "blanco", "gris", "negro", "azul"),
    "zh": ("绿色", "棕色", "白色", "灰色", "黑色", "蓝色"),
}  # fmt: skip
TEXTS = {
    "en": ("Our offer of this week", "All prices include tax. Please order before the end of the month.",
           "We deliver free of charge within the county."),
    "de": ("Unser Angebot der Woche", "Alle Preise enthalten die Steuer. Bitte bestellen Sie bis Monatsende.",
           "Wir liefern im Landkreis kostenlos."),
    "fr": ("Notre offre de la semaine", "Tous les prix sont hors taxe. Merci de commander avant la fin du mois.",
           "La livraison est gratuite dans le canton."),
    "es": ("Nuestra oferta de la semana", "Los precios incluyen el impuesto. Haga su pedido antes de fin de mes.",
           "Entregamos gratis en la comarca."),
    "zh": ("本周优惠商品", "以上价格均含税，请在月底之前下单。", "本市范围内免费送货上门。"),
}  # fmt: skip


@dataclass(frozen=True)
class MadeTable:
    """A page with one table, as a file, and the texts of its rows."""

    data: bytes
    kind: str
    rows: tuple[tuple[str, ...], ...]


def make_table(seed: int, way: str | None = None) -> MadeTable:
    chance = random.Random(seed)
    language = chance.choice(sorted(HEADS))
    paper, size = Paper(chance, language=language), chance.choice((8.5, 10.0, 11.0, 12.0))
    columns = chance.randint(3, 6)
    picked = (0, *sorted(chance.sample(range(1, 6), columns - 1)))
    rows = [tuple(HEADS[language][i] for i in picked)]
    for name in chance.sample(NAMES[language], chance.randint(4, 12)):
        count, price = chance.randint(1, 90), chance.randint(300, 90_000) / 100
        cells = (name, chance.choice(COLOURS[language]), str(count), f"{price:.2f}", f"{count * price:.2f}",
                 f"{chance.randint(1, 28):02d}.{chance.randint(1, 12):02d}.2025")  # fmt: skip
        rows.append(tuple(cells[i] for i in picked))
    title, before, after = TEXTS[language]
    paper.write(60, 70, title, size + chance.choice((3, 5)))
    paper.write(60, 100, before, size)
    bottom = _draw_rows(paper, rows, picked, size, 135.0)
    paper.write(60, bottom + size * 2, after, size)
    chosen = way or WAYS[seed % len(WAYS)]
    dpi = 200 if chosen == "fax" else chance.choice((130, 150, 200, 250))
    data = encode(worsen(paper.draw(dpi), chosen, chance), chance, chance.choice((dpi, None)))
    return MadeTable(data, f"{language} {columns}x{len(rows)} {chosen} {dpi}", tuple(rows))


def _draw_rows(paper: Paper, rows: list[tuple[str, ...]], picked: tuple[int, ...], size: float, y: float) -> float:
    chance, gap = paper.chance, paper.chance.uniform(14, 30)
    wide = [max(paper.measure(row[i], size) for row in rows) for i in range(len(picked))]
    gap = min(gap, (475 - sum(wide)) / len(wide))
    step, right = size * chance.uniform(1.35, 2.0), chance.random() < 0.7
    for number, row in enumerate(rows):
        x = 60.0
        for place, text in enumerate(row):
            is_number = picked[place] in (2, 3, 4) and right
            paper.write(x + (wide[place] - paper.measure(text, size) if is_number else 0), y, text, size)
            x += wide[place] + gap
        y += step * (1.25 if not number else 1)
    return y
