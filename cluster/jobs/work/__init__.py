"""What the bulk programs are made of: corpora, ledgers, workers, outputs."""
