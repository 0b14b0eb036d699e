# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The terminal report of one run: where the time went, why, what to do; then the numbers."""

from __future__ import annotations

from datetime import datetime

import numpy as np
from rich.console import Console
from rich.markup import escape

from xomp.profile.analysing.advice import Finding, findings
from xomp.profile.analysing.advice.thresholds import WORTH_TELLING
from xomp.profile.analysing.culprits import Culprit
from xomp.profile.analysing.spans import IDLE, OVERHEAD, WORK, State
from xomp.profile.analysing.summary import Profile
from xomp.profile.analysing.tasks import Tasks
from xomp.profile.reading.format import Kind
from xomp.profile.reading.log import Log
from xomp.profile.showing.categories import PARTS
from xomp.profile.showing.console import bars, heading, item, pairs, sentence, table
from xomp.profile.showing.notes import notes as notes_of
from xomp.profile.showing.numbers import numbers, states, times
from xomp.shared.text import count, digits, percent, seconds, several

TELLING = ("XOMP_SCHEDULER", "XOMP_BARRIER", "XOMP_LOCALITY", "OMP_PROC_BIND")
SHOWN_PLACES, SHOWN_THREADS, SHOWN_LOCKS = 12, 16, 5
CONSTRUCTS = {
    Kind.TASK: "task",
    Kind.IMPLICIT: "region",
    Kind.LOOP: "loop",
    Kind.SECTIONS: "sections",
    Kind.SINGLE: "single",
    Kind.THREAD: "code outside of regions",
}


def show(console: Console, profile: Profile) -> None:
    profile.load_places()
    _head(console, profile)
    _division(console, profile)
    _causes(console, profile)
    _numbers(console, profile)
    _places(console, profile)
    _tasks(console, profile)
    _locks(console, profile)
    _threads(console, profile)
    notes(console, profile)


def when(log: Log) -> str:
    start = log.number("start")
    return f"{datetime.fromtimestamp(start / 1e9):%Y-%m-%d %H:%M:%S}" if start else "unknown time"


def conditions(log: Log) -> str:
    """What the run depended on: when, where, under which settings."""
    parts = [when(log), f"process {log.pid}"]
    if log.number("processors"):
        parts.append(several(log.number("processors"), "processor"))
    parts += [f"{name}={log.settings[name]}" for name in TELLING if name in log.settings]
    return ", ".join(parts)


def _head(console: Console, profile: Profile) -> None:
    losses = profile.losses
    console.print(f"[bold]{escape(profile.log.command)}[/bold]", highlight=False)
    whole = (profile.log.end - profile.log.begin) * profile.rate
    of_all = f" (the first of {seconds(whole)})" if not profile.is_whole else ""
    console.print(
        f"{seconds(losses.elapsed)}{of_all} on {several(losses.threads, 'thread')}, "
        f"{several(profile.tasks.count, 'task')}, {several(profile.regions, 'parallel region')}",
        highlight=False,
    )
    console.print(f"[dim]{escape(conditions(profile.log))}[/dim]", highlight=False)


def _division(console: Console, profile: Profile) -> None:
    losses = profile.losses
    heading(console, "Where the time went")
    over = "the work on one thread" if losses.serial is not None else "the recorded work"
    sentence(
        console,
        f"Speed-up {digits(losses.speedup)} over {over}: efficiency "
        f"{percent(losses.efficiency)}. Of {several(losses.threads, 'thread')} x "
        f"{seconds(losses.elapsed)} = {seconds(losses.total)}:",
    )
    bars(
        console,
        losses.total,
        ((part.name, part.value, PARTS[part.key].colour) for part in times(profile)),
    )
    least = 0.005 * losses.total
    detail = [f"{each.name} {each.text}" for each in states(profile) if each.value >= least]
    if detail:
        sentence(console, f"{'; '.join(detail)}.", "dim")


def _causes(console: Console, profile: Profile) -> None:
    found = findings(profile)
    heading(console, "Why, and what to do" if found else "Why")
    if not found:
        console.print(
            "Nothing stands out: no single cause explains "
            f"{percent(WORTH_TELLING)} of the threads' time."
        )
        return
    for number, finding in enumerate(found, 1):
        _cause(console, profile, number, finding)


def _cause(console: Console, profile: Profile, number: int, finding: Finding) -> None:
    share = percent(finding.lost / profile.losses.total)
    title = f"{number}. {finding.title}" + (f": {finding.where}" if finding.where else "")
    text = f"{title} ({seconds(finding.lost)}, {share} of the threads' time)"
    sentence(console, text, "bold", len(title))
    for sign, lines in (("-", finding.evidence), (">", finding.advice)):
        for line in lines:
            item(console, sign, line)


def _numbers(console: Console, profile: Profile) -> None:
    heading(console, "Numbers")
    divided = {each.key for each in times(profile)}
    shown = [each for each in numbers(profile) if each.key not in divided]
    pairs(console, [(each.name, each.text) for each in shown])


def _places(console: Console, profile: Profile) -> None:
    """What the work consists of: regions and loops as well as tasks."""
    losses = profile.losses
    found = [each for each in profile.culprits if each.kind in CONSTRUCTS]
    found = sorted((each for each in found if each.work > 0), key=lambda each: -each.work)
    if not found:
        return
    heading(console, "Work by place")
    rows = [
        (
            profile.place(each.place, each.kind).text(CONSTRUCTS[each.kind]),
            _times(profile, each),
            seconds(each.work),
            percent(each.work / losses.work) if losses.work else "",
            seconds(each.idle) if each.idle > 0 else "",
        )
        for each in found[:SHOWN_PLACES]
    ]
    table(console, ("place", "times", "work", "of all", "others idle"), rows)
    more(console, len(found) - SHOWN_PLACES)


def _times(profile: Profile, culprit: Culprit) -> str:
    """All tasks; of what each thread of a region comes to, as often as the one that came most."""
    if culprit.kind == Kind.THREAD:
        return ""
    tasks = (each.recorded for each in profile.places if each.place == culprit.place)
    return count(sum(tasks) if culprit.kind == Kind.TASK else culprit.times)


def more(console: Console, left: int, what: str = "place") -> None:
    if left > 0:
        console.print(f"  and {several(left, what)} more")


def _tasks(console: Console, profile: Profile) -> None:
    if not profile.places:
        return
    heading(console, "Tasks by place")
    shown = profile.places[:SHOWN_PLACES]
    columns = ("place", "tasks", "work", "mean", "median", "largest", "creators")
    table(console, columns, [(_task_place(profile, each), *_row(profile, each)) for each in shown])
    more(console, len(profile.places) - SHOWN_PLACES)
    _sizes(console, profile)


def _sizes(console: Console, profile: Profile) -> None:
    heading(console, "Their sizes: how many of a hundred take 10^n ticks or more, up to 10^(n+1)")
    used = np.flatnonzero(sum(tasks.decades for tasks in profile.places))
    decades = range(int(used.min()), int(used.max()) + 1) if len(used) else range(0)
    rows = []
    for tasks in profile.places[:SHOWN_PLACES]:
        shares = [tasks.decades[decade] / max(1, tasks.count) for decade in decades]
        cells = ["" if not share else f"{100 * share:.0f}" for share in shares]
        cells = ["<1" if cell == "0" else cell for cell in cells]
        rows.append((_task_place(profile, tasks), *cells))
    table(console, ("place", *(f"10^{decade}" for decade in decades)), rows)


def _task_place(profile: Profile, tasks: Tasks) -> str:
    if not tasks.place:
        return "others, summed up"
    return profile.place(tasks.place, Kind.TASK).text()


def _row(profile: Profile, tasks: Tasks) -> list[str]:
    creators = int(np.count_nonzero(tasks.creators))
    single = [seconds(ticks * profile.rate) for ticks in (tasks.median, tasks.largest)]
    return [
        count(tasks.count),
        seconds(tasks.work + tasks.summed_work),
        seconds(tasks.mean),
        *(single if tasks.recorded else ["", ""]),
        count(creators) if creators else "",
    ]


def _locks(console: Console, profile: Profile) -> None:
    waits = [each for each in profile.mutexes if each.waited > 0]
    if not waits:
        return
    heading(console, "Locks and critical sections, by place")
    rows = []
    for each in waits[:SHOWN_LOCKS]:
        mean = each.waited / max(1, each.count)
        times = map(seconds, (each.waited, mean, each.longest, each.held))
        place = profile.place(each.place, Kind.MUTEX_WAIT).text(each.name)
        rows.append((place, count(each.count), *times))
    table(console, ("place", "times", "waited", "mean", "longest", "held"), rows)
    more(console, len(waits) - SHOWN_LOCKS)


def _threads(console: Console, profile: Profile) -> None:
    losses = profile.losses
    if len(losses.tracks) < 2:
        return
    heading(console, "Threads")
    spans = profile.spans
    tasks = spans.indices(Kind.TASK)
    ran = dict(
        zip(
            *(v.tolist() for v in np.unique(spans.column("track")[tasks], return_counts=True)),
            strict=True,
        )
    )
    parts = (WORK, OVERHEAD, IDLE, *([(State.KEPT_OFF,)] if losses.counted else []))
    columns = ["", "work", "overhead", "idle", *(["kept off"] if losses.counted else [])]
    if profile.tasks.count:
        columns += ["tasks made", "tasks run"]
    made = profile.tasks.creators
    rows = []
    for number, row in list(zip(losses.tracks, losses.by_track, strict=True))[:SHOWN_THREADS]:
        cells = [seconds(row[list(part)].sum()) for part in parts]
        if profile.tasks.count:
            makes = made[number] if number < len(made) else 0
            cells += [count(makes), count(ran.get(number, 0))]
        rows.append((f"thread {number}", *cells))
    table(console, columns, rows)
    more(console, len(losses.tracks) - SHOWN_THREADS, "thread")


def notes(console: Console, profile: Profile, title: str = "Notes") -> None:
    lines = notes_of(profile)
    if not lines:
        return
    heading(console, title)
    for line in lines:
        item(console, "-", line)
