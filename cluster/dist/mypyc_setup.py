"""`python mypyc_setup.py FOLDER MODULE…`, in a copy of the sources: compile the modules into FOLDER.

`make check` type-checks the sources in full; mypyc only needs to understand their types.
"""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from mypyc.build import mypycify
from setuptools import setup
from setuptools.command.build_ext import build_ext

GROUP = "quire.models.extract.native"
"""Name of the library that holds the code of all modules."""
_MYPY = ("--follow-imports=silent", "--ignore-missing-imports", "--allow-untyped-calls", "--allow-untyped-decorators")


class ParallelBuild(build_ext):  # type: ignore[misc]  # setuptools states no types
    """Runs a C compiler for each core; setuptools compiles one file after another."""

    def build_extensions(self) -> None:
        """Build the library and its modules."""
        compile_in_turn = self.compiler.compile

        def compile_all(sources: list[str], **options: Any) -> list[str]:
            with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
                return sum(pool.map(lambda source: compile_in_turn([source], **options), sources), [])

        self.compiler.compile = compile_all
        super().build_extensions()


def main(out: str, names: list[str]) -> None:
    """Build the extension modules, and the library that holds their code, below `out`."""
    paths = [f"{name.replace('.', '/')}.py" for name in names]
    modules = mypycify([*_MYPY, *paths], opt_level="1", debug_level="0", multi_file=True, group_name=GROUP)
    for module in modules:  # mypyc writes the headers of a library with dots in its name there
        module.include_dirs.append("build/" + GROUP.rpartition(".")[0].replace(".", "/"))
    script = ["--quiet", "build_ext", "--build-lib", out, "--build-temp", "objects"]
    setup(name="quire", packages=[], ext_modules=modules, script_args=script, cmdclass={"build_ext": ParallelBuild})


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
