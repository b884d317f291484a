"""The examples of docs/charts.md are what is read now."""

from tests.docs.chart_examples import EXAMPLES, PAGE, PICTURES, replace_examples


def test_examples_of_charts_are_those_read_now() -> None:
    page = PAGE.read_text()

    assert replace_examples(page) == page
    assert all((PICTURES / f"chart-{kind}.png").is_file() for kind, *_ in EXAMPLES)
