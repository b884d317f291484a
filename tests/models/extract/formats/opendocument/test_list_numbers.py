"""Numbers of lists of OpenDocument texts: formats, signs around them, starts and outer levels."""

import random

import pytest

from tests.models.extract.flow_trees import read_tree
from tests.models.extract.formats.opendocument.test_odf import opendocument

FORMS = {
    "1": "1 2 3 4 5 6 7 8 9", "a": "a b c d e f g h i", "A": "A B C D E F G H I", "i": "i ii iii iv v vi vii viii ix",
    "I": "I II III IV V VI VII VIII IX", "一, 二, 三, ...": "一 二 三 四 五 六 七 八 九",
    "①, ②, ③, ...": "① ② ③ ④ ⑤ ⑥ ⑦ ⑧ ⑨", "А, Б, .., Аа, Аб, ... (ru)": "А Б В Г Д Е Ж З И",
    "א, י, ק, ...": "א ב ג ד ה ו ז ח ט",
}  # fmt: skip


@pytest.mark.parametrize("seed", range(24))
def test_items_have_the_numbers_that_their_list_style_states(seed: int) -> None:
    chance = random.Random(seed)
    forms = [chance.choice(list(FORMS)) for _ in range(2)]
    signs = [chance.choice((("", "."), ("", ")"), ("(", ")"), ("§ ", ""), ("", "、"))) for _ in range(2)]
    starts, shown = [chance.choice((1, 1, 3)) for _ in range(2)], chance.choice((1, 2))
    levels = "".join(
        f'<text:list-level-style-number text:level="{level + 1}" style:num-format="{forms[level]}" '
        f'style:num-prefix="{signs[level][0]}" style:num-suffix="{signs[level][1]}" text:start-value="{starts[level]}" '
        f'text:display-levels="{shown if level else 1}"/>'
        for level in range(2)
    )
    wanted: list[str] = []
    items = ""
    for outer in range(chance.randint(2, 4)):
        number = FORMS[forms[0]].split()[starts[0] - 1 + outer]
        wanted.append(f"{signs[0][0]}{number}{signs[0][1]} outer")
        inner = range(chance.randint(0, 3))
        counts = [FORMS[forms[1]].split()[starts[1] - 1 + index] for index in inner]
        wanted += [f"{signs[1][0]}{number + '.' if shown > 1 else ''}{count}{signs[1][1]} inner" for count in counts]
        nested = "".join("<text:list-item><text:p>inner</text:p></text:list-item>" for _ in inner)
        nested = f"<text:list>{nested}</text:list>" if nested else ""
        items += f"<text:list-item><text:p>outer</text:p>{nested}</text:list-item>"
    styles = f'<text:list-style style:name="L1">{levels}</text:list-style>'
    data = opendocument("text", f'<text:list text:style-name="L1">{items}</text:list>', styles)
    assert [block.text for block in read_tree(data).blocks] == wanted
