"""Vision-language OCR models: prompt, sampling and parser of each. No engine and no weights here."""
