# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The graph applications on complete graphs, of which the answers are known."""

import subprocess

import pytest

from xomp.shared import apps


def run(name, *options):
    done = subprocess.run(
        [apps.build(name), *map(str, options)], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return dict(pair.split("=", 1) for pair in done.stdout.split()[1:])


# So many random edges that all pairs of the few vertices are among them.
COMPLETE = ("--edges", 1024, "--seed", 1)


@pytest.mark.parametrize(("scale", "triangles"), [(1, 0), (2, 4), (3, 56)])
@pytest.mark.parametrize("variant", ["chunk-tied", "split-untied", "for", "serial"])
def test_a_complete_graph_has_a_triangle_for_any_three_vertices(scale, triangles, variant):
    result = run("triangles", "--scale", scale, "--chunk", 3, "--variant", variant, *COMPLETE)
    assert result["triangles"] == str(triangles)


@pytest.mark.parametrize("variant", ["chunk-tied", "split-untied", "for", "serial"])
def test_a_search_reaches_all_of_a_complete_graph(variant):
    result = run("bfs", "--scale", 4, "--roots", 3, "--chunk", 2, "--variant", variant, *COMPLETE)
    assert result["reached"] == "48"


def test_halving_15_vertices_down_to_2_makes_14_tasks():
    result = run(
        "bfs", "--scale", 4, "--roots", 1, "--chunk", 2, "--variant", "split-tied", *COMPLETE
    )
    # The first frontier is the root alone, the second all others: 15 = 7 + 8 = (3 + 4) + (4 + 4),
    # and 3 = 1 + 2, 4 = 2 + 2: one, two and four pairs of tasks.
    assert result["tasks"] == "14"


@pytest.mark.parametrize("variant", ["for", "regions", "taskloop", "serial"])
def test_nobody_ranks_before_others_in_a_complete_graph(variant):
    result = run("pagerank", "--scale", 3, "--chunk", 3, "--variant", variant, *COMPLETE)
    assert float(result["ranks"]) == pytest.approx(1)
    assert float(result["changed"]) == pytest.approx(0, abs=1e-12)
