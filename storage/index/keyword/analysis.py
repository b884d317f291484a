"""Analysis of text into words, per language, and of words into a BM25 query. No parser: operators are just text."""

from collections import Counter
from collections.abc import Collection, Sequence
from functools import cache

import tantivy

LANGUAGES = {
    "da": "danish",
    "de": "german",
    "en": "english",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pt": "portuguese",
    "ru": "russian",
    "sv": "swedish",
}
"""Languages with a stemmer and stop words in tantivy; any other is indexed unstemmed."""

FIELDS = (*(f"text_{code}" for code in LANGUAGES), "text_any")
MAX_QUERY_WORDS = 128  # words of a question that are looked up

Words = dict[tuple[str, str], float]
"""(field, analysed word) → weight."""


def field_of(language: str | None) -> str:
    """Return the field for chunks of this language (ISO 639-1); unknown languages (None) are taken for English."""
    if language is None:
        return "text_en"
    return f"text_{language}" if language in LANGUAGES else "text_any"


@cache
def analysers() -> dict[str, tantivy.TextAnalyzer]:
    """Return the analyser of each field."""
    return {field: _analyser(LANGUAGES.get(field.removeprefix("text_"))) for field in FIELDS}


def _analyser(language: str | None) -> tantivy.TextAnalyzer:
    """Return an analyser to lower case without accents, stop words and endings of `language`."""
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple()).filter(tantivy.Filter.remove_long(80))
    builder = builder.filter(tantivy.Filter.lowercase())
    if language is not None:
        builder = builder.filter(tantivy.Filter.stopword(language)).filter(tantivy.Filter.stemmer(language))
    return builder.filter(tantivy.Filter.ascii_fold()).build()


@cache
def index_schema() -> tantivy.Schema:
    """Return the schema of every keyword index."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("key", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("document", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("generation", tokenizer_name="raw", index_option="basic")
    builder.add_bytes_field("row", stored=True, indexed=False)
    for field in FIELDS:
        builder.add_text_field(field, tokenizer_name=field, index_option="freq")
    return builder.build()


def words_of(text: str, field: str = "text_en") -> list[str]:
    """Return the words by which `text` is indexed or queried in a field."""
    return [str(word) for word in analysers()[field].analyze(text)]


def ask(text: str, fields: Sequence[str]) -> Words:
    """Return a query's words in each of the fields, weighted by repetition; operators have no meaning."""
    asked: Counter[tuple[str, str]] = Counter()
    for field in fields:
        asked.update((field, word) for word in words_of(text, field)[:MAX_QUERY_WORDS])
    return {pair: float(count) for pair, count in asked.items()}


def to_query(schema: tantivy.Schema, words: Words, documents: Collection[str] | None) -> tantivy.Query | None:
    """Return a query for any of the words by BM25, only within `documents` if given; None without words."""
    if not words:
        return None
    query = tantivy.Query.boolean_query([_term(schema, *pair, weight) for pair, weight in words.items()])
    if documents is None:
        return query
    only = tantivy.Query.term_set_query(schema, "document", sorted(documents))
    filtering = tantivy.Query.const_score_query(only, 0.0)
    return tantivy.Query.boolean_query([(tantivy.Occur.Must, query), (tantivy.Occur.Must, filtering)])


def _term(schema: tantivy.Schema, field: str, word: str, weight: float) -> tuple[tantivy.Occur, tantivy.Query]:
    query = tantivy.Query.term_query(schema, field, word, "freq")
    return tantivy.Occur.Should, query if weight == 1.0 else tantivy.Query.boost_query(query, weight)
