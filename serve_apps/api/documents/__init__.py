"""Published trees for one caller: location, redaction, ingest."""
