"""How text becomes words, per language, and how words become a BM25 query. No parser: operators are just text."""

from collections import Counter
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
MAX_QUERY_WORDS = 128


def field_of(language: str | None) -> str:
    """The field a chunk of this language (ISO 639-1, None = unknown) is indexed in. Unknown is taken for English."""
    if language is None:
        return "text_en"
    return f"text_{language}" if language in LANGUAGES else "text_any"


@cache
def analysers() -> dict[str, tantivy.TextAnalyzer]:
    """Analyser by field name."""
    return {field: _analyser(LANGUAGES.get(field.removeprefix("text_"))) for field in FIELDS}


def _analyser(language: str | None) -> tantivy.TextAnalyzer:
    """Lower case, no accents; stop words and endings of `language` removed."""
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple()).filter(tantivy.Filter.remove_long(80))
    builder = builder.filter(tantivy.Filter.lowercase())
    if language is not None:
        builder = builder.filter(tantivy.Filter.stopword(language)).filter(tantivy.Filter.stemmer(language))
    return builder.filter(tantivy.Filter.ascii_fold()).build()


@cache
def index_schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("key", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("document", tokenizer_name="raw", index_option="basic")
    for field in FIELDS:
        builder.add_text_field(field, tokenizer_name=field, index_option="freq")
    return builder.build()


def words_of(text: str, field: str = "text_en") -> list[str]:
    """The words `text` is indexed or asked by in a field."""
    return [str(word) for word in analysers()[field].analyze(text)]


def match_query(
    schema: tantivy.Schema, fields: tuple[str, ...], text: str, weights: dict[str, float], document_id: str | None
) -> tantivy.Query | None:
    """Any of the words in any of the fields, repeated words counting more; None when no word is left to ask for.

    `weights` are further words, already analysed as in `fields[0]`, with their weight beside 1.0 of a query word.
    """
    clauses = []
    for field in fields:
        wanted: Counter[str] = Counter(words_of(text, field)[:MAX_QUERY_WORDS])
        pairs = {word: float(count) for word, count in wanted.items()}
        for word, weight in weights.items():
            pairs[word] = pairs.get(word, 0.0) + weight
        clauses += [_term(schema, field, word, weight) for word, weight in pairs.items()]
    if not clauses:
        return None
    query = tantivy.Query.boolean_query(clauses)
    if document_id is None:
        return query
    only = tantivy.Query.const_score_query(tantivy.Query.term_query(schema, "document", document_id, "basic"), 0.0)
    return tantivy.Query.boolean_query([(tantivy.Occur.Must, query), (tantivy.Occur.Must, only)])


def _term(schema: tantivy.Schema, field: str, word: str, weight: float) -> tuple[tantivy.Occur, tantivy.Query]:
    query = tantivy.Query.term_query(schema, field, word, "freq")
    return tantivy.Occur.Should, query if weight == 1.0 else tantivy.Query.boost_query(query, weight)
