"""`python mypyc_setup.py FOLDER MODULE…`, in a copy of the sources: mypyc writes C beside them, setuptools makes libraries.

mypy's checks come elsewhere, and in full; here types only have to be understood.
"""

import sys

from mypyc.build import mypycify
from setuptools import setup

_GROUP = "quire"
_MYPY = ("--follow-imports=silent", "--ignore-missing-imports", "--allow-untyped-calls", "--allow-untyped-decorators")


def main(out: str, names: list[str]) -> None:
    """Libraries of the modules, and the one that holds their code, below `out`."""
    paths = [f"{name.replace('.', '/')}.py" for name in names]
    modules = mypycify([*_MYPY, *paths], opt_level="2", debug_level="0", multi_file=True, group_name=_GROUP)
    script = ["--quiet", "build_ext", "--build-lib", out, "--build-temp", "objects"]
    setup(name=_GROUP, packages=[], ext_modules=modules, script_args=script)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
