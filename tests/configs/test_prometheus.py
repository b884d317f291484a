"""The alert rules ask for measures that exist, say what to do, and each is fired by a case of promtool's."""

import re
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

from quire.storage.jobs.measures import measure
from quire.storage.store import Store

RULES = Path(__file__).parents[2] / "configs" / "prometheus"


def rules() -> list[dict[str, Any]]:
    (group,) = yaml.safe_load((RULES / "quire.rules.yaml").read_text())["groups"]
    found: list[dict[str, Any]] = group["rules"]
    return found


def test_rules_ask_for_measures_and_labels_that_exist(store: Store) -> None:
    labels = {given.name: set(given.labels) for given in measure(store.db)}
    for rule in rules():
        for name, chosen in re.findall(r"(quire_[a-z_]+)(?:\{([a-z]+)=)?", rule["expr"]):
            assert name in labels, rule["alert"]
            assert not chosen or chosen in labels[name], rule["alert"]


def test_every_alert_has_a_summary_and_an_action() -> None:
    for rule in rules():
        assert set(rule["annotations"]) == {"summary", "action"}, rule["alert"]
        assert rule["labels"]["severity"] in ("page", "ticket"), rule["alert"]


def test_every_alert_is_fired_by_a_case() -> None:
    """`make test SUITE=rules` runs the cases with promtool."""
    cases = yaml.safe_load((RULES / "quire.rules.test.yaml").read_text())["tests"]
    told = [
        sample["labels"]
        for case in cases
        for asked in case.get("promql_expr_test", ())
        for sample in asked["exp_samples"]
    ]
    fired = {name for labels in told for name in re.findall(r'alertname="([A-Za-z]+)"', labels)}
    assert fired == {rule["alert"] for rule in rules()}
