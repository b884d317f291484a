"""The dashboard shows every measure and asks for none that is not there."""

import json
import re
from pathlib import Path

from quire.storage.jobs.measures import measure
from quire.storage.store import Store

RULES = Path(__file__).parents[2] / "configs" / "prometheus" / "quire.rules.yaml"
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


def test_the_first_row_tells_health_by_the_limits_of_the_alerts() -> None:
    panels = json.loads(DASHBOARD.read_text())["panels"]
    first = [panel for panel in panels if panel["gridPos"]["y"] == 0]
    assert [panel["type"] for panel in first] == ["stat"] * 6
    assert sum(panel["gridPos"]["w"] for panel in first) == 24
    red = {
        panel["title"]: step["value"]
        for panel in first
        for step in panel["fieldConfig"]["defaults"]["thresholds"]["steps"]
        if step["color"] == "red"
    }
    rules = RULES.read_text()
    for title, alert in (("Oldest waiting document", "seconds > 900"), ("Overdue delivery", "lag_seconds > 600")):
        assert float(alert.split()[-1]) == red[title]
        assert alert in rules
    assert "> 0.1 * sum" in rules
    assert red["Failed in 30 minutes"] == 0.1


def test_every_panel_is_described_and_has_a_place_of_its_own() -> None:
    panels = json.loads(DASHBOARD.read_text())["panels"]
    assert all(panel["description"].endswith((".", "?")) for panel in panels)
    assert len({panel["id"] for panel in panels}) == len(panels)
    places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in panels]
    assert len({*places}) == len(places)
