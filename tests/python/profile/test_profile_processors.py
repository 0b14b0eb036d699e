# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Time in which threads were ready and others had the processors: a part by itself, not work."""

import os
import random
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import perflog_reader as reader
import perflog_scenarios as scenarios
from perflog_writer import START, TICKS_PER_US, LogWriter
from xomp.profile.analysing.advice import findings
from xomp.profile.analysing.advice.facts import Facts
from xomp.profile.analysing.advice.tasks import tasks_that_others_wait_for
from xomp.profile.analysing.load import load
from xomp.profile.analysing.losses import divide
from xomp.profile.analysing.processors import counts as counts_of
from xomp.profile.analysing.spans import BUSY, State, build
from xomp.profile.analysing.summary import Profile
from xomp.profile.reading.files import read
from xomp.profile.reading.format import Kind, ProcessorFlag, StallFlag
from xomp.profile.showing.numbers import times

REGION = 0x402000


def profiled(tmp_path, writer, serial=None) -> Profile:
    (log,) = read(writer.write(tmp_path / "run"))
    logs = read(serial.write(tmp_path / "serial")) if serial is not None else [None]
    return Profile(log, logs[0])


def reading(
    writer: LogWriter,
    track: int,
    at: float,
    waited: float,
    first: bool = False,
    slept: float = 0,
) -> None:
    """`waited` microseconds for a processor in all, `slept` as many without wanting one."""
    flags = int(first) * ProcessorFlag.FIRST
    times_ = {"task": round((at - waited - slept) * 1000), "other": round(waited * 1000)}
    writer.add(track, Kind.PROCESSOR, at, at, flags=flags, **times_)


def one_region(begin=10, end=110) -> LogWriter:
    writer = LogWriter(threads=2)
    for thread in range(2):
        writer.add(thread, Kind.THREAD, 0, 120, worker=5000 + thread, flags=thread == 0)
        fields = {"task": 1000 + thread, "other": 7, "place": REGION, "worker": thread}
        writer.add(thread, Kind.IMPLICIT, begin, end, **fields)
    writer.add(0, Kind.REGION, begin, end, other=7, place=REGION, worker=2)
    writer.close(120)
    return writer


def micro(profile: Profile, state: State, thread: int) -> float:
    return profile.losses.by_track[thread, state] * 1e6


def test_work_is_without_the_time_that_others_had_the_processor(tmp_path):
    writer = one_region()
    for track in range(2):
        reading(writer, track, 10, 3, first=True)
    reading(writer, 0, 110, 43)
    reading(writer, 1, 110, 3)
    profile = profiled(tmp_path, writer)
    assert micro(profile, State.WORK, 0) == pytest.approx(120 - 40)
    assert micro(profile, State.KEPT_OFF, 0) == pytest.approx(40)
    assert micro(profile, State.WORK, 1) == pytest.approx(100)
    assert profile.losses.kept_off * 1e6 == pytest.approx(40)
    assert sum(each.value for each in times(profile)) == pytest.approx(profile.losses.total)
    first = findings(profile)[0]
    assert (first.cause, first.lost * 1e6) == ("kept-off", pytest.approx(40))


def test_it_is_laid_on_what_was_done_in_proportion_and_not_on_sleep(tmp_path):
    writer = one_region()
    writer.add(0, Kind.TASKWAIT, 50, 70, task=1000)
    writer.add(0, Kind.STALL, 50, 60, task=1000, flags=StallFlag.SLEPT)
    for track, slept in ((0, 10), (1, 0)):
        reading(writer, track, 10, 0, first=True)
        reading(writer, track, 110, 20, slept=slept)
    profile = profiled(tmp_path, writer)
    # 100 between the readings: 80 of work, 10 of scheduling, and sleep.
    assert micro(profile, State.KEPT_OFF, 0) == pytest.approx(20)
    assert micro(profile, State.WORK, 0) == pytest.approx(20 + 80 - 20 * 8 / 9)
    assert micro(profile, State.SCHEDULE, 0) == pytest.approx(10 - 20 / 9)
    assert micro(profile, State.STALL, 0) == pytest.approx(10)


@pytest.mark.parametrize("where", ["in a wait", "between regions"])
def test_who_yields_while_it_waits_lets_its_work_be(tmp_path, where):
    """The work had its processor; the kernel counts what a thread that yields waits for it."""
    writer = one_region(10, 50) if where == "between regions" else one_region()
    if where == "in a wait":
        writer.add(1, Kind.STALL, 50, 110, task=1001, flags=0)
    writer.add(0, Kind.IMPLICIT, 110, 115, task=1002, other=8, place=REGION, worker=0)
    writer.add(0, Kind.REGION, 110, 115, other=8, place=REGION, worker=2)
    reading(writer, 1, 10, 0, first=True)
    reading(writer, 1, 112, 60)  # of 40 of work, and 60 of waiting
    profile = profiled(tmp_path, writer)
    assert micro(profile, State.WORK, 1) == pytest.approx(40)
    assert profile.losses.kept_off == pytest.approx(0)


def test_who_is_called_to_a_region_and_has_no_processor_is_kept_off(tmp_path):
    """The second thread comes 60 after the region's begin, and the first one waits for it."""
    writer = LogWriter(threads=2)
    for thread in range(2):
        writer.add(thread, Kind.THREAD, 0, 120, worker=5000 + thread, flags=thread == 0)
    for thread, begin, end in ((0, 10, 30), (1, 70, 90)):
        fields = {"task": 1000 + thread, "other": 7, "place": REGION, "worker": thread}
        writer.add(thread, Kind.IMPLICIT, begin, end, **fields)
    writer.add(0, Kind.STALL, 30, 90, task=1000, flags=StallFlag.SLEPT)
    writer.add(0, Kind.BARRIER, 30, 90, task=1000, other=7, flags=1)
    writer.add(0, Kind.REGION, 10, 90, other=7, place=REGION, worker=2)
    writer.close(120)
    reading(writer, 1, 5, 0, first=True)
    reading(writer, 1, 70, 55, slept=10)
    profile = profiled(tmp_path, writer)
    assert micro(profile, State.KEPT_OFF, 1) == pytest.approx(55)
    assert micro(profile, State.WORK, 1) == pytest.approx(20)
    found = {each.cause: each.lost * 1e6 for each in findings(profile)}
    assert found["kept-off"] == pytest.approx(55 + 40)
    assert found["imbalance"] == pytest.approx(5 + 20)  # of code that ran alone
    assert profile.blame.by_busy.sum() == pytest.approx(profile.losses.elapsed)


def test_a_wait_of_less_than_a_tick_is_none(tmp_path):
    """Ticks are large numbers, in which such a time has no length."""
    writer = one_region(10, 50)
    writer.add(0, Kind.IMPLICIT, 80, 90, task=1002, other=8, place=REGION, worker=0)
    writer.add(0, Kind.REGION, 79, 90, other=8, place=REGION, worker=2)
    reading(writer, 1, 10, 0, first=True)
    reading(writer, 1, 50, 0)
    profile = profiled(tmp_path, writer)
    spans, losses = profile.spans, profile.losses
    losses.waits[spans.piece_state == State.OUTSIDE] = 1e-12
    assert profile.blame.kept_off == 0
    assert profile.blame.by_busy.sum() == pytest.approx(losses.elapsed)


def test_who_cannot_leave_a_barrier_that_all_have_reached_is_kept_off(tmp_path):
    """The first thread is at the barrier from 20 on, the second comes at 40; the first one goes on
    at 80, and the second is at the next barrier at 50."""
    writer = one_region()
    fields = {"other": 7, "flags": 2}
    for thread, (begin, end), (again, ends) in (
        (0, (20, 80), (90, 91)),
        (1, (40, 41), (50, 91)),
    ):
        for first, last in ((begin, end), (again, ends)):
            writer.add(thread, Kind.STALL, first, last, task=1000 + thread, flags=0)
            writer.add(thread, Kind.BARRIER, first, last, task=1000 + thread, **fields)
    reading(writer, 0, 10, 0, first=True)
    reading(writer, 0, 110, 60)
    profile = profiled(tmp_path, writer)
    assert micro(profile, State.KEPT_OFF, 0) == pytest.approx(80 - 40 + 1)
    kept = {each.cause: each.lost * 1e6 for each in findings(profile)}["kept-off"]
    assert kept == pytest.approx(41 + 32)  # and meanwhile the second waits for it


def test_it_is_laid_first_on_what_takes_the_runtime_far_too_long(tmp_path):
    """A thread that was about to look for a task was away for 700, and had 1000 of work."""
    writer = one_region(10, 2010)
    writer.add(0, Kind.TASKWAIT, 1000, 2000, task=1000)
    reading(writer, 0, 10, 0, first=True)
    reading(writer, 0, 2010, 900)
    profile = profiled(tmp_path, writer)
    assert micro(profile, State.KEPT_OFF, 0) == pytest.approx(900)
    # 800 of the 1000 beyond 200; the other 100 in proportion.
    assert micro(profile, State.SCHEDULE, 0) == pytest.approx(200 - 100 * 200 / 1200)


def test_who_sleeps_in_its_own_code_is_counted_apart(tmp_path):
    """Also beside a wait for a lock, in which a thread may sleep."""
    writer = one_region()
    writer.add(0, Kind.MUTEX_WAIT, 20, 50, task=1000, other=1, flags=17)
    reading(writer, 0, 10, 0, first=True)
    reading(writer, 0, 110, 0, slept=70)
    profile = profiled(tmp_path, writer)
    assert profile.losses.asleep * 1e6 == pytest.approx((70 - 30) * 0.7)  # 30 of 100 is the wait
    assert profile.losses.kept_off == pytest.approx(0)


def test_each_thread_of_a_track_is_counted_from_its_own_first_reading(tmp_path):
    writer = one_region()
    reading(writer, 0, 10, 50, first=True)
    reading(writer, 0, 40, 55)
    reading(writer, 0, 60, 90, first=True)  # another thread, which has waited for longer
    reading(writer, 0, 100, 92)
    reading(writer, 0, 110, 1)  # and one whose first reading is missing
    assert profiled(tmp_path, writer).losses.kept_off * 1e6 == pytest.approx(5 + 2)


def test_who_waits_for_one_that_is_kept_off_is_not_its_codes_fault(tmp_path):
    """One thread works from 10 to 110, for half of which it has no processor; the other waits."""
    writer = one_region()
    writer.add(1, Kind.STALL, 10.5, 109.5, task=1001, flags=StallFlag.SLEPT)
    reading(writer, 0, 10, 0, first=True)
    reading(writer, 0, 110, 50)
    profile = profiled(tmp_path, writer)
    blame = profile.blame
    assert blame.kept_off * 1e6 == pytest.approx(49.5, abs=0.1)
    assert blame.of_span.sum() * 1e6 == pytest.approx(49.5 + 20, abs=0.1)
    found = {each.cause: each.lost * 1e6 for each in findings(profile)}
    assert found["kept-off"] == pytest.approx(50 + 49.5, abs=0.1)
    assert found["serial-section"] == pytest.approx(49.5 + 20, abs=0.1)


def test_a_small_task_whose_thread_was_kept_off_is_not_too_large(tmp_path):
    """Others waited for it while it had the processor as well, for a moment."""
    run = scenarios.Run(2)
    run.begin_region(10)
    for number in range(100):
        run.task(0, 20 + 10.0 * number, 9.5)
    run.task(1, 20, 2980)
    for track, waited in ((0, 0), (1, 2970)):
        reading(run, track, 15, 0, first=True)
        reading(run, track, 3005, waited)
    run.stall(0, 1020, 3010, 1)
    for thread in range(2):
        run.barrier(thread, 1019 if thread == 0 else 3009, 3010)
    run.end_region(3011)
    facts = Facts(profiled(tmp_path, run.finish(3012)))
    assert facts.behind_tasks > 0
    assert [each.cause for each in tasks_that_others_wait_for(facts)] == ["imbalance"]


def test_a_part_of_a_run_is_divided_as_the_whole_is(tmp_path):
    writer = one_region()
    for track in range(2):
        reading(writer, track, 10, 0, first=True)
        reading(writer, track, 110, 20)
    spans = profiled(tmp_path, writer).spans
    part = divide(spans, START + 60 * TICKS_PER_US, START + 115 * TICKS_PER_US)
    assert part.elapsed * 1e6 == pytest.approx(55)
    assert part.kept_off * 1e6 == pytest.approx(2 * 10)
    assert part.work * 1e6 == pytest.approx(2 * 40 + 5)
    assert part.work + part.overhead + part.idle + part.kept_off == pytest.approx(part.total)


def test_without_readings_the_part_is_not_there(tmp_path):
    writer = one_region()
    writer.line("processor-absent it does not count")
    profile = profiled(tmp_path, writer)
    assert not profile.losses.counted
    assert [each.key for each in times(profile)] == ["work", "overhead", "idle"]


def test_a_busy_machine_is_no_inflation(tmp_path):
    serial = scenarios.busy_tasks(1, 30, pid=2)
    busy = scenarios.busy_tasks(4, 50)
    inflation = profiled(tmp_path / "without", busy, serial).losses.inflation
    for thread in range(4):
        reading(busy, thread, 0, 0, first=True)
        reading(busy, thread, busy.last, inflation * 1e6 / 4)
    profile = profiled(tmp_path / "with", busy, serial)
    assert profile.losses.inflation == pytest.approx(0, abs=0.05 * inflation)
    assert findings(profile)[0].cause == "kept-off"
    busy.line("processors 2")
    crowded = findings(profiled(tmp_path / "crowded", busy, serial))[0]
    assert crowded.cause == "crowded"
    assert "OMP_NUM_THREADS=2" in crowded.advice[0]


def slowly(spans, readings) -> np.ndarray:
    """The same, reading by reading and piece by piece."""
    found = np.zeros(len(spans.piece_span))
    for track, begin, end, ran, ready in readings:
        parts = {}
        for piece, span in enumerate(spans.piece_span):
            if spans.track_of(span) != track or spans.piece_state[piece] not in BUSY:
                continue
            length = min(end, spans.piece_end[piece]) - max(begin, spans.piece_begin[piece])
            if length > 0:
                parts[piece] = length
        worked = sum(parts.values())
        kept_off = min(ready, max(0, worked - ran))
        for piece, length in parts.items():
            found[piece] += length * kept_off / worked
    return found


@pytest.mark.parametrize("seed", range(4))
def test_many_readings_are_what_a_slow_way_finds(tmp_path, seed):
    rng = random.Random(seed)
    writer = LogWriter(threads=3)
    readings = []
    for track in range(3):
        writer.add(track, Kind.THREAD, 0, 1000, worker=5000 + track, flags=track == 0)
        at, waited, slept, moment = 0, 0, 0, rng.randint(0, 50)
        reading(writer, track, moment, 0, first=True)
        while at < 900:
            begin = at + rng.randint(0, 20)
            at = begin + rng.randint(1, 60)
            kind = rng.choice([Kind.TASK, Kind.STALL, Kind.CREATE, Kind.TASKWAIT])
            writer.add(track, kind, begin, at, task=1, flags=rng.randint(0, 1))
        while moment < 900:
            later = moment + rng.randint(1, 90)
            more = rng.choice([0, rng.randint(0, later - moment)])
            sleeps = rng.choice([0, rng.randint(0, later - moment - more)])
            waited, slept = waited + more, slept + sleeps
            reading(writer, track, later, waited, slept=slept)
            span = (START + each * TICKS_PER_US for each in (moment, later))
            ran = later - moment - more - sleeps
            readings.append((track, *span, ran * TICKS_PER_US, more * TICKS_PER_US))
            moment = later
    writer.close(1000)
    (log,) = read(writer.write(tmp_path))
    spans = build(log)
    assert counts_of(spans).kept_off == pytest.approx(slowly(spans, readings))


PROGRAM = """
static volatile long sum;
int main(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 400; i++)
#pragma omp task
    for (int j = 0; j < 200000; j++)
      sum++;
}
"""
HOG = "print('here', flush=True)\nwhile True:\n    pass\n"


@pytest.fixture
def recorded(compile_c, library, tmp_path):
    """A run on one processor, which a number of other programs want as well."""

    def on_one_processor():
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

    def run(hogs: int, threads: int) -> Path:
        program = compile_c("kept_off", PROGRAM, "-fopenmp")
        others = []
        logs = tmp_path / f"logs-{hogs}-{threads}"
        hog = [sys.executable, "-c", HOG]
        try:
            for _ in range(hogs):
                others.append(
                    subprocess.Popen(hog, stdout=subprocess.PIPE, preexec_fn=on_one_processor)
                )
                others[-1].stdout.readline()
            environment = reader.environment(library, logs, threads)
            subprocess.run(
                [program], env=environment, check=True, timeout=300, preexec_fn=on_one_processor
            )
        finally:
            for each in others:
                each.kill()
                each.wait()
        return logs

    return run


@pytest.fixture
def counts():
    try:
        words = Path("/proc/thread-self/schedstat").read_text().split()
    except FileNotFoundError:
        words = ["0"]
    if words[-1] == "0":
        pytest.skip("this kernel does not count what threads wait for a processor")


def test_the_log_has_what_the_kernel_counts_of_each_thread(counts, recorded):
    log = reader.read_only(recorded(hogs=0, threads=3))
    reader.check_nesting(log)
    assert not log.text["processor-absent"]
    records = log.of("PROCESSOR")
    for track in {record.track for record in log.of("THREAD")}:
        mine = [record for record in records if record.track == track]
        assert [record.flags for record in mine] == [1] + [0] * (len(mine) - 1)
        for before, after in pairwise(mine):
            assert before.begin <= after.begin
            assert before.task <= after.task and before.other <= after.other
    # Some are where the program's work begins and ends; none is asked for all the time.
    (main,) = {record.track for record in log.of("REGION")}
    mine = [record.begin for record in records if record.track == main]
    assert mine[0] == min(record.begin for record in log.of("THREAD"))
    assert mine[-1] >= max(record.end for record in log.of("REGION"))
    assert len(records) < log.count("TASK")


def test_threads_that_share_one_processor_are_kept_off(counts, recorded):
    profile = load(recorded(hogs=0, threads=3))[0]
    assert profile.losses.kept_off > 0
    assert sum(each.value for each in times(profile)) == pytest.approx(profile.losses.total)
    assert "crowded" in [each.cause for each in findings(profile)]


def test_other_programs_are_named(counts, recorded):
    profile = load(recorded(hogs=2, threads=1))[0]
    assert "kept-off" in [each.cause for each in findings(profile)]


def test_counts_are_of_the_moment_that_is_told(counts, recorded):
    """Who lost the processor while it read them reads them again."""
    log = load(recorded(hogs=2, threads=3))[0].log
    rows = log.of(Kind.PROCESSOR)
    for track in np.unique(rows["track"]):
        mine = np.sort(rows[rows["track"] == track], order="begin")
        passed = np.diff(mine["begin"]) * log.clock.rate
        counted = sum(np.diff(mine[name].astype(np.int64)) for name in ("task", "other"))
        assert (counted - passed).max(initial=0) < 2e6
