"""Proves the GPU tier on a card, or on the CPU: `make gpu-proof [DEVICE=cpu] [GPU=python]`.

Makes a tiny checkpoint with random weights of each registered model that transformers knows, and asks for each: does
it load and answer, does the clock stop it, is a wrong page read by the CPU, is its memory free afterwards, do two
processes share the card, how long from nothing to the first page, and how many pages per second. Writes JSON.

Needs torch, transformers and the files of the checkout; vLLM is proved where it is installed. The sizes are those of
toys: seconds say that the path works, not how fast a real model is.
"""

import argparse
import gc
import io
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

REPLICAS = 2
"""Processes that share the card."""
PAGES = 8  # of a measurement of speed
TOKENS = 64  # of an answer there
PATIENCE_S = 1.0  # seconds after which the clock stops an answer that would never end
MOST_S = 420  # seconds that a child may take before it is ended


def name_release() -> None:
    """Let `importlib.metadata` find the release of a checkout that is not installed."""
    try:
        version("quire")
    except PackageNotFoundError:
        home = Path(tempfile.mkdtemp()) / "quire-0.0.0.dist-info"
        home.mkdir()
        (home / "METADATA").write_text("Metadata-Version: 2.1\nName: quire\nVersion: 0.0.0\n")
        sys.path.append(str(home.parent))


class Proof:
    """The engine of this project on one device, with a page to read."""

    def __init__(self, device: str) -> None:
        torch = import_module("torch")

        if device == "cuda" and not torch.cuda.is_available():
            raise SystemExit("no CUDA device; DEVICE=cpu proves the same path on the CPU")
        self.torch, self.on_card = torch, device == "cuda"
        self.page = make_page()

    def reader(self, name: str, engine: Any, timeout_s: float) -> Any:
        """Return the page reader of a model with the CPU recogniser behind it; crops are the page's upper half."""
        from quire.actors.vlm.models.contract import PageRegion
        from quire.actors.vlm.models.registry import load_model
        from quire.actors.vlm.page_reader import VlmReader
        from quire.actors.vlm.with_fallback import VlmFirst
        from quire.models.cdom.tree import BlockType
        from quire.models.neural.fakes import ScriptedRecogniser

        def find_regions(*_: object) -> list[PageRegion]:
            return [PageRegion(type=BlockType.PARAGRAPH, bbox=(40.0, 40.0, 570.0, 390.0))]

        model = load_model(name)
        return VlmFirst(
            VlmReader(model, engine, page_timeout_s=timeout_s),
            ScriptedRecogniser(script={1: ["read by the CPU"]}),
            find_regions=find_regions if model.needs_regions else None,
        )

    def ask(self, name: str, tokens: int) -> Any:
        """Return the model's first prompt for the page, with a cap."""
        from quire.actors.vlm.models.contract import PageRegion
        from quire.actors.vlm.models.registry import load_model
        from quire.models.cdom.tree import BlockType

        regions = (PageRegion(type=BlockType.PARAGRAPH, bbox=(40.0, 40.0, 570.0, 390.0)),)
        ask = load_model(name).ask(self.page, regions)[0]
        return replace(ask, sampling=replace(ask.sampling, max_tokens=tokens, temperature=0.0))

    def held(self) -> int:
        """Return the bytes that models hold: on the card as its allocator says, on the CPU of live parameters."""
        gc.collect()
        if self.on_card:
            self.torch.cuda.empty_cache()
            return int(self.torch.cuda.memory_allocated())
        kinds = self.torch.nn.Parameter
        return sum(item.nbytes for item in gc.get_objects() if isinstance(item, kinds))


def make_page() -> Any:
    """Return a page with ink, as pixels."""
    from PIL import Image, ImageDraw

    from quire.models.cdom.ports import PixelPage

    picture = Image.new("RGB", (612, 792), "white")
    pen = ImageDraw.Draw(picture)
    for line in range(20):
        pen.text((60, 60 + 30 * line), f"Line {line} of a page that nobody reads", fill="black")
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    return PixelPage(number=1, image=buffer.getvalue(), width=612.0, height=792.0)


def make_transformers(folder: Path) -> Any:
    """Return the engine that every machine has."""
    from quire.actors.vlm.engine import WriterEngine
    from quire.actors.vlm.transformers_engine import TransformersWriter

    return WriterEngine(lambda: TransformersWriter(str(folder)), "transformers")


def make_vllm(folder: Path) -> Any:
    """Return vLLM with little memory."""
    from quire.actors.vlm.vllm_engine import VllmEngine
    from tests.packages.gpu.tiny_models import SMALL_ENGINE

    return VllmEngine(str(folder), **SMALL_ENGINE)


def prove(proof: Proof, name: str, work: Path, make_engine: Callable[[Path], Any]) -> dict[str, Any]:
    """Return the facts about one model; `faults` names each that is not as it must be."""
    from quire.actors.vlm.models.contract import AnswerEnd
    from tests.packages.gpu.tiny_models import save_checkpoint

    quick, endless = work / f"{name}-quick", work / f"{name}-endless"
    save_checkpoint(quick, name)
    save_checkpoint(endless, name, ends=False)
    before, started = proof.held(), time.monotonic()
    engine = make_engine(quick)
    answers = [engine.generate([proof.ask(name, 8)], 120)[0] for _ in range(2)]
    loaded_s = time.monotonic() - started
    started = time.monotonic()
    for _ in range(PAGES):
        engine.generate([proof.ask(name, TOKENS)], 120)
    pages_s = PAGES / (time.monotonic() - started)
    during = proof.held()
    engine.close()
    del engine
    after = proof.held()

    engine = make_engine(endless)
    engine.generate([proof.ask(name, 2)], 120)
    (aborted,) = engine.generate([proof.ask(name, 3000)], PATIENCE_S)
    (page,) = proof.reader(name, engine, PATIENCE_S).recognise_pages([proof.page], ("en",), 60)
    engine.close()
    checks = {
        "answers equal": answers[0] == answers[1],
        "stopped by the clock": aborted.ending in (AnswerEnd.TIMEOUT, AnswerEnd.LOOP),
        "wrong page read by the CPU": "vlm-fallback" in page.warnings and bool(page.words),
        "memory freed": make_engine is make_vllm or before == after < during,  # vLLM's is in another process
    }
    return {
        "load_s": round(loaded_s, 2),
        "pages_per_second": round(pages_s, 2),
        "model_bytes": during - before,
        "ending_of_endless": aborted.ending.value,
        "faults": [check for check, holds in checks.items() if not holds],
    }


def start_replica(folder: Path, name: str, device: str) -> "subprocess.Popen[str]":
    """Start a process that loads the model and answers once."""
    command = [sys.executable, "-m", "tests.packages.gpu.proof", "--device", device, "--replica", str(folder), name]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def share_card(folder: Path, name: str, device: str) -> dict[str, Any]:
    """Return the seconds from nothing to the first answer, of one process and of several at once on one card."""
    started = time.monotonic()
    first = start_replica(folder, name, device).communicate(timeout=MOST_S)[0].strip()
    alone_s = time.monotonic() - started
    replicas = [start_replica(folder, name, device) for _ in range(REPLICAS)]
    texts = [replica.communicate(timeout=MOST_S)[0].strip() for replica in replicas]
    is_well = bool(first) and all(text == first for text in texts)
    faults = [] if is_well and not any(replica.returncode for replica in replicas) else ["two replicas differ"]
    return {"from_nothing_s": round(alone_s, 1), "replicas": REPLICAS, "faults": faults}


def prove_all(device: str) -> dict[str, Any]:
    """Return the facts about every model and engine that this machine has."""
    from tests.packages.gpu.tiny_models import MAKERS

    proof = Proof(device)
    card = proof.torch.cuda.get_device_name() if proof.on_card else "none"
    facts: dict[str, Any] = {"device": device, "card": card, "torch": version("torch"), "engines": {}}
    facts["transformers"] = version("transformers")
    with tempfile.TemporaryDirectory() as work:
        found = {name: prove(proof, name, Path(work), make_transformers) for name in MAKERS}
        facts["engines"]["transformers"] = found
        facts["sharing"] = share_card(Path(work) / "lightonocr-quick", "lightonocr", device)
        if proof.on_card and find_spec("vllm"):
            facts["engines"]["vllm"] = {"lightonocr": prove(proof, "lightonocr", Path(work) / "vllm", make_vllm)}
    return facts


def list_faults(facts: Any) -> list[str]:
    """Return every fault in nested facts."""
    if not isinstance(facts, dict):
        return []
    own = facts.get("faults", [])
    return [*own, *(fault for value in facts.values() for fault in list_faults(value))]


def main(arguments: Sequence[str] | None = None) -> int:
    """Prove the tier, write JSON, and return 1 if anything is not as it must be."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cuda")
    parser.add_argument("--out", type=Path, default=Path("bench-results/gpu-proof.json"))
    parser.add_argument("--replica", nargs=2, metavar=("FOLDER", "MODEL"), help="answer once and end")
    chosen = parser.parse_args(arguments)
    os.environ["HF_HUB_OFFLINE"] = "1"
    if chosen.device == "cpu":
        os.environ["CUDA_VISIBLE_DEVICES"] = ""
    name_release()
    if chosen.replica:
        folder, name = chosen.replica
        print(repr(make_transformers(Path(folder)).generate([Proof(chosen.device).ask(name, 8)], 120)[0].text))
        return 0
    facts = prove_all(chosen.device)
    chosen.out.parent.mkdir(parents=True, exist_ok=True)
    chosen.out.write_text(json.dumps(facts, indent=1))
    print(json.dumps(facts, indent=1))
    return 1 if list_faults(facts) else 0


if __name__ == "__main__":
    sys.exit(main())
