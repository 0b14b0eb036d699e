# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/worked-example.md tells what the program's versions are told."""

import os
import re
import subprocess

import pytest

from xomp.profile.analysing.advice import findings
from xomp.profile.analysing.load import load

TOLD = {1: {"too-fine", "one-producer"}, 2: {"serial-section"}}


def causes(program, library, logs) -> list[str]:
    changes = {"LD_LIBRARY_PATH": str(library.parent), "OMP_NUM_THREADS": "4"}
    environment = {**os.environ, **changes, "XOMP_PERFLOG": str(logs)}
    done = subprocess.run([program], env=environment, check=True, capture_output=True, text=True)
    assert done.stdout.startswith("picture ")
    others = ("kept-off", "crowded")  # what else runs on the machine
    return [each.cause for each in findings(load(logs)[0]) if each.cause not in others]


@pytest.fixture
def program(root, tmp_path):
    def compiled(version):
        path = tmp_path / f"mandelbrot{version}"
        source = root / "docs/examples/mandelbrot.c"
        flags = ["-O2", "-g", "-fopenmp", f"-DVERSION={version}"]
        subprocess.run(["gcc", source, *flags, "-o", path], check=True)
        return path

    return compiled


@pytest.mark.parametrize("version", TOLD)
def test_the_first_cause_is_the_one_that_the_page_goes_on_with(program, library, tmp_path, version):
    found = causes(program(version), library, tmp_path / "logs")
    assert found and found[0] in TOLD[version], found


def test_all_versions_make_the_same_picture(program, library):
    environment = {**os.environ, "LD_LIBRARY_PATH": str(library.parent)}
    pictures = {
        subprocess.run([program(version)], env=environment, check=True, stdout=-1).stdout
        for version in (1, 2, 3)
    }
    assert len(pictures) == 1


def test_the_page_shows_the_program_and_has_a_place_for_each_output(root):
    page = (root / "docs/worked-example.md").read_text()
    source = (root / "docs/examples/mandelbrot.c").read_text()
    for block in re.findall(r"^```c\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        for line in block.splitlines():
            assert line in source.splitlines()
    names = re.findall(r"^<!-- (?!end of )(.+) -->$", page, re.MULTILINE)
    assert names == ["conditions", "version 1", "version 2", "version 3", "both"]
    for name in names[1:]:
        text = page.partition(f"<!-- {name} -->")[2].partition(f"<!-- end of {name} -->")[0]
        assert "./mandelbrot" in text
    assert (root / "docs/pictures/report.png").read_bytes().startswith(b"\x89PNG")
