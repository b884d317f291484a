"""Published trees for one caller: where they are, redacted when asked, ingested from elsewhere."""
