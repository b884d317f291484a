"""The dashboard shows every measure and asks for none that is not there."""

import json
import re
from pathlib import Path

from storage.jobs.measures import measure
from storage.store import Store

DASHBOARD = Path(__file__).parents[2] / "configs" / "grafana" / "quire.json"


def test_the_dashboard_asks_for_measures_that_exist(store: Store) -> None:
    targets = [t["expr"] for panel in json.loads(DASHBOARD.read_text())["panels"] for t in panel["targets"]]
    asked = {name for expression in targets for name in re.findall(r"quire_[a-z_]+", expression)}
    given = {given.name for given in measure(store.db)} | {"quire_pool"}
    assert asked <= given
    assert given - asked == {"quire_jobs_total", "quire_pages_total"}


def test_the_dashboard_groups_by_labels_that_exist(store: Store) -> None:
    labels = {given.name: set(given.labels) for given in measure(store.db)} | {"quire_pool": {"pool", "measure"}}
    targets = [t for panel in json.loads(DASHBOARD.read_text())["panels"] for t in panel["targets"]]
    for target in targets:
        (name,) = set(re.findall(r"quire_[a-z_]+", target["expr"]))
        used = set(re.findall(r"by ?\(([a-z, ]+)\)", target["expr"]))
        used |= set(re.findall(r"([a-z]+) ?(?:=~?|!=)", target["expr"]))
        used |= set(re.findall(r"\{\{ ?([a-z]+) ?\}\}", target.get("legendFormat", "")))
        asked = {label.strip() for each in used for label in each.split(",")}
        assert asked <= labels[name], target["expr"]
