"""Check text layers against the page: statistics of letters by script, and letters that fonts lost."""
