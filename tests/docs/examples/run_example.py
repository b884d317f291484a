"""Runs the code of an example page as a program, with stand-ins for the decorators of frameworks.

The frameworks are in no environment of the project, so only the functions of the examples are real here.
"""

import json
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).resolve().parents[3] / "docs" / "examples"


def bare_or_called(*given: Any, **options: Any) -> Any:
    """A decorator that changes nothing, with or without arguments."""
    return given[0] if given and callable(given[0]) else lambda function: function


def module(name: str, **members: Any) -> None:
    made = types.ModuleType(name)
    vars(made).update(members)
    sys.modules[name] = made


def run_prefect() -> None:
    module("prefect", flow=bare_or_called, task=bare_or_called)
    print(load("prefect/quire_flow.py")["read_folder"]("papers", "markdown"))


def run_airflow() -> None:
    class Poked:
        def __init__(self, is_done: bool, xcom_value: str) -> None:
            self.is_done, self.xcom_value = is_done, xcom_value

    def sensor(**_: Any) -> Callable[[Any], Any]:
        def decorate(poke: Callable[[str], Poked]) -> Callable[[str], str]:
            def wait(job_id: str) -> str:
                while not (answer := poke(job_id)).is_done:
                    pass
                return answer.xcom_value

            return wait

        return decorate

    bare_or_called.sensor = sensor  # type: ignore[attr-defined]
    module("airflow")
    module("airflow.sdk", PokeReturnValue=Poked, dag=bare_or_called, task=bare_or_called)
    load("airflow/quire_dag.py")


def run_dagster() -> None:
    class Bag:
        def __init__(self, **facts: Any) -> None:
            vars(self).update(facts)

    module("dagster", asset=bare_or_called, Definitions=Bag, MaterializeResult=Bag)
    assets = load("dagster/quire_assets.py")
    print(json.dumps(assets["passages"](assets["documents"]()).metadata))


def run_notebook() -> None:
    """Run the cells in order in one namespace and show the last value of each as a notebook would."""
    names: dict[str, Any] = {}
    for cell in json.loads((EXAMPLES / "jupyter" / "read.ipynb").read_text())["cells"]:
        if cell["cell_type"] == "code":
            *lines, last = "".join(cell["source"]).split("\n")
            exec("\n".join(lines), names)
            names["shown"] = None
            exec(last if "=" in last else f"shown = {last}", names)
            shown = names["shown"]
            render = getattr(shown, "_repr_html_", None)
            print(render() if render else shown)


def load(path: str) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "example"}
    exec(compile((EXAMPLES / path).read_text(), path, "exec"), names)
    return names


if __name__ == "__main__":
    {"prefect": run_prefect, "airflow": run_airflow, "dagster": run_dagster, "jupyter": run_notebook}[sys.argv[1]]()
