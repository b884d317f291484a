"""Which proposals are tables: grids built of them, features of the finished tables, a learned score, a choice."""
