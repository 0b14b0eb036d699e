# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The reader of logs: what it finds in whole ones, and what it says of damaged ones."""

import random
import struct

import numpy as np
import pytest

from perflog_writer import START, TICKS_PER_US, LogWriter
from xomp.profile.analysing.summary import Profile
from xomp.profile.reading import format as layout
from xomp.profile.reading.files import read
from xomp.profile.reading.format import Kind
from xomp.profile.reading.log import LogError, Module


def two_tracks() -> LogWriter:
    writer = LogWriter(threads=2)
    writer.domains = {0: 0, 1: 1}
    for track in (0, 1):
        writer.add(track, Kind.THREAD, 0, 100, worker=5000 + track)
    writer.add(0, Kind.CREATE, 1, 2, task=7, other=1, place=0x400100)
    writer.add(1, Kind.TASK, 3, 13, task=7, other=1, place=0x400200, worker=0, flags=128)
    writer.line("module 400000 401000 1000 /usr/bin/a program")
    writer.line("setting XOMP_SCHEDULER slb")
    writer.close()
    return writer


def test_everything_that_was_written_is_read(tmp_path):
    (log,) = read(two_tracks().write(tmp_path))
    assert log.problems == []
    assert (log.pid, log.command, log.number("threads")) == (1000, "./program 42", 2)
    assert log.settings == {"XOMP_SCHEDULER": "slb"}
    assert log.modules == [Module(0x400000, 0x401000, 0x1000, "/usr/bin/a program")]
    assert [(track.number, track.thread, track.domain) for track in log.tracks] == [
        (0, 1000, 0),
        (1, 1001, 1),
    ]
    (task,) = log.of(Kind.TASK)
    assert (task["track"], task["domain"], task["task"], task["flags"]) == (1, 1, 7, 128)
    assert len(log.of(Kind.TASK, Kind.CREATE)) == 2


def test_time_is_counted_from_the_first_event_in_nanoseconds(tmp_path):
    (log,) = read(two_tracks().write(tmp_path))
    (task,) = log.of(Kind.TASK)
    assert log.nanoseconds(task["begin"]) == pytest.approx(3000)
    assert (task["end"] - task["begin"]) * log.clock.rate == pytest.approx(10_000)
    assert log.nanoseconds(log.end) == pytest.approx(100_000)


def test_a_clock_that_drifts_is_followed(tmp_path):
    writer = LogWriter()
    writer.add(0, Kind.THREAD, 0, 1000)
    # The second half of the time has ticks twice as long.
    writer.line(f"clock {START + 500 * TICKS_PER_US} {5_000_000_000 + 333_333}")
    writer.close()
    (log,) = read(writer.write(tmp_path))
    half, most = log.nanoseconds([START + 500 * TICKS_PER_US, START + 750 * TICKS_PER_US])
    assert half == pytest.approx(333_333)
    assert most == pytest.approx((333_333 + 1_000_000) / 2, rel=1e-6)


def test_records_of_many_chunks_keep_their_order(tmp_path):
    writer = LogWriter()
    begins = np.arange(10_000) * 2.0
    for track in (3, 1):
        writer.add(track, Kind.TASK, begins, begins + 1, task=np.arange(10_000) + 1)
    writer.close()
    (log,) = read(writer.write(tmp_path))
    assert log.problems == []
    expected = [*range(1, 10_001)] * 2
    assert log.events["task"].tolist() == expected
    assert log.events["track"].tolist() == [1] * 10_000 + [3] * 10_000


def slots_of(records: list[tuple], track: int, first_tick: int, first_place: int) -> bytes:
    """As the recorder packs them, where they can be packed."""
    parts = []
    for begin, end, task, other, place, kind, flags, worker in records:
        own = track << 40
        near = (begin - first_tick, end - begin, task - own, other - own, place - first_place)
        if worker == track and all(0 <= each < 1 << 32 for each in near):
            parts.append(struct.pack("<IIIIBBBBI", *near[:4], kind | 128, flags, 1, 255, near[4]))
        else:
            parts.append(struct.pack("<qqBBBBI", begin, end, kind, flags, 1, 255, worker))
            parts.append(struct.pack("<QQQ", task, other, place))
    return b"".join(parts)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("whole", [0.0, 0.3, 0.9, 1.0])
def test_packed_records_and_others_are_told_apart(tmp_path, seed, whole):
    draw = random.Random(seed)
    track, first_tick, first_place = 3, START - (1 << 31), 0x7F00_0000_0000
    own, written = track << 40, []
    for number in range(1, draw.randint(2, 1300)):
        begin = START + number * 100
        end, task, other = begin + draw.randint(0, 90), own | number, own | draw.randint(0, number)
        place, worker = first_place + draw.getrandbits(32), track
        if draw.random() < whole:  # a half that looks like anything
            place, worker = draw.choice([0, 1, 2, 130, (1 << 64) - 1]), draw.choice([0, 2, track])
            other = draw.choice([0, other, 5 << 40 | 7])
        written.append((begin, end, task, other, place, Kind.TASK, draw.randint(0, 255), worker))
    writer = LogWriter()
    writer.add(0, Kind.THREAD, 0, 200_000)
    writer.close()
    head = struct.pack(
        "<IHHIIiIqQ",
        layout.CHUNK_MAGIC,
        layout.CHUNK_OF_SLOTS,
        0,
        track,
        0,
        -1,
        7,
        first_tick,
        first_place,
    ).ljust(layout.CHUNK_HEADER_BYTES, b"\0")
    chunk = head + slots_of(written, track, first_tick, first_place)
    path = tmp_path / f"1{layout.SUFFIX}"
    path.write_bytes(writer.bytes() + chunk.ljust(layout.CHUNK_BYTES, b"\0"))
    (log,) = read(path)
    assert log.problems == []
    names = ("begin", "end", "task", "other", "place", "kind", "flags", "worker")
    tasks = log.of(Kind.TASK)
    assert [tuple(int(each[name]) for name in names) for each in tasks] == written
    assert set(tasks["creator_domain"].tolist()) == {1}
    # Cut off anywhere, it has the records before, whole; but maybe not the last.
    cut = len(head) + draw.randint(0, len(chunk) - len(head))
    path.write_bytes(writer.bytes() + chunk[:cut])
    (log,) = read(path)
    read_again = log.of(Kind.TASK)["task"].tolist()
    assert read_again == [each[2] for each in written[: len(read_again)]]
    assert len(read_again) >= (cut - len(head)) // layout.RECORD_BYTES - 1


def records_in(count: int) -> slice:
    """So many of a chunk's records, in the chunk's bytes."""
    return slice(0, layout.CHUNK_HEADER_BYTES + count * layout.RECORD_BYTES)


@pytest.mark.parametrize("in_page, in_copy", [(1364, 300), (300, 1364), (1364, 1364), (0, 1364)])
def test_a_chunk_that_is_there_twice_is_read_once(tmp_path, in_page, in_copy):
    """A page and its copy, one of which was not whole when the program was killed."""
    writer = LogWriter()
    begins = np.arange(1500) * 2.0
    writer.add(0, Kind.TASK, begins, begins + 1, task=np.arange(1500) + 1)
    data = writer.bytes()
    *rest, first, last = (
        data[at : at + layout.CHUNK_BYTES]
        for at in range(layout.HEADER_BYTES, len(data), layout.CHUNK_BYTES)
    )
    page, copy = (
        first[records_in(count)].ljust(layout.CHUNK_BYTES, b"\0") for count in (in_page, in_copy)
    )
    path = tmp_path / f"1{layout.SUFFIX}"
    path.write_bytes(b"".join([data[: layout.HEADER_BYTES], *rest, page, last, copy]))
    (log,) = read(path)
    assert only_problem(log).startswith("the log has no end")
    assert log.of(Kind.TASK)["task"].tolist() == [*range(1, 1501)]


def test_processes_of_a_directory_come_in_the_order_of_their_start(tmp_path):
    for pid in (30, 4, 200):
        writer = LogWriter(pid=pid)
        writer.add(0, Kind.THREAD, 0, 1)
        writer.close()
        writer.write(tmp_path)
    (tmp_path / "notes.txt").write_text("not a log")
    assert [log.pid for log in read(tmp_path)] == [4, 30, 200]


def test_chunks_that_were_never_used_are_no_damage(tmp_path):
    path = two_tracks().write(tmp_path)
    path.write_bytes(path.read_bytes() + bytes(3 * layout.CHUNK_BYTES))
    (log,) = read(path)
    assert log.problems == []
    assert len(log.events) == 4


def test_a_text_longer_than_a_chunk_is_whole(tmp_path):
    writer = two_tracks()
    writer.line("program /" + "x" * 100_000)
    (log,) = read(writer.write(tmp_path))
    assert len(log.texts["program"]) == 100_001


def only_problem(log) -> str:
    (problem,) = log.problems
    return problem


def test_a_log_without_an_end_is_said_to_have_none(tmp_path):
    writer = two_tracks()
    writer.ended = None
    (log,) = read(writer.write(tmp_path))
    assert "crashed, was killed or still runs" in only_problem(log)
    assert len(log.of(Kind.THREAD, Kind.CREATE, Kind.TASK)) == 4


def test_a_cut_file_is_read_as_far_as_it_goes(tmp_path):
    writer = LogWriter()
    begins = np.arange(2000) * 2.0
    writer.add(0, Kind.TASK, begins, begins + 1, task=np.arange(2000) + 1)
    writer.close()
    path = writer.write(tmp_path)
    start = layout.HEADER_BYTES + 2 * layout.CHUNK_BYTES + layout.CHUNK_HEADER_BYTES
    path.write_bytes(path.read_bytes()[: start + 10 * layout.RECORD_BYTES + 30])
    (log,) = read(path)
    assert len(log.events) == layout.RECORDS_IN_CHUNK + 10
    assert "is cut off" in only_problem(log)


def test_a_missing_chunk_is_counted(tmp_path):
    writer = LogWriter()
    begins = np.arange(5000) * 2.0
    writer.add(0, Kind.TASK, begins, begins + 1)
    writer.close()
    path = writer.write(tmp_path)
    data = path.read_bytes()
    at = layout.HEADER_BYTES + 2 * layout.CHUNK_BYTES
    path.write_bytes(data[:at] + data[at + layout.CHUNK_BYTES :])
    (log,) = read(path)
    assert only_problem(log) == "1 chunks of track 0 are missing"
    assert log.tracks[0].missing == 1
    assert len(log.events) == 5000 - layout.RECORDS_IN_CHUNK


def test_damaged_chunks_and_records_are_left_out_and_counted(tmp_path):
    writer = two_tracks()
    unknown = np.zeros(2, layout.RECORD)
    unknown["kind"] = 99
    backwards = np.zeros(1, layout.RECORD)
    backwards["kind"], backwards["begin"], backwards["end"] = Kind.TASK, 50, 20
    writer.ordered = False
    writer.raw(0, np.concatenate([unknown, backwards]))
    path = writer.write(tmp_path)
    path.write_bytes(path.read_bytes() + b"\x11" * layout.CHUNK_BYTES)
    (log,) = read(path)
    assert len(log.events) == 4
    assert log.problems == [
        "1 of 4 chunks are damaged and left out",
        "2 records are of a kind that this xomp does not know",
        "1 records have impossible times and are left out",
    ]


def test_a_points_end_says_nothing_and_its_begin_must_be_possible(tmp_path):
    writer = two_tracks()
    points = np.zeros(2, layout.RECORD)
    points["kind"], points["begin"], points["end"] = Kind.STEAL, (START + 10, 1 << 62), 1 << 62
    writer.ordered = False
    writer.raw(0, points)
    (log,) = read(writer.write(tmp_path))
    (steal,) = log.of(Kind.STEAL)
    assert steal["end"] == steal["begin"] == START + 10
    assert only_problem(log) == "1 records have impossible times and are left out"


def test_the_last_track_that_there_can_be_is_one_as_well(tmp_path):
    writer = LogWriter()
    last = (1 << 32) - 1
    writer.add(last, Kind.TASK, 10, 20, task=1)
    (log,) = read(writer.write(tmp_path))
    assert [(int(e["track"]), int(e["kind"])) for e in log.events] == [
        (last, Kind.TASK),
        (last, Kind.IMPLICIT),  # the program was killed in the middle of its region
    ]


def test_damaged_text_is_counted_and_the_rest_is_taken(tmp_path):
    writer = two_tracks()
    writer.line("module 400000 nonsense")
    writer.line("hardware many cycles")
    (log,) = read(writer.write(tmp_path))
    assert only_problem(log) == "2 lines of text are damaged and left out"
    assert len(log.modules) == 1


@pytest.mark.parametrize(
    "line",
    [
        "start " + "9" * 30,
        "processors " + "9" * 5000,
        "clock " + "9" * 25 + " 5",
        "clock 9223372036854775807 9223372036854775807",
        "end " + "9" * 25,
        "end 4611686018427387904",
        "full -7",
        "hardware " + "9" * 30 + " cycles",
    ],
)
def test_numbers_that_nobody_can_have_meant_are_left_out(tmp_path, line):
    (sound,) = read(two_tracks().write(tmp_path / "sound"))
    writer = two_tracks()
    writer.line(line)
    (log,) = read(writer.write(tmp_path / "damaged"))
    assert (log.begin, log.end, log.full) == (sound.begin, sound.end, None)
    assert log.clock.rate == sound.clock.rate
    assert sound.number("start") == 1_700_000_000_000_001_000
    assert log.number("start") == (None if line.startswith("start") else sound.number("start"))
    assert log.hardware == {}


@pytest.mark.parametrize("pair", ["4000000000000000 5000000001", "1000001 500000000000000000"])
def test_a_clock_that_cannot_be_is_none(tmp_path, pair):
    path = two_tracks().write(tmp_path)
    data = path.read_bytes()
    last = data.rindex(b"\nclock ") + 1
    line = data[last : data.index(b"\n", last)]
    path.write_bytes(data.replace(line, f"clock {pair}".encode())[: len(data)])
    (log,) = read(path)
    assert any("one tick is taken for a nanosecond" in each for each in log.problems)


def test_without_clock_pairs_ticks_are_taken_for_nanoseconds(tmp_path):
    path = two_tracks().write(tmp_path)
    path.write_bytes(path.read_bytes().replace(b"\nclock ", b"\nklock "))
    (log,) = read(path)
    assert "one tick is taken for a nanosecond" in only_problem(log)
    assert log.clock.rate == 1
    assert log.nanoseconds(log.end) == 100 * TICKS_PER_US
    head = layout.HEADER_BYTES + layout.CHUNK_BYTES
    path.write_bytes(path.read_bytes()[:head].replace(b"\nend ", b"\nent "))
    (log,) = read(path)
    assert log.end == log.begin


def test_a_log_that_was_full_before_its_first_record_has_no_time(tmp_path):
    writer = two_tracks()
    writer.line(f"full {START - 100}")
    (log,) = read(writer.write(tmp_path))
    assert log.until == log.begin
    assert "full after 0 s" in only_problem(log)


def test_a_full_log_says_since_when(tmp_path):
    writer = two_tracks()
    writer.line(f"full {START + 40 * TICKS_PER_US}")
    (log,) = read(writer.write(tmp_path))
    assert "full after 4e-05 s" in only_problem(log)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b"XO", "is no log"),
        (b"\x7fELF" + bytes(8000), "is no log"),
        (layout.MAGIC + b"\2\0\0\0", "cut off within its header"),
        (layout.MAGIC + b"\1\0\0\0" + bytes(5000), "version 1"),
        (layout.MAGIC + b"\2\0\0\0" + bytes(5000), "damaged header"),
    ],
)
def test_what_is_no_log_gives_one_clear_line(tmp_path, content, said):
    path = tmp_path / f"1{layout.SUFFIX}"
    path.write_bytes(content)
    for where in (path, tmp_path):
        with pytest.raises(LogError) as caught:
            read(where)
        assert said in str(caught.value)
        assert "\n" not in str(caught.value)


def test_what_is_not_there_gives_one_clear_line(tmp_path):
    with pytest.raises(LogError, match="no such file"):
        read(tmp_path / "missing")
    with pytest.raises(LogError, match="there is no log in"):
        read(tmp_path)


def test_a_foreign_file_beside_a_log_does_not_hide_it(tmp_path):
    two_tracks().write(tmp_path)
    (tmp_path / f"1{layout.SUFFIX}").write_bytes(b"foreign")
    (log,) = read(tmp_path)
    assert len(log.events) == 4
    assert "is no log" in only_problem(log)


def test_any_cut_of_a_log_can_be_read(tmp_path):
    """Whatever the length: something is read or one line says why not."""
    data = two_tracks().bytes()
    path = tmp_path / f"1{layout.SUFFIX}"
    read_events = []
    for length in range(layout.HEADER_BYTES, len(data), 1777):
        path.write_bytes(data[:length])
        (log,) = read(path)
        assert log.end >= log.begin
        read_events.append(len(log.events))
    assert read_events == sorted(read_events)
    assert read_events[-1] == 4


def test_the_command_is_shown_as_one_would_type_it(tmp_path):
    writer = two_tracks()
    writer.line(r'command "./a program" "-x" "say \"so\"" "tab\there" "\\" "\x41\102"')
    (log,) = read(writer.write(tmp_path))
    assert log.command == """'./a program' -x 'say "so"' 'tab\there' '\\' AB"""
    writer.line(r'command "\8\9" "\x1g"')
    (log,) = read(writer.write(tmp_path))
    assert log.command == "89 x1g"


def test_frames_of_xomp_itself_are_no_places(tmp_path):
    """A `taskwait` that ends a task's body is jumped to: it returns into xomp."""
    writer = LogWriter()
    writer.line("module 400000 500000 0 /usr/bin/program")
    writer.line("module 700000 800000 0 /opt/lib/libgomp.so.1")
    writer.add(0, Kind.TASKWAIT, 10, 20, task=5, place=0x700010)
    writer.add(0, Kind.TASK, 5, 30, task=5, place=0x401000)
    writer.add(0, Kind.TASKWAIT, 32, 33, task=6, place=0x402000)
    writer.add(0, Kind.TASKWAIT, 34, 35, task=7, place=0x700010)
    writer.add(0, Kind.TASK, 31, 40, task=6, place=0x403000)
    (log,) = read(writer.write(tmp_path))
    # What is meant stands before the place, so that the first one means the task's body.
    assert log.of(Kind.TASKWAIT)["place"].tolist() == [0x401001, 0x402000, 0]
    assert Profile(log).place(0x401001, Kind.TASKWAIT).address == 0x401000
    assert log.of(Kind.TASK)["place"].tolist() == [0x401000, 0x403000]
