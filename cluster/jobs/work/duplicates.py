"""Near-duplicates among the chunks of a corpus, found on the whole cluster by Ray Data.

Workers sign the chunks of each part. Signatures are then grouped by the hashes of their bands, so that chunks that may
be alike meet in one group. The pairs of all groups say which chunks to drop: the same ones as one process would.
"""

import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter

import numpy as np
import pyarrow as pa
import ray.data
from ray.exceptions import RayError

from quire.cluster.jobs.work.folders import open_folder
from quire.cluster.jobs.work.spread import JobStopped, connect, last_line, quiet_context
from quire.models.derive.near_duplicates import PERMUTATIONS, TextSigner, find_dropped, find_pairs

LINE_BITS = 32
"""A chunk's number is that of its part and, in these bits, that of its line."""
SIGNED = pa.schema(
    [("bucket", pa.int64()), ("place", pa.int64()), ("number", pa.int64()), ("signature", pa.binary(2 * PERMUTATIONS))]
)
PAIRS = pa.schema([("later", pa.int64()), ("earlier", pa.int64())])


class SignParts:
    """The actor that signs the chunks of parts: a row for each chunk and band."""

    def __init__(self, folder: str, buckets: int) -> None:
        self._folder, self._buckets, self._signer = open_folder(folder), buckets, TextSigner()

    def __call__(self, batch: pa.Table) -> pa.Table:
        """Sign the chunks of the parts of a batch."""
        rows = [row for part in batch.to_pylist() for row in self._sign(part["part"], part["name"])]
        return pa.Table.from_pylist(rows, schema=SIGNED)

    def _sign(self, part: int, name: str) -> Iterator[dict[str, object]]:
        for line, text in enumerate(self._folder.read(name).splitlines()):
            _, chunk = json.loads(text)
            signature, places = self._signer.sign(chunk["text"])
            number = part << LINE_BITS | line
            for band, place in enumerate(places):
                whole = band << 32 | place
                yield {
                    "bucket": whole % self._buckets, "place": whole, "number": number, "signature": signature.tobytes(),
                }  # fmt: skip


def pair_bucket(bucket: pa.Table) -> pa.Table:
    """Return the pairs of near-duplicates among the signatures of a bucket that have the same place."""
    rows = sorted(bucket.select(["place", "number", "signature"]).to_pylist(), key=itemgetter("place", "number"))
    pairs: list[tuple[int, int]] = []
    for _, same in groupby(rows, key=itemgetter("place")):
        group = list(same)
        if len(group) > 1:
            signatures = [np.frombuffer(row["signature"], np.uint16) for row in group]
            pairs += find_pairs([row["number"] for row in group], signatures)
    later, earlier = zip(*pairs, strict=True) if pairs else ((), ())
    return pa.table([pa.array(later, pa.int64()), pa.array(earlier, pa.int64())], schema=PAIRS)


def find_duplicates(folder: str, parts: Sequence[str], *, workers: int | None) -> set[int]:
    """Return the numbers of the chunks to drop. Raises `JobStopped`.

    Args:
        folder: The folder of the parts.
        parts: Names of the parts, in the order of the export.
        workers: Most parts signed at once; as many as the cluster fits by default.
    """
    if not parts:
        return set()
    quiet_context()
    tables = [pa.table({"part": [number], "name": [name]}) for number, name in enumerate(parts)]
    most = min(len(parts), workers or len(parts))
    signed = ray.data.from_arrow(tables).map_batches(
        SignParts,
        batch_format="pyarrow",
        batch_size=None,
        fn_constructor_args=(folder, len(parts)),
        num_cpus=1,
        compute=ray.data.ActorPoolStrategy(min_size=1, max_size=most, initial_size=min(most, connect())),
    )
    pairs = signed.groupby("bucket").map_groups(pair_bucket, batch_format="pyarrow")
    found: set[tuple[int, int]] = set()
    try:
        for batch in pairs.iter_batches(batch_format="pyarrow", batch_size=None):
            found.update(zip(batch["later"].to_pylist(), batch["earlier"].to_pylist(), strict=True))
    except RayError as error:
        raise JobStopped(last_line(error)) from error
    return find_dropped(found)
