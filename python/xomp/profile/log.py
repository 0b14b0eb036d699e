# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads logs: what a process recorded, as far as its file can be read, and what is wrong with it.

A log is read at any moment: its program may have crashed, or still run. What is missing becomes a
line of `Log.problems`; only a file that is no log at all is an error.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from xomp.errors import BadInputError
from xomp.profile import format as layout
from xomp.profile.format import Kind

# A record, and where it came from.
EVENT = np.dtype([*layout.RECORD.descr, ("track", "<u4"), ("domain", "<i4")])


# The words of a command are written as C strings.
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|[0-7]{1,3}|.)")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}


# The region of implicit tasks that were still going on when the log ended.
OPEN_REGION = (1 << 64) - 1


_WITH_RECORDS = (layout.CHUNK_OF_RECORDS, layout.CHUNK_OF_SLOTS)
# What is recorded of a thread whatever it does.
_ABOUT = (Kind.THREAD, Kind.HARDWARE, Kind.PROCESSOR)
# More would take more memory than many a machine has: some 600 bytes each.
MOST_EVENTS = 6_000_000
# Nanoseconds that a record may lie outside of what the clock's readings cover.
SLACK = 600e9
# No number of a line is larger: nanoseconds since 1970, ticks in some years.
MOST = 1 << 62
# Nanoseconds of a tick, or ticks of a nanosecond, at most.
SLOWEST = 10_000


class LogError(BadInputError):
    """There is nothing to read; the text says why, in one line."""


@dataclass(frozen=True)
class Track:
    """What one thread of the operating system recorded."""

    number: int
    thread: int  # the kernel's number of it
    domain: int  # -1: unknown
    missing: int  # chunks


@dataclass(frozen=True)
class Module:
    """A part of the program or of a library that is mapped to be executed."""

    start: int
    end: int
    offset: int  # in the file
    path: str


@dataclass(frozen=True)
class Clock:
    """Ticks of the recording processors in nanoseconds of CLOCK_MONOTONIC."""

    ticks: np.ndarray
    nanoseconds: np.ndarray
    was_read: bool = True  # else made up

    @property
    def rate(self) -> float:
        """Nanoseconds of a tick."""
        span = self.ticks[-1] - self.ticks[0]
        return float(self.nanoseconds[-1] - self.nanoseconds[0]) / float(span)

    def at(self, ticks: np.ndarray | int) -> np.ndarray:
        """Moments, by interpolation between the pairs; outside of them by the mean rate."""
        ticks = np.asarray(ticks, dtype=np.int64)
        first, last = self.ticks[0], self.ticks[-1]
        # Differences first: an absolute tick has more digits than a double.
        start = self.nanoseconds[0]
        inside = np.interp(ticks - first, self.ticks - first, self.nanoseconds - start)
        beyond = np.where(ticks < first, ticks - first, np.maximum(ticks - last, 0))
        return start + inside + beyond * self.rate


@dataclass
class Log:
    """What one process recorded."""

    path: Path
    pid: int
    events: np.ndarray  # of EVENT, by track and, in a track, in the order of their ends
    tracks: list[Track]
    clock: Clock
    texts: dict[str, str] = field(default_factory=dict)  # version, command, program, ...
    settings: dict[str, str] = field(default_factory=dict)
    modules: list[Module] = field(default_factory=list)
    hardware: dict[int, str] = field(default_factory=dict)
    ended: int | None = None  # ticks; None: the program crashed, was killed or still runs
    full: int | None = None  # ticks from which on events were summed up
    cut: int | None = None  # ticks from which on events are not looked at: there are too many
    problems: list[str] = field(default_factory=list)
    _of_kind: dict[tuple[Kind, ...], np.ndarray] = field(default_factory=dict, repr=False)
    _columns: dict[str, np.ndarray] = field(default_factory=dict, repr=False)

    def of(self, *kinds: Kind) -> np.ndarray:
        """The events of these kinds, in the order of `events`."""
        if kinds not in self._of_kind:
            codes = self.column("kind")
            self._of_kind[kinds] = self.events[layout.is_any(codes, kinds)]
        return self._of_kind[kinds]

    def column(self, name: str) -> np.ndarray:
        """One field of all events, as an array of its own: quicker to compute with."""
        if name not in self._columns:
            self._columns[name] = np.ascontiguousarray(self.events[name])
        return self._columns[name]

    def number(self, key: str) -> int | None:
        """A text that is a number: processors, threads, start."""
        try:
            return _number(self.texts.get(key, ""))
        except ValueError:
            return None

    @property
    def command(self) -> str:
        """As one would type it."""
        words = [_unescaped(word) for word in _QUOTED.findall(self.texts.get("command", ""))]
        if words:
            return shlex.join(words)
        return self.texts.get("command") or self.texts.get("program") or f"process {self.pid}"

    @cached_property
    def begin(self) -> int:
        """The first tick that the log knows of."""
        known = [int(self.clock.ticks[0])] if self.clock.was_read else []
        if len(self.events):
            known.append(int(self.column("begin").min()))
        return min(known, default=int(self.clock.ticks[0]))

    @cached_property
    def end(self) -> int:
        """The last tick that the log knows of."""
        known = [self.ended] if self.ended is not None else []
        if len(self.events):
            spans = ~layout.is_any(self.column("kind"), layout.POINTS)
            known.append(int(self.column("end").max(where=spans, initial=self.begin)))
        latest = int(self.clock.ticks[-1]) if self.clock.was_read else self.begin
        return max(known, default=latest)

    @property
    def until(self) -> int:
        """The end of the time of which all events are here."""
        known = (each for each in (self.end, self.full, self.cut) if each is not None)
        return max(self.begin, min(known))

    def nanoseconds(self, ticks: np.ndarray | int) -> np.ndarray:
        """Nanoseconds since the log's begin."""
        return self.clock.at(ticks) - self.clock.at(self.begin)


def read(where: str | os.PathLike) -> list[Log]:
    """The logs of a directory, or the one in a file; by their start.

    Files of a directory that are no logs are left out, with a line in the first log's problems.
    """
    path = Path(where)
    if path.is_dir():
        return _read_directory(path)
    return [read_file(path)]


def _read_directory(path: Path) -> list[Log]:
    try:
        names = sorted(each for each in path.iterdir() if each.name.endswith(layout.SUFFIX))
    except OSError as error:
        raise LogError(f"cannot read '{path}': {error.strerror}") from error
    if not names:
        raise LogError(f"there is no log in '{path}': no file's name ends in {layout.SUFFIX}")
    logs, unreadable = [], []
    for name in names:
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
    data = _bytes_of(path)
    pid, problems = _check_header(path, data)
    # What its program still writes is read first: by then the copies of what these pages had before
    # are in the file.
    pages = _pages_of(data)
    chunks = _Chunks(_bytes_of(path), pages, problems)
    texts = _texts_of(map(chunks.content, chunks.of(layout.CHUNK_OF_TEXT)))
    clock = _clock_of(texts, problems)
    events, tracks = _events_of(chunks, clock, problems)
    events = _with_open_regions(events, ended=any(key == "end" for key, _ in texts))
    if not any(key == "full" for key, _ in texts):
        events = _with_open_joins(events)
    events, cut = _first_of(events)
    log = Log(path, pid, events, tracks, clock, problems=problems)
    log.cut = cut
    _take_texts(log, texts)
    _note_what_ended_it(log)
    return log


def _bytes_of(path: Path) -> np.ndarray:
    try:
        if not path.is_file():
            reason = "no such file" if not path.exists() else "not a file"
            raise LogError(f"cannot read '{path}': {reason}")
        if not path.stat().st_size:
            raise LogError(f"'{path}' is empty")
        # A file that its program still writes grows only, so that a mapping stays readable.
        return np.memmap(path, dtype=np.uint8, mode="r")
    except OSError as error:
        raise LogError(f"cannot read '{path}': {error.strerror}") from error


def _check_header(path: Path, data: np.ndarray) -> tuple[int, list[str]]:
    if bytes(data[:8]) != layout.MAGIC:
        raise LogError(f"'{path}' is no log of xomp")
    if len(data) < layout.HEADER_BYTES:
        raise LogError(f"'{path}' is cut off within its header")
    head = data[: layout.HEADER.itemsize].view(layout.HEADER)[0]
    if head["version"] != layout.VERSION:
        raise LogError(f"'{path}' has version {head['version']}, which this xomp does not know")
    sizes = [int(head[name]) for name in ("header_bytes", "chunk_bytes", "record_bytes")]
    if sizes != [layout.HEADER_BYTES, layout.CHUNK_BYTES, layout.RECORD_BYTES]:
        raise LogError(f"'{path}' has a damaged header")
    return int(head["pid"]), []


def _pages_of(data: np.ndarray) -> dict[int, np.ndarray]:
    """A thread writes to the last chunk of its track, as it is now; by number."""
    body = data[layout.HEADER_BYTES :]
    whole = body[: len(body) - len(body) % layout.CHUNK_BYTES].view(layout.CHUNK)
    heads = whole[layout.CHUNK_HEAD]
    used = heads["magic"] == layout.CHUNK_MAGIC
    used = np.flatnonzero(used & np.isin(heads["kind"], _WITH_RECORDS))
    tracks = heads["track"][used]
    order = np.lexsort((heads["sequence"][used], tracks))
    last = order[np.diff(tracks[order], append=-1) != 0]
    return {int(number): whole[number : number + 1].copy() for number in used[last]}


class _Chunks:
    """The chunks that were used, by track and sequence; one that is cut off as far as it goes."""

    def __init__(self, data: np.ndarray, pages: dict[int, np.ndarray], problems: list[str]) -> None:
        self._pages = pages
        body = data[layout.HEADER_BYTES :]
        rest = len(body) % layout.CHUNK_BYTES
        self._whole = body[: len(body) - rest].view(layout.CHUNK)
        self._cut = np.zeros(1, layout.CHUNK)
        if rest:
            self._cut.view(np.uint8)[:rest] = body[len(body) - rest :]
            problems.append(
                f"the file is cut off: {rest} bytes of its last chunk of {layout.CHUNK_BYTES} "
                "are there"
            )
        # From the file's end on: where a chunk is seen, those before it are whole. The records stay
        # where they are: a copy of the whole file would take time and room.
        heads = self._whole[::-1][layout.CHUNK_HEAD][::-1]
        self.heads = np.concatenate([heads, self._cut[layout.CHUNK_HEAD]])
        for number, page in pages.items():
            self.heads[number] = page[layout.CHUNK_HEAD][0]
        magic, kind = self.heads["magic"], self.heads["kind"]
        used = magic == layout.CHUNK_MAGIC
        foreign = int(np.count_nonzero(~used & (magic != 0)))
        if foreign:
            count = len(self._whole) + bool(rest)
            problems.append(f"{foreign} of {count} chunks are damaged and left out")
        known = np.isin(kind, (*_WITH_RECORDS, layout.CHUNK_OF_TEXT))
        strange = int(np.count_nonzero(used & ~known))
        if strange:
            problems.append(f"{strange} chunks are of a kind that this xomp does not know")
        chosen = np.flatnonzero(used & known)
        self._order = chosen[
            np.lexsort((self.heads["sequence"][chosen], self.heads["track"][chosen]))
        ]

    def of(self, *kinds: int) -> np.ndarray:
        """Their numbers."""
        return self._order[np.isin(self.heads["kind"][self._order], kinds)]

    def of_records(self) -> np.ndarray:
        """The same for records. A chunk may be there twice, as the page and as its copy: which one
        is whole depends on the moment at which its program was killed."""
        numbers = self.of(*_WITH_RECORDS)
        heads = self.heads[numbers]
        again = (np.diff(heads["track"]) == 0) & (np.diff(heads["sequence"]) == 0)
        kept = np.ones(len(numbers), dtype=bool)
        for at in np.flatnonzero(again):
            one, other = (len(self.records(numbers[each])) for each in (at, at + 1))
            if one > other:
                numbers[at + 1] = numbers[at]
            kept[at] = False
        return numbers[kept]

    def content(self, number: int) -> np.ndarray:
        """What follows the header."""
        if number in self._pages:
            return self._pages[number]["records"][0]
        at = self._whole if number < len(self._whole) else self._cut
        return at["records"][number if at is self._whole else 0]

    def records(self, number: int) -> np.ndarray:
        content, head = self.content(number), self.heads[number]
        if head["kind"] == layout.CHUNK_OF_SLOTS:
            return layout.unpacked(content, head, number in self._pages)
        return _filled(content)


def _texts_of(chunks: Iterable[np.ndarray]) -> list[tuple[str, str]]:
    """Key and value of each line. A line may go on in the next chunk."""
    parts = [records.tobytes().split(b"\0", 1)[0] for records in chunks]
    lines = b"".join(parts).decode(errors="replace").split("\n")
    pairs = (line.partition(" ") for line in lines if line)
    return [(key, value) for key, _, value in pairs]


def _events_of(
    chunks: _Chunks, clock: Clock, problems: list[str]
) -> tuple[np.ndarray, list[Track]]:
    numbers = chunks.of_records()
    found = [chunks.records(number) for number in numbers]
    filled = np.array([len(records) for records in found], dtype=np.int64)
    events = np.empty(int(filled.sum()), EVENT)
    raw = events.view(np.uint8).reshape(-1, EVENT.itemsize)
    at = 0
    for records in found:
        rows = raw[at : at + len(records)]
        rows[:, : layout.RECORD_BYTES] = records.view(np.uint8).reshape(-1, layout.RECORD_BYTES)
        at += len(records)
    heads = chunks.heads[numbers]
    events["track"] = np.repeat(heads["track"], filled)
    events["domain"] = np.repeat(heads["domain"], filled)
    events = _sound(events, clock, problems)
    _end_singles(events)
    _tell_domains(events)
    return events, _tracks_of(heads, problems)


def _filled(records: np.ndarray) -> np.ndarray:
    """The records up to the first that was not written."""
    kinds = records["kind"]
    if kinds[-1] and kinds.all():
        return records
    return records[: int((kinds == 0).argmax())]


def _sound(events: np.ndarray, clock: Clock, problems: list[str]) -> np.ndarray:
    """The events without those that make no sense."""
    kinds = np.ascontiguousarray(events["kind"])
    known = layout.is_any(kinds, Kind)
    strange = len(events) - int(np.count_nonzero(known))
    if strange:
        problems.append(f"{strange} records are of a kind that this xomp does not know")
    spans = ~layout.is_any(kinds, layout.POINTS)
    # The clock was read at least each second while the log was written.
    slack = int(SLACK / clock.rate)
    begins = np.ascontiguousarray(events["begin"])
    events["end"][~spans] = begins[~spans]  # a point's says nothing
    ends = np.ascontiguousarray(events["end"])
    strange_times = (begins < clock.ticks[0] - slack) | (ends > clock.ticks[-1] + slack)
    strange_times |= ends < begins
    wrong = int(np.count_nonzero(strange_times & known))
    if wrong:
        problems.append(f"{wrong} records have impossible times and are left out")
    return events[known & ~strange_times] if strange or wrong else events


def _with_open_regions(events: np.ndarray, ended: bool) -> np.ndarray:
    """Spans that were open when a program was killed are not written, nor the regions in which one
    called `exit`. What a thread did since its last region shows that it was in another: its
    implicit task is added, up to the log's end.

    ended: the program was not killed. There is an open region then only if a barrier or an implicit
        task tells of one.
    """
    if ended and not _shows_open_region(events):
        return events
    kinds, ends = np.ascontiguousarray(events["kind"]), np.ascontiguousarray(events["end"])
    telling = ~layout.is_any(kinds, (*_ABOUT, Kind.SUMMARY, Kind.REGION))
    joins = (kinds == Kind.BARRIER) & (events["flags"] & layout.BarrierFlag.JOIN != 0)
    bodies = kinds == Kind.IMPLICIT
    closed = joins | bodies
    ids = np.ascontiguousarray(events["other"])
    regions = np.flatnonzero(kinds == Kind.REGION)
    closes = dict(zip(ids[regions].tolist(), ends[regions].tolist(), strict=True))
    added = []
    for track, first, last in _by_track(events):
        here = slice(first, last)
        before = ends[here].max(where=closed[here], initial=np.iinfo(np.int64).min)
        # The join behind its last implicit task was never written.
        for region in np.unique(ids[here][bodies[here]]).tolist()[-1:]:
            before = max(before, closes.get(region, before))
        since = np.flatnonzero(telling[here] & (events["begin"][here] >= before)) + first
        if len(since):
            row = np.zeros(1, EVENT)
            row["kind"], row["begin"] = Kind.IMPLICIT, events["begin"][since].min()
            row["end"] = ends[~layout.is_any(kinds, layout.POINTS)].max()
            row["other"], row["track"] = OPEN_REGION, track
            row["domain"], row["creator_domain"] = events["domain"][last - 1], layout.NO_DOMAIN
            row["data_domain"] = layout.NO_DOMAIN
            added.append((last, row))
    if not added:
        return events
    return np.insert(events, [at for at, _ in added], np.concatenate([row for _, row in added]))


def _shows_open_region(events: np.ndarray) -> bool:
    """Whether somebody met others in a region that did not end, or left one."""
    kinds = np.ascontiguousarray(events["kind"])
    told = np.unique(events["other"][layout.is_any(kinds, (Kind.BARRIER, Kind.IMPLICIT))])
    ended = events["other"][kinds == Kind.REGION]
    return bool(len(np.setdiff1d(told[told != 0], ended)))


def _with_open_joins(events: np.ndarray) -> np.ndarray:
    """A thread writes the join at a region's end when it comes to its next region. Of the last one
    it is missing: it is added, and the wait behind the last task in it."""
    kinds = np.ascontiguousarray(events["kind"])
    begins, ends = (np.ascontiguousarray(events[name]) for name in ("begin", "end"))
    regions = np.flatnonzero(kinds == Kind.REGION)
    closes = dict(zip(events["other"][regions].tolist(), regions.tolist(), strict=True))
    bodies = np.flatnonzero((kinds == Kind.IMPLICIT) & (events["other"] != 0))
    joins = (kinds == Kind.BARRIER) & (events["flags"] & layout.BarrierFlag.JOIN != 0)
    runs = np.flatnonzero(layout.is_any(kinds, (Kind.TASK, Kind.STALL)))
    added = []
    for _, first, last in _by_track(events):
        own = bodies[np.searchsorted(bodies, first) : np.searchsorted(bodies, last)]
        if not len(own):
            continue
        body = own[ends[own].argmax()]
        region = closes.get(int(events["other"][body]), -1)
        here = slice(first, last)
        # Its master has written it; so has who came to a join since.
        if first <= region < last or (joins[here] & (ends[here] > begins[body])).any():
            continue
        begin, end = int(ends[body]), int(ends[region]) if region >= 0 else 0
        if end <= begin:
            continue
        inside = runs[np.searchsorted(runs, first) : np.searchsorted(runs, last)]
        idle = int(ends[inside].max(where=begins[inside] >= begin, initial=begin))
        rows = np.repeat(events[body : body + 1], 2)
        rows["kind"], rows["place"] = (Kind.STALL, Kind.BARRIER), 0
        rows["begin"], rows["end"] = (min(idle, end), begin), end
        rows["flags"] = (0, layout.BarrierFlag.JOIN)
        added.append((last, rows))
    if not added:
        return events
    at = np.repeat([at for at, _ in added], 2)
    return np.insert(events, at, np.concatenate([rows for _, rows in added]))


def _by_track(events: np.ndarray) -> Iterator[tuple[int, int, int]]:
    """Each track, its first row, and the one behind its last."""
    numbers = np.ascontiguousarray(events["track"])
    firsts = np.flatnonzero(np.diff(numbers, prepend=~numbers[:1]))
    return zip(
        numbers[firsts].tolist(),
        firsts.tolist(),
        np.append(firsts[1:], len(numbers)).tolist(),
        strict=False,
    )


def _first_of(events: np.ndarray) -> tuple[np.ndarray, int | None]:
    """As many as can be looked at, and the moment after which they are left out."""
    if len(events) <= MOST_EVENTS:
        return events, None
    cut = int(np.partition(events["end"], MOST_EVENTS)[MOST_EVENTS])
    outer = (Kind.THREAD, Kind.REGION, Kind.IMPLICIT, Kind.SUMMARY)
    kept = (events["end"] <= cut) | layout.is_any(events["kind"], outer)
    return events[kept], cut


def _end_singles(events: np.ndarray) -> None:
    """The compiler does not tell where a `single` ends: it is taken to last until its thread comes
    to the next construct of the region, which without `nowait` is the barrier behind it."""
    kinds = np.ascontiguousarray(events["kind"])
    executed = kinds == Kind.SINGLE
    if not executed.any():
        return
    singles = np.flatnonzero(executed & (events["flags"] & layout.SingleFlag.EXECUTED != 0))
    begins = (Kind.BARRIER, Kind.LOOP, Kind.SECTIONS, Kind.SINGLE)
    following = np.flatnonzero(layout.is_any(kinds, (*begins, Kind.IMPLICIT)))
    tasks, index = np.unique(events["task"][following], return_inverse=True)
    at_end = kinds[following] == Kind.IMPLICIT
    times = np.where(at_end, events["end"][following], events["begin"][following])
    start = int(times.min())
    width = int(times.max()) - start + 2
    keys = np.sort(index * width + (times - start))
    own = np.searchsorted(tasks, events["task"][singles])
    moment = events["end"][singles]
    found = np.searchsorted(keys, own * width + (moment - start), side="right")
    last = len(keys) - 1
    ends = keys[np.minimum(found, last)]
    same = (found <= last) & (ends // width == own)
    events["end"][singles[same]] = (ends % width + start)[same]


def _tell_domains(events: np.ndarray) -> None:
    """A thread's domain can change with each region: implicit tasks know it better than chunks."""
    rows = np.flatnonzero(events["kind"] == Kind.IMPLICIT)
    rows = rows[events["creator_domain"][rows] != layout.NO_DOMAIN]
    if not len(rows):
        return
    for _, first, last in _by_track(events):
        own = rows[np.searchsorted(rows, first) : np.searchsorted(rows, last)]
        if not len(own):
            continue
        own = own[np.argsort(events["begin"][own], kind="stable")]
        domains = events["creator_domain"][own].astype(np.int32)
        if (domains == domains[0]).all():
            events["domain"][first:last] = domains[0]
            continue
        at = np.searchsorted(events["begin"][own], events["begin"][first:last], side="right")
        events["domain"][first:last] = domains[np.maximum(at - 1, 0)]


def _tracks_of(heads: np.ndarray, problems: list[str]) -> list[Track]:
    tracks = []
    numbers, firsts = np.unique(heads["track"], return_index=True)
    for number, own in zip(numbers, np.split(heads, firsts)[1:], strict=True):
        missing = int(own["sequence"][-1]) + 1 - len(own)
        if missing > 0:
            problems.append(f"{missing} chunks of track {number} are missing")
        head = own[-1]
        tracks.append(Track(int(number), int(head["thread"]), int(head["domain"]), missing))
    return tracks


def _number(text: str) -> int:
    """What the recorder can have meant."""
    if not (text.isascii() and text.isdecimal() and len(text) <= len(str(MOST))):
        raise ValueError(text)
    number = int(text)
    if number > MOST:
        raise ValueError(text)
    return number


def _unescaped(word: str) -> str:
    def letter(match: re.Match[str]) -> str:
        code = match[1]
        if code[0] == "x" and len(code) == 3:
            return chr(int(code[1:], 16))
        return chr(int(code, 8)) if code[0] in "01234567" else _ESCAPED.get(code, code)

    return _ESCAPE.sub(letter, word)


def _clock_of(texts: Sequence[tuple[str, str]], problems: list[str]) -> Clock:
    pairs = {}
    for key, value in texts:
        words = value.split()
        if key == "clock" and len(words) == 2:
            with suppress(ValueError):
                pairs[_number(words[0])] = _number(words[1])
    moments = np.array(sorted(pairs.items()), dtype=np.int64).reshape(-1, 2)
    if len(moments) < 2 or not _can_be_a_clock(moments[-1] - moments[0]):
        problems.append("the clock's rate is not in the log; one tick is taken for a nanosecond")
        first = moments[0] if len(moments) else np.zeros(2, dtype=np.int64)
        # As far apart as records can be.
        moments = np.array([first, first + (1 << 62)])
        return Clock(moments[:, 0], moments[:, 1], was_read=False)
    return Clock(moments[:, 0], moments[:, 1])


def _can_be_a_clock(span: np.ndarray) -> bool:
    """Whether so many ticks can be so many nanoseconds."""
    ticks, nanoseconds = span.tolist()
    return ticks / SLOWEST <= nanoseconds <= ticks * SLOWEST and nanoseconds > 0


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
            elif key == "hardware":
                number, name = value.split(" ", 1)
                log.hardware[_number(number)] = name
            elif key == "end":
                log.ended = _moment(log, value)
            elif key == "full":
                log.full = _moment(log, value)
            elif key != "clock":
                log.texts[key] = value
        except ValueError:
            damaged += 1
    if damaged:
        log.problems.append(f"{damaged} lines of text are damaged and left out")


def _moment(log: Log, text: str) -> int:
    """A tick at which the log can have been written."""
    tick, slack = _number(text), int(SLACK / log.clock.rate)
    if not log.clock.ticks[0] - slack <= tick <= log.clock.ticks[-1] + slack:
        raise ValueError(text)
    return tick


def _note_what_ended_it(log: Log) -> None:
    if log.cut is not None:
        after = (log.cut - log.begin) * log.clock.rate / 1e9
        log.problems.append(
            f"the log has more than {MOST_EVENTS:,} events: the first {after:.3g} s are looked at"
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
