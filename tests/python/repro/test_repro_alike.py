# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs that are the same schedule here are found by their settings; experiments that would compare
nothing are refused, or counted on a described machine."""

import json

import pytest

from repro_shared import configurations, experiments, reproduce
from xomp.repro import alike, cli, registry
from xomp.repro.alike import Machine
from xomp.repro.doubt import cautious
from xomp.repro.model import Claim, Result
from xomp.repro.plan import Plan
from xomp.start import main

ONE, FOUR = Machine(32, 1), Machine(32, 4)
QUIET = {"load": 0.0, "processors": 2}


def in_force(text, threads, machine, **more):
    settings = dict(each.split("=") for each in text.split(",") if each)
    return alike.in_force({**settings, **more}, threads, machine)


@pytest.mark.parametrize(
    ("one", "other", "threads", "same"),
    [
        ("xqueue1", "slb", 2, True),
        ("xqueue2", "slb", 2, True),
        ("xqueue2", "slb", 3, True),
        ("xqueue1", "slb", 3, False),
        ("xqueue1", "xqueue2", 3, False),
        ("xqueue2", "slb", 4, False),
        ("na-rp", "slb", 2, False),
        ("na-ws", "slb", 1, True),
        ("l", "q", 2, False),
    ],
)
def test_topologies_of_xqueue_are_one_with_few_threads(one, other, threads, same):
    names = (f"XOMP_SCHEDULER={one}", f"XOMP_SCHEDULER={other}")
    assert (in_force(names[0], threads, ONE) == in_force(names[1], threads, ONE)) == same


def test_domains_make_the_difference_between_mts_and_cq():
    mts, cq = "XOMP_SCHEDULER=mts", "XOMP_SCHEDULER=cq"
    assert in_force(mts, 8, ONE) == in_force(cq, 8, ONE)
    assert in_force(mts, 8, FOUR) != in_force(cq, 8, FOUR)
    for setting in ("XOMP_CHUNK=4", "XOMP_LOCALITY=strict"):
        assert in_force(f"{mts},{setting}", 8, ONE) == in_force(mts, 8, ONE)
        assert in_force(f"{mts},{setting}", 8, FOUR) != in_force(mts, 8, FOUR)


def test_bound_threads_fill_one_domain_before_the_next():
    assert [FOUR.domains_of(threads, True) for threads in (1, 8, 9, 32, 64)] == [1, 1, 2, 4, 4]
    assert [FOUR.domains_of(threads, False) for threads in (1, 2, 9)] == [1, 2, 4]
    close = {"OMP_PROC_BIND": "close"}
    for threads, same in ((8, True), (9, False)):
        names = ("XOMP_SCHEDULER=mts", "XOMP_SCHEDULER=cq")
        found = [in_force(name, threads, FOUR, **close) for name in names]
        assert (found[0] == found[1]) == same


def test_victims_are_no_more_than_there_are_and_p_local_needs_domains():
    few, many, far = (
        f"XOMP_SCHEDULER=na-ws,{each}"
        for each in ("XOMP_VICTIMS=1", "XOMP_VICTIMS=24", "XOMP_VICTIMS=1,XOMP_LOCAL=0.03")
    )
    assert in_force(few, 2, ONE) == in_force(many, 2, ONE)
    assert in_force(few, 3, ONE) != in_force(many, 3, ONE)
    assert in_force(few, 4, ONE) == in_force(far, 4, ONE)
    assert in_force(few, 4, FOUR) != in_force(far, 4, FOUR)


def planned(name, threads):
    experiment = registry.find(name)[0]
    plan = Plan(experiment, "test", threads, 5, configurations(experiment))
    return plan, experiment.jobs(plan)


def test_equal_designs_of_paper_4_are_found_and_nothing_is_claimed_of_them(library):
    plan, runs = planned("p4-fig3", (2, 4))
    same = alike.groups(runs, ONE)
    assert {group.threads for group in same} == {2}
    assert {group.configs for group in same} == {("XQueue", "XQueue v2", "XQueue vN")}
    (line,) = alike.told(same, ONE)
    assert line == (
        "XQueue = XQueue v2 = XQueue vN: the same schedule with 2 threads and 1 locality domain"
    )
    claims = [
        Claim("vN is faster", True, "1.16 times", ("XQueue vN", "XQueue")),
        Claim("stealing is faster", True, "2 times", ("Work Stealing", "XQueue vN")),
    ]
    plan = Plan(plan.experiment, "small", (2,), 5, {})
    made = cautious(Result(claims=claims), plan, QUIET, alike.pairs(same, 2))
    assert [claim.holds for claim in made.claims] == [None, True]
    assert "the two are the same here" in made.claims[0].evidence
    made = cautious(Result(claims=claims), plan, QUIET, alike.pairs(same, 4))
    assert [claim.holds for claim in made.claims] == [True, True]


def test_locality_does_nothing_on_one_domain(library):
    _, runs = planned("p3-fig11", (8,))
    (group,) = alike.groups(runs, ONE)
    assert group.configs == ("Qthreads", "Q Spread-init", "Q Locality")
    assert alike.groups(runs, Machine(8, 4)) == []


def test_what_does_nothing_is_named_also_without_an_equal(library):
    """Nothing else in this experiment is cq, and no steal is remote where there is one domain."""
    _, runs = planned("p5-table4", (8,))
    assert alike.told([], ONE, runs) == [
        "MTS: the same as XOMP_SCHEDULER=cq with 8 threads and 1 locality domain"
    ]
    assert alike.told([], Machine(8, 4), runs) == []
    _, runs = planned("p1-fig7", (8,))
    lines = alike.told([], ONE, runs)
    assert "NA-WS: XOMP_LOCAL does nothing with 8 threads and 1 locality domain" in lines
    assert not any("XOMP_STEAL" in line for line in lines)


def test_a_sweep_of_what_does_nothing_is_empty(library):
    _, runs = planned("p5-fig10", (8,))
    assert alike.empty(runs, alike.groups(runs, ONE))
    assert not alike.empty(runs, alike.groups(runs, Machine(8, 4)))
    _, runs = planned("p3-fig11", (8,))
    assert not alike.empty(runs, alike.groups(runs, ONE))


def test_of_settings_that_are_one_only_the_first_is_run(library):
    _, runs = planned("p1-table1", (2,))
    kept = alike.first_ones(runs, alike.groups(runs, ONE))
    # Of victims (1, 24), steals (1, 32), intervals (1000, 100000), P_local (1, 0.03) two matter.
    swept = [run for run in runs if run.tag != "auto"]
    assert (len(kept) - (len(runs) - len(swept))) * 4 == len(swept)
    tags = {"1 1 1000 1", "1 1 100000 1", "1 32 1000 1", "1 32 100000 1", "auto"}
    assert {run.tag for run in kept} == tags


def test_an_experiment_that_would_compare_nothing_is_refused(library, capsys, tmp_path):
    arguments = ["p5-fig10", "--size", "test", "--out", str(tmp_path), "--topology"]
    assert main(["repro", *arguments, "numa:1 core:4 pu:1"]) == 1
    err = capsys.readouterr().err
    assert "would compare nothing" in err and "--topology" in err
    assert not (tmp_path / "result.json").exists()


def test_a_described_machine_is_counted_on_and_not_timed(library, capsys, tmp_path):
    result = reproduce(
        capsys,
        tmp_path,
        *("p5-fig10", "--topology", "pack:2 core:2 pu:1", "--rounds", "1"),
    )
    assert result["threads"] == [4]
    assert result["topology"] == "pack:2 [numa] core:2 pu:1"
    (table,) = result["tables"]
    by_whom, steals = result["plots"]
    assert by_whom["groups"] == [f"health\nchunk {size}" for size in (1, 2, 4, 8, 16, 32)]
    assert [round(sum(shares)) for shares in zip(*by_whom["parts"].values(), strict=True)] == [
        100
    ] * 6
    assert all(steals["series"]["NSTEALS_REMOTE"]) and result["claims"] == []
    assert "econds" not in json.dumps(table)
    tasks = [table["header"].index(f"NTASKS_{who}") for who in ("SELF", "LOCAL", "REMOTE")]
    sums = {sum(int(row[column]) for column in tasks) for row in table["rows"]}
    assert len(table["rows"]) == 6 and len(sums) == 1 and sums.pop() > 0


def test_what_shows_counts_only_describes_the_papers_machine(monkeypatch):
    counting, timing = registry.find("p5-table4")[0], registry.find("p5-table2")[0]
    monkeypatch.setattr(cli.machine, "nodes", lambda: 1)
    assert cli.described(counting, None) == "numa:4 core:8 pu:1"
    assert cli.described(timing, None) == ""
    assert cli.described(counting, "real") == ""
    monkeypatch.setattr(cli.machine, "nodes", lambda: 2)
    assert cli.described(counting, None) == ""


def test_packages_that_are_described_are_domains(library):
    assert cli.with_nodes("pack:4 core:8 pu:1") == "pack:4 [numa] core:8 pu:1"
    assert cli.with_nodes("numa:4 core:8 pu:1") == "numa:4 core:8 pu:1"
    library = cli.offer.of_xomp()
    assert library.machine(cli.with_nodes("pack:4 core:8 pu:1")) == (32, 4)


def test_a_description_that_the_library_does_not_take_is_refused(library, xomp):
    done = xomp("repro", "p5-table4", "--topology", "pack:x")
    assert done.returncode == 2
    assert "XOMP_TOPOLOGY" in done.stderr


def test_the_schedule_on_a_described_machine_is_an_order(library, capsys, tmp_path):
    result = reproduce(
        capsys,
        tmp_path,
        *("p3-fig18", "--runtimes", "Q Locality", "--topology", "pack:2 core:2 pu:1"),
    )
    (table,) = result["tables"]
    row = dict(zip(table["header"], table["rows"][0], strict=True))
    assert row["data on the own node"] == "100 %"
    assert not any("econds" in title for title in table["header"])
    (plot,) = result["plots"]
    boxes = plot["panels"]["Q Locality"]
    assert {length for _, _, length, _ in boxes} == {1.0}


def test_all_of_a_group_are_of_one_program(library):
    for experiment in experiments(5).values():
        if experiment.jobs is None:
            continue
        runs = experiment.jobs(Plan(experiment, "test", (2,), 5, configurations(experiment)))
        for group in alike.groups(runs, ONE):
            assert len({run.app for run in group.runs}) == 1
            assert all(run.job.case.variant != "serial" for run in group.runs)
