# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads a log of XOMP_PERFLOG as docs/perflog-format.md has it, and complains of what does not."""

import os
import struct
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

# Programs that pytest does not start read logs with this as well.
sys.path.append(str(Path(__file__).resolve().parents[2] / "python"))
from xomp.profile.reading import kinds
from xomp.profile.reading.kinds import Kind

HEADER = struct.Struct("<8sIIIIQ")
CHUNK = struct.Struct("<IHHIIiIqQ")
RECORD = struct.Struct("<qqQQQBBBBI")
PACKED = struct.Struct("<IIIIBBBBI")
WHOLE = struct.Struct("<qqBBBBIQQQ")
HEADER_BYTES, CHUNK_BYTES, CHUNK_HEADER = 4096, 65536, 64
MAGIC = 0x4B484358
RECORDS, TEXT, SLOTS = 1, 2, 3
KINDS = {int(kind): kind.name for kind in Kind}
NUMBERS = {name: number for number, name in KINDS.items()}
# Spans of these may overlap with others on their track.
CROSSING = {kind.name for kind in kinds.CROSSING}
NO_DOMAIN = 255


class Record(NamedTuple):  # of which there are hundred thousands
    track: int
    begin: int
    end: int
    task: int
    other: int
    place: int
    kind: str
    flags: int
    creator_domain: int
    data_domain: int
    worker: int


@dataclass
class Log:
    process: int
    text: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    records: list[Record] = field(default_factory=list)
    threads: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))

    def of(self, kind: str) -> list[Record]:
        return [record for record in self.records if record.kind == kind]

    def summed(self, kind: str) -> int:
        """How many of a kind are in the sums only."""
        number = NUMBERS[kind]
        return sum(record.task for record in self.of("SUMMARY") if record.worker == number)

    def count(self, kind: str) -> int:
        return len(self.of(kind)) + self.summed(kind)


def records_of(chunk: bytes, track: int):
    body = chunk[CHUNK_HEADER : CHUNK_HEADER + (CHUNK_BYTES - CHUNK_HEADER) // 48 * 48]
    for begin, end, task, other, place, kind, *rest in RECORD.iter_unpack(body):
        if kind == 0:
            return
        assert begin <= end or kind == NUMBERS["SUMMARY"]
        yield Record(track, begin, end, task, other, place, KINDS[kind], *rest)


def records_of_slots(chunk: bytes, track: int, first_tick: int, first_place: int):
    at = CHUNK_HEADER
    while at < CHUNK_BYTES:
        since, ticks, task, other, kind, *rest, place = PACKED.unpack_from(chunk, at)
        if kind == 0:
            return
        if kind & 128:
            begin, own = first_tick + since, track << 40
            times, tasks = (begin, begin + ticks), (own | task, own | other)
            place = (first_place + place) % (1 << 64)
            yield Record(track, *times, *tasks, place, KINDS[kind & 127], *rest, track)
            at += PACKED.size
        else:
            begin, end, kind, *rest, task, other, place = WHOLE.unpack_from(chunk, at)
            assert begin <= end
            yield Record(track, begin, end, task, other, place, KINDS[kind], *rest)
            at += WHOLE.size


def read(path: Path) -> Log:
    data = path.read_bytes()
    magic, version, header, chunk, record, process = HEADER.unpack_from(data)
    assert (magic, version, header, chunk, record) == (
        b"XOMPLOG1",
        2,
        HEADER_BYTES,
        CHUNK_BYTES,
        RECORD.size,
    )
    log = Log(process)
    found: dict[tuple[int, int], list[Record]] = {}
    for at in range(HEADER_BYTES, len(data) - CHUNK_BYTES + 1, CHUNK_BYTES):
        magic, kind, zero, track, sequence, _, thread, *first = CHUNK.unpack_from(data, at)
        if magic == 0:
            continue
        assert magic == MAGIC and zero == 0
        chunk = data[at : at + CHUNK_BYTES]
        if kind == TEXT:
            for line in chunk[CHUNK_HEADER:].partition(b"\0")[0].decode().splitlines():
                key, _, value = line.partition(" ")
                log.text[key].append(value)
            continue
        assert kind in {RECORDS, SLOTS}
        log.threads[track].add(thread)
        slots = kind == SLOTS
        records = [*(records_of_slots(chunk, track, *first) if slots else records_of(chunk, track))]
        # A page and its copy: which is whole depends on the moment.
        if len(records) >= len(found.get((track, sequence), ())):
            found[track, sequence] = records
    sequences = defaultdict(list)
    for (track, sequence), records in sorted(found.items()):
        sequences[track].append(sequence)
        log.records += records
    for track, numbers in sequences.items():
        assert numbers == list(range(len(numbers))), f"track {track} has a hole"
    return log


def read_only(folder: Path) -> Log:
    (path,) = folder.glob("*.xomplog")
    return read(path)


def check_nesting(log: Log) -> None:
    """Spans of one track lie in one another or apart."""
    tracks = defaultdict(list)
    for record in log.records:
        if record.begin < record.end and record.kind not in CROSSING | {"SUMMARY"}:
            tracks[record.track].append(record)
    for records in tracks.values():
        records.sort(key=lambda record: (record.begin, -record.end))
        stack: list[Record] = []
        for record in records:
            while stack and stack[-1].end <= record.begin:
                stack.pop()
            assert not stack or record.end <= stack[-1].end, (stack[-1], record)
            stack.append(record)


def check_parents(log: Log) -> None:
    """Every task has one id; who made it is known, and the task that a span is in was running."""
    tasks = {record.task: record for record in log.of("TASK")}
    assert len(tasks) == len(log.of("TASK"))
    known = set(tasks) | {record.task for record in log.of("IMPLICIT")} | {0}
    for task in tasks.values():
        assert task.other in known, task
        assert task.worker == task.task >> 40, task


def environment(library: Path, folder: Path, threads: int = 4, **more) -> dict[str, str]:
    """In which a program runs on the library, recorded, and without other variables of ours."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("XOMP_", "OMP_", "GOMP_"))
    }
    return {
        **kept,
        "LD_LIBRARY_PATH": str(library.parent),
        "OMP_NUM_THREADS": str(threads),
        "XOMP_PERFLOG": str(folder),
        **{name: str(value) for name, value in more.items()},
    }


def check(log: Log) -> None:
    check_nesting(log)
    check_parents(log)
