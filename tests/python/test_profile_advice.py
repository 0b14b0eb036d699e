# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs with one known trouble: it is what the report names first, with its place."""

import pytest

import perflog_scenarios as scenarios
from xomp.profile import advice
from xomp.profile.advice import findings
from xomp.profile.log import read
from xomp.profile.summary import Profile


def profiled(tmp_path, writer, serial=None) -> Profile:
    (log,) = read(writer.write(tmp_path / "run"))
    logs = read(serial.write(tmp_path / "serial")) if serial is not None else [None]
    return Profile(log, logs[0])


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
    "short_regions": ("short-regions", scenarios.REGION),
}


@pytest.mark.parametrize("name", KNOWN)
def test_the_known_cause_is_named_first_with_its_place(tmp_path, name):
    profile = profiled(tmp_path, getattr(scenarios, name)())
    cause, place = KNOWN[name]
    first = findings(profile)[0]
    assert first.cause == cause
    assert f"{place:#x}" in first.where
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
    estimate = profile.tasks.at_once * advice.AT_ONCE_TICKS * profile.rate
    assert claimed <= (losses.idle + losses.overhead + estimate) * 1.02


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
