# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`xomp repro list` and how names find experiments: all tables and figures are there."""

import pytest

from xomp.repro import catalogue, published, registry, verdict
from xomp.repro.model import Config, Needs
from xomp.repro.offer import of_xomp
from xomp.repro.plan import Experiment
from xomp.shared import machine
from xomp.start import main

# The papers' numbering: their last figure and table. These figures are drawings and listings.
LAST = {1: (11, 4), 2: (5, 3), 3: (18, 3), 4: (3, 0), 5: (10, 6)}
DRAWINGS = {"p1-fig2", "p2-fig1", "p3-fig6", "p3-fig7", "p3-fig8", "p3-fig9", "p4-fig2"}
NUMBERED = [
    *(f"p{paper}-fig{each + 1}" for paper, (figures, _) in LAST.items() for each in range(figures)),
    *(f"p{paper}-table{each + 1}" for paper, (_, tables) in LAST.items() for each in range(tables)),
]
WANTED = [*(name for name in NUMBERED if name not in DRAWINGS), "p4-lambda"]


class Offer:
    """A library with these settings, functions and counters."""

    def __init__(self, settings=None, symbols=(), statistics=()):
        self.settings = settings or {}
        self.symbols = frozenset(symbols)
        self.statistics = frozenset(statistics)

    def accepts(self, key, value, beside=None):
        return self.settings.get(key) == value


NOTHING = Needs()


def experiment(needs=NOTHING, configs=(), **more):
    return Experiment(1, "fig99", "title", "section", needs, configs, **more)


@pytest.mark.parametrize("name", WANTED)
def test_every_table_and_figure_has_an_experiment(name):
    found, remark = registry.find(name)
    assert found.id == name
    assert remark == ""
    assert not found.drawing
    assert found.result is not None


def test_the_list_is_the_papers_numbering():
    """Each figure and table of each paper once, and nothing else but the table without a number."""
    names = [each.id for each in registry.all_experiments()]
    assert sorted(names) == sorted([*NUMBERED, "p4-lambda"])


def test_what_is_only_computed_runs_nothing():
    computed = {each.id for each in registry.all_experiments() if each.result and not each.jobs}
    assert computed == {"p3-fig5", "p5-table1"}


@pytest.mark.parametrize("name", WANTED)
def test_every_table_and_figure_has_its_published_values(name):
    found = registry.find(name)[0]
    assert published.load(found.paper, found.item) is not None


def test_names_are_unique():
    names = [each.id for each in registry.all_experiments()]
    assert len(names) == len(set(names))


def test_drawings_are_listed_and_have_nothing_to_run():
    drawings = [each for each in registry.all_experiments() if each.drawing]
    assert {each.id for each in drawings} == DRAWINGS
    assert all(each.jobs is None for each in drawings)


@pytest.mark.parametrize(
    ("name", "paper", "wanted"),
    [
        ("p1-fig7", None, "p1-fig7"),
        ("Fig.7", 1, "p1-fig7"),
        ("fig7", 5, "p5-fig7"),
        ("figure 7", 5, "p5-fig7"),
        ("tableIV", None, "p1-table4"),
        ("p1-tab3", None, "p1-table3"),
        ("lambda", None, "p4-lambda"),
        ("fig18", None, "p3-fig18"),
    ],
)
def test_short_names(name, paper, wanted):
    assert registry.find(name, paper)[0].id == wanted


def test_a_name_of_several_papers_stands_for_the_first_and_says_so():
    found, remark = registry.find("fig7")
    assert found.id == "p1-fig7"
    assert "p5-fig7" in remark


def test_an_ambiguous_name_without_paper_1_is_refused():
    """Paper 1 has a Fig. 2, but it is a drawing."""
    with pytest.raises(registry.UnknownExperimentError, match="p2-fig2, p3-fig2, p5-fig2"):
        registry.find("fig2")
    assert registry.find("p1-fig2")[0].drawing
    assert registry.find("fig2", 1)[0].drawing


def test_an_unknown_name_is_refused():
    with pytest.raises(registry.UnknownExperimentError, match="no experiment 'fig99'"):
        registry.find("fig99")


def test_nothing_lacking_is_yes():
    assert str(verdict.judge(experiment(), Offer())) == verdict.YES


def test_fewer_cores_than_the_papers_is_partly():
    found = verdict.judge(experiment(Needs(cores=1 << 20)), Offer())
    assert str(found) == verdict.PARTLY
    assert found.reasons == [f"{machine.processors()} of {1 << 20} cores"]


def test_a_scheduler_is_lacking_until_the_library_accepts_it():
    configs = (Config("SLB", "xomp"), Config("NA-RP", "xomp@XOMP_SCHEDULER=na-rp"))
    before = verdict.judge(experiment(configs=configs), Offer())
    assert str(before) == verdict.PARTLY
    assert any("na-rp" in reason for reason in before.reasons)
    after = verdict.judge(experiment(configs=configs), Offer({"XOMP_SCHEDULER": "na-rp"}))
    assert str(after) == verdict.YES


def test_an_essential_lack_is_no():
    needs = Needs(variables=("XOMP_NOTHING",), essential=frozenset({"XOMP_NOTHING"}))
    found = verdict.judge(experiment(needs), Offer())
    assert str(found) == verdict.NO
    assert found.blocking == ["xomp has no XOMP_NOTHING yet"]


def test_without_the_library_only_other_runtimes_are_left():
    configs = (Config("A", "xomp"), Config("B", "xomp@XOMP_BARRIER=tree"))
    assert str(verdict.judge(experiment(configs=configs), None)) == verdict.NO
    found = verdict.judge(experiment(configs=(*configs, Config("C", "libgomp"))), None)
    assert str(found) == verdict.PARTLY
    assert found.reasons == ["xomp is not built"]


def test_one_of_several_suffices():
    either = frozenset({"A", "B"})
    configs = (Config("A", None, "gone"), Config("B", "xomp"))
    assert str(verdict.judge(experiment(Needs(any_of=either), configs), Offer())) == verdict.PARTLY
    configs = (Config("A", None, "gone"), Config("B", None, "gone"))
    assert str(verdict.judge(experiment(Needs(any_of=either), configs), Offer())) == verdict.NO


def test_without_any_application_nothing_can_be_run():
    found = verdict.judge(experiment(Needs(apps=("no-such-app",))), Offer())
    assert str(found) == verdict.NO


def test_a_function_and_a_counter_that_the_library_lacks_are_named():
    needs = Needs(symbols=("omp_no_such",), statistics=("NTASKS_NONE",))
    reasons = verdict.judge(experiment(needs), Offer()).reasons
    assert any("omp_no_such" in reason for reason in reasons)
    assert any("NTASKS_NONE" in reason for reason in reasons)


def test_an_unknown_event_is_not_counted_here():
    assert machine.event("no-such-event-at-all") is not None


def test_the_list_names_needs_and_verdicts(library):
    found = catalogue.rows(1)
    text = catalogue.as_text(found, with_reasons=True)
    for each, _ in found:
        assert f"`{each.id}`" in text
    assert "192 cores" in text and "8 NUMA nodes" in text


def test_the_library_is_asked_for_its_schedulers(library):
    offer = of_xomp()
    assert offer.accepts("XOMP_SCHEDULER", "slb")
    assert not offer.accepts("XOMP_SCHEDULER", "no-such-scheduler")
    assert not offer.accepts("XOMP_NO_SUCH_SETTING", "1")
    assert offer.accepts("XOMP_LOCALITY", "strict", {"XOMP_SCHEDULER": "mts"})
    assert not offer.accepts("XOMP_LOCALITY", "strict", {"XOMP_SCHEDULER": "slb"})
    assert "NTASKS_IMM_EXEC" in offer.statistics
    assert "omp_get_thread_num" in offer.symbols


def test_the_list_in_the_documentation_is_up_to_date(root):
    made = catalogue.as_text(catalogue.rows(None), with_reasons=False)
    assert made in (root / "docs/results/experiments.md").read_text()


def test_list_on_the_command_line(xomp):
    done = xomp("repro", "list")
    assert done.returncode == 0, done.stderr
    assert "p4-lambda" in done.stdout
    assert "drawing" in done.stdout


def test_the_list_is_a_line_for_each_experiment_and_common_reasons_stand_once(capsys):
    catalogue.show(None, as_markdown=False, with_reasons=True)
    lines = capsys.readouterr().out.splitlines()
    found = catalogue.rows(None)
    table = lines[1 : 1 + len(found)]
    assert [line.split()[0] for line in table] == [each.id for each, _ in found]
    assert max(map(len, lines)) <= catalogue.WIDTH
    rest = lines[1 + len(found) :]
    cores = [line for line in rest if " of 192 cores" in line]
    assert len(cores) <= 1


def test_the_list_fits_a_terminal_of_80_columns_and_cuts_no_word(monkeypatch, capsys):
    monkeypatch.setattr(catalogue, "WIDTH", 80)
    catalogue.show(None, as_markdown=False, with_reasons=False)
    lines = capsys.readouterr().out.splitlines()
    for line, (each, _) in zip(lines[1:], catalogue.rows(None), strict=False):
        assert line.rstrip().endswith(each.title)


@pytest.mark.parametrize("name", ["p1-fig7", "p1-fig2"])
def test_details_of_one_are_told_and_nothing_is_run(name, capsys):
    assert main(["repro", name, "--details"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"{name}: ")
    assert "  needs  " in shown and "  here   " in shown
