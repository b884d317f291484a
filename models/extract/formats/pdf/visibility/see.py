"""Everything a page paints, told apart into what a person sees and what not, and counted for the statement."""

from dataclasses import dataclass
from typing import Any

from models.cdom.coverage import ExcludedPlace
from models.cdom.geometry import round_bbox
from models.extract.coverage.painted import Painted, PaintedLine, strip_blanks
from models.extract.formats.pdf.engine.rotation import turn_box
from models.extract.formats.pdf.text.text_lines import clean_glyphs
from models.extract.formats.pdf.visibility.clipped import find_clipped, may_clip
from models.extract.formats.pdf.visibility.layers import MOST_LAYERS, find_on_layers
from models.extract.formats.pdf.visibility.look import DisplayList, Look
from models.extract.formats.pdf.visibility.unseen import Sight, SightedPage, UnseenText, take_unseen


@dataclass(slots=True)
class SeenPage:
    """`unseen`: text that nobody sees, boxes after rotation."""

    unseen: list[UnseenText]
    painted: Painted


@dataclass(frozen=True, slots=True)
class PageFrame:
    """Width and height (points) before rotation, and the matrix of the rotation, null where there is none."""

    width: float
    height: float
    turn: Any = None


def see_page(
    page: Any,
    text_page: Any,
    blocks: list[dict[str, Any]],
    images: dict[int, bool],
    layers: tuple[int, ...],
    frame: PageFrame,
) -> SeenPage:
    """Take what nobody sees out of `blocks` (in place, before they are turned), and count."""
    stated = _text_of(blocks)
    raw = _remember(lambda: text_page.extractRAWDICT()["blocks"])
    width, height = frame.width, frame.height
    draw = _remember(lambda: Look(DisplayList(page)))
    sight = take_unseen(SightedPage(blocks, images, (0.0, 0.0, width, height), draw, raw))
    if may_clip(page.read_contents(), width, height):
        sight.unseen += find_clipped(page, len(stated), raw)
    if layers:
        _look_at_layers(page, layers, sight, len(stated), raw)
    return _state(frame.turn, stated, blocks, sight)


def _look_at_layers(page: Any, layers: tuple[int, ...], sight: Sight, stated: int, raw: Any) -> None:
    if len(layers) > MOST_LAYERS:
        sight.judged = False
        return
    clipped = {(one.text, one.bbox) for one in sight.unseen}
    more = find_on_layers(page, layers, stated, raw)
    sight.unseen += [one for one in more if (one.text, one.bbox) not in clipped]


def _state(turn: Any, stated: str, blocks: list[dict[str, Any]], sight: Sight) -> SeenPage:
    """The count: cleaned as lines are, so that what is no character does not seem lost."""
    text = clean_glyphs(_text_of(blocks) if sight.unseen else stated)
    excluded: list[ExcludedPlace] = []
    kept: list[UnseenText] = []
    for one in sight.unseen:
        count = len(strip_blanks(clean_glyphs(one.text)))
        if not count:
            continue
        one.bbox = turn_box(one.bbox, turn) if turn is not None else one.bbox
        excluded.append(ExcludedPlace(reason=one.reason.value, characters=count, bbox=round_bbox(one.bbox)))
        kept.append(one)
    painted = Painted(text=text, lines=lambda: _lines_of(blocks), excluded=excluded, judged=sight.judged)
    return SeenPage(kept, painted)


def _text_of(blocks: list[dict[str, Any]]) -> str:
    """All characters of the blocks without blanks."""
    return strip_blanks(
        "".join(
            [
                span["text"]
                for block in blocks
                if block["type"] == 0
                for line in block["lines"]
                for span in line["spans"]
            ]
        )
    )


def _lines_of(blocks: list[dict[str, Any]]) -> list[PaintedLine]:
    """The lines of the blocks as they lie when asked, turned or not."""
    lines: list[PaintedLine] = []
    for block in blocks:
        for line in block["lines"] if block["type"] == 0 else ():
            text = clean_glyphs(strip_blanks("".join([span["text"] for span in line["spans"]])))
            if text:
                lines.append((text, line["bbox"]))
    return lines


def _remember(make: Any) -> Any:
    """The function, called once."""
    made: list[Any] = []

    def get() -> Any:
        if not made:
            made.append(make())
        return made[0]

    return get
