"""Maps a leaf of a schema to its role by the words of its name: `grandTotal` and `amount_payable` are the total.

Names are read word by word, so that the many ways to name a value need no list of phrases.
"""

from collections.abc import Callable
from enum import StrEnum
from functools import lru_cache

from quire.models.derive.fields.lexicon import Key

Words = tuple[str, ...]


class Role(StrEnum):
    """Content of a column of a table."""

    POSITION = "position"
    CODE = "code"
    DESCRIPTION = "description"
    QUANTITY = "quantity"
    UNIT = "unit"
    PRICE = "price"
    RATE = "rate"
    TAX = "tax"
    AMOUNT = "amount"
    DEBIT = "debit"
    CREDIT = "credit"
    BALANCE = "balance"


_NET = frozenset(
    {"net", "without", "subtotal", "untaxed", "taxable", "excl", "excluding", "netto", "before", "basi", "ht"}
)
_GROSS = frozenset(
    {"with", "grand", "gross", "payable", "due", "incl", "including", "brutto", "ttc", "final", "overall"}
)
_TAX = frozenset({"tax", "vat", "gst", "mwst", "ust", "tva", "iva", "btw"})
_SUM = frozenset({"total", "amount", "sum", "value", "balance", "price", "cost"})
_MONEY = _SUM | _NET | _GROSS
_NO_TAX = _NET | _GROSS | {"number", "code", "type", "base", "inclusive", "exclusive"}
_SELLER = frozenset(
    {
        "seller",
        "supplier",
        "vendor",
        "issuer",
        "biller",
        "merchant",
        "payee",
        "creditor",
        "sender",
        "shipper",
        "employer",
    }
)
_BUYER = frozenset(
    {
        "buyer",
        "customer",
        "client",
        "recipient",
        "purchaser",
        "debtor",
        "payer",
        "consignee",
        "bill",
        "billed",
        "invoicee",
    }
)
_PARTY_REST = frozenset({"name", "company", "party", "legal", "organisation", "trade", "to"})
_DOCUMENT = frozenset({"invoice", "bill", "document", "receipt"})
_NUMBER = frozenset({"number"})
_DAY = frozenset({"date", "day", "issue", "issued"})
_SHARE = frozenset({"rate", "percent", "percentage", "pct"})
_CODE = frozenset({"code", "sku", "article", "part", "reference", "ean", "gtin", "number", "material"})
_TEXT = frozenset(
    {"description", "name", "product", "item", "article", "title", "text", "detail", "service", "good", "designation",
     "narrative", "memo", "particular", "label", "position"}
)  # fmt: skip
_PIECES = frozenset({"quantity", "piece", "hour", "count", "unit", "day", "ordered", "delivered", "shipped", "pcs"})


@lru_cache(maxsize=10_000)
def head_key(words: Words, parent: Words) -> Key | None:
    """Return the lexicon's key for a value outside rows, by the words of its name and of the object it is in."""
    named = frozenset(words)
    is_name = words in (("name",), ("company", "name"), ("legal", "name"))
    whole = named | frozenset(parent) if is_name else named
    for parties, key in ((_SELLER, Key.SUPPLIER), (_BUYER, Key.CUSTOMER)):
        if whole & parties and not whole - parties - _PARTY_REST:
            return key
    return None if named & _SHARE else _money_key(named) or _document_key(named)


def _money_key(named: frozenset[str]) -> Key | None:
    if named & _TAX and not named & _NO_TAX:
        return Key.TAX
    if not named & _MONEY or named - _MONEY - _TAX - _DOCUMENT - {"order", "the", "to"}:
        return None
    if named & _NET and not named & _GROSS:
        return Key.SUBTOTAL
    return Key.TOTAL if named & (_GROSS | {"total"}) else None


def _document_key(named: frozenset[str]) -> Key | None:
    if named & _NUMBER and named <= _NUMBER | _DOCUMENT:
        return Key.INVOICE_NUMBER
    if "due" in named and named & {"date", "day"}:
        return Key.DUE_DATE
    return Key.INVOICE_DATE if named & _DAY and named <= _DAY | _DOCUMENT else None


@lru_cache(maxsize=10_000)
def column_role(words: Words) -> Role | None:
    """Return what a column holds, by the words of the leaf's name; the first rule that fits decides."""
    named = frozenset(words)
    return next((role for role, fits in _COLUMNS if fits(named)), None)


_POSITIONS = (
    {"position"}, {"place"}, {"rank"}, {"po"}, {"line"}, {"line", "number"}, {"row"}, {"position", "number"},
)  # fmt: skip
_UNITS = ({"unit"}, {"uom"}, {"unit", "measure"}, {"quantity", "unit"})
_COLUMNS: tuple[tuple[Role, Callable[[frozenset[str]], object]], ...] = (
    (Role.DEBIT, lambda named: named & {"debit", "withdrawal", "out"}),
    (Role.CREDIT, lambda named: named & {"credit", "deposit", "in"}),
    (Role.BALANCE, lambda named: "balance" in named),
    (Role.RATE, lambda named: named & _SHARE and named & (_TAX | {"percent", "percentage", "pct"})),
    (Role.PRICE, lambda named: named & {"price", "rate"} and not named & {"total", "line", "extended"}),
    (Role.PRICE, lambda named: {"cost", "unit"} <= named),
    (Role.TAX, lambda named: named & _TAX and not named & (_NET | {"total", "line"})),
    (Role.AMOUNT, lambda named: named & _MONEY),
    (Role.POSITION, lambda named: named in _POSITIONS),
    (Role.UNIT, lambda named: named in _UNITS),
    (Role.QUANTITY, lambda named: named & _PIECES and not named & {"date", "name"}),
    (Role.CODE, lambda named: named & {"code", "sku", "ean", "gtin"} or (named & _CODE and named & _NUMBER)),
    (Role.DESCRIPTION, lambda named: named & _TEXT),
)
