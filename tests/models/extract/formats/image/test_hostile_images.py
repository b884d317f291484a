"""Pictures that lie, break off or try to fill the memory."""

import contextlib
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from quire.models.cdom.errors import Malformed, ResourceLimit, TooManyPages, UnsupportedFormat
from quire.models.cdom.original import ReadOptions
from quire.models.cdom.tree import PageStatus
from quire.models.extract.formats.image import open_image
from tests.models.extract.formats.image.pictures import corner, encode, frames, looping_tiff, png_stating

OPTIONS = ReadOptions()


def test_a_picture_of_too_many_pixels_is_refused_by_its_header() -> None:
    with pytest.raises(ResourceLimit, match="pixels"):
        open_image(png_stating(20_000, 20_000), OPTIONS)


def test_ten_kilobytes_of_81_million_pixels_become_one_small_page() -> None:
    bomb = png_stating(9_000, 9_000, rows=9_000)
    assert len(bomb) < 25_000
    pixels = open_image(bomb, OPTIONS).read_page(1).pixels
    assert pixels is not None
    assert len(pixels.image) < 1_000_000


def test_the_limit_is_the_callers() -> None:
    with pytest.raises(ResourceLimit):
        open_image(encode(corner(), "PNG"), ReadOptions(max_image_pixels=100))


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP", "GIF", "TIFF", "BMP", "JPEG2000"])
def test_picture_that_breaks_off_is_malformed_or_failed_page(form: str) -> None:
    noise = Image.effect_noise((300, 300), 80)
    whole = encode(noise, form)
    for share in (0.05, 0.5, 0.9):
        try:
            read = open_image(whole[: int(len(whole) * share)], OPTIONS).read_page(1)
        except Malformed:
            continue
        assert read.content.status is PageStatus.FAILED


def test_a_chain_of_frames_that_bites_its_tail_has_an_end() -> None:
    assert open_image(looping_tiff(), OPTIONS).facts.page_count <= 2


def test_more_frames_than_pages_allowed_are_too_many_before_any_is_decoded() -> None:
    with pytest.raises(TooManyPages):
        open_image(frames(12), ReadOptions(max_pages=10))


def test_a_broken_frame_does_not_take_the_others_with_it() -> None:
    data = bytearray(frames(3, compression="tiff_lzw"))
    with Image.open(io.BytesIO(bytes(data))) as image:
        image.seek(1)
        offset = image.tag_v2[273][0]  # type: ignore[attr-defined]
    data[offset : offset + 40] = b"\xff" * 40
    document = open_image(bytes(data), OPTIONS)
    states = [document.read_page(number).content.status for number in (1, 2, 3)]
    assert states == [PageStatus.OK, PageStatus.FAILED, PageStatus.OK]


@given(st.sampled_from(["PNG", "JPEG", "WEBP", "GIF", "TIFF", "BMP"]), st.data())
@settings(max_examples=150)
def test_any_damage_ends_in_a_page_or_one_of_our_errors(form: str, data: st.DataObject) -> None:
    whole = bytearray(encode(corner(), form))
    for place in data.draw(st.lists(st.integers(4, len(whole) - 1), min_size=1, max_size=8)):
        whole[place] = data.draw(st.integers(0, 255))
    with contextlib.suppress(Malformed, ResourceLimit, TooManyPages, UnsupportedFormat):
        open_image(bytes(whole), ReadOptions(max_image_pixels=1_000_000)).read_page(1)


def test_reading_imports_nothing_after_the_reader_itself(tmp_path: Path) -> None:
    """A sandboxed child has no file system left by then."""
    script = (
        "import sys, pathlib\n"
        "from quire.models.cdom.original import ReadOptions\n"
        "from quire.models.extract.pipeline.preload import preload\n"
        "preload()\n"
        "from quire.models.extract.registry import open_document\n"
        "before = set(sys.modules)\n"
        "for path in sorted(pathlib.Path(sys.argv[1]).iterdir()):\n"
        "    document = open_document(path.read_bytes(), ReadOptions())\n"
        "    document.read_page(1), document.render_page(1, 72)\n"
        "print(sorted(set(sys.modules) - before))\n"
    )
    exif = Image.Exif()
    exif[274] = 6
    for form in ("PNG", "JPEG", "WEBP", "GIF", "TIFF", "BMP"):
        (tmp_path / form).write_bytes(encode(corner(mode="RGB"), form, exif=exif))
    (tmp_path / "MPO").write_bytes(encode(corner(mode="RGB"), "MPO", save_all=True, append_images=[corner()]))
    (tmp_path / "RGBA").write_bytes(encode(corner(mode="RGBA"), "PNG"))
    (tmp_path / "G4").write_bytes(encode(corner(mode="1"), "TIFF", compression="group4"))
    (tmp_path / "frames").write_bytes(frames(2))
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.getcwd()},
    )
    assert done.stdout.strip() == "[]"
