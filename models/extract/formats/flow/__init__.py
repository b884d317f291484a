"""Shared code of flowing formats: blocks while a file is read, their text, and the open document made of them."""
