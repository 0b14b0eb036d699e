# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds GCC's source archive (Debian's gcc-N-source) and extracts the part that is needed.

Nothing of it is part of this project: it lands in the build folder and stays there.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import tarfile
from dataclasses import dataclass
from pathlib import Path

from xomp.errors import BadInputError

# Beyond the tests: the declarations of GOMP_* that libgomp.c/ includes, and two constants' headers.
_WANTED = re.compile(
    r"^[^/]+/(libgomp/testsuite/libgomp\.(c|c\+\+|c-c\+\+-common|fortran)/"
    r"|libgomp/testsuite/libgomp\.oacc-fortran/pr90030\.f90$"
    r"|libgomp/libgomp_g\.h$|include/gomp-constants\.h$)"
)

# libgomp's configure would write this; one test reads one macro of it.
_CONFIG_H = "#define HAVE_PTHREAD_AFFINITY_NP 1\n"


class SourceError(BadInputError):
    """The test suite's sources cannot be had; the text says what to install."""


@dataclass(frozen=True)
class Suite:
    """An extracted suite: ``root`` is the top of GCC's tree, ``digest`` names the archive."""

    root: Path
    archive: Path
    digest: str

    @property
    def tests(self) -> Path:
        return self.root / "libgomp" / "testsuite"

    @property
    def include_flags(self) -> list[str]:
        return [f"-I{self.root / folder}" for folder in ("generated", "include", "libgomp")]


def find_archive(given: str | None) -> Path:
    if given:
        path = Path(given)
        if not path.is_file():
            raise SourceError(f"no such archive: {given}")
        return path
    found = sorted(Path("/usr/src/gcc-12").glob("gcc-12*.tar.*"))
    if not found:
        raise SourceError(
            "GCC's test suite is not here: install the Debian package gcc-12-source "
            "(apt-get install gcc-12-source), or name an archive with --archive"
        )
    return found[-1]


def prepare(archive: Path, work: Path) -> Suite:
    """Extract once; a stamp with the archive's size and time says that it is done."""
    root = work / "source"
    stamp = root / "stamp.json"
    status = archive.stat()
    identity = {"archive": str(archive), "size": status.st_size, "mtime": status.st_mtime_ns}
    try:
        known = json.loads(stamp.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        known = {}
    if {key: known.get(key) for key in identity} == identity:
        return Suite(root, archive, known["digest"])
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    _extract(archive, root)
    (root / "generated").mkdir()
    (root / "generated" / "config.h").write_text(_CONFIG_H, encoding="utf-8")
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    stamp.write_text(json.dumps({**identity, "digest": digest}), encoding="utf-8")
    return Suite(root, archive, digest)


def _extract(archive: Path, root: Path) -> None:
    # Members are written one by one under names that match the pattern: no links, no "..".
    count = 0
    with tarfile.open(archive, mode="r|*") as stream:
        for member in stream:
            if not member.isfile() or not _WANTED.match(member.name) or ".." in member.name:
                continue
            target = root / member.name.split("/", 1)[1]
            target.parent.mkdir(parents=True, exist_ok=True)
            data = stream.extractfile(member)
            assert data is not None
            target.write_bytes(data.read())
            count += 1
    if count == 0:
        raise SourceError(f"{archive} has no libgomp test suite in it")
