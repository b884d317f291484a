"""Disjoint sets of indices (union-find with path halving)."""


class DisjointSets:
    """Disjoint sets over `count` indices, at first a separate set per index."""

    def __init__(self, count: int) -> None:
        self._parent: list[int] = list(range(count))

    def root(self, index: int) -> int:
        """Return the representative index of the set."""
        parent = self._parent
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    def join(self, first: int, second: int) -> None:
        """Make the two sets one, named by the root of `first`."""
        first_root, second_root = self.root(first), self.root(second)
        if first_root != second_root:
            self._parent[second_root] = first_root

    def groups(self) -> list[list[int]]:
        """Return the sets, each ascending, ordered by their first index."""
        sets: dict[int, list[int]] = {}
        for index in range(len(self._parent)):
            sets.setdefault(self.root(index), []).append(index)
        return list(sets.values())
