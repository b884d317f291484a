"""Cases for extraction by schema: trees with a schema and the true values, from folders with truth and made by seed."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from quire.models.cdom.original import Format, OcrMode, ReadOptions
from quire.models.cdom.tree import Source, Tree, dump_tree, load_tree
from quire.models.derive.schema.answer import ExtractedData, pointer
from quire.models.derive.schema.verify import Rate
from quire.models.extract.pipeline.assemble import assemble
from quire.models.extract.pipeline.recognised import apply_recognition
from quire.models.extract.registry import open_document
from tests.lab.bench.reading.bench_accounts import make_statement
from tests.lab.bench.schema.long_lists import KINDS, list_schema, make_list
from tests.lab.bench.schema.made_invoices import LAYOUTS, invoice_schema, make_invoice
from tests.lab.bench.schema.scoring import is_right
from tests.lab.training.scans import recognise

ABSENT = ("contract_number", "birth_date", "vessel", "discount_rate", "iban", "delivery_place")
"""Properties that no made invoice states."""
RECEIPT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "company": {"type": "string"},
        "date": {"type": "string", "format": "date"},
        "address": {"type": "string"},
        "total": {"type": "number"},
    },
}
INVOICE_NAMES = {"company": "supplier", "date": "invoice_date", "amount_untaxed": "net", "vat": "vat_id"}
"""Names in the truth of the invoices at hand, and those of the schema."""


@dataclass(frozen=True, slots=True)
class SchemaCase:
    """A tree, a schema, the true values by property (None for one that is not there), and true rows of one array."""

    source: str
    name: str
    tree: Tree
    schema: Mapping[str, Any]
    truth: Mapping[str, Any]
    array: str = ""
    rows: Sequence[Mapping[str, Any]] = field(default=())


@dataclass(frozen=True, slots=True)
class JudgedValue:
    """An extracted value with its confidence and whether it is right."""

    path: str
    confidence: float
    right: bool


def read_tree(data: bytes, kind: Format = Format.PDF, cache: Path | None = None) -> Tree:
    """Return the tree of a file; pages that need it are recognised. `cache` keeps trees for the next run."""
    kept = cache / f"{hashlib.sha256(data).hexdigest()[:20]}.json" if cache is not None else None
    if kept is None:
        return _read(data, kind)
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(dump_tree(_read(data, kind)))
    return load_tree(kept.read_bytes())


def _read(data: bytes, kind: Format) -> Tree:
    options = ReadOptions(ocr=OcrMode.NEVER if kind is Format.PDF else OcrMode.AUTO)
    document = open_document(data, options)
    try:
        pages = []
        for number in document.facts.page_numbers:
            read = document.read_page(number)
            pages.append(apply_recognition(read.content, recognise(read)) if read.pixels else read.content)
        source = Source(format=document.facts.format, sha256="0" * 64, bytes=len(data))
        return assemble(document.facts, pages, source=source, options=options)
    finally:
        document.close()


def receipts(folder: Path, cache: Path | None = None) -> Iterator[SchemaCase]:
    """Yield the receipts of a folder with `images` and `gt_fields`."""
    for path in sorted((folder / "gt_fields").glob("*.json")):
        image = next((folder / "images").glob(f"{path.stem}.*"))
        truth = json.loads(path.read_text())["canonical"]
        yield SchemaCase("receipts", path.stem, read_tree(image.read_bytes(), Format.JPEG, cache), RECEIPT, truth)


def invoices(folder: Path) -> Iterator[SchemaCase]:
    """Yield the invoices of a folder with `pdfs` and `gt_fields`."""
    schema = invoice_schema()
    schema["properties"]["vat_id"] = {"type": "string"}
    for path in sorted((folder / "gt_fields").glob("*.json")):
        stored = json.loads(path.read_text())
        truth = {INVOICE_NAMES.get(key, key): value for key, value in stored["canonical"].items()}
        rows = [
            {"description": line["desc"], "quantity": line["qty"], "unit_price": line["price"]}
            for line in stored["line_items"] or ()
        ]
        data = (folder / "pdfs" / f"{path.stem}.pdf").read_bytes()
        yield SchemaCase("invoices", path.stem, read_tree(data), schema, truth, "lines" if rows else "", rows)


def forms(folder: Path, cache: Path | None = None) -> Iterator[SchemaCase]:
    """Yield the forms of a folder with `images` and `gt_fields`: the schema's titles are the labels of the form."""
    for path in sorted((folder / "gt_fields").glob("*.json")):
        image = next((folder / "images").glob(f"{path.stem}.*"))
        properties: dict[str, Any] = {}
        truth: dict[str, Any] = {}
        for number, pair in enumerate(json.loads(path.read_text())["pairs"]):
            label = pair["key"].strip(" :")
            if label and label not in {part["title"] for part in properties.values()}:
                properties[f"p{number}"] = {"type": "string", "title": label}
                truth[f"p{number}"] = pair["value"]
        if properties:
            tree = read_tree(image.read_bytes(), Format.PNG, cache)
            yield SchemaCase("forms", path.stem, tree, {"type": "object", "properties": properties}, truth)


def made_invoices(seeds: range, *, absent: bool = False) -> Iterator[SchemaCase]:
    """Yield invoices of each layout and seed; with `absent`, the schema also asks for what they do not state."""
    schema = invoice_schema()
    if absent:
        schema["properties"] |= {name: {"type": "string"} for name in ABSENT}
    for layout in LAYOUTS:
        for seed in seeds:
            made = make_invoice(layout, seed)
            truth = {**made.head, **(dict.fromkeys(ABSENT) if absent else {})}
            tree = read_tree(made.data)
            yield SchemaCase("made invoices", f"{layout}-{seed}", tree, schema, truth, "lines", made.lines)


def long_lists(count: int, seed: int = 1) -> Iterator[SchemaCase]:
    """Yield one stock list of `count` rows of each kind."""
    for kind in KINDS:
        made = make_list(seed, kind, count)
        yield SchemaCase("stock lists", kind, read_tree(made.data), list_schema(), {}, "items", made.rows)


STATEMENTS = (("plain", 1), ("plain", 0), ("ruled", 0), ("zebra", 1), ("two-line", 1), ("subtotals", 1), ("carried", 0))
"""Styles of statements and their seeds; an even seed repeats the head on each page."""
_AMOUNTS = ("debit", "credit", "balance")


def statements(pages: int, shift: int = 0) -> Iterator[SchemaCase]:
    """Yield one statement of account of each style; `shift` leads to other ones of the same styles."""
    columns: dict[str, Any] = {"date": {"type": "string", "format": "date"}}
    columns |= {key: {"type": "string"} for key in ("description", "reference")}
    columns |= {key: {"type": "number"} for key in _AMOUNTS}
    item = {"type": "object", "properties": columns}
    schema = {"type": "object", "properties": {"transactions": {"type": "array", "items": item}}}
    for style, seed in STATEMENTS:
        made = make_statement(seed + 6 * shift, style, 2 * pages if style == "two-line" else pages)
        rows = [_transaction(row) for row in made.rows[1:] if row[0]]
        tree = read_tree(made.data)
        yield SchemaCase("statements", f"{style}-{seed}", tree, schema, {}, "transactions", rows)


def _transaction(row: Sequence[str]) -> dict[str, Any]:
    day, month, year = row[0].split("/")
    amounts = {name: float(text.replace(",", "")) for name, text in zip(_AMOUNTS, row[3:], strict=True) if text}
    return {"date": f"{year}-{month}-{day}", "description": row[1], "reference": row[2], **amounts}


def judge(case: SchemaCase, answer: ExtractedData) -> list[JudgedValue]:
    """Return the extracted values whose truth is known."""
    judged = [
        JudgedValue(path, answer.evidence[path].confidence, truth is not None and is_right(truth, answer.data[name]))
        for name, truth in case.truth.items()
        for path in (pointer(name),)
        if path in answer.evidence
    ]
    left = list(case.rows)
    for number, row in enumerate(answer.data.get(case.array, []) if case.array else []):
        truth = max(left[:4], key=lambda other: _count_same(other, row), default={})
        if truth and _count_same(truth, row):
            left.remove(truth)
        for name, value in row.items():
            path = pointer(case.array, number, name)
            if value is not None and path in answer.evidence and (name in truth or not truth):
                judged.append(JudgedValue(path, answer.evidence[path].confidence, is_right(truth.get(name), value)))
    return judged


def _count_same(truth: Mapping[str, Any], row: Mapping[str, Any]) -> int:
    return sum(truth.get(name) is not None and is_right(truth[name], value) for name, value in row.items())


def run_case(case: SchemaCase, rate: Rate) -> list[JudgedValue]:
    """Return the judged values of a case with the confidence that `rate` gives."""
    from quire.models.derive.schema.extract import extract_data, read_schema

    return judge(case, extract_data(case.tree, read_schema(case.schema), rate=rate))
