"""A DAG that sends a folder to Quire, waits for the job in a sensor, and writes one Markdown file for each document."""

from datetime import datetime
from pathlib import Path

from airflow.sdk import PokeReturnValue, dag, task
from quire_client import Client

FOLDER, OUTPUT = "papers", "markdown"


@dag(schedule="@daily", start_date=datetime(2026, 1, 1), catchup=False)
def read_folder(folder: str = FOLDER, output: str = OUTPUT) -> None:
    @task
    def send(folder: str) -> str:
        files = [path for path in sorted(Path(folder).iterdir()) if path.is_file()]
        with Client() as quire:  # reads QUIRE_URL and QUIRE_TOKEN
            return quire.create_job(files)["id"]

    @task.sensor(poke_interval=10, timeout=3600, mode="reschedule")
    def has_ended(job_id: str) -> PokeReturnValue:
        with Client() as quire:
            job = quire.get_job(job_id)
        return PokeReturnValue(is_done=job["finished_at"] is not None, xcom_value=job_id)

    @task
    def write_markdown(job_id: str, output: str) -> list[str]:
        Path(output).mkdir(parents=True, exist_ok=True)
        written = []
        with Client() as quire:
            for document in quire.get_job(job_id)["documents"]:
                if document["status"] != "succeeded":
                    print(f"{document['source_file']}: {document['error']}")
                    continue
                path = Path(output) / f"{Path(document['source_file']).stem}.md"
                path.write_text(quire.export_markdown(job_id, document["document_id"]))
                written.append(str(path))
        return written

    write_markdown(has_ended(send(folder)), output)


read_folder()
