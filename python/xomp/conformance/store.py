# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results written down as they come, so that an interrupted run can be taken up again."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from xomp.conformance.execute import Result


class Store:
    """An append-only file of results; the last record of a key counts.

    A key names the binary, the library's bytes, the settings and the number of repetitions, so a
    record can never speak for another build of the runtime.
    """

    def __init__(self, path: Path, resume: bool) -> None:
        self._path = path
        self._known: dict[str, Result] = {}
        known = _read(path) if resume else {}
        path.unlink(missing_ok=True)
        for key, result in known.items():
            self.put(key, result)

    @staticmethod
    def key(binary: str, identity: str, repeat: int) -> str:
        return f"{binary} {identity} {repeat}"

    def get(self, key: str) -> Result | None:
        return self._known.get(key)

    def put(self, key: str, result: Result) -> None:
        self._known[key] = result
        with self._path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps({"key": key, **asdict(result)}) + "\n")


def _read(path: Path) -> dict[str, Result]:
    known: dict[str, Result] = {}
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError:
        return known
    for line in lines:
        try:
            record = json.loads(line)
            key = record.pop("key")
            known[key] = Result(**record)
        except (ValueError, KeyError, TypeError):
            continue  # the last line of a run that was cut off
    return known
