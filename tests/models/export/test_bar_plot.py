"""Bars over time: heights by value, described in words, texts escaped."""

import re

from quire.models.export.bar_plot import PlotBar, bar_plot


def test_bars_are_as_high_as_their_share_of_the_largest() -> None:
    drawn = bar_plot("Pages", [PlotBar("1 Nov", 50), PlotBar("2 Nov", 0), PlotBar("3 Nov", 200)])
    assert re.findall(r'<rect x="([\d.]+)" y="([\d.]+)" width="8" height="([\d.]+)"', drawn) == [
        ("1", "75", "25"),
        ("21", "0", "100"),
    ]
    assert "<title>3 Nov: 200</title>" in drawn
    assert 'aria-label="Pages: 250 in all; most: 3 Nov (200)"' in drawn


def test_small_bar_next_to_a_large_one_stays_visible() -> None:
    drawn = bar_plot("Pages", [PlotBar("a", 1), PlotBar("b", 1_000_000)])
    assert 'y="98" width="8" height="2"' in drawn


def test_nothing_at_all_is_said_and_drawn_as_nothing() -> None:
    assert "0 in all" in bar_plot("Pages", [])
    assert "<rect" not in bar_plot("Pages", [PlotBar("a", 0)])


def test_labels_are_escaped() -> None:
    assert "<b>" not in bar_plot("<b>", [PlotBar("<b>", 3)])


def test_rates_are_labelled_without_a_total() -> None:
    figure = bar_plot("Milliseconds a page", [PlotBar("a.pdf", 30), PlotBar("b.pdf", 10)], summed=False)
    assert "most: a.pdf (30)" in figure
    assert "in all" not in figure
