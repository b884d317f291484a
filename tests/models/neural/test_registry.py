from pathlib import Path

import pytest

from quire.models.cdom.errors import MlUnavailable
from quire.models.neural import registry
from quire.models.neural.registry import FileState, ModelFile, ModelName, check_models, locate_model


def made_up(package: str, path: str) -> ModelFile:
    return ModelFile(name=ModelName.TEXT_DETECTOR, package=package, path=path, sha256="0" * 64)


def test_every_model_file_is_installed_with_the_pinned_hash() -> None:
    assert {check.state for check in check_models()} == {FileState.OK}


@pytest.mark.parametrize(
    ("file", "state"),
    [
        (made_up("no_such_package", "x.onnx"), FileState.MISSING),
        (made_up("quire.models", "no_such_file.onnx"), FileState.MISSING),
        (made_up("quire.models", "__init__.py"), FileState.CHANGED),
    ],
)
def test_missing_and_changed_files_have_separate_states(file: ModelFile, state: FileState) -> None:
    (check,) = check_models({file.name: file})
    assert check.state is state
    assert (check.location is None) is (state is FileState.MISSING)


def test_a_model_that_is_not_installed_is_ml_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    missing = made_up("no_such_package", "x.onnx")
    monkeypatch.setitem(registry.MODEL_FILES, ModelName.TEXT_DETECTOR, missing)
    with pytest.raises(MlUnavailable):
        locate_model(ModelName.TEXT_DETECTOR)


def test_a_located_model_is_a_file() -> None:
    assert Path(locate_model(ModelName.TEXT_RECOGNISER)).stat().st_size > 1_000_000
