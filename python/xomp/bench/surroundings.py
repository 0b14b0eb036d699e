# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a results file says about where it was made."""

from __future__ import annotations

import os
import platform
import shlex
import subprocess
import time
from collections.abc import Sequence

from xomp.shared import machine, topology
from xomp.shared.paths import ROOT


def output(command: Sequence[str]) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, cwd=ROOT).stdout
    except OSError:
        return ""


def first_line(command: Sequence[str]) -> str:
    return (output(command).splitlines() or ["unknown"])[0]


def surroundings(arguments: Sequence[str]) -> dict:
    return {
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "command": shlex.join(["xomp", "bench", *arguments]),
        "commit": first_line(["git", "rev-parse", "--short=12", "HEAD"]),
        "changed": bool(output(["git", "status", "--porcelain", "--untracked-files=no"])),
        "machine": platform.node(),
        "cpu": topology.read().model,
        "processors": machine.processors(),
        "topology": machine.layout(),
        "governor": machine.governor(),
        "load": os.getloadavg()[0],
        "kernel": platform.release(),
        "libc": " ".join(platform.libc_ver()),
        "compiler": first_line(["gcc", "--version"]),
        "python": platform.python_version(),
    }
