# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The papers' algorithms to the letter (paper_letter.py), and xomp's policies beside them, on one
clock: makespans that differ by more than 15 per cent have their reason in the policy's page."""

import random
from statistics import median

import pytest

import paper_letter
import paper_policies
import paper_table
from paper_letter import SCHEDULERS, SHAPES, Task, leaf
from xomp.run import SCHEDULERS as EVERY_SCHEDULER


@pytest.fixture(autouse=True)
def built():
    if not paper_policies.PROGRAM.exists():
        pytest.skip(f"{paper_policies.PROGRAM} is not built")


def test_every_policy_of_the_papers_has_its_letter():
    assert set(SCHEDULERS) == set(EVERY_SCHEDULER) - {"auto"}


@pytest.mark.parametrize("name", SCHEDULERS)
def test_all_work_is_done_and_no_makespan_is_below_the_ideal(name):
    for shape in SHAPES:
        root, rng = SHAPES[shape](4), random.Random(0)
        outcome = paper_letter.simulate(root, 4, SCHEDULERS[name](4, rng), rng)
        assert sum(outcome.units) == paper_letter.total(root)
        assert outcome.makespan >= paper_letter.ideal(root, 4)


@pytest.mark.parametrize("name", SCHEDULERS)
def test_one_worker_takes_the_sum_of_the_work(name):
    root = SHAPES["tree"](3)
    assert paper_policies.makespans(root, name, 1, 1) == [1.0]


@pytest.mark.parametrize("name", SCHEDULERS)
@pytest.mark.parametrize("shape", SHAPES)
def test_xomps_policies_take_what_the_letter_takes(name, shape):
    here = paper_table.policy(name, shape)
    assert not paper_table.apart(here, paper_table.changed(name, shape))


def test_what_is_changed_makes_a_difference_where_it_is_said_to():
    """Else the changed letter would be a reason for nothing."""
    for name, shape in (("na-rp", "skewed"), ("na-rp", "tree"), ("na-ws", "priorities")):
        assert paper_table.apart(paper_table.policy(name, shape), paper_table.letter(name, shape))


def test_one_creator_redirects_nothing_to_the_letter():
    """Paper 1, Table II: Align has no steals with NA-RP."""
    rng = random.Random(0)
    scheduler = SCHEDULERS["na-rp"](16, rng)
    paper_letter.simulate(Task([leaf(1) for _ in range(4950)]), 16, scheduler, rng)
    assert scheduler.moved == 0


def test_many_tasks_for_each_worker_bring_na_rp_near_the_ideal():
    """N_victim x N_steal is 768: absurd for 24 tasks of a worker, little beside 1,600."""
    few, many = (
        median(
            paper_letter.makespans(paper_letter.tree(16, nodes), SCHEDULERS["na-rp"], 16, seeds=3)
        )
        for nodes in (24, 1600)
    )
    assert few > 4 and many < 1.5


@pytest.mark.parametrize("name", paper_table.BALANCERS)
def test_auto_is_never_as_bad_as_the_papers_numbers_and_near_the_best(name):
    for shape in SHAPES:
        best, *_, worst = paper_table.sweep(name, shape)
        found = paper_table.auto(name, shape)
        assert found <= 1.15 * paper_table.policy(name, shape)
        assert found <= 1.6 * best
        assert found < worst or worst < 1.15 * best


def test_the_page_has_these_tables():
    page = paper_table.PAGE.read_text()
    assert paper_table.renewed(page) == page
