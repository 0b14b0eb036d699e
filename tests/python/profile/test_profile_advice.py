# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs with one known trouble: it is what the report names first, with its place."""

import re

import numpy as np
import pytest

import perflog_scenarios as scenarios
from xomp.profile.analysing.advice import findings
from xomp.profile.analysing.advice.finding import LITTLE
from xomp.profile.analysing.advice.thresholds import AT_ONCE_TICKS
from xomp.profile.analysing.spans import State
from xomp.profile.analysing.summary import Profile
from xomp.profile.reading.files import read
from xomp.profile.reading.format import Kind
from xomp.profile.showing.notes import notes
from xomp.profile.showing.numbers import times
from xomp.shared.text import several


def profiled(tmp_path, writer, serial=None) -> Profile:
    (log,) = read(writer.write(tmp_path / "run"))
    logs = read(serial.write(tmp_path / "serial")) if serial is not None else [None]
    return Profile(log, logs[0])


TIME = r"(\d[\d,.]*) (s|ms|us|ns)\b"

KNOWN = {
    "imbalance": ("imbalance", scenarios.LOOP - 1),
    "uneven_code": ("imbalance", scenarios.REGION),
    "one_producer": ("one-producer", scenarios.CREATE - 1),
    "serial_outside": ("serial-section", scenarios.NEXT_REGION),
    "serial_single": ("serial-section", scenarios.SINGLE - 1),
    "chain": ("chain", scenarios.TASK),
    "too_fine": ("too-fine", scenarios.TASK),
    "too_fine_at_once": ("too-fine", scenarios.TASK),
    "too_fine_loop": ("too-fine", scenarios.TASK),
    "too_few": ("too-few-tasks", scenarios.TASK),
    "too_coarse": ("too-coarse", scenarios.TASK),
    "remote": ("remote-data", scenarios.TASK),
    "mutex": ("mutex", scenarios.LOCK - 1),
    "waits_after_each_task": ("chain", scenarios.TASK),
    "fine_chunks": ("fine-chunks", scenarios.LOOP - 1),
    "large_chunks": ("imbalance", scenarios.LOOP - 1),
    "frequent_barriers": ("frequent-barriers", -1),
    "short_regions": ("short-regions", scenarios.REGION),
}


@pytest.mark.parametrize("name", KNOWN)
def test_the_known_cause_is_named_first_with_its_place(tmp_path, name):
    profile = profiled(tmp_path, getattr(scenarios, name)())
    cause, place = KNOWN[name]
    first = findings(profile)[0]
    assert first.cause == cause
    assert place < 0 or f"{place:#x}" in first.where
    assert first.evidence
    assert first.advice


@pytest.mark.parametrize("name", KNOWN)
def test_the_parts_add_up_and_no_more_is_explained_than_was_lost(tmp_path, name):
    losses = (profile := profiled(tmp_path, getattr(scenarios, name)())).losses
    parts = losses.work + losses.overhead + losses.idle + losses.kept_off
    assert parts == pytest.approx(losses.total, rel=0.02)
    others = ("inflation", "remote-data")  # these explain work
    claimed = sum(each.lost for each in findings(profile) if each.cause not in others)
    # What tasks that ran at once cost is an estimate of a part of the work.
    estimate = profile.tasks.at_once * AT_ONCE_TICKS * profile.rate
    assert claimed <= (losses.idle + losses.overhead + estimate) * 1.02


def in_seconds(number: str, unit: str) -> float:
    return float(number.replace(",", "")) * {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}[unit]


@pytest.mark.parametrize("name", KNOWN)
def test_what_is_told_of_a_cause_adds_up_to_what_it_cost(tmp_path, name):
    """As it is written: "These 52 ms are 30 ms of this; 22 ms of that."."""
    for each in findings(profiled(tmp_path, getattr(scenarios, name)())):
        (line, *_) = each.evidence
        if line.startswith("These "):
            whole, *parts = (in_seconds(*found) for found in re.findall(TIME, line))
            assert whole == pytest.approx(each.lost, rel=0.01)
            assert sum(parts) == pytest.approx(whole, rel=0.02)
        else:  # there is one part that is worth telling
            assert max(value for _, value in each.parts) >= (1 - LITTLE) * each.lost


def test_loops_that_share_a_loss_are_named_with_their_parts(tmp_path):
    run = scenarios.Run(2)
    run.begin_region(10)
    for at, place in ((20, scenarios.LOOP), (2020, scenarios.LOOP + 16)):
        run.add(0, Kind.LOOP, at, at + 1500, task=1, place=place)
        run.add(1, Kind.LOOP, at, at + 500, task=1, place=place)
        for thread, begin in ((0, at + 1500), (1, at + 500)):
            run.barrier(thread, begin, at + 1502, join=at > 20)
            run.stall(thread, begin + 0.5, at + 1501.5, 1)
    run.end_region(3523)
    (first, *_) = findings(profiled(tmp_path, run.finish(3524)))
    assert first.cause == "imbalance"
    assert first.evidence[0].startswith("These 2 ms are ")
    assert first.evidence[0].count(" in the loop at ") == 2


def test_the_same_work_that_takes_a_few_per_cent_longer_is_no_cause(tmp_path):
    serial = scenarios.busy_tasks(1, 30, pid=2)
    longer = scenarios.busy_tasks(1, 32.4)
    profile = profiled(tmp_path, longer, serial)
    assert 0.05 * profile.losses.total < profile.losses.inflation < 0.1 * profile.losses.serial
    assert "inflation" not in [each.cause for each in findings(profile)]


def test_a_run_without_trouble_is_left_alone(tmp_path):
    profile = profiled(tmp_path, scenarios.busy_tasks(4, 50))
    assert profile.losses.efficiency > 0.95
    assert findings(profile) == []


def test_remote_tasks_that_take_longer_than_serially_are_named(tmp_path):
    """All run far from their data alike: only the serial run shows what that costs."""
    slow = scenarios.busy_tasks(4, 50, remote=True)
    profile = profiled(tmp_path, slow, scenarios.busy_tasks(1, 30, pid=2))
    first = findings(profile)[0]
    assert first.cause == "remote-data"
    assert first.lost == pytest.approx(profile.losses.inflation, rel=0.6)


def test_work_that_takes_longer_without_a_known_reason_is_said_to(tmp_path):
    profile = profiled(tmp_path, scenarios.busy_tasks(4, 50), scenarios.busy_tasks(1, 30, pid=2))
    first = findings(profile)[0]
    assert first.cause == "inflation"
    assert first.lost == pytest.approx(profile.losses.inflation)


def test_more_threads_than_processors_are_the_reason_for_longer_work(tmp_path):
    crowded = scenarios.busy_tasks(4, 50)
    crowded.line("processors 2")
    profile = profiled(tmp_path, crowded, scenarios.busy_tasks(1, 30, pid=2))
    first = findings(profile)[0]
    assert first.cause == "crowded"
    assert "OMP_NUM_THREADS=2" in first.advice[0]


def test_a_cause_that_explains_little_is_left_out(tmp_path):
    """A serial part of 2 % of the time of two threads."""
    run = scenarios.Run(2)
    run.begin_region(20)
    for thread in (0, 1):
        run.add(thread, scenarios.Kind.LOOP, 21, 999, task=1, place=scenarios.LOOP)
        run.barrier(thread, 999, 999.5)
    run.end_region(1000)
    assert findings(profiled(tmp_path, run.finish(1001))) == []


def test_advice_on_a_loop_fits_the_schedule_that_it_has(tmp_path):
    def advice_for(name):
        return " ".join(findings(profiled(tmp_path / name, getattr(scenarios, name)()))[0].advice)

    assert "chunk has 300 iterations" in advice_for("large_chunks")
    # The compiler divides a static loop: the log has the region only.
    assert "`schedule(dynamic)`" in advice_for("uneven_code")


def test_who_waits_for_its_tasks_most_of_the_time_is_no_producer_that_cannot_keep_up(tmp_path):
    found = findings(profiled(tmp_path, scenarios.waits_after_each_task()))
    assert "one-producer" not in [each.cause for each in found]


def test_small_tasks_that_take_longer_than_on_one_thread_are_too_small_in_the_first_place(tmp_path):
    serial = scenarios.one_thread_makes_tiny_tasks(length=0.01, apart=0.12)
    run = scenarios.one_thread_makes_tiny_tasks(length=0.06, apart=0.3)
    profile = profiled(tmp_path, run, serial)
    assert profile.losses.inflation > 0.1 * profile.losses.total
    (first, *others) = findings(profile)
    assert first.cause == "too-fine"
    assert "longer than on one thread" in " ".join(first.evidence)
    assert "inflation" not in [each.cause for each in others]


@pytest.mark.parametrize(("records", "told"), [(10, False), (200_000, True)])
def test_the_log_is_blamed_for_want_of_processors_only_where_it_is_large(tmp_path, records, told):
    run = scenarios.Run(2)
    run.begin_region(10)
    for thread in range(2):
        run.add(thread, Kind.PROCESSOR, 0, 0, flags=1, task=0, other=0)
        begins = 20 + 100_000 * np.arange(records) / records
        run.add(thread, Kind.TASK, begins, begins + 0.3, task=np.arange(records), place=1)
        run.add(thread, Kind.PROCESSOR, 100_100, 100_100, task=50_000_000, other=50_000_000)
        run.barrier(thread, 100_150, 100_155)
    run.end_region(100_160)
    profile = profiled(tmp_path, run.finish(100_170))
    (kept_off,) = (each for each in findings(profile) if each.cause == "kept-off")
    assert ("the log" in " ".join(kept_off.advice)) == told


def test_a_lock_is_held_by_one_thread_at_a_time(tmp_path):
    """The first thread writes that it let go long after the second has it."""
    run = scenarios.Run(2)
    run.begin_region(10)
    for thread, begin, end in ((0, 20, 900), (1, 120, 220)):
        fields = {"task": 1, "other": 0xABC, "place": scenarios.LOCK, "flags": 17}
        run.add(thread, Kind.MUTEX_WAIT, begin - 1, begin, **fields)
        run.add(thread, Kind.MUTEX_HELD, begin, end, **fields)
        run.barrier(thread, 950, 955)
    run.end_region(960)
    (lock,) = profiled(tmp_path, run.finish(970)).mutexes
    assert lock.held * 1e6 == pytest.approx(100 + 100)


def test_what_others_took_does_not_hide_what_the_program_lacks(tmp_path):
    """A serial part of 100 of 1900, for 15 times as long as which others had the processors."""
    run = scenarios.Run(2)
    run.begin_region(10)
    for thread in range(2):
        run.add(thread, Kind.LOOP, 11, 10_000, task=1, place=scenarios.LOOP)
        run.barrier(thread, 10_000, 10_001)
        run.add(thread, Kind.PROCESSOR, 11, 11, flags=1, task=0, other=0)
        run.add(thread, Kind.PROCESSOR, 10_000, 10_000, task=900_000, other=9_089_000)
    run.end_region(10_002)
    found = findings(profiled(tmp_path, run.finish(10_102)))
    assert [each.cause for each in found] == ["kept-off", "serial-section"]
    assert found[1].lost * 1e6 == pytest.approx(110, rel=0.05)


def test_threads_that_take_turns_on_one_processor_wait_for_the_lock(tmp_path):
    """The kernel puts them on one processor, since only one of them can go on: who has none could
    do nothing with it."""
    run = scenarios.Run(2)
    run.begin_region(10)
    fields = {"task": 1, "other": 0xABC, "place": scenarios.LOCK, "flags": 1}
    for turn in range(20):
        begin = 20 + 100.0 * turn + 1
        run.add(turn % 2, Kind.MUTEX_WAIT, begin - 0.1, begin, **fields)
        run.add(turn % 2, Kind.MUTEX_HELD, begin, begin + 95, **fields)
    for thread in range(2):
        run.add(thread, Kind.PROCESSOR, 12, 12, flags=1, task=0, other=0)
        run.add(thread, Kind.PROCESSOR, 2030, 2030, task=1_018_000, other=1_000_000)
        run.barrier(thread, 2035, 2036)
    run.end_region(2037)
    first = findings(profiled(tmp_path, run.finish(2040)))[0]
    assert first.cause == "mutex"
    assert first.lost * 1e6 == pytest.approx(0.93 * 2000, rel=0.05)


def test_a_thread_that_sleeps_alone_is_told_to(tmp_path):
    run = scenarios.serial_outside()
    for at, ran in ((0, 0), (1050, 1050), (6990, 1150)):
        fields = {"flags": int(at == 0), "task": ran * 1000, "other": 0}
        run.add(0, Kind.PROCESSOR, at, at, **fields)
    profile = profiled(tmp_path, run)
    assert profile.losses.asleep * 1e6 == pytest.approx(5840, rel=0.01)
    (first, *others) = findings(profile)
    assert first.cause == "asleep"
    assert "slept for 5.84 ms" in " ".join(first.evidence)
    # It computes nothing that could be made parallel.
    assert "serial-section" not in [each.cause for each in others]
    assert not any("Make this part parallel" in line for line in first.advice)
    assert "slept for 5.84 ms" in " ".join(notes(profile))


def test_a_run_that_ended_in_the_middle_is_not_compared_with_another(tmp_path):
    whole, cut = scenarios.busy_tasks(1, 30, pid=2), scenarios.Run(2)
    for number in range(100):
        cut.task(number % 2, 20 + 50.0 * number, 45)
    cut.finish(6000)  # by exit(), from within a region
    profile = profiled(tmp_path, cut, whole)
    assert profile.cut_short
    assert profile.losses.inflation is None
    assert "not both of them came to their end" in " ".join(notes(profile))
    assert profiled(tmp_path / "whole", whole, whole).losses.inflation == pytest.approx(0)


def test_two_runs_with_other_work_show_no_inflation(tmp_path):
    """Twice as many tasks, as of two teams that each make theirs, take twice as long."""
    profile = profiled(tmp_path, scenarios.busy_tasks(4, 50), scenarios.busy_tasks(8, 30, pid=2))
    assert "inflation" in [each.cause for each in findings(profile)]
    half = scenarios.one_thread_makes_tiny_tasks(length=0.06, apart=0.3)
    other = profiled(tmp_path / "other", half, scenarios.busy_tasks(1, 0.5, pid=2))
    assert other.losses.inflation is None
    assert "work" in [each.key for each in times(other)]
    (note,) = (line for line in notes(other) if "the run on one thread is not compared" in line)
    assert f"it had {several(other.serial.ran, 'task')}" in note
    told = findings(other)
    assert "inflation" not in [each.cause for each in told]
    assert "longer than on one thread" not in " ".join(
        reason for each in told for reason in each.reasons
    )


def test_the_same_work_in_another_number_of_tasks_is_compared(tmp_path):
    """As a `taskloop` divides it, by the number of threads."""
    run, alone = scenarios.Run(2), scenarios.Run(2, pid=2)
    for made, each in ((run, 100), (alone, 200)):
        made.begin_region(10)
        for number in range(20000 // each):
            made.task(0, 20 + each * number, each)
        for thread in range(2):
            made.barrier(thread, 20020, 20021)
        made.end_region(20022)
        made.finish(20024)
    profile = profiled(tmp_path, run, alone)
    assert profile.other_work
    assert profile.losses.inflation == pytest.approx(0, abs=1e-6)
    assert "not compared" not in " ".join(notes(profile))


def test_small_tasks_explain_no_more_inflation_than_they_took(tmp_path):
    """It is the loop before them that takes longer."""

    def run(loop: float, pid: int):
        made = scenarios.Run(2, pid)
        made.begin_region(10)
        for thread in range(2):
            made.add(thread, Kind.LOOP, 11, 11 + loop, task=1, place=scenarios.LOOP)
            begins = 12 + loop + 0.5 * np.arange(200)
            ids = np.arange(200) + 1 + 200 * thread
            create = {"task": ids, "other": 1, "place": scenarios.CREATE}
            made.add(thread, Kind.CREATE, begins, begins + 0.3, **create)
            task = {"task": ids, "other": 1, "place": scenarios.TASK, "worker": thread}
            made.add(thread, Kind.TASK, begins + 0.35, begins + 0.45, **task)
            made.barrier(thread, 112 + loop, 113 + loop)
        made.end_region(114 + loop)
        return made.finish(115 + loop)

    profile = profiled(tmp_path, run(1000, 1), run(500, 2))
    found = {each.cause: each for each in findings(profile)}
    small = found.get("too-fine")
    assert small is None or dict(map(reversed, small.parts)) is not None
    assert found["inflation"].lost == pytest.approx(profile.losses.inflation, rel=0.1)
    assert small is None or small.lost <= profile.losses.overhead + profile.tasks.work


@pytest.mark.parametrize("ends", ["killed", "by exit"])
def test_code_before_a_region_in_which_the_program_ended_is_not_behind_it(tmp_path, ends):
    """A thread that was through with the region tells where it is; both run tasks in it."""
    run = scenarios.Run(2)
    for number in range(200):
        run.task(number % 2, 2010 + 10.0 * (number // 2), 9.5)
    run.single(0, 2000, True)
    fields = {"other": 7, "place": scenarios.REGION}
    run.add(1, Kind.IMPLICIT, 2000, 2005, task=scenarios.implicit(1, 7), **fields)
    for thread in range(2):
        flags = 2 + int(thread == 0)
        run.add(thread, Kind.THREAD, 0, 0, worker=50 + thread, flags=flags)
    if ends == "by exit":
        run.close(3020)
    profile = profiled(tmp_path, run)
    (first, *_) = findings(profile)
    assert first.cause == "serial-section"
    assert first.where == f"before the parallel region at {scenarios.REGION:#x}"
    # All of the region's code is told of its place; who runs tasks at its end only waits. The
    # `single` goes on.
    regions = [each for each in profile.culprits if each.kind == Kind.IMPLICIT]
    assert [each.place for each in regions] == [scenarios.REGION]
    assert regions[0].work * 1e6 == pytest.approx(5, rel=0.1)
    (single,) = (each for each in profile.culprits if each.kind == Kind.SINGLE)
    behind = 10 if ends == "by exit" else 0
    assert single.work * 1e6 == pytest.approx(10 + 100 * 0.5 + behind, rel=0.1)
    assert profile.regions == 1


@pytest.mark.parametrize("tells", [Kind.SINGLE, Kind.TASK])
@pytest.mark.parametrize("earlier", [False, True])
def test_exit_in_a_region_of_which_no_barrier_tells(tmp_path, tells, earlier):
    """The first thread goes on until the end, alone; the second comes late, has something to do,
    and sleeps."""
    run = scenarios.Run(2)
    begin = 1000
    if earlier:
        run.begin_region(10)
        for thread in range(2):
            run.barrier(thread, 900, 905)
        run.end_region(910)
    own = {"task": scenarios.implicit(0, 7), "place": scenarios.SINGLE, "flags": 1}
    run.add(0, Kind.SINGLE, begin, begin, **own)
    run.task(0, begin + 10, 1000)
    late = begin + 400
    if tells == Kind.SINGLE:
        run.single(1, late, False, 7)
    run.task(1, late + 1, 599)
    for at, ran, kept, first in ((late - 1, 0, 390, 1), (begin + 1010, 601, 390, 0)):
        run.add(1, Kind.PROCESSOR, at, at, flags=first, task=1000 * ran, other=1000 * kept)
    for thread in range(2):
        flags = 2 + int(thread == 0)
        at = 0 if thread == 0 or earlier else late - 2
        run.add(thread, Kind.THREAD, at, at, worker=50 + thread, flags=flags)
    run.close(begin + 2000)
    profile = profiled(tmp_path, run)
    assert profile.regions == 1 + earlier
    work = {each.kind: each.work * 1e6 for each in profile.culprits}
    assert work[Kind.SINGLE] == pytest.approx(1000, rel=0.05)
    assert work[Kind.THREAD] == pytest.approx(100 if earlier else 1000, rel=0.2)
    times = profile.losses.by_state * 1e6
    assert times[State.STALL] == pytest.approx(990 + 5 * earlier, rel=0.05)
    assert "behind the last" not in " ".join(each.where for each in findings(profile))


def test_who_comes_late_to_a_region_in_which_the_program_ends_is_kept_off(tmp_path):
    run = scenarios.Run(2)
    run.begin_region(10)
    for thread in range(2):
        run.barrier(thread, 900, 905)
        flags = 2 + int(thread == 0)
        run.add(thread, Kind.THREAD, 0, 0, worker=50 + thread, flags=flags)
    run.end_region(910)
    run.single(0, 1000, True, 7)
    run.single(1, 1400, False, 7)
    run.task(0, 1010, 900)
    run.task(1, 1402, 500)
    for at, ran, kept, first in ((9, 0, 0, 1), (1399, 901, 398, 0)):
        run.add(1, Kind.PROCESSOR, at, at, flags=first, task=1000 * ran, other=1000 * kept)
    run.close(2000)
    profile = profiled(tmp_path, run)
    assert profile.losses.kept_off * 1e6 == pytest.approx(398, rel=0.01)
    assert profile.losses.by_state[State.OUTSIDE] * 1e6 == pytest.approx(505 - 398, rel=0.05)


@pytest.mark.parametrize("current", ["auto", "ws", "cq", None])
def test_no_scheduler_is_advised_that_is_in_force(tmp_path, current):
    """Of each two tasks the one takes twice as long as the other."""
    run = scenarios.Run(2)
    run.begin_region(10)
    for number in range(100):
        run.task(0, 20 + 60.0 * number, 59)
        run.task(1, 20 + 60.0 * number, 29)
        run.stall(1, 50 + 60.0 * number, 79 + 60.0 * number, 1)
    for thread in range(2):
        run.barrier(thread, 6025, 6027)
    run.end_region(6028)
    if current:
        run.line(f"setting XOMP_SCHEDULER {current}")
    (first, *_) = findings(profiled(tmp_path, run.finish(6030)))
    assert first.cause == "imbalance"
    (advice,) = first.advice
    assert f"=`{current}`" not in advice and f"XOMP_SCHEDULER={current}" not in advice
    assert "XOMP_SCHEDULER=" in advice


@pytest.mark.parametrize(
    ("team", "setting", "told"),
    [
        (2, "2", "OMP_MAX_ACTIVE_LEVELS=1"),
        (4, "2", "The program itself asks for them"),
        (4, "4", "Use `OMP_NUM_THREADS=2`"),
        (4, "4,2", "Use `OMP_NUM_THREADS=2`"),
    ],
)
def test_what_makes_threads_too_many_is_what_is_to_be_changed(tmp_path, team, setting, told):
    """Four threads on two processors, in regions of so many."""
    crowded = scenarios.Run(4)
    for thread in range(4):
        begins = 20 + 50.5 * np.arange(100)
        fields = {"task": np.arange(100) + 100 * thread, "other": 1, "place": scenarios.TASK}
        crowded.add(thread, Kind.TASK, begins, begins + 50, worker=thread, **fields)
        crowded.barrier(thread, 15, 5072)
    for first in range(0, 4, team):
        number = 1 + first // team
        region = {"other": number, "place": scenarios.REGION}
        crowded.add(first, Kind.REGION, 10, 5073, worker=team, **region)
        for thread in range(first, first + team):
            own = {"task": scenarios.implicit(thread, number), **region}
            crowded.add(thread, Kind.IMPLICIT, 10.1, 5072.9, **own)
    crowded.line("processors 2")
    crowded.line(f"setting OMP_NUM_THREADS {setting}")
    serial = scenarios.busy_tasks(1, 30, pid=2)
    (first, *_) = findings(profiled(tmp_path, crowded.finish(5075), serial))
    assert first.cause == "crowded"
    assert told in first.advice[0]


def test_time_to_begin_and_end_short_regions_is_no_serial_part(tmp_path):
    """The others wait while one thread begins and ends regions, for ten times as long as it
    computes between them."""
    run = scenarios.Run(2)
    for number in range(1, 401):
        begin = 20.0 * number
        run.begin_region(begin)
        for thread in range(2):
            run.barrier(thread, begin + 2.1, begin + 2.2, number)
        fields = {"other": number, "place": scenarios.REGION}
        run.add(0, Kind.REGION, begin - 8, begin + 10, worker=2, **fields)
        for thread in range(2):
            own = {"task": scenarios.implicit(thread, number), **fields}
            run.add(thread, Kind.IMPLICIT, begin + 0.1, run.joins.pop((thread, number)), **own)
    profile = profiled(tmp_path, run.finish(8030))
    (first, *others) = findings(profile)
    assert first.cause == "short-regions"
    assert any("waited for who did" in part for part, value in first.parts if value > 0)
    for each in others:
        assert not any("began and ended" in part for part, value in each.parts if value > 0)
    claimed = sum(each.lost for each in (first, *others))
    assert claimed <= 1.02 * (profile.losses.idle + profile.losses.overhead)


def test_a_serial_part_is_named_by_its_largest_part(tmp_path):
    """Few regions that take long to begin, as those of which each has new threads."""
    run = scenarios.Run(2)
    for number in range(1, 5):
        begin = 2000.0 * number
        fields = {"other": number, "place": scenarios.REGION}
        run.add(0, Kind.REGION, begin - 1900, begin + 100, worker=2, **fields)
        for thread in range(2):
            own = {"task": scenarios.implicit(thread, number), **fields}
            run.add(thread, Kind.IMPLICIT, begin, begin + 99, **own)
    (first, *_) = findings(profiled(tmp_path, run.finish(8110)))
    assert first.cause == "serial-section"
    assert first.where == "while it began and ended regions"
    assert not any("Make this part parallel" in line for line in first.advice)
