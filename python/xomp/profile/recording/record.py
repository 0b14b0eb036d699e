# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program and has it recorded: as it is, and before that on one thread."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import IO

from xomp.errors import BadInputError, InterruptedCommandError
from xomp.profile.reading.format import SERIAL, SUFFIX
from xomp.run import not_started

COMMAND = "xomp profile"
OUTPUT = "output"  # what the serial run printed
PORTION = 1 << 16  # bytes
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OMP_THREAD_LIMIT": "1"}


def check(command: list[str]) -> None:
    """Whether there is such a program, before anything else is done."""
    program = command[0]
    if shutil.which(program) is None:
        error: OSError = FileNotFoundError()
        if "/" in program and Path(program).exists():
            error = PermissionError(errno.EACCES, "it is not executable")
        raise not_started(COMMAND, program, error)


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


def check_file(path: Path) -> None:
    """Whether a file can be written there, which is left as it is until then."""
    if path.is_dir():
        raise BadInputError(f"'{path}' is a folder")
    try:
        with path.open("ab") if path.exists() else tempfile.TemporaryFile(dir=path.parent):
            return
    except OSError as error:
        raise BadInputError(f"cannot write '{path}': {error.strerror}") from None


def check_folder(path: Path) -> None:
    """Whether files can be written there, or the folder made."""
    there = next(each for each in (path.absolute(), *path.absolute().parents) if each.exists())
    try:
        with tempfile.TemporaryFile(dir=there):
            return
    except OSError as error:
        raise BadInputError(f"cannot write '{path}': {error.strerror}") from None


def _names(name: str) -> Iterator[Path]:
    yield Path(f"{name}.profile")
    for number in count(2):
        yield Path(f"{name}.profile-{number}")


def recorded(folder: Path) -> bool:
    return any(folder.glob(f"*{SUFFIX}"))


def discard(folder: Path, keep: bool) -> None:
    """Takes away the folders of runs that recorded nothing; but for what the program printed on one
    thread, as that was not shown, and for the folder itself where it was there before."""
    printed = folder / SERIAL / OUTPUT
    if printed.exists() and not printed.stat().st_size:
        printed.unlink()
    for each in (folder / SERIAL, *([] if keep else [folder])):
        with contextlib.suppress(OSError):
            each.rmdir()


def run_serially(command: list[str], folder: Path, variables: dict, stdin: Input) -> int:
    """On one thread; what it prints goes into a file. Ctrl-C ends the whole."""
    serial = folder / SERIAL
    serial.mkdir()
    pressed: list[int] = []
    with (serial / OUTPUT).open("wb") as output:
        status = run(command, serial, {**variables, **ONE_THREAD}, stdin, output, pressed.append)
    if pressed:
        raise InterruptedCommandError("interrupted; --no-serial leaves the run on one thread out")
    return status


def run(
    command: list[str],
    folder: Path,
    variables: dict[str, str],
    stdin: Input | None = None,
    output: IO | None = None,
    on_interrupt: Callable[[int], object] = lambda _: None,
) -> int:
    """The exit status, as a shell gives it."""
    environment = {**os.environ, **variables, "XOMP_PERFLOG": str(folder.absolute())}
    sys.stdout.flush()
    # Ctrl-C is for the program: what it did until then is reported. (A signal that was ignored
    # would be so in the program as well; one that is handled is not.)
    ours = signal.signal(signal.SIGINT, lambda number, _: on_interrupt(number))
    reading = stdin.open() if stdin is not None else None
    try:
        process = subprocess.Popen(
            command, env=environment, stdin=reading, stdout=output, stderr=output
        )
        status = process.wait()
    except OSError as error:
        raise not_started(COMMAND, command[0], error) from None
    finally:
        signal.signal(signal.SIGINT, ours)
        if reading is not None:
            os.close(reading)
    return 128 - status if status < 0 else status


class Input:
    """Standard input for two runs: what comes through a pipe is kept for the second one.

    A program that does not read is not held up by a pipe that nobody closes.
    """

    def __init__(self) -> None:
        self._kept = bytearray()
        self._ended = False
        self._more = threading.Condition()
        self._shared = sys.stdin is None or sys.stdin.isatty()
        if not self._shared:
            threading.Thread(target=self._read, daemon=True).start()

    def open(self) -> int | None:
        """All of it from the begin, as a file to read from; None: a terminal is read as it is."""
        if self._shared:
            return None
        reading, writing = os.pipe()
        threading.Thread(target=self._write, args=(writing,), daemon=True).start()
        return reading

    def _read(self) -> None:
        while True:
            data = os.read(sys.stdin.fileno(), PORTION)
            with self._more:
                self._kept += data
                self._ended = not data
                self._more.notify_all()
            if not data:
                return

    def _write(self, writing: int) -> None:
        at = 0
        with contextlib.suppress(BrokenPipeError), open(writing, "wb", buffering=0) as pipe:
            while True:
                with self._more:
                    while not self._ended and len(self._kept) <= at:
                        self._more.wait()
                    data = bytes(self._kept[at : at + PORTION])
                if not data:
                    return
                at += pipe.write(data)
