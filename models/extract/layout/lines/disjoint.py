"""Disjoint sets of indices (union-find with path halving)."""


class DisjointSets:
    """`count` indices, each at first a set of its own."""

    def __init__(self, count: int) -> None:
        self._parent = list(range(count))

    def root(self, index: int) -> int:
        """The index that stands for the set."""
        parent = self._parent
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    def join(self, first: int, second: int) -> None:
        """Make the two sets one, named by the root of `first`."""
        one, other = self.root(first), self.root(second)
        if one != other:
            self._parent[other] = one

    def groups(self) -> list[list[int]]:
        """The sets, each ascending, ordered by their first index."""
        sets: dict[int, list[int]] = {}
        for index in range(len(self._parent)):
            sets.setdefault(self.root(index), []).append(index)
        return list(sets.values())
