"""Web addresses over line ends keep their signs and get no blank; text after an address keeps its own."""

import random

from tests.models.extract.formats.pdf.paper import Paper

PARTS = ("harbour", "reports", "2023", "quay", "wall", "final", "archive", "masters", "year", "fees", "old", "plan")
HOSTS = ("https://archive.example.org", "http://www.example.org", "www.harbour.example", "https://example.com:8080")
FILES = ("report.pdf", "index.html", "fees_2023.xlsx", "list.php?year=2023&sort=up", "plan.aspx")
AFTER = ("and is free of charge.", "which the board reads", "(see page 4) or ask", "The older one is", "and/or by post")


def make_address(rng: random.Random) -> str:
    folders = [rng.choice("-_").join(rng.sample(PARTS, rng.randint(1, 3))) for _ in range(rng.randint(2, 4))]
    return "/".join([rng.choice(HOSTS), *folders, rng.choice(FILES)])


def cut_address(seed: int) -> tuple[list[str], str]:
    """Lines of a paragraph whose address is cut at a sign, or anywhere in its path; and the paragraph."""
    rng = random.Random(seed)
    address = make_address(rng)
    first = address.index("/", 9) + 1
    places = [at for at in range(first, len(address) - 3) if address[at - 1] in "-_/=?"]
    last = max(address.rfind(sign) for sign in "/_?")
    at = rng.choice(places) if seed % 3 else rng.randint(first, last)
    end = rng.choice(AFTER)
    lines = [
        f"The whole report can be read at {address[:at]}",
        f"{address[at:]} {end}",
        "in the house of the harbour board by the river.",
    ]
    return lines, f"{lines[0]}{lines[1]} {lines[2]}"


def test_address_over_a_line_end_stays_as_it_is() -> None:
    wrong = []
    for seed in range(60):
        lines, text = cut_address(seed)
        paper = Paper()
        paper.lines(20, 50, lines, 6, 7)
        read = " ".join(block.text for block in paper.read().blocks)
        if read != text:
            wrong.append((text, read))
    assert not wrong, (len(wrong), wrong[:3])


def test_text_after_an_address_keeps_its_blank() -> None:
    wrong = []
    for seed in range(40):
        rng = random.Random(seed)
        address = rng.choice((make_address(rng), rng.choice(HOSTS) + "/", rng.choice(HOSTS)))
        end = rng.choice(
            (*AFTER, "U.S. offices know it", "www.other.example too", "https://other.example/a/b", "2023 edition")
        )
        lines = [f"The whole report can be read at {address}", f"{end} and more words of", "the harbour board."]
        paper = Paper()
        paper.lines(20, 50, lines, 6, 7)
        read = " ".join(block.text for block in paper.read().blocks)
        if read != " ".join(lines):
            wrong.append((" ".join(lines), read))
    assert not wrong, (len(wrong), wrong[:3])
