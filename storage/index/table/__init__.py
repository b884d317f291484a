"""The chunk table in Lance: rows, generations, upkeep."""
