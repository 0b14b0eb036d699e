# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What README.md shows is what the tree has: the picture of the measured table, the example."""

import re
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader


def test_the_picture_is_drawn_of_the_table_in_the_page(root):
    sys.path.insert(0, str(root / "tools"))
    import pictures

    text = (root / "docs/results/performance/run.md").read_text()
    picture = (root / "docs/pictures/applications.svg").read_text()
    assert pictures.digest(text) in picture, "run tools/renew_readme picture"
    assert "docs/pictures/applications.svg" in (root / "README.md").read_text()


def test_the_example_gives_the_right_sum_on_both_runtimes(root, xomp, library, tmp_path):
    program = tmp_path / "chain"
    source = root / "docs/examples/chain.c"
    flags = ["-O2", "-fopenmp", "-DPAIRS=2000"]
    subprocess.run(["gcc", *flags, source, "-o", program], check=True)
    for done in (
        subprocess.run([program], capture_output=True, text=True, check=False),
        xomp("run", "--lib", library, program),
    ):
        assert done.returncode == 0
        assert re.fullmatch(r"2000 pairs of tasks in [0-9.]+ s\n", done.stdout)


def test_the_page_has_a_place_for_what_is_measured(root):
    page = (root / "README.md").read_text()
    for part in ("chain", "fib"):
        assert page.count(f"<!-- {part} -->") == page.count(f"<!-- end of {part} -->") == 1
    done = subprocess.run(
        [sys.executable, root / "tools/renew_readme", "nothing"], capture_output=True, text=True
    )
    assert done.returncode == 1
    assert done.stderr == "renew_readme: no part 'nothing'; there are picture, chain, fib\n"


def test_the_table_of_fibonacci_has_medians_per_task_and_thread(root):
    loader = SourceFileLoader("renew_readme", str(root / "tools/renew_readme"))
    made = module_from_spec(spec_from_loader(loader.name, loader))
    loader.exec_module(made)

    def run(runtime, threads, seconds, index=0, failure=None):
        told = {"seconds": seconds, "threads": threads, "tasks": 1000}
        return {"kind": "run", "runtime": runtime, "threads": threads, "round": index} | {
            "failure": failure,
            "records": [told],
        }

    lines = [
        {"kind": "head"},
        run("xomp", 1, 9.0, index=-1),
        *(run("xomp", 1, seconds) for seconds in (2e-6, 4e-6, 9e-6)),
        run("xomp", 2, 3e-6),
        run("libgomp", 1, 50e-6),
        run("libgomp", 2, 1.0, failure="it crashed"),
    ]
    assert made.fib_table(lines).splitlines() == [
        "| threads | **xomp** | libgomp |",
        "| --- | --- | --- |",
        "| 1 | **4.00** | 50.00 |",
        "| 2 | **6.00** | - |",
    ]
