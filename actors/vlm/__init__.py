"""Vision-language models as recognisers: engines, one page at a time, and the fallback to CPU recognition."""
