"""`make test-postgres PROGRAMS=/usr/lib/postgresql/15/bin`: the tests of storage on a server of another version."""

import argparse
import os
import subprocess
import sys

import psycopg

from tests.chaos.database.servers import DatabaseServer, programs_in, server_folder
from tests.postgres import FAST, URL

TESTS = ("tests/storage",)


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
            return subprocess.run(command, env={**os.environ, URL: server.dsn}, check=False).returncode
        finally:
            server.stop()


if __name__ == "__main__":
    sys.exit(main())
