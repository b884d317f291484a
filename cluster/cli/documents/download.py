"""Downloads one file for `quire extract URL`, under the egress rules of the service."""

from pathlib import Path

from quire.cluster.cli.shared.options import CommandStopped, settings_from
from quire.models.cdom.original import clean_name
from quire.storage.values.errors import UrlRefused
from quire.storage.webhooks.download import Downloads, DownloadTooLarge
from quire.storage.webhooks.egress import Egress, Unreachable

MEGABYTE = 1 << 20  # bytes


def download(url: str, file: Path) -> str:
    """Write what stands at `url` to `file` and return its name. Raises `CommandStopped`."""
    settings = settings_from()
    try:
        with file.open("wb") as target:
            downloads = Downloads(Egress(settings.download_allow))
            name = downloads.get(url, target.write, settings.max_upload_mb * MEGABYTE)
    except UrlRefused as error:
        raise CommandStopped(f"{url}: url-refused: {error}") from None
    except Unreachable as error:
        raise CommandStopped(f"{url}: url-unreachable: {error.code}") from None
    except DownloadTooLarge:
        raise CommandStopped(f"{url}: the file is larger than SVC_MAX_UPLOAD_MB") from None
    return clean_name(name)
