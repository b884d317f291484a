import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]


def loaded_after(statement: str) -> set[str]:
    heavy = "{'cv2', 'openvino', 'onnxruntime', 'rapidocr', 'PIL', 'torch'}"
    script = f"{statement}; import sys; print(*({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(done.stdout.split())


def test_asking_for_a_recogniser_loads_no_runtime_and_no_picture_library() -> None:
    assert loaded_after("from quire.models.neural.ocr import make_recogniser; make_recogniser()") == set()


def test_recogniser_loads_openvino_and_opencv_only() -> None:
    made = "from quire.models.neural.ocr import make_recogniser; make_recogniser().warm_up()"
    assert loaded_after(made) == {"cv2", "openvino"}
