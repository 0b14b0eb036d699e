# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Real programs with one known trouble, recorded by the library: it is what is named first."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from xomp.profile.analysing.advice import findings
from xomp.profile.analysing.load import load
from xomp.profile.analysing.summary import Profile
from xomp.profile.reading.kinds import Kind
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


EVERY_CONSTRUCT = """\
#include <stdio.h>
#include <time.h>

static long sum;
static void pause_for(long microseconds) {
  nanosleep(&(struct timespec){0, microseconds * 1000}, NULL);
}

__attribute__((noinline)) static void make_tasks(int count) {
  for (int i = 0; i < count; ++i) {
    #pragma omp task
    pause_for(10);
    #pragma omp task untied
    pause_for(10);
    #pragma omp task if(0)
    pause_for(10);
    #pragma omp task depend(inout: sum)
    pause_for(10);
  }
  #pragma omp taskwait depend(in: sum)
  #pragma omp taskwait
}

int main(void) {
  int threads = 4, copy;
  #pragma omp parallel if(threads > 1)
  sum = 0;
  #pragma omp parallel private(copy)
  {
    #pragma omp for schedule(dynamic)
    for (int i = 0; i < 100; ++i)
      pause_for(1);
    #pragma omp for
    for (int i = 0; i < 100; ++i)
      pause_for(1);
    #pragma omp for ordered
    for (int i = 0; i < 40; ++i) {
      #pragma omp ordered
      pause_for(10);
    }
    #pragma omp for ordered(1)
    for (int i = 0; i < 40; ++i) {
      #pragma omp ordered depend(sink: i - 1)
      pause_for(10);
      #pragma omp ordered depend(source)
    }
    for (int i = 0; i < 10; ++i) {
      #pragma omp critical
      sum += i;
    }
    #pragma omp barrier
    #pragma omp single
    {
      make_tasks(20);
      #pragma omp taskgroup
      make_tasks(1);
      #pragma omp taskloop
      for (int i = 0; i < 10; ++i)
        pause_for(10);
    }
    #pragma omp sections
    {
      #pragma omp section
      pause_for(10);
      #pragma omp section
      pause_for(10);
    }
    #pragma omp single copyprivate(copy)
    copy = 3;
  }
  printf("%ld", sum);
  return 0;
}
"""
# What each kind of its records is the place of.
CONSTRUCTS = {
    Kind.REGION: ["parallel private(copy)", "parallel if(threads > 1)"],
    Kind.TASK: ["task", "task untied", "task if(0)", "task depend(inout: sum)", "taskloop"],
    Kind.CREATE: ["task", "task untied", "task depend(inout: sum)", "taskloop"],
    Kind.TASKWAIT: ["taskwait", "taskwait depend(in: sum)"],
    Kind.TASKGROUP: ["taskgroup", "taskloop"],
    Kind.LOOP: ["for schedule(dynamic)", "for", "for ordered", "for ordered(1)"],
    Kind.SECTIONS: ["sections"],
    Kind.SINGLE: ["single", "single copyprivate(copy)"],
    Kind.BARRIER: ["barrier", "for", "single copyprivate(copy)"],
    Kind.MUTEX_WAIT: ["critical"],
    Kind.MUTEX_HELD: ["critical"],
    Kind.ORDERED: ["ordered"],
    Kind.DOACROSS: ["ordered depend(sink: i - 1)"],
}


@pytest.fixture
def profile_of(library, tmp_path):
    """The profile of a program on four threads."""

    def run(program: Path, **more: str) -> Profile:
        environment = {
            **os.environ,
            "LD_LIBRARY_PATH": str(library.parent),
            "OMP_NUM_THREADS": "4",
            "XOMP_PERFLOG": str(tmp_path / "logs"),
            **more,
        }
        subprocess.run([program], env=environment, check=True, timeout=300)
        if not (tmp_path / "logs").is_dir():
            pytest.skip("this library does not record")
        return load(tmp_path / "logs")[0]

    return run


@pytest.fixture
def recorded(root, library, tmp_path, profile_of):
    """That of one of the programs with a known trouble."""

    def run(name: str, compiler: str = "gcc") -> Profile:
        program = tmp_path / name
        flags = ["-O1", "-g", "-fopenmp", f"-I{root}/include", f"-L{library.parent}"]
        if name == "remote_data":
            flags.append("-l:libxomp.so")
        subprocess.run([compiler, KNOWN / f"{name}.c", *flags, "-o", program], check=True)
        return profile_of(program, **SETTINGS.get(name, {}))

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


def test_clangs_programs_name_functions_and_lines_when_they_are_stripped(
    compile_by_clang, profile_of
):
    profile = profile_of(compile_by_clang("every", EVERY_CONSTRUCT, "-fopenmp", "-g", "-s"))
    text = EVERY_CONSTRUCT.splitlines()
    for kind, pragmas in CONSTRUCTS.items():
        addresses = np.unique(profile.log.of(kind)["place"])
        found = {profile.place(int(each), kind) for each in addresses if each}
        assert {Path(place.file).name for place in found} == {"every.c"}, (kind, found)
        told = {text[place.line - 1].strip() for place in found}
        assert {f"#pragma omp {pragma}" for pragma in pragmas} <= told, (kind, told)
    tasks = np.unique(profile.log.of(Kind.TASK)["place"])
    functions = {profile.place(int(each), Kind.TASK).function for each in tasks}
    assert functions == {"make_tasks", "main"}
    assert not [note for note in profile.symbols.notes if "debug information" in note]


def test_clangs_programs_name_the_functions_that_the_user_wrote(compile_by_clang, profile_of):
    profile = profile_of(compile_by_clang("every", EVERY_CONSTRUCT, "-fopenmp"))
    for kind in CONSTRUCTS:
        addresses = np.unique(profile.log.of(kind)["place"])
        found = {profile.place(int(each), kind) for each in addresses if each}
        assert {place.function for place in found} <= {"make_tasks", "main"}, (kind, found)
        assert all(re.match(r"(every|make_tasks)\+0x", place.source) for place in found), (
            kind,
            found,
        )
