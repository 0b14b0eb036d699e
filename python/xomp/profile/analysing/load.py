# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A directory of logs as a program's run: which process counts, and which run is its serial one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from xomp.profile.analysing.summary import Profile
from xomp.profile.reading.files import read
from xomp.profile.reading.format import SERIAL, SUFFIX
from xomp.profile.reading.log import Log, LogError

SERIAL_RUN = "the run on one thread"  # a step of what is to be done


def load(
    where: Path, process: int | None = None, step: Callable[[str], object] = lambda _: None
) -> tuple[Profile, list[Log]]:
    """The process that did the most, or the one asked for; and the others. `step` is told when the
    run on one thread comes to be read."""
    logs = read(where)
    chosen = max(logs, key=lambda log: len(log.events))
    if process is not None:
        found = [log for log in logs if log.pid == process]
        if not found:
            known = ", ".join(str(log.pid) for log in logs)
            raise LogError(f"there is no process {process} in '{where}'; there is {known}")
        chosen = found[0]
    others = [log for log in logs if log is not chosen]
    step(SERIAL_RUN)
    return _profile(where, logs, chosen), others


def load_all(where: Path, most: int) -> list[Profile]:
    """The processes that did the most, the busiest first."""
    logs = read(where)
    busiest = sorted(logs, key=lambda log: -len(log.events))[:most]
    return [_profile(where, logs, log) for log in busiest]


def _profile(where: Path, logs: list[Log], chosen: Log) -> Profile:
    return Profile(chosen, _serial_of(where, logs, chosen))


def _serial_of(where: Path, logs: list[Log], chosen: Log) -> Log | None:
    """The same process of the serial run, where it can be told."""
    folder = where / SERIAL
    if not where.is_dir() or not folder.is_dir() or not any(folder.glob(f"*{SUFFIX}")):
        return None
    try:
        serial = read(folder)
    except LogError as error:  # the other run can be looked at all the same
        chosen.problems.append(f"serial run: {error}")
        return None
    if len(logs) == 1:
        return max(serial, key=lambda log: len(log.events))
    # Processes that run side by side need not begin in the same order: those of one command do.
    same = [log for log in logs if log.command == chosen.command]
    there = [log for log in serial if log.command == chosen.command]
    if there and len(there) == len(same):
        return there[_index(same, chosen)]
    return serial[_index(logs, chosen)] if not there and len(serial) == len(logs) else None


def _index(logs: list[Log], wanted: Log) -> int:
    return next(at for at, log in enumerate(logs) if log is wanted)
