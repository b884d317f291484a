"""Jobs and documents as callers see them: submission, listings, lifecycle, counts."""
