"""Parts that the dashboard and the console share: the document viewer, search hits, colours, scripts, words.

It depends on neither: each passes the source of a document's outputs (`DocumentSource`) and their addresses.
"""
