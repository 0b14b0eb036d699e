# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`xomp run --races`: what a program built with -fsanitize=thread needs so that the sanitizer knows
OpenMP's synchronization, and what came out. LLVM's tool Archer tells it; the runtime tells Archer
(OMPT)."""

from __future__ import annotations

import ctypes
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

from xomp import elf
from xomp.errors import BadInputError, tell

ARCHER = "libarcher.so"
VERSIONS = range(30, 13, -1)  # of LLVM, the newest first; its tool for 5.1's interface is 14
FOLDERS = (
    *(f"/usr/lib/llvm-{version}/lib" for version in VERSIONS),
    *(f"/usr/lib64/llvm{version}/lib64" for version in VERSIONS),
    *(f"/usr/lib64/llvm{version}/lib" for version in VERSIONS),
    f"/usr/lib/{platform.machine()}-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/usr/local/lib",
)
# Without it every access of a library that is not instrumented, such as the runtime, would count.
NEEDED_OPTION = "ignore_noninstrumented_modules"
REPORT, PLACE = b"WARNING: ThreadSanitizer: data race", b"SUMMARY: ThreadSanitizer: data race "
STATISTICS = re.compile(rb"xomp: statistics of .*, (\d+) threads?, (\d+) parallel regions?$")
TASKS = re.compile(rb"xomp:  .* (\d+)  NTASKS_CREATED$")
OF_STATISTICS = b"xomp:   "
# More random bits of addresses than the sanitizer of GCC 12 and 13 and of LLVM before 18 can place.
MOST_RANDOM_BITS = 28
ADDR_NO_RANDOMIZE = 0x0040000
TERM = {signal.SIGTERM}
SIGNALLED = 128  # and the signal's number, in a shell's exit status


def find_archer(given: str | None) -> str:
    """`given`, else what XOMP_ARCHER names, else the newest one in a usual place."""
    named = given or os.environ.get("XOMP_ARCHER")
    if named:
        path = Path(named) / ARCHER if Path(named).is_dir() else Path(named)
        if not path.is_file():
            raise BadInputError(f"no {ARCHER} at '{named}'")
        return str(path.absolute())
    for folder in FOLDERS:
        path = Path(folder) / ARCHER
        if path.is_file():
            return str(path)
    raise BadInputError(
        f"--races needs LLVM's {ARCHER} (on Debian and Ubuntu: apt install libomp-dev);"
        " --archer or XOMP_ARCHER names one elsewhere"
    )


def is_instrumented(program: elf.ElfFile) -> bool:
    """The sanitizer is a library of its own (GCC), or part of the program (clang)."""
    return any(name.startswith("libtsan.so") for name in program.needed) or any(
        symbol.name.startswith("__tsan_") for symbol in (*program.imports, *program.exports)
    )


def check_program(command: list[str]) -> None:
    """A program that is not instrumented would run, and nothing be found in it. What is no program
    of this machine, such as a script, may start one that is: it passes."""
    path = shutil.which(command[0])
    if path is None:
        return  # the error is that of any program that is not there
    try:
        program = elf.read(Path(path))
    except (elf.ElfError, OSError):
        return
    if not is_instrumented(program):
        raise BadInputError(
            f"'{command[0]}' is not instrumented: build it with -g -fopenmp -fsanitize=thread"
        )


def sanitizer_options(given: str) -> str:
    """The user's options, and what they do not say of what is needed."""
    if re.search(rf"(^|[\s:,]){NEEDED_OPTION}=", given):
        return given
    return f"{NEEDED_OPTION}=1:{given}" if given else f"{NEEDED_OPTION}=1"


def random_bits() -> int:
    try:
        return int(Path("/proc/sys/vm/mmap_rnd_bits").read_text())
    except (OSError, ValueError):
        return 0


def keep_addresses() -> None:
    """The program begins at addresses that the sanitizer can place. Where this is forbidden (some
    containers), newer sanitizers help themselves and older ones say what is wrong."""
    if random_bits() > MOST_RANDOM_BITS:
        libc = ctypes.CDLL(None)
        libc.personality(libc.personality(0xFFFFFFFF) | ADDR_NO_RANDOMIZE)


def environment(command: list[str], archer: str | None) -> dict[str, str]:
    """The changes to the environment; raises where nothing could be found in the program."""
    check_program(command)
    tools = [find_archer(archer), *os.environ.get("OMP_TOOL_LIBRARIES", "").split(":")]
    keep_addresses()
    os.environ.pop("XOMP_ARCHER", None)  # the runtime would complain that it does not know it
    return {
        "OMP_TOOL": "enabled",
        "XOMP_STATS": "1",
        "OMP_TOOL_LIBRARIES": ":".join(dict.fromkeys(tool for tool in tools if tool)),
        "TSAN_OPTIONS": sanitizer_options(os.environ.get("TSAN_OPTIONS", "")),
    }


class Seen:
    """What was seen in all runs: of the sanitizer's reports, and of the runtime's statistics."""

    def __init__(self, keep_statistics: bool) -> None:
        self.keep_statistics = keep_statistics
        self.runs = self.threads = self.regions = self.tasks = self.reports = 0
        self.places: dict[bytes, set[int]] = {}  # of races, and in which runs they were seen

    def read(self, lines: Iterator[bytes]) -> Iterator[bytes]:
        """Looks at what a run prints, and hands on what the user asked for."""
        inside = False
        for line in lines:
            text = line.rstrip(b"\n")
            found = STATISTICS.match(text)
            inside = bool(found) or (inside and line.startswith(OF_STATISTICS))
            if found:
                self.threads = max(self.threads, int(found[1]))
                self.regions += int(found[2])
            elif inside and (found := TASKS.match(text)):
                self.tasks += int(found[1])
            elif text.startswith(REPORT):
                self.reports += 1
            elif text.startswith(PLACE):
                self.places.setdefault(text.removeprefix(PLACE), set()).add(self.runs)
            if self.keep_statistics or not inside:
                yield line

    def __str__(self) -> str:
        runs = "this run" if self.runs == 1 else f"{self.runs} runs"
        if not self.reports and not self.threads:
            return f"nothing in it called OpenMP in {runs}: there was nothing to see"
        numbers = {"thread": self.threads, "parallel region": self.regions, "task": self.tasks}
        counts = ", ".join(_several(number, what) for what, number in numbers.items())
        if not self.reports:
            return f"no race seen in {runs} ({counts}); others may differ"
        # The sanitizer reports a race again in each run, and for each pair of stacks; where it was
        # told to name no places, each report counts.
        found = _several(len(self.places) or self.reports, "data race")
        places = "".join(map(self._place, self.places))
        return f"{found} reported in {runs} ({counts}){':' if places else ''}{places}"

    def _place(self, place: bytes) -> str:
        seen = f", in {len(self.places[place])} of {self.runs} runs" if self.runs > 1 else ""
        return f"\n  {place.decode(errors='replace')}{seen}"


def _several(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def watch(command: list[str], repeat: str | None, keep_statistics: bool) -> int:
    """Runs the program, `repeat` times, and says what was seen. The result is the first exit status
    that is not 0, else 0; OSError where it cannot be run."""
    times = int(repeat or 1) if (repeat or "1").isdecimal() else 0
    if times < 1:
        raise BadInputError(f"--repeat: expected a number from 1, not '{repeat}'")
    seen = Seen(keep_statistics)
    statuses = [_run(command, seen) for _ in range(times)]
    tell("xomp run --races", seen)
    return next((status for status in statuses if status), 0)


def _run(command: list[str], seen: Seen) -> int:
    """One run; its exit status, as a shell has it. Who ends the command means the program: it gets
    the signal."""
    # A thread waits for it. A handler would run only once a read is over that began just after the
    # signal came: with the program's next message, or never.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, TERM)
    try:
        with subprocess.Popen(
            command,
            stderr=subprocess.PIPE,
            preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_SETMASK, mask),
        ) as process:
            messenger = threading.Thread(target=_pass_on, args=(process,), daemon=True)
            messenger.start()
            try:
                for line in seen.read(process.stderr):
                    sys.stderr.buffer.write(line)
                    sys.stderr.buffer.flush()
                status = process.wait()
            except BaseException:
                process.kill()
                raise
            finally:
                process.wait()
                signal.pthread_kill(messenger.ident, signal.SIGTERM)  # there is nobody to tell
                messenger.join()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    seen.runs += 1
    return status if status >= 0 else SIGNALLED - status


def _pass_on(process: subprocess.Popen) -> None:
    """Hands each signal on until the program is over and one more has come."""
    while process.returncode is None:
        process.send_signal(signal.sigwait(TERM))
