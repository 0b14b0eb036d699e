# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What README.md shows is what the tree has: the picture of the measured table, the example."""

import re
import subprocess
import sys


def test_the_picture_is_drawn_of_the_table_in_the_page(root):
    sys.path.insert(0, str(root / "tools"))
    import pictures

    text = (root / "docs/performance.md").read_text()
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
    assert page.count("<!-- chain -->") == page.count("<!-- end of chain -->") == 1
    done = subprocess.run(
        [sys.executable, root / "tools/renew_readme", "nothing"], capture_output=True, text=True
    )
    assert done.returncode == 1
    assert done.stderr == "renew_readme: no part 'nothing'; there are picture and chain\n"
