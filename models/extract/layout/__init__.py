"""Typographic layout: lines, rules and pictures of one page in, typed blocks in reading order out. No file format."""
