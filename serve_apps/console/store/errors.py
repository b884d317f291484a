"""Errors of the console's store: short classes with a stable `code`; the console maps them to HTTP."""

from datetime import date


class MonthlyPagesUsed(Exception):
    """The plan's pages of this month are used or reserved; `resets_on` is the first day of the next month."""

    code = "monthly-pages"

    def __init__(self, resets_on: date) -> None:
        super().__init__(f"the pages of this month are used or reserved; the allowance resets on {resets_on}")
        self.resets_on = resets_on


class TooManyDocuments(Exception):
    """More documents at once than the plan allows."""

    code = "concurrent-documents"


class EmailTaken(Exception):
    """An account with this address exists."""

    code = "email-taken"


class SignInRefused(Exception):
    """The address or password is wrong, or there were too many attempts."""

    code = "sign-in-refused"
