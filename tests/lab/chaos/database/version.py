"""`make drill NAME=postgres ARGS="--programs FOLDER"`: the tests of storage on a server of another version."""

import argparse
import os
import subprocess
import sys

import psycopg

from tests.lab.chaos.database.servers import DatabaseServer, programs_in, server_folder
from tests.postgres import FAST, URL

TESTS = ("tests/storage",)
OWN_ONLY = ("quire_service", "letting_it_in_again", "nothing_erased_stays_in_tables_or_log")
"""Tests of what is promised of the embedded database alone: its role (`maintain` is of 17) and its log."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs")
    parser.add_argument("tests", nargs="*", default=TESTS)
    options = parser.parse_args()
    with server_folder() as folder:
        server = DatabaseServer(folder, programs_in(options.programs, folder))
        server.make(FAST)
        server.start()
        try:
            with psycopg.connect(server.dsn) as connection:
                print(f"PostgreSQL {connection.info.server_version / 10000:.2f}", flush=True)
            command = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", *options.tests]
            command += ["-k", " and ".join(f"not {name}" for name in OWN_ONLY)]
            return subprocess.run(command, env={**os.environ, URL: server.dsn}, check=False).returncode
        finally:
            server.stop()


if __name__ == "__main__":
    sys.exit(main())
