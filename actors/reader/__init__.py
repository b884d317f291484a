"""The loop of a CPU reader over the queue: claim, read, recognise, publish; leases, retries and outcomes."""
