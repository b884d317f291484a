"""Extraction by schema from one tree: by rules, by a language model, or by rules and a model for what they leave.

The model is asked outside the derivation. It gets a digest of the tree and answers references. Answers about a stored
document are kept with it, so that the same request gives the same answer and sends nothing twice.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from types import MappingProxyType
from typing import Any, TypeVar

from pydantic_core import to_json

from quire.models.cdom.ports import AskModel, PortUnavailable, WrongAnswer
from quire.models.cdom.tree import BlockId, Tree
from quire.models.derive.schema.answer import ExtractedData, ModelProblem, ModelUse, SchemaRefused
from quire.models.derive.schema.correction.corrected import CorrectedPlace, apply_corrections
from quire.models.derive.schema.extract import ReadSchema, extract_data, read_schema
from quire.models.derive.schema.model.digest import HiddenRanges
from quire.models.derive.schema.model.references import WrongForm, check_answer, extract_referred
from quire.models.derive.schema.model.requests import ModelPlan, ModelRequest, plan_requests
from quire.models.pii.redact import Decisions, active_spans
from quire.serve_apps.api.context.deps import Call
from quire.serve_apps.api.http.refusals import ModelFailed, ModelUnavailable, NoModelEndpoint, UnusableSchema
from quire.storage.schemas.model_answers import find_answer, keep_answer
from quire.storage.values.rows import DocumentId

T = TypeVar("T")
NO_LABELS: Mapping[str, Sequence[str]] = MappingProxyType({})
"""No correction taught a label."""


class Engine(StrEnum):
    """How values are found: by rules, by a language model, or by rules and a model for what they leave."""

    RULES = "rules"
    LLM = "llm"
    AUTO = "auto"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What to extract: the schema with the labels that corrections taught, and corrected places of this tree.

    `hidden`: ranges of text that a language model must not see; None: nothing is hidden from it.
    """

    schema: ReadSchema
    engine: Engine = Engine.RULES
    corrections: tuple[CorrectedPlace, ...] = ()
    hidden: HiddenRanges | None = None


@dataclass(frozen=True, slots=True)
class _ModelAnswers:
    answers: tuple[str, ...]
    problem: ModelProblem | None = None


async def check_schema(
    call: Call, schema: Any, labels: Mapping[str, Sequence[str]] = NO_LABELS, field: str = "schema"
) -> ReadSchema:
    """Return the schema of a request's field, ready for extraction. Raises `UnusableSchema`."""
    try:
        return await call.running.disk.run(read_schema, schema, labels, call.running.resources.limits.schema)
    except SchemaRefused as error:
        raise UnusableSchema(error.code, error.path, error.detail, field) from None


def find_hidden(tree: Tree, decisions: Decisions) -> HiddenRanges:
    """Return the ranges of a scanned tree's texts that hold personal data which no reviewer rejected."""
    hidden: dict[tuple[BlockId, int | None], list[tuple[int, int]]] = {}
    for block in tree.blocks:
        for span in active_spans(block, decisions):
            hidden.setdefault((block.id, span.cell), []).append((span.start, span.end))
    return hidden


def extract_by_rules(wanted: Wanted, tree: Tree) -> ExtractedData:
    """Return the values that the rules and the corrections give."""
    return extract_data(tree, wanted.schema, apply_corrections(tree, wanted.schema, wanted.corrections))


async def extract_tree(call: Call, tree: Tree, wanted: Wanted, document_id: DocumentId | None) -> bytes:
    """Return the extraction as JSON. `document_id` is that of a stored document.

    Raises:
        NoModelEndpoint: The engine needs a language model, and the deployment has none.
        ModelUnavailable: The engine is llm, and the model does not answer.
        ModelFailed: The engine is llm, and the model answers in another form.
        OverLimit: The work exceeded its limits.
        Overloaded: A lane is full.
    """
    if wanted.engine is Engine.RULES:
        return await _derive(call, tree, partial(_as_json, partial(extract_by_rules, wanted)))
    model = require_model(call)
    plan, rules = await _derive(call, tree, partial(_plan, wanted))
    answers: Sequence[str] = ()
    use = None
    if plan.requests:
        asked = await call.running.models.run(_ask_all, call, model, plan, document_id)
        if asked.problem is not None and wanted.engine is Engine.LLM:
            raise ModelUnavailable if asked.problem is ModelProblem.UNAVAILABLE else ModelFailed
        answers = asked.answers
        use = ModelUse(
            name=model.name, requests=len(plan.requests), sent_characters=plan.characters,
            redacted=wanted.hidden is not None, complete=plan.complete, problem=asked.problem,
        )  # fmt: skip
    return await _derive(call, tree, partial(_as_json, partial(_referred, wanted, answers, rules, use)))


def require_model(call: Call) -> AskModel:
    """Return the deployment's language model. Raises `NoModelEndpoint`."""
    model = call.running.resources.ports.model
    if model is None:
        raise NoModelEndpoint("this deployment has no language model; use the engine rules")
    return model


async def _derive(call: Call, tree: Tree, make: Callable[[Tree], T]) -> T:
    work = call.running.work
    lane = call.running.heavy if work.is_heavy(tree) else call.running.disk
    return await lane.run(work.run, make, tree)


def _as_json(make: Callable[[Tree], ExtractedData], tree: Tree) -> bytes:
    return to_json(make(tree))


def _plan(wanted: Wanted, tree: Tree) -> tuple[ModelPlan, ExtractedData | None]:
    """Return the requests to the model, and what the rules find if they come first."""
    rules = extract_by_rules(wanted, tree) if wanted.engine is Engine.AUTO else None
    given = apply_corrections(tree, wanted.schema, wanted.corrections)
    return plan_requests(tree, wanted.schema, wanted.hidden or {}, given, rules), rules


def _referred(
    wanted: Wanted, answers: Sequence[str], rules: ExtractedData | None, use: ModelUse | None, tree: Tree
) -> ExtractedData:
    if rules is not None and not answers:
        return replace(rules, model=use)
    given = apply_corrections(tree, wanted.schema, wanted.corrections)
    complete = use is not None and use.complete
    found = extract_referred(tree, wanted.schema, answers, wanted.hidden or {}, given, rules, complete=complete)
    return replace(found, model=use)


def _ask_all(call: Call, model: AskModel, plan: ModelPlan, document_id: DocumentId | None) -> _ModelAnswers:
    """Return the answers to the requests in order, or none with the problem of the first that failed. Blocks."""
    answers = []
    for request in plan.requests:
        try:
            answers.append(_ask(call, model, request, document_id))
        except (WrongAnswer, WrongForm):
            return _ModelAnswers((), ModelProblem.FAILED)
        except PortUnavailable:
            return _ModelAnswers((), ModelProblem.UNAVAILABLE)
    return _ModelAnswers(tuple(answers))


def _ask(call: Call, model: AskModel, request: ModelRequest, document_id: DocumentId | None) -> str:
    if document_id is None:
        return _checked(model.ask(request.system, request.user, request.answer_schema))
    digest = hashlib.sha256(to_json([model.name, request.system, request.user, request.answer_schema])).hexdigest()
    kept = find_answer(call.store.db, document_id, digest)
    if kept is not None:
        return kept
    answer = _checked(model.ask(request.system, request.user, request.answer_schema))
    keep_answer(call.store.db, document_id, digest, answer)
    return answer


def _checked(answer: str) -> str:
    check_answer(answer)
    return answer.replace("\0", "")
