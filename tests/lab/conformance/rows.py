"""The table whole, in the order in which its rows are asked: later rows stand on what earlier ones made."""

from tests.lab.conformance import job_rows, source_rows, output_rows, review_rows, system_rows, access_rows  # noqa: F401, I001  (this order)
from tests.lab.conformance.probe import ROWS

__all__ = ["ROWS"]
