# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds libxomp.so. Imports next to nothing, because `xomp run` pays for every import."""

from __future__ import annotations

import os

from xomp import __version__
from xomp.elf_head import ET_DYN, ElfError, read_head
from xomp.errors import BadInputError, tell

NOTE = b"\1\0\0\0xomp\0\0\0\0"  # kind and name of the ELF note that holds the version
FIRST_PAGE = 4096

# The library's own name and those by which binaries of gcc, clang and Intel's compilers ask for it.
NAMES = ("libxomp.so", "libgomp.so.1", "libomp.so.5", "libomp.so", "libiomp5.so")


class LibraryError(BadInputError):
    """There is no library to run on; the text is for the user."""


def find(given: str | None = None) -> str:
    """The absolute path of libxomp.so.

    It is `given` (a file, or a folder that holds it), else the one inside the package (a wheel's
    own, or a link to that of the prefix), else the one in the build folder of this checkout.
    """
    if given is not None:
        path = os.path.join(given, "libxomp.so") if os.path.isdir(given) else given
        if not os.path.isfile(path):
            raise LibraryError(f"no library at '{given}'")
        check(path)
        return os.path.realpath(path)
    package = os.path.dirname(os.path.realpath(__file__))
    for path in (
        os.path.join(package, "lib", "libxomp.so"),
        os.path.join(package, "..", "..", "build", "lib", "libxomp.so"),
    ):
        if os.path.isfile(path):
            return os.path.realpath(path)
    if os.path.isfile(os.path.join(package, "..", "..", "CMakeLists.txt")):
        raise LibraryError("libxomp.so is not built yet; run `make`, or name it with --lib")
    raise LibraryError("this installation lacks libxomp.so; install it anew, or name it with --lib")


def check(path: str) -> None:
    """Raises where a file is not libxomp.so, or not for this machine: programs would run on their
    own runtime as if nothing had been asked for."""
    try:
        head = read_head(path)
        here = read_head("/proc/self/exe")
    except ElfError as error:
        raise LibraryError(error) from None
    except OSError as error:
        raise LibraryError(f"cannot read '{path}': {error.strerror}") from None
    if head.kind != ET_DYN or version(path) is None:
        raise LibraryError(f"'{path}' is not a libxomp.so")
    if head.machine != here.machine:
        raise LibraryError(f"'{path}' is for {head.machine}, and this machine is {here.machine}")


def version(library: str) -> str | None:
    """What the library says of itself, without loading it; None where it says nothing."""
    try:
        with open(library, "rb") as file:
            page = file.read(FIRST_PAGE)
    except OSError:
        return None
    _, found, rest = page.partition(NOTE)
    return rest.partition(b"\0")[0].decode(errors="replace") if found else None


def compare_versions(command: str, library: str) -> None:
    """Warns where command and library are not of one version."""
    found = version(library)
    if found not in (None, __version__):
        tell(command, f"'{library}' is version {found}, and this command is version {__version__}")


def environment(library: str, preload: bool = True) -> dict[str, str]:
    """The changes to the environment that make `library` the OpenMP runtime of a program.

    The folder on LD_LIBRARY_PATH holds libgomp.so.1 for programs that search there. LD_PRELOAD
    serves those that do not: they have an RPATH, or a private copy under another name, as Python
    wheels carry it. What is preloaded is libgomp.so.1 as well, where it is there: threadpoolctl,
    which scikit-learn and joblib use to limit threads, knows OpenMP runtimes by their file names.
    """
    folder, name = os.path.split(library)
    changes = {}
    beside = os.path.exists(os.path.join(folder, "libgomp.so.1"))
    if beside:
        name = "libgomp.so.1"
    for mark in ":;$":
        if mark in folder:
            raise LibraryError(f"the loader splits paths at '{mark}': it cannot find '{library}'")
    if beside or " " in library:
        old = os.environ.get("LD_LIBRARY_PATH")
        changes["LD_LIBRARY_PATH"] = f"{folder}:{old}" if old else folder
    if preload:
        # The loader splits LD_PRELOAD at spaces; a bare name is searched for on LD_LIBRARY_PATH.
        entry = name if " " in library else os.path.join(folder, name)
        # Last, because a sanitizer or an allocator wants to be first; another xomp goes.
        old_entries = os.environ.get("LD_PRELOAD", "").replace(":", " ").split()
        ours = NAMES
        kept = [old for old in old_entries if os.path.basename(old) not in ours]
        changes["LD_PRELOAD"] = ":".join([*kept, entry])
    return changes
