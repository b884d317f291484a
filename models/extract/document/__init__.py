"""Structure that only the whole document shows: running heads, heading levels, joins over pages. Pure, on drafts."""
