"""Words that name values whose own shape says too little: dates of birth, passports, plates, accounts, phones, devices.

The words are rows of `labels.toml`; those for the numbers of each country are in `national.tsv`.
"""

import tomllib
from pathlib import Path

from quire.models.pii.patterns.labels import Labels

_ROWS = tomllib.loads(Path(__file__).with_name("labels.toml").read_text(encoding="utf-8"))
_LABELS = {name: Labels(*row.pop("words"), **row) for name, row in _ROWS.items()}

BIRTH = _LABELS["birth"]
PAPERS = _LABELS["papers"]
"""Words for identity papers, driving licences, tax, social-security, insurance and patient numbers of all countries."""
SOCIAL = _LABELS["social"]
CARD_DETAIL = _LABELS["card_detail"]
"""Words before the few figures of a card that are printed apart."""
NATIONAL = _LABELS["national"]
PASSPORT = _LABELS["passport"]
PLATE = _LABELS["plate"]
PHONE = _LABELS["phone"]
ACCOUNT = _LABELS["account"]
CARD = _LABELS["card"]
DEVICE = _LABELS["device"]
VEHICLE = _LABELS["vehicle"]
WALLET = _LABELS["wallet"]
SEED = _LABELS["seed"]
RESIDENCE = _LABELS["residence"]
"""Words before the place where a person lives."""
HOST_NAMES = _LABELS["host_names"]
"""Words that name a network address."""
PASSWORD_NAMES = _LABELS["password_names"]
KEY_NAMES = _LABELS["key_names"]
