"""The GPU tier's own cost: pages a second through the product's path, compared with the engine alone.

Run where vLLM is: `python -m tests.lab.bench.reading.bench_vlm [--model FOLDER] [--pages N] [--callers N]`. Without a
model: a tiny random checkpoint that babbles to the token cap, so every page costs the same tokens on both sides. The
engine alone: pictures decoded and prompts made before the clock starts, all pages handed over at once, only the last
word asked for.
The product: encoded pages into `VlmReader.transcribe` by callers that wait, guards on, blocks out. Rounds alternate,
because the machine is not quiet; figures go to bench-results/vlm.json.
"""

import argparse
import asyncio
import io
import os
import random
import statistics
import tempfile
import time
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

from quire.actors.vlm.models.contract import Ask, PageRegion, Sampling
from quire.actors.vlm.models.lightonocr import LightOnOcr
from quire.actors.vlm.page_reader import PageRefused, VlmReader
from quire.actors.vlm.vllm_engine import VllmEngine
from quire.models.cdom.ports import PixelPage
from tests.lab.bench.processes import family
from tests.lab.bench.results import save_results
from tests.packages.gpu.tiny_models import SMALL_ENGINE, save_checkpoint

ROUNDS = 5


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--model", type=Path, help="a LightOnOCR checkpoint; default: a tiny random one")
    arguments.add_argument("--pages", type=int, default=64)
    arguments.add_argument("--callers", type=int, default=32)
    arguments.add_argument("--tokens", type=int, default=200)
    options = arguments.parse_args()
    os.environ["HF_HUB_OFFLINE"] = "1"
    with tempfile.TemporaryDirectory(prefix="quire-vlm-") as made:
        folder, small = options.model or Path(made), {} if options.model else SMALL_ENGINE
        if options.model is None:
            save_checkpoint(folder, ends=False)
        results = measure(folder, small, options)
    _report(results)


class Babbling(LightOnOcr):
    """One page, one answer of the same length."""

    def __init__(self, tokens: int) -> None:
        self._sampling = Sampling(temperature=1.0, max_tokens=tokens)

    def ask(self, page: PixelPage, regions: Sequence[PageRegion]) -> list[Ask]:
        return [replace(ask, sampling=self._sampling) for ask in super().ask(page, regions)]


def measure(folder: Path, small: dict[str, Any], options: argparse.Namespace) -> dict[str, Any]:
    pages, model, load = [make_scan(n) for n in range(options.pages)], Babbling(options.tokens), os.getloadavg()
    begun = time.perf_counter()
    engine = VllmEngine(str(folder), **small)
    loaded_s = time.perf_counter() - begun
    reader = VlmReader(model, engine, max_callers=options.callers)
    with suppress(PageRefused):
        reader.transcribe(pages[0], (), 600)
    first_s = time.perf_counter() - begun
    requests, sampling = prepare(engine, model, pages), make_sampling(options.tokens)
    rounds: dict[str, list[tuple[float, float]]] = {"engine": [], "product": []}
    for _ in range(ROUNDS):
        rounds["engine"].append(_clock(lambda: _run_alone(engine, sampling, requests)))
        rounds["product"].append(_clock(lambda: _run_product(reader, pages, options.callers)))
    engine.close()
    results: dict[str, Any] = {
        "load_before": load, "load_after": os.getloadavg(), "pages": options.pages, "callers": options.callers,
        "tokens": options.tokens, "version": engine.version, "loaded_s": loaded_s, "first_page_s": first_s,
    }  # fmt: skip
    for name, told in rounds.items():
        results[name] = {
            "rounds_s": [wall_s for wall_s, _ in told],
            "pages_per_s": options.pages / statistics.median(wall_s for wall_s, _ in told),
            "best_pages_per_s": options.pages / min(wall_s for wall_s, _ in told),
            "cpu_s_per_page": statistics.median(cpu_s for _, cpu_s in told) / options.pages,
        }
    return results


def make_scan(number: int) -> PixelPage:
    """A Letter page at 100 dpi with lines that look like text; no two are alike."""
    chance, image, buffer = random.Random(number), Image.new("RGB", (850, 1100), "white"), io.BytesIO()
    drawing = ImageDraw.Draw(image)
    for top in range(60, 1040, 16):
        for left in range(60, 780, 60):
            drawing.rectangle((left, top, left + chance.randrange(20, 55), top + 7), fill="black")
    image.save(buffer, "PNG")
    return PixelPage(number=number + 1, image=buffer.getvalue(), width=612.0, height=792.0)


def _clock(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds on the wall and of CPU, ours and of the engine's processes."""
    begun, cpu_s = time.perf_counter(), _cpu_s()
    work()
    return time.perf_counter() - begun, _cpu_s() - cpu_s


def _cpu_s() -> float:
    ticks = 0
    for pid in family(os.getpid()):
        with suppress(OSError):
            ticks += sum(map(int, Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


def _run_product(reader: VlmReader, pages: list[PixelPage], callers: int) -> None:
    def read(page: PixelPage) -> None:
        with suppress(PageRefused):  # what a random model says may be no page; it was written all the same
            reader.transcribe(page, (), 600)

    with ThreadPoolExecutor(callers) as threads:
        list(threads.map(read, pages))


def _run_alone(engine: VllmEngine, sampling: Any, requests: list[dict[str, Any]]) -> None:
    """vLLM's AsyncLLM and nothing of ours, all pages at once: what its own throughput bench measures."""

    async def write(request: dict[str, Any]) -> None:
        async for _ in engine._engine.generate(request, sampling, uuid.uuid4().hex):
            pass

    async def write_all() -> None:
        await asyncio.gather(*map(write, requests))

    engine._run(write_all())


def prepare(engine: VllmEngine, model: Babbling, pages: list[PixelPage]) -> list[dict[str, Any]]:
    """The pages as AsyncLLM takes them."""
    asks = [ask for page in pages for ask in model.ask(page, ())]
    return [{"prompt": engine._templates.render(ask), "multi_modal_data": {"image": ask.picture}} for ask in asks]


def make_sampling(tokens: int) -> Any:
    params = import_module("vllm.sampling_params")
    return params.SamplingParams(temperature=1.0, max_tokens=tokens, output_kind=params.RequestOutputKind.FINAL_ONLY)


def _report(results: dict[str, Any]) -> None:
    print(f"machine load before {results['load_before']}, after {results['load_after']}")
    print(f"first page from zero  {results['first_page_s']:6.1f} s, engine up after {results['loaded_s']:.1f} s")
    for name in ("engine", "product"):
        told = results[name]
        print(
            f"{name:8} {told['pages_per_s']:6.2f} pages/s, best round {told['best_pages_per_s']:6.2f}, "
            f"{told['cpu_s_per_page']:.4f} CPU s a page   {_seconds(told['rounds_s'])}"
        )
    for name in ("pages_per_s", "best_pages_per_s"):
        print(f"share of {name:17} {100 * results['product'][name] / results['engine'][name]:6.1f} %   (asked: 85 %)")
    save_results("vlm", results)


def _seconds(rounds: list[float]) -> str:
    return "rounds " + ", ".join(f"{seconds:.1f} s" for seconds in rounds)


if __name__ == "__main__":
    main()
