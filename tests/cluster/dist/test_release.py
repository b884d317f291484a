"""Every place that repeats the version states that of `pyproject.toml`; a release without its parts is refused."""

import json
from pathlib import Path

import pytest

from quire.cluster.dist import release


def test_every_file_repeats_the_version_of_the_project() -> None:
    assert list(release._find_other_versions(release.read_project_version())) == []


def test_find_faults_names_each_file_of_another_version() -> None:
    faults = list(release._find_other_versions("99.0.0"))
    assert len(faults) == len(release._PLACES)
    assert all(" states " in fault for fault in faults)


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("## [Unreleased]\n\n## [1.2.3] - 2026-01-31\n", []),
        ("## [Unreleased]\n\n## [1.2.3]\n", ["CHANGELOG.md has no dated section of 1.2.3"]),
        ("## [Unreleased]\n\n- New.\n\n## [1.2.3] - 2026-01-31\n", ["CHANGELOG.md has entries under Unreleased"]),
    ],
)
def test_changelog_needs_dated_section_and_nothing_unreleased(text: str, faults: list[str]) -> None:
    assert list(release._find_changelog_faults("1.2.3", text)) == faults


def test_date_changelog_moves_the_entries_into_a_dated_section() -> None:
    text = "# Changelog\n\n## [Unreleased]\n\n- New.\n\n## [1.2.2] - 2026-01-01\n"
    dated = release.date_changelog("1.2.3", text)
    assert list(release._find_changelog_faults("1.2.3", dated)) == []
    assert dated.partition("## [1.2.3]")[2].partition("## [1.2.2]")[0].endswith("\n\n- New.\n\n")


def test_date_changelog_refuses_a_release_without_entries() -> None:
    with pytest.raises(SystemExit, match="no entries"):
        release.date_changelog("1.2.3", "## [Unreleased]\n\n## [1.2.2] - 2026-01-01\n\n- Old.\n")


def test_bump_writes_version_into_every_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*release._PLACES, release.VERSIONS):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text((release.ROOT / name).read_text())
    monkeypatch.setattr(release, "ROOT", tmp_path)
    monkeypatch.setattr(release, "READER_VERSION", 99)
    release.bump("9.8.7")
    assert list(release._find_other_versions("9.8.7")) == []
    assert json.loads((tmp_path / release.VERSIONS).read_text())["released"] == 99


@pytest.mark.parametrize(
    ("program", "faults"),
    [
        ("", []),
        ("raise SystemExit('golden: 2 pages differ')", ["the trees are not those of the record: golden: 2 pages differ"]),
    ],
)
def test_release_is_refused_when_trees_differ_from_the_record(
    program: str, faults: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tests" / "golden").mkdir(parents=True)
    (tmp_path / "tests" / "golden" / "__main__.py").write_text(program)
    record = json.loads((release.ROOT / release.VERSIONS).read_text())
    (tmp_path / release.VERSIONS).write_text(json.dumps(record))
    monkeypatch.setattr(release, "ROOT", tmp_path)
    monkeypatch.setattr(release, "READER_VERSION", record["released"])
    assert list(release._find_tree_faults()) == faults
    monkeypatch.setattr(release, "READER_VERSION", record["released"] + 1)
    assert "run --bump" in next(release._find_tree_faults())
