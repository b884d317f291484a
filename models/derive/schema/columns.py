"""Finds the content of columns whose heads do not say it: by type, by arithmetic, by elimination.

Quantity times price is the amount, a balance grows by what is paid in, and the only column of dates belongs to the only
date. What sums show outweighs a head.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise

from quire.models.derive.fields.roles import Role, column_role
from quire.models.derive.schema.nodes import Leaf
from quire.models.derive.schema.phrases import plain_words, split_name
from quire.models.derive.schema.typed import plain_number, read_typed

SUMS, LEFT, ORDERED = 0.95, 0.75, 0.6
"""Fit of a column that arithmetic names, that is the only one left of its type, or that stands in the same order."""
MAX_ROWS = 40  # first rows of a table that are looked at
MAX_NUMBERS = 9  # columns of numbers that are compared with each other
HOLDS = 0.7  # minimum share of the rows in which a product or a balance must hold
OF_TYPE = 0.6  # minimum share of cells of the leaf's type, and of a cell that its value takes
WRONG_TYPE = 0.3  # share of cells of the leaf's type below which a head is wrong
CENT = 0.011  # tolerance of sums
Rows = Sequence[Mapping[int, str]]


def role_of(leaf: Leaf) -> Role | None:
    """Return what a column of the leaf holds."""
    return column_role(plain_words(split_name(leaf.name)))


def is_typed(leaf: Leaf) -> bool:
    """Return whether the leaf's type excludes most texts."""
    return leaf.kinds[:1] != ("string",) or bool(leaf.format or leaf.members)


@dataclass(slots=True)
class _Column:
    number: int
    texts: list[str]
    numbers: list[float | None]

    @property
    def is_numeric(self) -> bool:
        filled = [number for number, text in zip(self.numbers, self.texts, strict=True) if text]
        return bool(filled) and sum(number is not None for number in filled) >= OF_TYPE * len(filled)

    @property
    def is_sequence(self) -> bool:
        """Return whether the column counts its rows: one, two, three, and from one on again under each heading."""
        found = [number for number in self.numbers if number is not None]
        if not found or found[0] not in (1, 10) or any(number != int(number) for number in found):
            return False
        return all(after - before == found[0] or before > after == found[0] for before, after in pairwise(found))

    @property
    def letters(self) -> float:
        """Return the mean number of letters in a cell."""
        return sum(sum(map(str.isalpha, text)) for text in self.texts) / max(1, sum(map(bool, self.texts)))

    @property
    def decimals(self) -> int:
        return sum(text[-3:-2] in (",", ".") for text in (text.strip(" €$£") for text in self.texts))

    @property
    def is_code(self) -> bool:
        filled = [text for text in self.texts if text]
        coded = [" " not in text and any(map(str.isdigit, text)) and text[-3:-2] not in (",", ".") for text in filled]
        return bool(filled) and all(coded) and not any(text.endswith("%") for text in filled)

    def may_be(self, leaf: Leaf) -> bool:
        """Return whether the cells allow what a head says: of the leaf's type, and not the numbers of the rows."""
        if is_typed(leaf):
            return self.share(leaf) >= WRONG_TYPE
        return role_of(leaf) is Role.POSITION or not self.is_sequence

    def share(self, leaf: Leaf) -> float:
        """Return the share of the filled cells that are of the leaf's type."""
        filled = [text for text in self.texts if text]
        found = [(read_typed(text, leaf)) for text in filled]
        return sum(reading is not None and reading.share >= OF_TYPE for reading in found) / max(1, len(filled))


class TableColumns:
    """The columns of the data rows of a table."""

    def __init__(self, rows: Rows) -> None:
        self._rows = [row for row in rows if sum(map(bool, row.values())) > 1][:MAX_ROWS]

    @cached_property
    def columns(self) -> dict[int, _Column]:
        """Return the columns that are not empty, by number."""
        found: dict[int, _Column] = {}
        for number in sorted({number for row in self._rows for number in row}):
            texts = [row.get(number, "").strip() for row in self._rows]
            if any(texts):
                found[number] = _Column(number, texts, [plain_number(text) for text in texts])
        return found

    @cached_property
    def _numeric(self) -> list[_Column]:
        return [column for column in self.columns.values() if column.is_numeric][:MAX_NUMBERS]

    @cached_property
    def sums(self) -> dict[Role, int]:
        """Return the columns that arithmetic names."""
        return self._find_product() or self._find_balance()

    def _find_product(self) -> dict[Role, int]:
        best: tuple[float, int, dict[Role, int]] = (0.0, 0, {})
        for first, second in combinations(self._numeric, 2):
            for amount in self._numeric:
                if amount is first or amount is second or amount.number < min(first.number, second.number):
                    continue
                hits = rows = telling = 0
                for x, y, product in zip(first.numbers, second.numbers, amount.numbers, strict=True):
                    if x is None or y is None or product is None:
                        continue
                    rows += 1
                    holds = product != 0 and abs(x * y - product) <= CENT + 0.005 * min(abs(x), abs(y))
                    hits += holds
                    telling += holds and x not in (0, 1) and y not in (0, 1)
                if rows and hits >= HOLDS * rows and (telling or hits > 1):
                    quantity, price = sorted((first, second), key=lambda column: (column.decimals, column.number))
                    found = {Role.QUANTITY: quantity.number, Role.PRICE: price.number, Role.AMOUNT: amount.number}
                    best = max(best, (hits / rows, telling, found), key=lambda entry: entry[:2])
        return best[2]

    def _find_balance(self) -> dict[Role, int]:
        best: tuple[int, dict[Role, int]] = (0, {})
        for balance in self._numeric:
            if any(number is None for number in balance.numbers) or len(balance.numbers) < 2:
                continue
            steps = [
                after - before
                for before, after in pairwise(balance.numbers)
                if before is not None and after is not None
            ]
            found, explained = {Role.BALANCE: balance.number}, 0
            for column in self._numeric if any(steps) else ():
                moved = [(x, step) for x, step in zip(column.numbers[1:], steps, strict=True) if x]
                plus = sum(abs(x - step) <= CENT for x, step in moved)
                minus = sum(abs(x + step) <= CENT for x, step in moved)
                if column is not balance and moved and max(plus, minus) >= HOLDS * len(moved):
                    is_signed = plus >= minus and any(x < 0 for x, _ in moved)
                    role = Role.AMOUNT if is_signed else Role.CREDIT if plus >= minus else Role.DEBIT
                    found.setdefault(role, column.number)
                    explained += max(plus, minus)
            if explained >= HOLDS * len(steps) and explained > best[0]:
                best = (explained, found)
        return best[1]

    def complete(
        self, named: Mapping[int, tuple[Leaf, float]], leaves: Sequence[Leaf]
    ) -> dict[int, tuple[Leaf, float]]:
        """Return the leaf of each column with its fit: what heads name, corrected by sums and completed by type."""
        columns = {
            number: (leaf, fit)
            for number, (leaf, fit) in named.items()
            if number not in self.columns or self.columns[number].may_be(leaf)
        }
        self._apply_sums(columns, leaves)
        for is_wanted in (_is_code, is_typed, lambda leaf: True):
            used = {leaf for leaf, _ in columns.values()}
            left = [leaf for leaf in leaves if leaf not in used and is_wanted(leaf)]
            if left:
                self._eliminate(columns, left)
        return columns

    def _apply_sums(self, columns: dict[int, tuple[Leaf, float]], leaves: Sequence[Leaf]) -> None:
        for role, number in self.sums.items():
            wanted = [leaf for leaf in leaves if role_of(leaf) is role]
            if not wanted or (number in columns and columns[number][0] in wanted):
                if wanted:
                    columns[number] = (columns[number][0], max(SUMS, columns[number][1]))
                continue
            free = [leaf for leaf in wanted if all(leaf is not used for used, _ in columns.values())]
            leaf = (free or wanted)[0]
            for other in [other for other, (used, _) in columns.items() if used is leaf]:
                del columns[other]
            columns[number] = (leaf, SUMS)

    def _eliminate(self, columns: dict[int, tuple[Leaf, float]], left: list[Leaf]) -> None:
        free = [column for number, column in self.columns.items() if number not in columns]
        places = set(self.sums.values())
        possible: dict[Leaf, list[_Column]] = {}
        for leaf in left:
            possible[leaf] = [column for column in free if column.number not in places and _may_hold(column, leaf)]
        for leaf in sorted(left, key=lambda leaf: len(possible[leaf])):
            found = [column for column in possible[leaf] if column.number not in columns]
            rivals = [
                other
                for other in left
                if other is not leaf and other not in _leaves(columns) and possible[other] == possible[leaf]
            ]
            if role_of(leaf) is Role.DESCRIPTION and not is_typed(leaf) and found:
                columns[max(found, key=lambda column: column.letters).number] = (leaf, LEFT)
            elif found and (role_of(leaf) is Role.CODE or (len(found) == 1 and not rivals)):
                columns[found[0].number] = (leaf, LEFT)
            elif found and len(found) == len(rivals) + 1 and len(self._rows) > 1 and not self.sums:
                same = [other for other in left if other is leaf or other in rivals]
                for column, other in zip(found, same, strict=True):
                    columns[column.number] = (other, ORDERED)


def _is_code(leaf: Leaf) -> bool:
    return not is_typed(leaf) and role_of(leaf) is Role.CODE


def _leaves(columns: Mapping[int, tuple[Leaf, float]]) -> set[Leaf]:
    return {leaf for leaf, _ in columns.values()}


def _may_hold(column: _Column, leaf: Leaf) -> bool:
    role = role_of(leaf)
    if column.is_sequence != (role is Role.POSITION) and len(column.texts) > 1:
        return False
    if is_typed(leaf):
        return column.share(leaf) >= OF_TYPE
    if role is Role.CODE:
        return column.is_code
    return column.letters >= 2 and not column.is_code
