"""Reads a folder of pictures as the service does and writes `<name>.json` with words in pixels, for a scorer.

    python -m tests.lab.bench.reading.bench_ocr IMAGES OUT [--engine rapidocr] [--langs en]

Prints pages, CPU seconds per page (user + system; the recogniser's part apart) and peak memory. Pin it to one core.
"""

import argparse
import json
import os
import resource
from pathlib import Path
from statistics import fmean

from quire.models.cdom.original import ReadOptions
from quire.models.cdom.ports import PixelPage, RecognisedPage
from quire.models.extract.registry import open_document
from quire.models.neural.ocr import LocalPageRecogniser, make_recogniser


def cpu_s() -> float:
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def words_in_pixels(page: PixelPage, found: RecognisedPage, pixels: tuple[int, int]) -> list[dict[str, object]]:
    """Words with boxes of the original picture; only right for pages that were not turned."""
    x, y = pixels[0] / page.width, pixels[1] / page.height
    return [{"bbox": [w.bbox[0] * x, w.bbox[1] * y, w.bbox[2] * x, w.bbox[3] * y], "text": w.text} for w in found.words]


def read_picture(path: Path, out: Path, recogniser: LocalPageRecogniser, langs: tuple[str, ...]) -> tuple[float, float]:
    """CPU seconds of reading the file and of recognising it."""
    from PIL import Image

    begun = cpu_s()
    page = open_document(path.read_bytes(), ReadOptions()).read_page(1).pixels
    assert page is not None
    opened = cpu_s()
    found = recogniser.recognise_pages([page], langs, 600.0)[0]
    done = cpu_s()
    with Image.open(path) as picture:
        words = words_in_pixels(page, found, picture.size)
    (out / f"{path.stem}.json").write_text(json.dumps({"words": words}))
    return opened - begun, done - opened


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("images", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--engine", default="rapidocr")
    parser.add_argument("--langs", default="en")
    parser.add_argument("--every", type=int, default=1, help="Read each n-th picture only.")
    asked = parser.parse_args()
    langs = tuple(asked.langs.split(","))
    asked.out.mkdir(parents=True, exist_ok=True)
    recogniser = make_recogniser(asked.engine, langs)
    recogniser.warm_up()
    costs = [
        read_picture(path, asked.out, recogniser, langs) for path in sorted(asked.images.iterdir())[:: asked.every]
    ]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    opening, reading = (round(fmean(part), 3) for part in zip(*costs, strict=True))
    print(json.dumps({"pages": len(costs), "open_cpu_s": opening, "ocr_cpu_s": reading, "peak_rss_mb": peak}))


if __name__ == "__main__":
    main()
