"""What the dashboard and the console show alike: the document viewer, search hits, colours, scripts, words.

Knows neither of them: each hands in where a document's outputs are (`DocumentSource`) and under which addresses.
"""
