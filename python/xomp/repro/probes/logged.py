#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""logged.py PYTHON WINDOW PROGRAM [ARGUMENTS]...: what each thread did, by xomp's own log.

PYTHON reads the log (reading.py). Adds a line `logged` about the whole run and a line `timed` about
its timed part, with a list by thread for each state in seconds. WINDOW is FROM,LENGTH as
recorded.py has them, for the leaf tasks as well, or `-`. On another runtime nothing is added.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

LIMIT = "2G"  # of the log
TIMED = re.compile(r"\bbegan=(\S+) seconds=(\S+)")


def main(arguments: list[str]) -> int:
    python, window, *command = arguments
    with tempfile.TemporaryDirectory() as folder:
        logs = Path(folder) / "logs"
        changes = {"XOMP_PERFLOG": str(logs), "XOMP_PERFLOG_LIMIT": LIMIT}
        done = subprocess.run(
            command, env={**os.environ, **changes}, stdout=subprocess.PIPE, text=True
        )
        sys.stdout.write(done.stdout)
        sys.stdout.flush()
        timed = TIMED.search(done.stdout)
        if done.returncode != 0 or not logs.is_dir():
            return done.returncode
        if timed is None:
            return 1
        read = [
            python,
            "-I",
            str(Path(__file__).with_name("reading.py")),
            str(logs),
            *timed.groups(),
        ]
        clean = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
        if window != "-":
            read += window.split(",")
        return subprocess.run(read, env=clean).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
