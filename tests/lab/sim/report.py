"""`python -m tests.lab.sim.report`: the table of docs/cluster.md on the terminal, the plots into docs/plots/."""

from pathlib import Path

from tests.lab.sim.costs import DATABASE_CORES, WORKS, Work
from tests.lab.sim.deployment import Deployment
from tests.lab.sim.figures import NODES, RUNS, breaking_point, measure_scaling
from tests.lab.sim.plots import Line, draw

PLOTS = Path(__file__).resolve().parents[3] / "docs" / "plots"


def main() -> None:
    PLOTS.mkdir(exist_ok=True)
    lines = []
    heads = ("documents", "core-seconds each", "16 nodes", "64 nodes", "256 nodes", "full first, at")
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for work in WORKS:
        lines.append(_print_scaling(work, work.name))
    for work in WORKS[:2]:
        lines.append(_print_scaling(work, f"{work.name}, one API replica", doors=1))
    lines.append(_print_scaling(WORKS[0], f"{WORKS[0].name}, database of eight cores", cores=8))
    plot = draw("Efficiency beside one node (%), four readers each", "nodes", "%", lines, logarithmic=True)
    (PLOTS / "scaling.svg").write_text(plot)
    for name, simulate in RUNS.items():
        _tell(name, simulate())


def _print_scaling(work: Work, name: str, *, doors: int = 0, cores: int = DATABASE_CORES) -> Line:
    """Print one row of the table and return its line of the plot."""
    scales = {scale.nodes: scale for scale in measure_scaling(work, doors=doors, cores=cores)}
    columns = " | ".join(
        f"{scales[n].per_s:,.{0 if scales[n].per_s >= 100 else 1}f}/s, {scales[n].efficiency:.0%}"
        for n in (16, 64, 256)
    )
    limit, nodes = breaking_point(work, doors=doors, cores=cores)
    print(f"| {name} | {work.node_s + work.door_s:.3f} | {columns} | {limit}, {nodes:,.0f} nodes |")
    return Line(name, [(n, 100 * scales[n].efficiency) for n in NODES])


def _tell(name: str, run: Deployment) -> None:
    history, waits = run.history, sorted(run.waits)
    running = [moment.running for moment in history]
    later = running[120:]
    print(f"{name}: {run.done} documents, {run.restarted} taken again after a loss", end="; ")
    print(f"waits p50 {waits[len(waits) // 2]:.1f} s, p99 {waits[len(waits) * 99 // 100]:.1f} s", end="; ")
    print(f"readers later {min(later)} to {max(later)}, mean {sum(later) / len(later):.1f}, {running[-1]} at the end")
    lines = [
        Line("readers", [(moment.at, moment.running) for moment in history]),
        Line("readers wanted", [(moment.at, moment.target) for moment in history]),
        Line("oldest wait, seconds", [(moment.at, moment.oldest_wait_s) for moment in history]),
    ]
    (PLOTS / f"pool-{name}.svg").write_text(draw(f"Reader pool: {name}", "seconds", "", lines))


if __name__ == "__main__":
    main()
