"""How options and source cross the channel: as JSON, validated on the other side."""

from pydantic import TypeAdapter

from models.cdom.original import ReadOptions
from models.cdom.tree import Source

OPTIONS: TypeAdapter[ReadOptions] = TypeAdapter(ReadOptions)
SOURCE: TypeAdapter[Source] = TypeAdapter(Source)
