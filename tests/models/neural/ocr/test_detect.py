"""Post-processing of the detector over a made-up probability map: no weights."""

import numpy as np
import pytest

from quire.models.neural.ocr.crops import batch_lines, box_size, cut_line
from quire.models.neural.ocr.detect import STEP, DetectorSettings, Picture, find_lines
from quire.models.neural.ocr.runtime import Floats

SETTINGS = DetectorSettings(min_side=320, max_side=640)


def network(*kernels: tuple[int, int, int, int], confidence: float = 0.9, shapes: list[tuple[int, ...]] | None = None):  # type: ignore[no-untyped-def]
    """Return a network that sees text exactly in the given boxes (x0, y0, x1, y1 of its map)."""

    def run(batch: Floats) -> Floats:
        if shapes is not None:
            shapes.append(batch.shape)
        out = np.zeros((1, 1, *batch.shape[2:]), np.float32)
        for x0, y0, x1, y1 in kernels:
            out[0, 0, y0:y1, x0:x1] = confidence
        return out

    return run


def paper(width: int, height: int) -> Picture:
    return np.full((height, width, 3), 255, np.uint8)


def test_kernel_becomes_an_enlarged_box_in_picture_pixels() -> None:
    (box,) = find_lines(paper(640, 640), network((40, 40, 140, 50)), SETTINGS)
    along, across = box_size(box)
    assert 100 < along < 130
    assert 18 < across < 32
    assert np.allclose(box.mean(axis=0), (90, 45), atol=2)


def test_corners_run_clockwise_from_the_top_left() -> None:
    (box,) = find_lines(paper(640, 640), network((40, 40, 140, 50)), SETTINGS)
    assert box[0][0] == box[3][0] == box[:, 0].min()
    assert box[0][1] == box[1][1] == box[:, 1].min()


@pytest.mark.parametrize(
    ("size", "seen"),
    [
        ((640, 480), (480, 640)),
        ((100, 100), (320, 320)),
        ((2000, 1000), (320, 640)),
        ((5000, 20), (STEP, 640)),
        ((10, 10), (320, 320)),
    ],
)
def test_the_network_sees_sides_within_bounds_and_in_its_steps(size: tuple[int, int], seen: tuple[int, int]) -> None:
    shapes: list[tuple[int, ...]] = []
    find_lines(paper(*size), network(shapes=shapes), SETTINGS)
    assert shapes == [(1, 3, *seen)]


def test_doubtful_and_tiny_kernels_are_not_text() -> None:
    assert find_lines(paper(640, 640), network((40, 40, 140, 50), confidence=0.4), SETTINGS) == []
    assert find_lines(paper(640, 640), network((40, 40, 41, 41)), SETTINGS) == []


def test_a_page_of_noise_gives_no_more_lines_than_allowed_and_the_largest() -> None:
    kernels = [(x, y, x + 8 + y // 40, y + 4) for x in range(0, 600, 20) for y in range(0, 600, 20)]
    boxes = find_lines(paper(640, 640), network(*kernels), DetectorSettings(min_side=320, max_side=640, most_lines=50))
    assert len(boxes) == 50


def test_boxes_stay_inside_the_picture() -> None:
    (box,) = find_lines(paper(640, 640), network((0, 0, 640, 10)), SETTINGS)
    assert box.min() >= 0
    assert box.max() <= 639


def test_a_line_is_cut_level_and_48_high() -> None:
    picture = paper(200, 100)
    picture[40:60, 50:150] = 0
    box = np.array([(50, 40), (150, 40), (150, 60), (50, 60)], np.float32)
    line = cut_line(picture, box)
    assert line.shape == (48, 240, 3)
    assert line[4:-4, 4:-4].max() == 0


def test_a_very_tall_line_is_shrunk_without_losing_thin_strokes() -> None:
    picture = paper(2000, 1000)
    picture[:, ::40] = 0
    box = np.array([(0, 0), (1999, 0), (1999, 960), (0, 960)], np.float32)
    assert cut_line(picture, box).min() < 255


def test_lines_of_similar_width_share_a_batch_without_loss() -> None:
    lines = [np.zeros((48, width, 3), np.uint8) for width in (100, 700, 120, 2600, 110)]
    batches = list(batch_lines(lines))
    assert [batch.indices for batch in batches] == [(0, 2, 4), (1,), (3,)]
    assert all(batch.pictures.shape[3] % 64 == 0 for batch in batches)
    assert batches[0].columns == (100, 120, 110)
    assert batches[0].pictures[0, 0, 0, 99] == -1
    assert batches[0].pictures[0, 0, 0, 100] == 0
