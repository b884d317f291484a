"""Makes pages of quarterly statements and of results of meets.

A statement has a row for each metric, a column for each period, and heads of one to three levels. Results have a
heading and rows for each event, in fixed-width lines or in tables.
"""

from html import escape

from tests.lab.bench.schema.page_parts import DAY, NUMBER, TEXT, Sheet, array_of, object_of
from tests.lab.bench.schema.page_words import Data

INCOME = {
    "revenue": ("Net sales", "Revenues", "Total revenue", "Revenue", "Total net revenues"),
    "cost_of_revenue": ("Cost of sales", "Cost of goods sold", "Cost of revenue", "Total cost of revenue"),
    "gross_profit": ("Gross profit", "Gross margin"),
    "operating_income": ("Operating income", "Income from operations", "Operating income (loss)"),
    "income_tax_expense": ("Provision for income taxes", "Income tax expense", "Income taxes"),
    "net_income": ("Net income", "Net earnings", "Net income (loss)", "NET INCOME"),
}
POSITION = {
    "cash_and_cash_equivalents": ("Cash and cash equivalents",),
    "accounts_receivable": ("Accounts receivable, net", "Receivables, net", "Trade receivables"),
    "inventories": ("Inventories", "Inventories, net", "Inventory"),
    "total_assets": ("Total assets", "TOTAL ASSETS"),
    "accounts_payable": ("Accounts payable", "Trade payables"),
    "total_stockholders_equity": ("Total stockholders’ equity", "Total shareholders' equity", "Total equity"),
}
OTHERS = ("Interest expense", "Goodwill", "Other, net", "Depreciation and amortization", "Deferred charges",
          "Selling, general and administrative", "Prepaid expenses and other")  # fmt: skip
MONTHS = ("March 31", "June 30", "September 30")
ENDS = {"March 31": "03-31", "June 30": "06-30", "September 30": "09-30"}


def filing(sheet: Sheet) -> tuple[str, Data, Data]:
    """Return the page, the properties of the schema and the truth."""
    year, month = sheet.chance.randrange(2012, 2025), sheet.chance.choice(MONTHS)
    form = sheet.pick("spanning", "dated", "months", "twice", "years")
    months = sheet.pick("Three Months Ended", "Quarter Ended", "Three months ended")
    if form == "twice":
        spans, days = [months, sheet.pick("Nine Months Ended", "Six months ended")], [year, year - 1] * 2
    else:
        spans, days = [months], [year, year - 1]
    tops = {
        "spanning": [[(f"{months} {month},", 2)], [(str(day), 1) for day in days]],
        "dated": [[(f"{month}, {day}", 1) for day in days]],
        "months": [[(months, 2)], [(f"{month}, {day}", 1) for day in days]],
        "twice": [[(f"{span}<br>{month},", 2) for span in spans], [(str(day), 1) for day in days]],
        "years": [[(months, 2)], [(f"{month},", 2)], [(str(day), 1) for day in days]],
    }[form]
    ends = [f"{day}-{ENDS[month]}" for day in days]
    truth: Data = {}
    income = _table(sheet, INCOME, tops, ends, truth)
    earlier = [f"{year}-{ENDS[month]}", f"{year - 1}-12-31"]
    heads = [[(f"{month}, {year}", 1), (f"December 31, {year - 1}", 1)]]
    if form in ("spanning", "years"):
        heads = [[(f"{month},", 1), ("December 31,", 1)], [(str(year), 1), (str(year - 1), 1)]]
    position = _table(sheet, POSITION, heads, earlier, truth)
    scale = sheet.pick("(in millions)", "(In thousands, except per share data)", "(Unaudited, in millions)", "")
    titles = ("Condensed Consolidated Statements of Operations", "Condensed Consolidated Balance Sheets")
    item = object_of({"value": NUMBER, "period_end": DAY}) if sheet.layout.random() < 0.6 else object_of(
        {"label": TEXT, "amount": NUMBER, "period_end_date": DAY})  # fmt: skip
    if "label" in item["properties"]:
        for name in truth:
            truth[name] = [
                {"label": e["label"], "amount": e["value"], "period_end_date": e["period_end"]} for e in truth[name]
            ]
    else:
        truth = {
            name: [{"value": e["value"], "period_end": e["period_end"]} for e in entries]
            for name, entries in truth.items()
        }
    properties: Data = {name: {"type": "array", "items": item} for name in (*INCOME, *POSITION)}
    body = "".join(
        f"<p style='text-align:center'><b>{title}</b><br>{scale}</p>{table}"
        for title, table in zip(titles, (income, position), strict=True)
    )
    return f"<h3>Part I. Financial Information</h3>{body}<p class=small>See accompanying notes.</p>", properties, truth


def _table(
    sheet: Sheet, metrics: dict[str, tuple[str, ...]], tops: list[list[tuple[str, int]]], ends: list[str], truth: Data
) -> str:
    signs, style = sheet.pick("own", "same", "none"), sheet.pick("", "lines", "zebra")
    wide = 2 if signs == "own" else 1
    lines = []
    for top in tops:
        cells = "".join(f"<td colspan={span * wide} style='text-align:center'><b>{text}</b></td>" for text, span in top)
        lines.append(f"<tr><td></td>{cells}</tr>")
    names = [*metrics, *sheet.chance.sample(OTHERS, 3)]
    sheet.chance.shuffle(names)
    cut = sheet.chance.randrange(1, len(names))
    for place, name in enumerate(names):
        if place == cut:
            lines.append(f"<tr><td>{sheet.pick('Other items:', 'Current:', 'Operating items:')}</td></tr>")
        label = sheet.chance.choice(metrics[name]) if name in metrics else name
        numbers = [sheet.chance.randrange(-4_000, 90_000) for _ in ends]
        shown = []
        for number in numbers:
            text = f"({-number:,})" if number < 0 else f"{number:,}"
            has_sign = place in (0, len(names) - 1) and signs != "none"
            if signs == "own":
                shown.append(f"<td>{'$' * has_sign}</td><td class=r>{text}</td>")
            else:
                shown.append(f"<td class=r>{'$ ' * has_sign}{text}</td>")
        lines.append(f"<tr><td>{escape(label)}</td>{''.join(shown)}</tr>")
        if name in metrics:
            truth[name] = [
                {"label": label, "value": n, "period_end": end} for n, end in zip(numbers, ends, strict=True)
            ]
    return f"<table class='{style}' style='width:100%'>{''.join(lines)}</table>"


PEOPLE = ("Lindqvist, Anna", "Berg, Ada", "Okafor, Chidi", "Moreau, Lise", "Tanaka, Yui", "Haddad, Omar",
          "Novak, Petra", "Silva, Rui", "Khan, Zara", "Reed, Jonah", "Marsh, Ivy", "Dietz, Karl")  # fmt: skip
TEAMS = ("Harbour High", "North Weir", "St. Elm", "Old Quay", "Mill Lane", "Pier City")
EVENTS = ("Girls 200 Yard Freestyle", "Boys 100 Yard Butterfly", "Women 50 LC Meter Backstroke", "Men 400 SC Meter IM",
          "Girls 100 Yard Breaststroke", "Mixed 200 Meter Freestyle")  # fmt: skip
_COLUMNS = {"place": "Place", "name": "Name", "age": "Age", "team": "Team", "seed_time": "Seed Time",
            "finals_time": "Finals Time", "points": "Points"}  # fmt: skip


def results(sheet: Sheet) -> tuple[str, Data, Data]:
    """Return the page, the properties of the schema and the truth."""
    form = sheet.pick("lines", "tables", "once", "boxed")
    keys = [key for key in _COLUMNS if key not in ("age", "points", "seed_time") or sheet.layout.random() < 0.7]
    heads = {**_COLUMNS, "team": sheet.pick("Team", "School"), "age": sheet.pick("Age", "Yr"), "place": ""}
    if form in ("once", "boxed"):
        heads["place"] = sheet.pick("Place", "Pl", "Rank")
    title = f"Event {{}}{sheet.pick('  ', ' - ', ': ')}{{}}"
    events: list[Data] = []
    parts: list[str] = []
    for number, name in enumerate(
        sheet.chance.sample(EVENTS, sheet.chance.randrange(2, 4)), sheet.chance.randrange(1, 20)
    ):
        rows = [_result(sheet, place, keys) for place in range(1, sheet.chance.randrange(4, 8))]
        events.append({"event_number": number, "event_name": name, "results": rows})
        shown = [[str(row[key]) for key in keys] for row in rows]
        head = [heads[key] for key in keys]
        line = title.format(number, name)
        if form == "lines":
            widths = [max(map(len, column)) for column in zip(head, *shown, strict=True)]
            body = "\n".join(
                "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)) for row in [head, *shown]
            )
            parts.append(f"<b>{line}</b><pre>{escape(body)}</pre>")
        else:
            top = "".join(f"<th>{text}</th>" for text in head)
            cells = "".join("<tr>" + "".join(f"<td>{escape(text)}</td>" for text in row) + "</tr>" for row in shown)
            if form == "once":
                parts.append(
                    (f"<tr>{top}</tr>" if not parts else "")
                    + f"<tr><td colspan={len(keys)}><b>{line}</b></td></tr>{cells}"
                )
            else:
                style = "grid" if form == "boxed" else sheet.layout.choice(("", "head"))
                parts.append(
                    f"<p><b>{line}</b></p><table class='{style}' style='width:90%'><tr>{top}</tr>{cells}</table>"
                )
    body = f"<table style='width:95%'>{''.join(parts)}</table>" if form == "once" else "".join(parts)
    meet = f"{sheet.chance.choice(TEAMS)} Championships {sheet.chance.randrange(2015, 2025)}"
    day = sheet.any_day()
    item = {key: NUMBER if key in ("place", "age", "points") else TEXT for key in keys}
    properties: Data = {"events": array_of({"event_number": NUMBER, "event_name": TEXT, "results": array_of(item)})}
    head_line = f"<p style='text-align:center'><b>{meet}</b> - {day.month}/{day.day}/{day.year}<br>Results</p>"
    return head_line + body, properties, {"events": events}


def _result(sheet: Sheet, place: int, keys: list[str]) -> Data:
    seconds = sheet.chance.randrange(5_000, 14_000)
    times = [f"{value // 6000}:{value % 6000 // 100:02}.{value % 100:02}" for value in (seconds + 70, seconds)]
    row: Data = {"place": place, "name": sheet.chance.choice(PEOPLE), "age": sheet.chance.randrange(11, 19),
                 "team": sheet.chance.choice(TEAMS), "seed_time": times[0], "finals_time": times[1],
                 "points": 22 - 2 * place}  # fmt: skip
    return {key: row[key] for key in keys}
