# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads logs: what a process recorded, as far as its file can be read, and what is wrong with it.

A log is read at any moment: its program may have crashed, or still run. What is missing becomes a
line of `Log.problems`; only a file that is no log at all is an error.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from xomp.profile.reading import format as layout
from xomp.profile.reading import records
from xomp.profile.reading.chunks import Chunks, bytes_of, check_header, pages_of
from xomp.profile.reading.clock import SLACK, Clock, clock_of
from xomp.profile.reading.gaps import end_singles, tell_callers, with_open_joins, with_open_regions
from xomp.profile.reading.lines import number_in, source_in, texts_of
from xomp.profile.reading.log import Call, Log, LogError, Module


def read(where: str | os.PathLike) -> list[Log]:
    """The logs of a directory, or the one in a file; by their start.

    Files of a directory that are no logs are left out, with a line in the first log's problems.
    """
    path = Path(where)
    if path.is_dir():
        return _read_directory(path)
    return [read_file(path)]


def check(where: str | os.PathLike) -> None:
    """Whether there is something to read, before anything else is."""
    path = Path(where)
    if path.is_dir():
        _logs_in(path)
    else:
        bytes_of(path)


def _logs_in(path: Path) -> list[Path]:
    try:
        names = sorted(each for each in path.iterdir() if each.name.endswith(layout.SUFFIX))
    except OSError as error:
        raise LogError(f"cannot read '{path}': {error.strerror}") from error
    if not names:
        raise LogError(f"there is no log in '{path}': no file's name ends in {layout.SUFFIX}")
    return names


def _read_directory(path: Path) -> list[Log]:
    logs, unreadable = [], []
    for name in _logs_in(path):
        try:
            logs.append(read_file(name))
        except LogError as error:
            unreadable.append(str(error))
    if not logs:
        raise LogError("; ".join(unreadable))
    logs.sort(key=lambda log: (log.number("start") or 0, log.pid))
    logs[0].problems.extend(unreadable)
    return logs


def read_file(path: Path) -> Log:
    """One log."""
    data = bytes_of(path)
    pid, problems = check_header(path, data)
    # What its program still writes is read first: by then the copies of what these pages had before
    # are in the file.
    pages = pages_of(data)
    chunks = Chunks(bytes_of(path), pages, problems)
    texts = texts_of(map(chunks.content, chunks.of(layout.CHUNK_OF_TEXT)))
    clock = clock_of(texts, problems)
    events, tracks = records.events_of(chunks, clock, problems)
    events = with_open_regions(events, _ended(texts, clock))
    end_singles(events)
    if not any(key == "full" for key, _ in texts):
        events = with_open_joins(events)
    events, cut = records.first_of(events)
    log = Log(path, pid, events, tracks, clock, problems=problems)
    log.cut = cut
    _take_texts(log, texts)
    tell_callers(log.events, log.modules)
    _note_what_ended_it(log)
    return log


def _take_texts(log: Log, texts: Sequence[tuple[str, str]]) -> None:
    damaged = 0
    for key, value in texts:
        try:
            if key == "setting":
                name, _, rest = value.partition(" ")
                log.settings[name] = rest
            elif key == "module":
                start, end, offset, path = value.split(" ", 3)
                module = Module(int(start, 16), int(end, 16), int(offset, 16), path)
                if module not in log.modules:
                    log.modules.append(module)
            elif key == "call":
                codeptr, body, said = value.split(" ", 2)
                log.calls.append(Call(int(codeptr, 16), int(body, 16), *source_in(said)))
            elif key == "hardware":
                number, name = value.split(" ", 1)
                log.hardware[number_in(number)] = name
            elif key == "end":
                log.ended = _moment(log.clock, value)
            elif key == "full":
                log.full = _moment(log.clock, value)
            elif key != "clock":
                log.texts[key] = value
        except ValueError:
            damaged += 1
    if damaged:
        log.problems.append(f"{damaged} lines of text are damaged and left out")


def _ended(texts: Sequence[tuple[str, str]], clock: Clock) -> int | None:
    """When the program did; None: it does not say so, was killed or still runs."""
    for value in (value for key, value in texts if key == "end"):
        try:
            return _moment(clock, value)
        except ValueError:
            return int(clock.ticks[-1])
    return None


def _moment(clock: Clock, text: str) -> int:
    """A tick at which the log can have been written."""
    tick, slack = number_in(text), int(SLACK / clock.rate)
    if not clock.ticks[0] - slack <= tick <= clock.ticks[-1] + slack:
        raise ValueError(text)
    return tick


def _note_what_ended_it(log: Log) -> None:
    if log.cut is not None:
        after = (log.cut - log.begin) * log.clock.rate / 1e9
        log.problems.append(
            f"the log has more than {records.MOST_EVENTS:,} events: "
            f"the first {after:.3g} s are looked at"
        )
    if log.ended is None:
        log.problems.append(
            "the log has no end: the program crashed, was killed or still runs; "
            "what was going on then is not in it"
        )
    if log.full is not None:
        after = max(0, log.full - log.begin) * log.clock.rate / 1e9
        log.problems.append(
            f"the log was full after {after:.3g} s (XOMP_PERFLOG_LIMIT); "
            "tasks are summed up from there on, without their single events"
        )
