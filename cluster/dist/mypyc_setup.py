"""`python mypyc_setup.py FOLDER GROUP MODULE…`, in a copy of the sources: compile the modules into FOLDER.

`make check` type-checks the sources in full; mypyc only needs to understand their types.
"""

import sys

from mypyc.build import mypycify
from setuptools import setup

_MYPY = ("--follow-imports=silent", "--ignore-missing-imports", "--allow-untyped-calls", "--allow-untyped-decorators")


def main(out: str, group: str, names: list[str]) -> None:
    """Build the extension modules, and the library that holds their code, below `out`."""
    paths = [f"{name.replace('.', '/')}.py" for name in names]
    modules = mypycify([*_MYPY, *paths], opt_level="2", debug_level="0", multi_file="." not in group, group_name=group)
    script = ["--quiet", "build_ext", "--build-lib", out, "--build-temp", "objects"]
    setup(name="quire", packages=[], ext_modules=modules, script_args=script)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
