#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""logged.py XOMP PROGRAM [ARGUMENTS]...: what each thread did, by xomp's own log of the run.

XOMP is the command line, which reads the log. Adds a line with a list by thread for each state in
seconds, and for the tasks that each thread made and ran. On another runtime the line is left out.
"""

from __future__ import annotations

import csv
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

LIMIT = "2G"  # of the log


def line(rows: Iterable[dict[str, str]]) -> str:
    """Of the table of threads, as `xomp report --csv` writes it."""
    rows = list(rows)
    names = [name for name in (rows[0] if rows else ()) if name != "track"]
    lists = (f"{name}={','.join(row[name] for row in rows)}" for name in names)
    return " ".join(("logged", f"threads={len(rows)}", *lists))


def main(arguments: list[str]) -> int:
    xomp, *command = arguments
    with tempfile.TemporaryDirectory() as folder:
        logs, tables = Path(folder) / "logs", Path(folder) / "tables"
        changes = {"XOMP_PERFLOG": str(logs), "XOMP_PERFLOG_LIMIT": LIMIT}
        done = subprocess.run(
            command, env={**os.environ, **changes}, stdout=subprocess.PIPE, text=True
        )
        sys.stdout.write(done.stdout)
        if done.returncode != 0 or not logs.is_dir():
            return done.returncode
        report = [xomp, "report", str(logs), "--csv", str(tables)]
        clean = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
        if subprocess.run(report, env=clean, stdout=subprocess.DEVNULL).returncode != 0:
            return 1
        with (tables / "threads.csv").open() as stream:
            print(line(csv.DictReader(stream)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
