from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from quire.models.cdom.errors import MlUnavailable, PageTooSlow
from quire.models.cdom.tree import BlockType
from quire.models.neural.doclaynet import DOCLAYNET
from quire.models.neural.layout.boxes import decode_boxes, to_points
from quire.models.neural.layout.detector import LABELS, LayoutDetector, locate_detector
from tests.models.neural.layout.tiny_onnx import SIDE, write_detector
from tests.models.neural.ocr.pictures import DPI, as_page

PAGE = as_page(Image.new("L", (100 * DPI // 24, 200 * DPI // 24), 255), number=3)
"""A white page of 300 by 600 points."""


def test_boxes_of_the_square_input_become_page_boxes_in_points(tmp_path: Path) -> None:
    # a page twice as high as wide lies in the middle of the square, 32 of 64 pixels wide
    middle = (SIDE / 2, SIDE / 2, SIDE / 4, SIDE / 2)
    folder = write_detector(tmp_path / "mine", ("Text", "Table"), [(1, 0.9, middle)])
    seen = LayoutDetector(folder).find_elements(PAGE, 60.0)
    assert seen.model == "mine"
    (element,) = seen.elements
    assert (element.type, element.confidence) == (BlockType.TABLE, 0.9)
    assert element.bbox == pytest.approx((75, 150, 225, 450), abs=0.01)


def test_the_same_page_gives_the_same_answer(tmp_path: Path) -> None:
    folder = write_detector(tmp_path, LABELS, [(8, 0.8, (30, 30, 20, 10)), (6, 0.5, (30, 50, 20, 10))])
    answers = [LayoutDetector(folder).find_elements(PAGE, 60.0) for _ in range(2)]
    assert answers[0] == answers[1]
    assert [one.type for one in answers[0].elements] == [BlockType.TABLE, BlockType.PICTURE]


def test_doubles_and_noise_are_dropped_and_the_surest_comes_first() -> None:
    raw = np.zeros((6, 4), np.float32)
    raw[:4] = np.array([(10, 10, 8, 8), (10, 11, 8, 8), (40, 40, 8, 8), (60, 60, 8, 8)]).T
    raw[4] = (0.6, 0.9, 0.0, 0.2)
    raw[5, 2] = 0.7
    found = decode_boxes(raw)
    assert [(kind, round(sure, 2)) for kind, sure, _ in found] == [(0, 0.9), (1, 0.7)]
    assert to_points(found[0][2], 2.0, (0, 0), (5.0, 5.0)) == (3.0, 3.5, 5.0, 5.0)


@pytest.mark.parametrize("labels", ["", "Table Sofa"])
def test_a_folder_with_no_classes_or_an_unknown_one_is_refused(tmp_path: Path, labels: str) -> None:
    write_detector(tmp_path, LABELS, [])
    (tmp_path / "labels.txt").write_text(labels)
    with pytest.raises(MlUnavailable, match=r"labels\.txt"):
        locate_detector(tmp_path)


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "labels.txt").write_text("Table")
    with pytest.raises(MlUnavailable, match=r"model\.onnx"):
        locate_detector(tmp_path)
    with pytest.raises(MlUnavailable, match=r"labels\.txt"):
        locate_detector(tmp_path / "nowhere")


def test_a_model_with_other_classes_than_its_labels_say_is_refused(tmp_path: Path) -> None:
    folder = write_detector(tmp_path, LABELS, [(8, 0.8, (30, 30, 20, 10))])
    (folder / "labels.txt").write_text("Table")
    with pytest.raises(MlUnavailable, match="classes"):
        LayoutDetector(folder).find_elements(PAGE, 60.0)


def test_expired_timeout_skips_the_page(tmp_path: Path) -> None:
    folder = write_detector(tmp_path, LABELS, [])
    with pytest.raises(PageTooSlow):
        LayoutDetector(folder).find_elements(PAGE, -1.0)


def test_a_processor_without_avx2_has_no_detector(tmp_path: Path) -> None:
    with pytest.raises(MlUnavailable):
        LayoutDetector(write_detector(tmp_path, LABELS, []), frozenset({"sse2"})).warm_up()


def test_every_class_of_the_installed_model_has_a_type() -> None:
    assert set(LABELS) == set(DOCLAYNET)
