"""Long-running workers: readers, recognisers, search and background chores. Knows no Ray and no HTTP."""
