# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Real programs with one known trouble, recorded by the library: it is what is named first."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from xomp.profile.analysing.advice import findings
from xomp.profile.analysing.load import load
from xomp.profile.analysing.summary import Profile
from xomp.profile.showing.numbers import times

KNOWN = Path(__file__).parents[1] / "known"
CAUSES = {
    "imbalance": ("imbalance", "imbalance.c:"),
    "one_producer": ("one-producer", "one_producer.c:"),
    "serial_section": ("serial-section", "serial_section.c:13"),
    "serial_sleep": ("asleep", "serial_sleep.c:12"),
    "serial_single": ("serial-section", "serial_single.c:"),
    "chain": ("chain", "chain.c:"),
    "too_fine": ("too-fine", "too_fine.c:"),
    "too_few": ("too-few-tasks", "too_few.c:"),
    "too_coarse": ("too-coarse", "too_coarse.c:"),
    "mutex": ("mutex", "mutex.c:"),
    "remote_data": ("remote-data", "remote_data.c:"),
}
DOMAINS = {
    "XOMP_TOPOLOGY": "numa:2 core:2 pu:1",
    "XOMP_SCHEDULER": "mts",
    "XOMP_LOCALITY": "relaxed",
}
SETTINGS = {"remote_data": DOMAINS}


@pytest.fixture
def recorded(root, library, tmp_path):
    """The profile of one of the programs on four threads."""

    def run(name: str, compiler: str = "gcc") -> Profile:
        program = tmp_path / name
        flags = ["-O1", "-g", "-fopenmp", f"-I{root}/include", f"-L{library.parent}"]
        if name == "remote_data":
            flags.append("-l:libxomp.so")
        subprocess.run([compiler, KNOWN / f"{name}.c", *flags, "-o", program], check=True)
        environment = {
            **os.environ,
            "LD_LIBRARY_PATH": str(library.parent),
            "OMP_NUM_THREADS": "4",
            "XOMP_PERFLOG": str(tmp_path / "logs"),
            **SETTINGS.get(name, {}),
        }
        subprocess.run([program], env=environment, check=True, timeout=300)
        if not (tmp_path / "logs").is_dir():
            pytest.skip("this library does not record")
        return load(tmp_path / "logs")[0]

    return run


@pytest.mark.parametrize("name", CAUSES)
def test_the_known_cause_is_named_first_with_its_line(recorded, name):
    cause, line = CAUSES[name]
    profile = recorded(name)
    total = profile.losses.threads * profile.losses.elapsed
    assert sum(part.value for part in times(profile)) == pytest.approx(total, rel=0.02)
    # What others on the machine took is not the program's trouble.
    found = [each for each in findings(profile) if each.cause not in ("kept-off", "crowded")]
    told = [(each.cause, each.where, each.lost) for each in found]
    assert found, "nothing stands out"
    assert found[0].cause == cause and line in found[0].where, told


def test_a_loop_that_clang_divides_is_named_itself(recorded):
    clang = shutil.which("clang-19") or shutil.which("clang")
    if not clang:
        pytest.skip("clang is not installed")
    profile = recorded("imbalance", clang)
    causes = {each.cause: each.where for each in findings(profile)}
    assert re.match(r"loop in .*, imbalance\.c:[78]", causes["imbalance"])
