"""Whether a text layer says what its page shows: statistics of letters by script, and letters that fonts lost."""
