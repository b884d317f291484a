"""Charts of many makers by seed: how many values are read, by kind and maker."""
