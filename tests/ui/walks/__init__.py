"""Walks over the pages of the dashboard: kinds of documents, states that an act brings about, and the keyboard."""
