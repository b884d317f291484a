"""`make test SUITE=chart`: lints the Helm chart and compares what it renders with tests/configs/chart/*.yaml.

It runs in a separate environment with Helm's library (chart.in). `--write` renders the files anew.
"""

import sys
from pathlib import Path
from typing import Any

import helm_python as helm  # type: ignore[import-not-found,unused-ignore]

ROOT = Path(__file__).parents[2]
CHART = ROOT / "configs" / "chart"
RENDERED = Path(__file__).parent / "chart"
VALUES: dict[str, dict[str, Any]] = {
    "default": {"secrets": {"SVC_API_KEYS": "acme=secret-of-20-characters"}},
    "own": {
        "image": {"repository": "registry.example.com/quire", "tag": "1.2.3", "pullSecrets": ["pull"]},
        "settings": {"SVC_RETENTION_DAYS": "30"},
        "secretName": "mine",
        "networkPolicy": {"egress": [{"ports": [{"protocol": "TCP", "port": 5432}]}]},
        "storage": {"size": "1Ti", "className": "fast"},
        "service": {"type": "LoadBalancer", "port": 80, "annotations": {"example.com/internal": "true"}},
        "nodeSelector": {"disk": "ssd"},
        "tolerations": [{"key": "documents", "operator": "Exists"}],
    },
}
REFUSED: list[dict[str, Any]] = [
    {"settings": {"RETENTION": "30"}},
    {"storage": {"siez": "1Gi"}},
    {"service": {"type": "Public"}},
]


def main(arguments: list[str]) -> int:
    """Check or write the rendered files and return the exit status."""
    problems = []
    for name, values in VALUES.items():
        report = helm.lint(CHART, values, strict=True)
        problems += [f"{name}: {found['error']}" for found in report["messages"] if found["severity"] > 1]
        rendered = helm.Chart.load(CHART).render(values, name="quire", namespace="documents")
        text = "---\n".join(
            part.lstrip("\n") for path, part in sorted(rendered.items()) if path.endswith(".yaml") and part.strip()
        )
        file = RENDERED / f"{name}.yaml"
        if "--write" in arguments:
            file.write_text(text)
        elif not file.exists() or file.read_text() != text:
            problems.append(f"{file.relative_to(ROOT)} is out of date; run make test SUITE=chart ARGS=--write")
    try:
        helm.Chart.load(CHART).render({}, name="quire", namespace="documents")
        problems.append("the chart renders without SVC_API_KEYS")
    except helm.HelmError as error:
        if "SVC_API_KEYS" not in str(error):
            problems.append(str(error))
    for values in REFUSED:
        try:
            helm.Chart.load(CHART).validate_schema(values)
        except helm.HelmError:
            continue
        problems.append(f"values.schema.json accepts {values}")
    print("\n".join(problems) or f"{len(VALUES)} sets of values render; {len(REFUSED)} invalid ones are refused")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
