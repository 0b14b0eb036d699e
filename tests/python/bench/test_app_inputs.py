# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Applications with inputs: published answers, inputs worked out by hand, bad inputs, tasks.

The published inputs are not part of the repository: XOMP_TEST_DATA names their folder, else the one
beside the checkout is taken, else the tests that need them are skipped.
"""

import os
import subprocess
from pathlib import Path

import pytest
from test_app_answers import COUNTER, record_of, refusal_of

from conftest import ROOT
from xomp.bench.run import Job, parse, run
from xomp.shared import apps
from xomp.shared.runtimes import find

DATA = Path(os.environ.get("XOMP_TEST_DATA", ROOT.parent / "shared" / "data"))
published = pytest.mark.skipif(not DATA.is_dir(), reason="no folder of published inputs")

# Knows three locality domains; says at the end how it was called.
LOCALITY = """
#include <stdio.h>
#include <stdlib.h>
static int calls[3];
int omp_get_num_locality_domains(void) { return 3; }
int omp_get_locality_domain_num(void) { return 0; }
void omp_child_task_affinity(int domain) { __atomic_fetch_add(&calls[domain], 1, 0); }
__attribute__((destructor)) static void tell(void) {
  const char* mode = getenv("XOMP_LOCALITY");
  printf("stub first=%d second=%d third=%d mode=%s\\n", calls[0], calls[1], calls[2],
         mode ? mode : "none");
}
"""

COUNTED = [
    (name, variant["name"])
    for name in ("floorplan", "health", "alignment", "sparselu", "heat")
    for variant in apps.describe(name)["variants"]
]


def run_beside(library, name, *arguments):
    """The two lines, parsed, of an application with a library before the runtime."""
    done = subprocess.run(
        [apps.build(name), *arguments],
        env={**find("libgomp").environment(2), "LD_PRELOAD": str(library)},
        capture_output=True,
        text=True,
    )
    told, more = parse(done.stdout)
    assert told["ok"] == 1
    return told, more


def failure_of(name, *arguments):
    return run(Job(find("libgomp"), 2, apps.build(name), arguments)).failure


@pytest.fixture
def write(tmp_path):
    """Writes an input file; the result is the folder for --data."""

    def write_text(path: str, text: str) -> str:
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
        return str(tmp_path)

    return write_text


@pytest.mark.parametrize(("name", "variant"), COUNTED)
def test_as_many_tasks_are_made_as_the_program_says(name, variant, compile_c):
    counter = compile_c("counter.so", COUNTER, "-shared", "-fPIC")
    told, counted = run_beside(counter, name, "--variant", variant)
    # Before the clock runs, tasks build Health's 18 provinces and Heat's 30 halves.
    before = 0
    if name == "health" and ("locality" in variant or variant == "spread"):
        before = 18
    elif name == "heat" and variant not in ("for", "serial"):
        before = 30
    assert counted["calls"] == told["tasks"] + before


@published
@pytest.mark.parametrize("size", ["test", "small", "medium"])
def test_health_gives_the_published_answers(size):
    record_of("health", "--data", str(DATA), "--size", size, "--variant", "untied-manual")


@published
@pytest.mark.parametrize("field", range(10, 19))
def test_health_notices_answers_that_differ(write, field):
    fields = (DATA / "health/test.input").read_text().split()
    fields[field] = str(float(fields[field]) + 0.000002 if field == 18 else int(fields[field]) + 1)
    folder = write("health/test.input", " ".join(fields))
    assert failure_of("health", "--data", folder) == "wrong result"


def test_health_simulates_the_parameters_of_the_file(write):
    """Nobody falls ill: all stay at home. Two levels of three villages: 4 + 3 x 2 nurses."""
    text = "2 3 10 30 2 12 23 0 0.1 0.15 100 4 10 0 100 0 0 0 0.0"
    folder = write("health/mine.input", text)
    record = record_of("health", "--data", folder, "--input", "mine")
    assert (record["people"], record["visits"]) == (100, 0)


HEALTH = "3 18 10 365 2 12 23 0.002 0.1 0.15 7280 343 728 5531 7160 80 26 14 5.259341"


@pytest.mark.parametrize(
    "text",
    [
        "",
        HEALTH.rsplit(" ", 1)[0],
        HEALTH + " 1",
        HEALTH.replace("0.002", "x"),
        HEALTH.replace("0.002", "1.5"),
        HEALTH.replace("3 18", "0 18", 1),
        HEALTH.replace("3 18", "3 -1", 1),
    ],
)
def test_health_refuses_a_malformed_file(write, text):
    assert "test.input" in refusal_of("health", "--data", write("health/test.input", text))


def test_health_refuses_a_country_that_is_too_large(write):
    assert "too large" in refusal_of("health", "--levels", "12", "--cities", "1000")


@published
@pytest.mark.parametrize(("cells", "area"), [(5, 216), (15, 713), (20, 896)])
def test_floorplan_gives_the_published_answers(cells, area):
    options = ("--data", str(DATA), "--cells", str(cells), "--variant", "tied-manual")
    assert record_of("floorplan", *options)["area"] == area


# Two cells side by side, the second below the upper edge of neither: 2 x 3 beside 2 x 1 or 1 x 2.
SIDE_BY_SIDE = "2\n1\n2 3\n0 -1\n2\n2\n2 1\n1 2\n1 -1\n0\n8\n"


def test_floorplan_solves_what_is_solved_by_hand(write):
    folder = write("floorplan/input.5", SIDE_BY_SIDE)
    for variant in ("tied", "serial"):
        record = record_of("floorplan", "--data", folder, "--cells", "2", "--variant", variant)
        assert record["area"] == 8


def test_floorplan_notices_an_answer_that_differs(write):
    folder = write("floorplan/input.5", SIDE_BY_SIDE.replace("\n8\n", "\n9\n"))
    assert failure_of("floorplan", "--data", folder, "--cells", "2") == "wrong result"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2\n1\n",
        "x",
        "1000",
        SIDE_BY_SIDE.replace("2 3", "2 65"),
        SIDE_BY_SIDE.replace("1 -1", "-1 -1"),  # touches nothing
        SIDE_BY_SIDE.replace("0 -1\n2", "2 -1\n2"),  # touches one that is placed later
        SIDE_BY_SIDE.replace("0 -1\n2", "0 -1\n0"),  # the second is never placed
    ],
)
def test_floorplan_refuses_a_malformed_file(write, text):
    folder = write("floorplan/input.5", text)
    assert "input.5" in refusal_of("floorplan", "--data", folder, "--cells", "2")


def test_floorplan_refuses_more_cells_than_published():
    assert "21 cells" in refusal_of("floorplan", "--data", "anywhere", "--cells", "21")


@published
def test_alignment_scores_as_biopython_does():
    """The sum of PairwiseAligner's local scores (Biopython 1.88) with BLOSUM62, -12 and -1."""
    folder = ("--data", str(DATA), "--size", "small")
    assert record_of("alignment", *folder, "--variant", "for-untied")["score"] == 8241


def two_proteins(first, second):
    return f"Number of sequences is 2\n\n>first\n{first}\n>second protein\n{second}\n"


@pytest.mark.parametrize(
    ("first", "second", "score", "identities"),
    [
        ("ACDEFGHIK", "ACDEF\nghik", 4 + 9 + 6 + 5 + 6 + 6 + 8 + 4 + 5, 9),
        ("WWWWHHHH", "WWWWAAHHHH", 4 * 11 + 4 * 8 - (11 + 2), 8),  # a gap of two
        ("WWWWDDWWWW", "WWWWWWWW", 8 * 11 - (11 + 2), 8),  # the same in the other
        ("ILV", "LIV", 2 + 2 + 4, 1),
        ("AAAA", "WWWW", 0, 0),
        ("PPWWWPP", "KKWWWKK", 33, 3),  # local: the ends are left out
        ("U", "UU", 0, 0),  # no known residue
    ],
)
def test_alignment_scores_pairs_as_by_hand(write, first, second, score, identities):
    folder = write("alignment/mine.aa", two_proteins(first, second))
    record = record_of("alignment", "--data", folder, "--input", "mine.aa", "--proteins", "2")
    assert (record["score"], record["identities"]) == (score, identities)


@pytest.mark.parametrize("length", [1, 5, 40])
def test_alignment_is_right_on_short_proteins(length):
    record_of("alignment", "--proteins", "60", "--length", str(length), "--variant", "serial")


@pytest.mark.parametrize(
    "text",
    [
        "",
        two_proteins("A", "C").replace("is 2", "is 1"),
        two_proteins("A", "C").replace("is 2", "is many"),
        two_proteins("A", ""),
        two_proteins("A1", "C"),
        two_proteins("A", "C").replace(">second protein\n", ""),
    ],
)
def test_alignment_refuses_a_malformed_file(write, text):
    folder = write("alignment/prot.20.aa", text)
    assert "prot.20.aa" in refusal_of("alignment", "--data", folder, "--proteins", "2")


@pytest.mark.parametrize("name", ["health", "floorplan", "alignment"])
def test_a_file_that_is_not_there_is_refused(name, tmp_path):
    assert "cannot read" in refusal_of(name, "--data", tmp_path)


@pytest.mark.parametrize("blocks", [1, 2, 7, 13])
@pytest.mark.parametrize("variant", ["single-tied", "for-untied", "depend"])
def test_sparselu_is_right_whatever_the_blocks(blocks, variant):
    options = ("--blocks", str(blocks), "--block-size", "3", "--variant", variant)
    record_of("sparselu", *options)


@pytest.mark.parametrize("variant", ["tied", "locality", "for"])
@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (2, 9), (97, 5)])
def test_heat_is_right_whatever_the_grid(variant, rows, columns):
    grid = ("--rows", str(rows), "--columns", str(columns), "--grain", "1")
    record_of("heat", *grid, "--variant", variant)


@pytest.mark.parametrize("name", ["health", "heat"])
def test_locality_is_said_to_be_unavailable_where_it_is(name):
    assert record_of(name, "--variant", "locality")["locality"] == "unavailable"


@pytest.mark.parametrize(("variant", "mode"), [("locality", "none"), ("locality-strict", "strict")])
def test_locality_is_used_where_there_is_some(variant, mode, compile_c):
    stub = compile_c("stub.so", LOCALITY, "-shared", "-fPIC")
    told, calls = run_beside(stub, "health", "--variant", variant)
    assert (told["locality"], calls["mode"]) == (3, mode)
    # 18 provinces in three domains, on 365 days and when they are built.
    assert calls["first"] == calls["second"] == calls["third"] == 6 * 366

    told, calls = run_beside(stub, "heat", "--variant", variant)
    assert (told["locality"], calls["mode"]) == (3, mode)
    # The first halving goes to domains 0 and 1, that of the second half to 1 and 2.
    assert calls["first"] == calls["third"] == 21
    assert calls["second"] == 2 * 21


def test_spread_builds_the_country_in_its_domains(compile_c):
    stub = compile_c("stub.so", LOCALITY, "-shared", "-fPIC")
    _, calls = run_beside(stub, "health", "--variant", "spread")
    assert calls["first"] == calls["second"] == calls["third"] == 6
