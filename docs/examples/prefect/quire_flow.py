"""A flow that reads a folder and writes one Markdown file for each document."""

from pathlib import Path

from prefect import flow, task
from quire_client import Client


@task
def find_files(folder: str) -> list[str]:
    return [str(path) for path in sorted(Path(folder).iterdir()) if path.is_file()]


@task(retries=3, retry_delay_seconds=10)
def read_file(path: str, output: str) -> str:
    with Client() as quire:  # reads QUIRE_URL and QUIRE_TOKEN
        document = quire.read(path)
    written = Path(output) / f"{Path(path).stem}.md"
    written.write_text(document.markdown)
    return str(written)


@flow(log_prints=True)
def read_folder(folder: str, output: str) -> list[str]:
    Path(output).mkdir(parents=True, exist_ok=True)
    written = [read_file(path, output) for path in find_files(folder)]
    print(f"{len(written)} documents")
    return written


if __name__ == "__main__":
    read_folder("papers", "markdown")
