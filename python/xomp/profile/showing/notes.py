# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is missing in a run's log, or makes the numbers less than exact."""

from __future__ import annotations

import errno
import os

from xomp.profile.analysing.summary import Profile
from xomp.shared.text import seconds, several

# Sleep of a smaller share of the threads' time than this is not mentioned.
ASLEEP = 0.03


def _without_counters(reason: str) -> str:
    """What is missing: the recorder has the system's word for why perf_event_open failed."""
    if reason in map(os.strerror, (errno.ENOENT, errno.EOPNOTSUPP, errno.ENODEV, errno.ENOSYS)):
        reason = "this machine offers its programs none, as many virtual machines"
    elif reason in map(os.strerror, (errno.EACCES, errno.EPERM)):
        reason = "the kernel does not let this user count (kernel.perf_event_paranoid)"
    return f"no counts of cycles, instructions and cache misses by the processor: {reason}"


def notes(profile: Profile) -> list[str]:
    """One line each; what is wrong with the log itself comes first."""
    lines = [*profile.log.problems, *profile.symbols.notes]
    if "hardware-absent" in profile.log.texts:
        lines.append(_without_counters(profile.log.texts["hardware-absent"]))
    if "processor-absent" in profile.log.texts:
        lines.append(
            "time in which other programs had the processors counts as work: "
            f"{profile.log.texts['processor-absent']}"
        )
    if profile.serial is not None and profile.incomparable:
        lines.append(f"the run on one thread is not compared: {profile.incomparable}")
    elif profile.serial is not None:
        lines += [f"serial run: {each}" for each in profile.serial.log.problems]
    else:
        lines.append(
            "there is no run on one thread beside this log (`xomp profile` makes one): work "
            "time inflation is part of the work"
        )
    if profile.losses.asleep >= ASLEEP * profile.losses.total:
        lines.append(
            f"threads slept for {seconds(profile.losses.asleep)} in the program's own code (for "
            "files, other processes, a time, locks that are not OpenMP's); it counts as work"
        )
    if profile.tasks.summed_up:
        lines.append(
            f"{several(profile.tasks.summed_up, 'task')} were summed up instead of recorded one "
            "by one: numbers and sizes are exact, the task graph is without them"
        )
    return lines
