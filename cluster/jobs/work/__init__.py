"""Parts of the bulk programs: corpora, ledgers, workers, outputs."""
