# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tool that checks what a runtime tells: a host that breaks each rule is found out, one that
breaks none is not, and LLVM's runtime breaks only those that ompt/README.md says it does."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from xomp.run import SCHEDULERS

BROKEN = re.compile(r"rule '([a-z-]+)' broken")
FAILED = 86  # kFailed in ompt/report.h

# What libomp 19 breaks: see ompt/README.md.
LIBOMP_BREAKS = "addresses+arguments+frames+info+no-address+states"
LIBOMP = sorted(Path("/usr/lib").glob("llvm-*/lib/libomp.so.5"))


@pytest.fixture(scope="module")
def checker(library) -> Path:
    path = library.parent / "libxomp_ompt_check.so"
    if not path.exists():
        pytest.skip(f"{path} is not built")
    return path


def compiled(compiler, sources, output, *flags) -> Path:
    subprocess.run([*compiler, "-O1", "-g", *sources, "-o", output, *flags], check=True)
    return output


@pytest.fixture(scope="module")
def fake(root, tmp_path_factory) -> Path:
    output = tmp_path_factory.mktemp("ompt") / "fake_runtime"
    flags = ["-std=c++20", "-Wall", f"-I{root / 'include'}", "-ldl", "-pthread"]
    return compiled(["g++"], (root / "tests/ompt/fake_runtime").glob("*.cc"), output, *flags)


def run(command, options, **environment):
    environment = {**os.environ, "OMPT_CHECK": options, **environment}
    return subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env=environment,
    )


def scenarios(fake) -> list[list[str]]:
    lines = subprocess.check_output([fake, "list"], text=True).splitlines()
    return [line.split("\t") for line in lines]


def test_each_scenario_breaks_the_rules_that_it_says_and_no_others(checker, fake):
    wrong = {}
    for name, rules, words in scenarios(fake):
        done = run([fake, checker, name], "fail")
        found = "+".join(sorted(set(BROKEN.findall(done.stderr))))
        expected_status = FAILED if rules else 0
        if found != rules or words not in done.stderr or done.returncode != expected_status:
            wrong[name] = (done.returncode, done.stderr)
    assert wrong == {}


def test_each_rule_is_broken_by_a_scenario(root, fake):
    text = (root / "ompt/report.cc").read_text()
    rules = set(re.findall(r'"([a-z-]+)"', text[text.index("kNames[]") :].split("};")[0]))
    broken = {rule for _, rules, _ in scenarios(fake) for rule in rules.split("+") if rule}
    assert rules == broken
    page = (root / "ompt/README.md").read_text().split("## Rules")[1].split("\n## ")[0]
    told = set(re.findall(r"^\| `([a-z-]+)` \|", page, re.M))
    assert rules == told


def test_an_ignored_rule_is_not_told(checker, fake):
    done = run([fake, checker, "task_never_run"], "fail,ignore=data+ends")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_line_is_printed_for_each_callback(checker, fake):
    done = run([fake, checker, "all_right"], "print")
    assert "ompt: start, OpenMP 202111, fake" in done.stderr
    assert re.search(r"^ompt: thread 1: thread_begin initial$", done.stderr, re.M)
    assert re.search(
        r"^ompt: thread 1: task_create task=\d+ by=\d+ flags=explicit\+undeferred dependences=0"
        r" from=0x[0-9a-f]+$",
        done.stderr,
        re.M,
    )
    assert "task_schedule complete" in done.stderr


def test_the_output_goes_into_a_file(checker, fake, tmp_path):
    path = tmp_path / "told"
    done = run([fake, checker, "task_never_run"], f"summary,output={path}")
    assert done.stderr == ""
    assert "rule 'ends' broken" in path.read_text()
    assert re.search(
        r"^ompt_check: \d+ callbacks, 1 times a rule was broken$", path.read_text(), re.M
    )


def test_a_word_that_is_not_understood_is_named(checker, fake):
    done = run([fake, checker, "all_right"], "fail,quite,ignore=nonsense,output=/no/such/file")
    assert done.returncode == 0
    for word in ("quite", "ignore=nonsense", "output=/no/such/file"):
        assert f"OMPT_CHECK: '{word}' is not understood" in done.stderr


def test_no_library_but_the_c_library_is_needed(checker):
    needed = subprocess.check_output(["readelf", "-d", checker], text=True)
    names = re.findall(r"NEEDED.*\[(.*?)\]", needed)
    assert [name for name in names if not re.match(r"lib(c|pthread|dl)\.so|ld-linux", name)] == []


@pytest.mark.skipif(not LIBOMP, reason="no libomp (libomp-dev)")
@pytest.mark.parametrize(("threads", "more"), [(1, "+schedule"), (2, ""), (4, "+implicit")])
def test_libomp_breaks_no_rule_but_those_that_are_known(checker, root, tmp_path, threads, more):
    folder = LIBOMP[-1].parent
    clang = folder.parent / "bin/clang"
    if not clang.exists():
        pytest.skip(f"no {clang}")
    program = compiled(
        [clang],
        [root / "tests/ompt/constructs.c"],
        tmp_path / "constructs",
        "-fopenmp",
        "-w",
        "-ldl",
    )
    for _ in range(5):
        done = run(
            [program],
            f"fail,summary,ignore={LIBOMP_BREAKS}{more}",
            OMP_TOOL_LIBRARIES=str(checker),
            LD_LIBRARY_PATH=str(folder),
            OMP_NUM_THREADS=str(threads),
            OMP_CANCELLATION="true",
        )
        # With a tool, one run in a hundred fails at an assertion of its own in `taskwait depend`.
        if "Assertion failure at kmp_taskdeps.cpp" not in done.stderr:
            break
    assert BROKEN.findall(done.stderr) == [], done.stderr
    assert re.search(r"ompt_check: \d{3,} callbacks, 0 times", done.stderr), done
    assert done.returncode == 0


@pytest.fixture(scope="module")
def constructs(root, tmp_path_factory) -> Path:
    output = tmp_path_factory.mktemp("ompt") / "constructs"
    sources = [root / "tests/ompt/constructs.c"]
    return compiled(["gcc"], sources, output, "-Wall", "-fopenmp", "-ldl")


@pytest.mark.parametrize("barrier", ["central", "tree"])
@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_xomp_breaks_no_rule(checker, constructs, barrier, scheduler):
    for threads in ("1", "2", "4"):
        done = run(
            [constructs],
            "fail,summary",
            OMP_TOOL_LIBRARIES=str(checker),
            LD_LIBRARY_PATH=str(checker.parent),
            OMP_NUM_THREADS=threads,
            OMP_CANCELLATION="true",
            XOMP_SCHEDULER=scheduler,
            XOMP_BARRIER=barrier,
        )
        assert BROKEN.findall(done.stderr) == [], done.stderr
        assert re.search(r"ompt_check: \d{4,} callbacks, 0 times", done.stderr)
        assert done.returncode == 0
