"""Read documents into one tree: `quire.models`, `quire.storage` and the other parts are links to the folders beside.

The folder of links gives the source one import name. A wheel holds the parts themselves in this place.
"""

from pathlib import Path

IMPORT_ROOT = Path(__file__).resolve().parent.parent
"""The folder from which `import quire` works: the checkout, or site-packages."""
