"""Where tables may stand: many proposals from generators that know nothing of each other."""
