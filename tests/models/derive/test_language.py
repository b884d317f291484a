"""Language: seven of them, and silence where there is too little to say."""

import pytest

from quire.models.derive.language import detect_language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The river carries a lot of water in spring and leaves its bed.", "en"),
        ("La rivière porte beaucoup d'eau au printemps et sort de son lit.", "fr"),
        ("Der Fluss führt im Frühjahr sehr viel Wasser und tritt über seine Ufer.", "de"),
        ("El río lleva mucha agua en primavera y se sale de su cauce habitual.", "es"),
        ("Il fiume porta molta acqua in primavera ed esce dal suo letto.", "it"),
        ("De rivier voert in het voorjaar veel water en treedt buiten haar oevers.", "nl"),
        ("O rio leva muita água na primavera e sai do seu leito habitual.", "pt"),
        ("12 345 67", None),
        ("ok", None),
        ("", None),
    ],
)
def test_the_language_of_a_sentence(text: str, language: str | None) -> None:
    assert detect_language(text) == language
