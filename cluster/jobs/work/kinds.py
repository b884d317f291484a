"""Choices of the bulk jobs that have a name. Imports nothing."""

from enum import StrEnum


class Shape(StrEnum):
    """Layout of outputs in a folder: a file per document and format, or rows of shards."""

    FILES = "files"
    JSONL = "jsonl"
    PARQUET = "parquet"
