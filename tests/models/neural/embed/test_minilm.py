"""The model that comes with the service: what is kept between texts changes no vector."""

import numpy as np

from quire.models.neural.embed.minilm import WIDTH, MiniLm

LENGTHS = (1, 9, 3, 9, 40, 1, 120, 3)
TEXTS = [f"rope {'anchor ' * length}" for length in LENGTHS]


def test_a_question_has_the_vector_of_the_same_passage() -> None:
    model = MiniLm()
    passages = [model.embed([text])[0] for text in TEXTS]
    questions = [model.embed_queries([text])[0] for text in TEXTS]
    assert all(np.array_equal(one, other) for one, other in zip(passages, questions, strict=True))


def test_a_length_met_before_changes_no_vector() -> None:
    model = MiniLm()
    first = [model.embed_queries([text])[0] for text in TEXTS]
    assert np.array_equal(first[1], first[3])
    assert np.array_equal(first[0], first[5])
    assert all(np.array_equal(model.embed_queries([text])[0], one) for text, one in zip(TEXTS, first, strict=True))


def test_vectors_are_of_length_one_in_the_order_given() -> None:
    model = MiniLm()
    vectors = model.embed(TEXTS)
    assert vectors.shape == (len(TEXTS), WIDTH)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert all(float(model.embed([text])[0] @ vector) > 0.9999 for text, vector in zip(TEXTS, vectors, strict=True))


def test_no_text_has_no_vector() -> None:
    assert MiniLm().embed_queries([]).shape == (0, WIDTH)
