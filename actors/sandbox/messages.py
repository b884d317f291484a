"""Encodes options, source and opinions for the channel: JSON, validated on the other side."""

from pydantic import TypeAdapter

from models.cdom.original import ReadOptions
from models.cdom.ports import DetectedPage
from models.cdom.tree import Source

OPTIONS: TypeAdapter[ReadOptions] = TypeAdapter(ReadOptions)
SOURCE: TypeAdapter[Source] = TypeAdapter(Source)
SEEN: TypeAdapter[DetectedPage] = TypeAdapter(DetectedPage)
