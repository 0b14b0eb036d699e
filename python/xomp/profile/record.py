# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program and has it recorded: as it is, and before that on one thread."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import IO

from xomp.errors import BadInputError, CommandError
from xomp.profile.format import SUFFIX
from xomp.profile.load import SERIAL
from xomp.run import NOT_EXECUTABLE, NOT_FOUND

OUTPUT = "output"  # what the serial run printed
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OMP_THREAD_LIMIT": "1"}


def check(command: list[str]) -> None:
    """Whether there is such a program, before anything else is done."""
    program = command[0]
    if shutil.which(program) is None:
        if "/" in program and Path(program).exists():
            raise CommandError(f"cannot run '{program}': it is not executable", NOT_EXECUTABLE)
        raise CommandError(f"no program '{program}'", NOT_FOUND)


def fresh_folder(program: str, wanted: Path | None) -> Path:
    """A folder for logs with nothing in it, in which can be written."""
    names = iter([wanted]) if wanted is not None else _names(Path(program).name)
    folder = next(each for each in names if each == wanted or not each.exists())
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise BadInputError(f"'{folder}' is not empty")
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except FileExistsError:
        raise BadInputError(f"'{folder}' is not a folder") from None
    except OSError as error:
        raise BadInputError(f"cannot write '{folder}': {error.strerror}") from None


def _names(name: str) -> Iterator[Path]:
    yield Path(f"{name}.profile")
    for number in count(2):
        yield Path(f"{name}.profile-{number}")


def recorded(folder: Path) -> bool:
    return any(folder.glob(f"*{SUFFIX}"))


def run_serially(command: list[str], folder: Path, variables: dict, stdin: IO | None) -> int:
    """On one thread; what it prints goes into a file."""
    serial = folder / SERIAL
    serial.mkdir()
    with (serial / OUTPUT).open("wb") as output:
        return run(command, serial, {**variables, **ONE_THREAD}, stdin, output)


def run(
    command: list[str],
    folder: Path,
    variables: dict[str, str],
    stdin: IO | None = None,
    output: IO | None = None,
) -> int:
    """The exit status, as a shell gives it."""
    environment = {**os.environ, **variables, "XOMP_PERFLOG": str(folder.absolute())}
    sys.stdout.flush()
    # Ctrl-C is for the program: what it did until then is reported.
    ours = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        process = subprocess.Popen(
            command,
            env=environment,
            stdin=stdin,
            stdout=output,
            stderr=output,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        status = process.wait()
    except (OSError, subprocess.SubprocessError) as error:
        why = getattr(error, "strerror", None) or error
        raise CommandError(f"cannot run '{command[0]}': {why}", NOT_EXECUTABLE) from None
    finally:
        signal.signal(signal.SIGINT, ours)
    return 128 - status if status < 0 else status


@contextmanager
def same_input() -> Iterator[tuple[IO | None, IO | None]]:
    """Standard input for each of two runs: what comes through a pipe is kept for the second."""
    if sys.stdin is None or sys.stdin.isatty():
        yield None, None
        return
    with tempfile.NamedTemporaryFile() as kept:
        shutil.copyfileobj(sys.stdin.buffer, kept)
        kept.flush()
        with open(kept.name, "rb") as first, open(kept.name, "rb") as second:  # noqa: PTH123
            yield first, second
