# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The HTML report: it needs no other file, and what it shows is what the analysis says."""

import base64
import csv
import io
import json
import re
import zlib
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pytest
from rich.console import Console

import perflog_scenarios as scenarios
import perflog_synthetic as synthetic
from perflog_writer import TICKS_PER_US, LogWriter
from xomp.profile.analysing.advice import findings
from xomp.profile.analysing.load import load
from xomp.profile.analysing.spans import State
from xomp.profile.analysing.summary import Profile
from xomp.profile.reading.format import Access, Kind, StealFlag, TaskFlag
from xomp.profile.showing import compare, tables, terminal
from xomp.profile.showing.categories import PARTS
from xomp.profile.showing.html import write_comparison, write_html, write_processes
from xomp.profile.showing.html.build import page
from xomp.profile.showing.html.columns import TASK_COUNT_BITS
from xomp.profile.showing.html.content import collect
from xomp.profile.showing.html.detail import choose
from xomp.profile.showing.html.index import LOCAL, REMOTE, SELF
from xomp.profile.showing.html.pack import varints, zigzag
from xomp.profile.showing.numbers import times

VOID = {"meta", "link", "br", "hr", "img", "input"}
SECOND = 1e9


class Parsed(HTMLParser):
    """A page whose tags are balanced, and what its elements are."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict]] = []
        self.scripts: dict[str, str] = {}
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            name = self.elements[-1][1].get("id", "code")
            self.scripts[name] = self.scripts.get(name, "") + data

    @property
    def facts(self) -> dict:
        return json.loads(self.scripts["facts"])

    def column(self, name: str) -> list[int]:
        at, length = self.facts["columns"][name]
        data = zlib.decompress(base64.b64decode(self.scripts["columns"]))[at : at + length]
        values, value, shift = [], 0, 0
        for byte in data:
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                values.append(value)
                value, shift = 0, 0
        assert shift == 0
        return values

    def signed(self, name: str) -> list[int]:
        return [-(value + 1) // 2 if value % 2 else value // 2 for value in self.column(name)]


def profile_of(writer: LogWriter, where) -> Profile:
    return load(writer.write(where))[0]


@pytest.fixture(scope="module")
def profile(tmp_path_factory) -> Profile:
    return profile_of(synthetic.program(4, 2000), tmp_path_factory.mktemp("log"))


@pytest.fixture(scope="module")
def parsed(profile, tmp_path_factory) -> Parsed:
    path = tmp_path_factory.mktemp("page") / "report.html"
    write_html(profile, path)
    return Parsed(path.read_text("utf-8"))


def test_nothing_is_loaded_from_anywhere(parsed, profile):
    for tag, attributes in parsed.elements:
        assert "src" not in attributes, tag
        assert attributes.get("href", "#").startswith(("#", "data:")), attributes
    text = page(collect(profile))
    for loading in ("@import", "fetch(", "XMLHttpRequest", "import(", "new Worker"):
        assert loading not in text, loading
    assert not re.search(r"url\((?!#)", text)
    # Names of namespaces look like addresses; nothing else does.
    addresses = set(re.findall(r"https?://[^\"' ]*", text))
    assert addresses <= {"http://www.w3.org/2000/svg"}
    (policy,) = (each["content"] for _, each in parsed.elements if "http-equiv" in each)
    assert "default-src 'none'" in policy


def test_no_import_of_a_module_is_left(parsed):
    assert not re.search(r"^\s*(import|export)\b", parsed.scripts["code"], re.MULTILINE)


def test_the_spans_of_the_log_come_back_out_of_the_page(parsed, profile):
    spans, log = profile.spans, profile.log
    counts, classes = parsed.column("count"), parsed.facts["classes"]
    assert sum(counts) == len(spans)
    steps, lengths = np.array(parsed.column("begin")), np.array(parsed.column("length"))
    firsts = np.cumsum([0, *counts])
    begin = np.concatenate([np.cumsum(steps[a:b]) for a, b in pairwise(firsts)])
    expected = log.nanoseconds(spans.column("begin"))
    assert np.abs(begin - expected).max() <= 0.5
    assert np.abs(begin + lengths - log.nanoseconds(spans.column("end"))).max() <= 0.5
    fields = np.array(classes)[parsed.column("class")]
    assert fields[:, 0].tolist() == spans.kind.tolist()
    assert fields[:, 1].tolist() == spans.state.tolist()
    assert fields[:, 3].tolist() == spans.column("flags").tolist()
    assert fields[:, 4].tolist() == spans.column("data_domain").tolist()
    for kind, place in ((Kind.TASK, synthetic.LEAF), (Kind.TASKWAIT, synthetic.WAITS - 1)):
        rows = np.flatnonzero(spans.kind == kind)
        rows = rows[np.isin(spans.column("place")[rows], (place, place + 1))]
        names = {parsed.facts["places"][number]["source"] for number in fields[rows, 2]}
        assert names == {profile.symbols.place(place).source}


def test_tasks_of_the_page_have_their_ids_and_parents(parsed, profile):
    spans = profile.spans
    rows = spans.indices(Kind.TASK, Kind.IMPLICIT)
    creators, steps = parsed.column("creator"), parsed.signed("number")
    back = parsed.signed("parent")
    before: dict[tuple[int, int], int] = {}
    for row, creator, step, up in zip(rows, creators, steps, back, strict=True):
        key = (int(spans.column("track")[row]), creator)
        before[key] = before.get(key, 0) + step
        assert before[key] + (creator << TASK_COUNT_BITS) == spans.column("task")[row]
        if spans.kind[row] == Kind.TASK:
            assert spans.column("task")[row - up] == spans.column("other")[row]
        else:
            assert up == 0


def test_the_division_is_that_of_the_analysis(parsed, profile):
    split, losses = parsed.facts["split"], profile.losses
    assert split["total"] == pytest.approx(losses.total * SECOND)
    assert split["work"] == pytest.approx(losses.work * SECOND)
    assert sum(split["overhead"].values()) == pytest.approx(losses.overhead * SECOND)
    assert sum(split["idle"].values()) == pytest.approx(losses.idle * SECOND)
    parts = split["work"] + sum(split["overhead"].values()) + sum(split["idle"].values())
    assert parts == pytest.approx(split["total"], rel=0.02)
    assert split["inflation"] is None


def test_with_a_serial_run_the_work_is_divided(tmp_path):
    logs = [synthetic.program(threads, 200) for threads in (4, 1)]
    alone = profile_of(logs[1], tmp_path / "serial").losses.work
    whole = profile_of(logs[0], tmp_path).losses.work
    profile, _ = load(tmp_path)
    split = collect(profile).facts["split"]
    assert split["serial"] == pytest.approx(alone * SECOND)
    assert split["inflation"] == pytest.approx((whole - alone) * SECOND)


@pytest.fixture(scope="module", params=[False, True], ids=["all spans", "merged"])
def shared_machine(request, tmp_path_factory):
    """A run whose threads others kept off the processors for a third of the time, its page, and
    what the terminal prints."""
    writer = synthetic.program(4, 2000)
    end = writer.last
    for track in range(4):
        for at, share in ((1, 0.0), (end - 1, 1.0)):
            times = {"task": int(share * end * 600), "other": int(share * end * 300)}
            writer.add(track, Kind.PROCESSOR, at, at, flags=int(at == 1), **times)
    profile = profile_of(writer, tmp_path_factory.mktemp("log"))
    assert profile.losses.kept_off > 0.03 * profile.losses.total
    content = collect(profile, 1500) if request.param else collect(profile)
    console = Console(file=io.StringIO(), width=120)
    terminal.show(console, profile)
    return profile, Parsed(page(content)), console.file.getvalue()


def told(text: str) -> float:
    """Seconds of 12.3 ms."""
    number, unit = text.split()
    return float(number.replace(",", "")) * {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}[unit]


def test_terminal_page_tables_and_timeline_say_the_same(shared_machine, tmp_path):
    profile, parsed, printed = shared_machine
    facts, losses = parsed.facts, profile.losses
    expected = {each.key: each.value for each in times(profile)}
    assert sum(expected.values()) == pytest.approx(losses.total)
    # The terminal: where the time went, and by place.
    for key, value in expected.items():
        row = re.search(rf"^  {PARTS[key].name} +([\d,.]+ \w+) ", printed, re.MULTILINE)
        assert told(row[1]) == pytest.approx(value, rel=0.01)
    places = printed[printed.index("Work by place") : printed.index("Tasks by place")]
    by_place = [told(each) for each in re.findall(r"([\d,.]+ [mun]?s) +<?[\d.]+ %", places)]
    assert sum(by_place) == pytest.approx(expected["work"], rel=0.02)
    # The page: the bar, the table of places, the table of threads.
    split = facts["split"]
    assert sum(split["overhead"].values()) == pytest.approx(expected["overhead"] * SECOND)
    assert split["kept_off"] == pytest.approx(expected["kept_off"] * SECOND)
    works = sum(row["work_ns"] for row in facts["constructs"])
    assert works == pytest.approx(expected["work"] * SECOND)
    by_state = np.sum([thread["states"] for thread in facts["threads"]], axis=0)
    by_state[State.OUTSIDE] += losses.missing * SECOND
    assert by_state == pytest.approx(losses.by_state * SECOND)
    # The exported tables.
    tables.write(profile, tmp_path)
    with (tmp_path / "threads.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    for state in State:
        if state != State.OUTSIDE:
            value = sum(float(row[state.name.lower()]) for row in rows)
            assert value == pytest.approx(losses.by_state[state])
    # The timeline: what its boxes have for themselves, by state, and what they were kept off.
    counts = np.array(parsed.column("count"))
    firsts = np.cumsum([0, *counts])
    steps, lengths = np.array(parsed.column("begin")), np.array(parsed.column("length"))
    states = np.array(facts["classes"])[parsed.column("class")][:, 1]
    kept, drawn = np.array(parsed.column("kept"), dtype=float), np.zeros(len(State))
    for a, b in pairwise(firsts):
        begin = np.cumsum(steps[a:b])
        own = lengths[a:b].astype(float)
        stack: list[int] = []
        for at in range(b - a):
            while stack and begin[stack[-1]] + lengths[a + stack[-1]] <= begin[at]:
                stack.pop()
            if stack:
                own[stack[-1]] -= lengths[a + at]
            stack.append(at)
        drawn += np.bincount(states[a:b], own - kept[a:b], len(State))
    drawn[State.KEPT_OFF] = kept.sum()
    drawn[State.OUTSIDE] += losses.missing * SECOND
    assert drawn == pytest.approx(
        losses.by_state * SECOND, rel=0.01, abs=5e-3 * losses.total * SECOND
    )


def test_names_and_colours_are_the_same_everywhere(parsed):
    known = json.loads(parsed.scripts["categories"])
    assert {key: each[0] for key, each in known["parts"].items()} == {
        key: each.name for key, each in PARTS.items()
    }
    assert set(known["states"]) == set(parsed.facts["states"])
    # None is written a second time.
    for name in ("work as on one thread", "kept off the processors", "work time inflation"):
        assert f'"{name}' not in parsed.scripts["code"]


def test_the_causes_come_in_their_order(parsed, profile):
    expected = findings(profile)
    assert expected
    shown = parsed.facts["findings"]
    assert [each["title"] for each in shown] == [each.title for each in expected]
    shares = [each.lost / profile.losses.total for each in expected]
    assert [each["share"] for each in shown] == pytest.approx(shares)
    assert shares == sorted(shares, reverse=True)
    assert any(each["place"] for each in shown)
    places = parsed.facts["places"]
    for each, cause in zip(shown, expected, strict=True):
        if each["place"]:
            assert cause.where.endswith(places[each["place"]]["source"])


def test_tasks_by_thread_add_up_to_those_of_the_analysis(parsed, profile):
    threads, tasks = parsed.facts["threads"], profile.tasks

    def total(name: str) -> int:
        return sum(thread[name] for thread in threads)

    assert total("executed") == total("created") == tasks.count
    assert (total("self"), total("local"), total("remote")) == (
        tasks.ran_self,
        tasks.ran_local,
        tasks.ran_remote,
    )
    assert total("self") == total("at_once") + total("queued")
    assert total("local") + total("remote") == total("pushed") + total("stolen")
    assert total("moved") == profile.log.of(Kind.STEAL)["other"].sum() > 0
    assert total("failed") == profile.steals.failed > 0
    assert total("taken") == profile.steals.taken > 0
    states = np.sum([thread["states"] for thread in threads], axis=0)
    assert states == pytest.approx(profile.losses.by_track.sum(axis=0) * SECOND)


def test_sizes_and_places_are_those_of_the_analysis(parsed, profile):
    facts = parsed.facts
    names = {place: each["source"] for place, each in enumerate(facts["places"])}
    sizes = {names[row["place"]]: row for row in facts["sizes"]}
    constructs = {
        names[row["place"]]: row for row in facts["constructs"] if row["kind"] == Kind.TASK
    }
    assert len(sizes) == len(constructs) == len(profile.places) == 3
    for tasks in profile.places:
        source = profile.place(tasks.place, Kind.TASK).source
        assert sizes[source]["counts"] == tasks.decades.tolist()
        assert sum(sizes[source]["times"]) == pytest.approx(tasks.work * SECOND)
        row = constructs[source]
        assert row["count"] == tasks.recorded
        assert row["work_ns"] == pytest.approx(tasks.work * SECOND)
        assert (row["moved"], row["remote"]) == (
            tasks.ran_local + tasks.ran_remote,
            tasks.ran_remote,
        )


def test_the_graph_has_each_task_once(parsed, profile):
    facts = parsed.facts
    names = [each["source"] for each in facts["places"]]
    creates = {(names[a], names[b]): n for a, b, kind, n in facts["edges"] if kind == "creates"}
    assert sum(creates.values()) == profile.tasks.recorded
    split, leaf = (profile.symbols.place(each).source for each in (synthetic.SPLIT, synthetic.LEAF))
    leaves = next(tasks for tasks in profile.places if tasks.place == synthetic.LEAF)
    assert creates[split, leaf] == leaves.recorded


def test_locks_are_those_of_the_analysis(parsed, profile):
    (row,), (waits,) = parsed.facts["mutexes"], profile.mutexes
    assert row["count"] == waits.count > 0
    assert row["contended"] == waits.contended > 0
    assert row["wait_ns"] == pytest.approx(waits.waited * SECOND)
    assert row["held_ns"] == pytest.approx(waits.held * SECOND)
    assert f"{synthetic.MUTEX:#x}" in row["name"]
    classes = [each for each in parsed.facts["classes"] if each[0] == Kind.MUTEX_WAIT]
    assert {parsed.facts["locks"][each[6]] for each in classes} == {row["name"]}


def test_dependences_are_edges_between_places(tmp_path):
    writer = LogWriter(threads=1)
    writer.add(0, Kind.THREAD, 0, 100, flags=1)
    # One writes, three read, one writes again; the readers are of two places.
    places = np.array([0x401000, 0x402000, 0x402000, 0x403000, 0x404000])
    tasks, begins = np.arange(1, 6), 10.0 * np.arange(1, 6)
    fields = {"other": 99, "flags": TaskFlag.DEPENDENCES}
    writer.add(0, Kind.TASK, begins, begins + 5, task=tasks, place=places, **fields)
    access = [Access.OUT, Access.IN, Access.IN, Access.IN, Access.OUT]
    writer.add(0, Kind.DEPENDENCE, begins, begins, task=tasks, other=0x7000, flags=access)
    writer.close()
    facts = collect(profile_of(writer, tmp_path)).facts
    sources = [each["source"] for each in facts["places"]]
    edges = {(sources[a], sources[b]): n for a, b, kind, n in facts["edges"] if kind == "depends"}
    assert edges == {
        ("0x401000", "0x402000"): 2,
        ("0x401000", "0x403000"): 1,
        ("0x402000", "0x404000"): 1,  # the one that waits, not how many it waits for
        ("0x403000", "0x404000"): 1,
    }


def test_origins_are_seen_from_who_runs_a_task(tmp_path):
    writer = LogWriter(threads=3)
    writer.domains = {0: 0, 1: 0, 2: 1}
    for track in range(3):
        writer.add(track, Kind.THREAD, 0, 10)
        fields = {"task": track + 1, "worker": 0, "creator_domain": 0, "place": 0x401000}
        writer.add(track, Kind.TASK, 1, 2, **fields)
    writer.close()
    facts = collect(profile_of(writer, tmp_path)).facts
    assert sorted(each[5] for each in facts["classes"] if each[0] == Kind.TASK) == [
        SELF,
        LOCAL,
        REMOTE,
    ]
    assert [thread["created"] for thread in facts["threads"]] == [3, 0, 0]


def test_tasks_of_others_were_moved_by_steals_or_given_by_their_creators(tmp_path):
    writer = LogWriter(threads=2)
    for track in (0, 1):
        writer.add(track, Kind.THREAD, 0, 100)
    starts = 10.0 * np.arange(1, 6)
    writer.add(1, Kind.TASK, starts, starts + 5, task=np.arange(1, 6), worker=0)
    writer.add(1, Kind.STEAL, 5, 5, other=2, worker=0)
    # It lost two of its own, and what was moved to it was then moved on.
    writer.add(0, Kind.STEAL, 5, 5, other=3, worker=1)
    # One was given to it by the first, on request: that one records it.
    writer.add(0, Kind.STEAL, 6, 6, other=1, worker=1, flags=StealFlag.GIVEN | StealFlag.REMOTE)
    writer.add(1, Kind.STEAL_FAILED, [7, 8], [7, 8], worker=0)
    writer.add(1, Kind.SUMMARY, 9, 90, task=40, other=400, worker=Kind.STEAL_FAILED)
    writer.close()
    first, second = collect(profile_of(writer, tmp_path)).facts["threads"]
    assert (second["pushed"], second["stolen"], second["moved"]) == (2, 3, 3)
    assert (second["failed"], second["executed"]) == (42, 5)
    assert (first["pushed"], first["stolen"], first["moved"]) == (0, 0, 3)


def test_tasks_that_were_summed_up_count(tmp_path):
    writer = LogWriter(threads=1)
    writer.add(0, Kind.THREAD, 0, 100, flags=1)
    writer.add(0, Kind.TASK, 1, 2, task=1, place=0x401000)
    summary = {"task": 50, "other": 5000, "place": 0x401000, "flags": 2, "worker": Kind.TASK}
    writer.add(0, Kind.SUMMARY, 3, 90, **summary)
    writer.close()
    facts = collect(profile_of(writer, tmp_path)).facts
    (thread,), (row,) = facts["threads"], facts["sizes"]
    assert (thread["executed"], thread["summed"], thread["self"]) == (51, 50, 1)
    assert row["counts"][2:4] == [50, 1]
    assert row["times"][2] == pytest.approx(2500)
    (summed,) = (each for each in facts["constructs"] if each["kind"] == Kind.SUMMARY)
    assert (summed["count"], summed["work_ns"]) == (50, pytest.approx(2500))


def test_what_is_wrong_with_the_log_is_told_apart_from_notes(tmp_path):
    writer = LogWriter(threads=1)
    writer.add(0, Kind.THREAD, 0, 10, flags=1)
    run = collect(profile_of(writer, tmp_path)).facts["run"]
    assert len(run["problems"]) == 1
    assert "has no end" in run["problems"][0]
    assert any("no run on one thread" in note for note in run["notes"])
    assert not set(run["problems"]) & set(run["notes"])


def test_what_the_program_says_is_text(tmp_path):
    writer = synthetic.program(2, 40)
    hostile = "</script><script>alert(1)</script><!-- {{facts}} \\u003c"
    writer.lines = [line for line in writer.lines if not line.startswith("command")]
    writer.line(f"command {hostile}")
    parsed = Parsed(page(collect(profile_of(writer, tmp_path))))
    assert parsed.facts["run"]["command"] == hostile
    assert set(parsed.scripts) == {"categories", "facts", "columns", "code"}


def test_a_log_of_nothing_makes_a_page(tmp_path):
    writer = LogWriter()
    writer.close(10)
    parsed = Parsed(page(collect(profile_of(writer, tmp_path))))
    assert parsed.facts["threads"] == []
    assert parsed.column("begin") == []


def test_a_log_without_tasks_makes_a_page(tmp_path):
    writer = LogWriter(threads=1)
    writer.add(0, Kind.THREAD, 0, 10, flags=1)
    writer.close()
    facts = collect(profile_of(writer, tmp_path)).facts
    assert facts["sizes"] == facts["edges"] == []
    assert facts["threads"][0]["states"][State.WORK] == pytest.approx(10_000)


def test_two_runs_on_a_page_have_their_places_and_numbers_beside_one_another(tmp_path):
    both = [
        profile_of(synthetic.program(threads, 200), tmp_path / str(threads)) for threads in (2, 4)
    ]
    write_comparison(*both, tmp_path / "two.html")
    parsed = Parsed((tmp_path / "two.html").read_text("utf-8"))
    first, second = (json.loads(parsed.scripts[name]) for name in ("facts", "facts-1"))
    assert [each["run"]["threads"] for each in (first, second)] == [2, 4]
    known = {place["source"]: at for at, place in enumerate(first["places"])}
    for row in second["sizes"]:
        assert known[second["places"][row["place"]]["source"]] == row["place"]
    comparison = json.loads(parsed.scripts["comparison"])
    assert comparison["verdict"] == compare.verdict(*both)
    assert ["threads", "2", "4", "2"] in comparison["numbers"]
    assert sorted(row[0] for row in comparison["tasks"]) == sorted(
        row["place"] for row in first["sizes"]
    )
    source = both[0].symbols.place(synthetic.LEAF).source
    (leaf,) = (row for row in comparison["tasks"] if row[0] == known[source])
    counts = [
        next(tasks.count for tasks in each.places if tasks.place == synthetic.LEAF) for each in both
    ]
    assert leaf[2:4] == [f"{count:,}" for count in counts]


def test_settings_that_differ_are_named_but_not_those_of_the_log(tmp_path):
    both = []
    for name in ("auto", "ws"):
        writer = synthetic.program(2, 40)
        writer.lines = [line for line in writer.lines if not line.startswith("setting")]
        writer.line(f"setting XOMP_SCHEDULER {name}")
        writer.line("setting XOMP_BARRIER tree")
        writer.line(f"setting XOMP_PERFLOG {name}")
        both.append(profile_of(writer, tmp_path / name))
    assert compare.differences(*both) == [("XOMP_SCHEDULER", "auto", "ws")]


def test_processes_of_a_program_are_on_one_page(tmp_path):
    both = [
        profile_of(synthetic.program(threads, 40), tmp_path / str(threads)) for threads in (2, 3)
    ]
    write_processes(both, tmp_path / "processes.html")
    parsed = Parsed((tmp_path / "processes.html").read_text("utf-8"))
    assert "comparison" not in parsed.scripts
    threads = [json.loads(parsed.scripts[name])["run"]["threads"] for name in ("facts", "facts-1")]
    assert threads == [2, 3]


def test_numbers_are_packed_into_groups_of_seven_bits():
    assert varints(np.array([0, 1, 127, 128, 300])) == bytes([0, 1, 127, 128, 1, 172, 2])
    assert varints(np.array([2**63])) == bytes([128] * 9 + [1])
    assert varints(np.zeros(0, np.int64)) == b""
    assert zigzag(np.array([0, -1, 1, -2, 2])).tolist() == [0, 1, 2, 3, 4]


def crowded(where) -> Profile:
    """Two long tasks with short ones in and between them; times in ticks of 1/2000 us."""
    writer = LogWriter(threads=1)
    writer.add(0, Kind.THREAD, 0, 100, flags=1)
    for begin in (1, 51):
        writer.add(0, Kind.TASK, begin, begin + 40, task=begin, place=0x401000)
        writer.add(0, Kind.TASKWAIT, begin + 1, begin + 39, task=begin, place=0x402000)
        starts = begin + 2 + 0.3 * np.arange(100)
        for place, offset in ((0x403000, 0.0), (0x404000, 0.15)):
            writer.add(0, Kind.TASK, starts + offset, starts + offset + 0.1, place=place)
    writer.close()
    return profile_of(writer, where)


def test_few_spans_are_shown_as_they_are(tmp_path):
    spans = crowded(tmp_path).spans
    detail = choose(spans, spans.kind, most=len(spans))
    assert detail.chosen.tolist() == list(range(len(spans)))
    assert detail.end.tolist() == spans.column("end").tolist()
    assert set(detail.times.tolist()) == {1}
    assert detail.short == 0


def test_of_too_many_spans_short_ones_are_merged_with_their_like(tmp_path):
    profile = crowded(tmp_path)
    spans, alike = profile.spans, profile.spans.column("place").astype(np.int64)
    detail = choose(spans, alike, most=200)
    length = detail.end - detail.begin
    assert len(detail.chosen) <= 200 < len(spans)
    assert detail.times.sum() == len(spans)
    merged = detail.times > 1
    assert merged.any()
    assert set(spans.kind[detail.chosen[~merged]]) == {Kind.THREAD, Kind.TASK, Kind.TASKWAIT}
    # Each place has the time that its short spans took, and nothing overlaps.
    for place in (0x403000, 0x404000):
        rows = alike[detail.chosen] == place
        assert length[rows].sum() == spans.duration[alike == place].sum()
    inner = np.flatnonzero(alike[detail.chosen] >= 0x403000)
    assert (detail.begin[inner][1:] >= detail.end[inner][:-1]).all()
    # Most still lies in the span that it belongs to.
    for begin in (1, 51):
        (wait,) = np.flatnonzero(
            (spans.kind[detail.chosen] == Kind.TASKWAIT)
            & (spans.column("task")[detail.chosen] == begin)
        )
        inside = detail.begin[inner] >= detail.begin[wait]
        inside &= detail.end[inner] <= detail.end[wait]
        assert length[inner][inside].sum() == length[inner].sum() / 2


def test_what_lies_in_short_spans_is_told_apart_in_a_cell(tmp_path):
    writer = LogWriter(threads=1)
    writer.add(0, Kind.THREAD, 0, 1000, flags=1)
    starts = np.arange(1, 401) * 1.0
    writer.add(0, Kind.TASK, starts, starts + 0.8, task=starts.astype(int), place=0x401000)
    writer.add(0, Kind.TASKWAIT, starts + 0.1, starts + 0.6, place=0x402000)
    writer.close()
    spans = profile_of(writer, tmp_path).spans
    detail = choose(spans, spans.kind.astype(np.int64), most=60)
    length = detail.end - detail.begin
    kinds = spans.kind[detail.chosen]
    assert length[kinds == Kind.TASK].sum() == pytest.approx(400 * 0.3 * TICKS_PER_US)
    assert length[kinds == Kind.TASKWAIT].sum() == pytest.approx(400 * 0.5 * TICKS_PER_US)
    # A task that reaches into the next cell is counted there, too, if it is alone.
    assert 400 <= detail.times[kinds == Kind.TASK].sum() <= 402


def test_a_page_with_fewer_spans_says_so(profile):
    facts = collect(profile, most=500).facts
    assert facts["detail"]["spans"] <= 500 < facts["detail"]["of"]
    assert facts["detail"]["short_ns"] > 0
    whole = collect(profile).facts
    for part in ("threads", "constructs", "sizes", "edges", "mutexes", "split"):
        assert facts[part] == whole[part]


def test_how_often_a_place_was_come_to_is_the_same_number_as_on_the_terminal(tmp_path):
    """Of a region once, not once for each thread; of tasks all; of code outside nothing."""
    for name in ("imbalance", "too_coarse", "serial_single"):
        getattr(scenarios, name)().write(tmp_path / name)
        profile = load(tmp_path / name)[0]
        profile.load_places()
        console = Console(file=io.StringIO(), width=200)
        terminal.show(console, profile)
        table = console.file.getvalue().partition("Work by place")[2].partition("\n\n")[0]
        rows = [line for line in table.splitlines() if " at 0x" in line or "outside" in line]
        facts = collect(profile).facts
        for kind, word in terminal.CONSTRUCTS.items():
            lines = [line for line in rows if line.strip().startswith(word)]
            told = [re.search(r"  ([\d,]+)  ", line) for line in lines]
            told = sorted(int(each[1].replace(",", "")) if each else 0 for each in told)
            found = [each["times"] for each in facts["constructs"] if each["kind"] == kind]
            if lines:
                assert told == sorted(found), (name, word)
