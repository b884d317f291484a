"""Encodes options, source and opinions for the channel: JSON, validated on the other side."""

from pydantic import TypeAdapter

from quire.models.cdom.original import ReadOptions
from quire.models.cdom.ports import DetectedPage
from quire.models.cdom.tree import Source

OPTIONS: TypeAdapter[ReadOptions] = TypeAdapter(ReadOptions)
SOURCE: TypeAdapter[Source] = TypeAdapter(Source)
SEEN: TypeAdapter[DetectedPage] = TypeAdapter(DetectedPage)
