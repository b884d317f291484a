"""Crops of a page for models that read crops: the blocks that the layout rules find in the CPU recogniser's lines."""

from collections.abc import Sequence

from quire.actors.vlm.models.contract import PageRegion
from quire.actors.vlm.with_fallback import Transcribe, VlmFirst
from quire.models.cdom.geometry import Bbox
from quire.models.cdom.ports import FindElements, PixelPage, RecognisedPage, RecognisePages, SeenElement
from quire.models.cdom.tree import BlockType
from quire.models.extract.contract import PageContent
from quire.models.extract.pipeline.recognised import apply_recognition


def make_vlm_first(
    vlm: Transcribe, ocr: RecognisePages, *, needs_regions: bool, detector: FindElements | None = None
) -> VlmFirst:
    """Return the reader of a model; one that reads crops gets those of the layout rules."""
    return VlmFirst(vlm, ocr, find_regions=find_regions if needs_regions else None, detector=detector)


def find_regions(page: PixelPage, lines: RecognisedPage, pictures: Sequence[SeenElement] = ()) -> list[PageRegion]:
    """Return the blocks that the layout rules find in the recogniser's lines, as crops to read.

    `pictures` are further crops, in the places of the blocks inside them or at the end.
    """
    content = apply_recognition(PageContent(number=page.number, width=page.width, height=page.height), lines)
    regions = [PageRegion(type=block.type, bbox=block.bbox, text=block.text) for block in content.blocks if block.bbox]
    for element in pictures:
        inside = [i for i, region in enumerate(regions) if _centre_is_inside(region.bbox, element.bbox)]
        place = inside[0] if inside else len(regions)
        covered = PageRegion(
            type=BlockType.PICTURE,
            bbox=element.bbox,
            picture=element.picture,
            text="\n".join(regions[i].text for i in inside if regions[i].text),
        )
        left = [region for i, region in enumerate(regions) if i not in set(inside)]
        regions = [*left[:place], covered, *left[place:]]
    return regions


def _centre_is_inside(inner: Bbox, outer: Bbox) -> bool:
    across, down = (inner[0] + inner[2]) / 2, (inner[1] + inner[3]) / 2
    return outer[0] <= across <= outer[2] and outer[1] <= down <= outer[3]
