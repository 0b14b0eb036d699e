# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`xomp info`: what a program needs and whether it is there."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from xomp import elf, needs
from xomp.shared import topology

PROGRAM = """
#include <omp.h>
int main(void) {
  int n = 0;
  #pragma omp parallel reduction(+ : n)
  n += omp_get_num_threads() > 0;
  return n == 0;
}
"""


@pytest.fixture
def newer_program(compile_c, tmp_path):
    """A program that needs a symbol and a version that no libgomp has."""
    folder = tmp_path / "newer"
    folder.mkdir()
    script = tmp_path / "newer.map"
    script.write_text("GOMP_99.0 { global: GOMP_from_the_future; };\n")
    flags = ["-shared", "-fPIC", "-Wl,-soname,libgomp.so.1", f"-Wl,--version-script={script}"]
    built = compile_c("future", "void GOMP_from_the_future(void) {}", *flags)
    built.rename(folder / "libgomp.so.1")
    text = "void GOMP_from_the_future(void); int main(void) { GOMP_from_the_future(); }"
    return compile_c("newer_program", text, str(folder / "libgomp.so.1"))


def test_program_finds_all_it_needs(xomp, compile_c, library):
    done = xomp("info", "--lib", library, compile_c("program", PROGRAM, "-fopenmp"))
    assert done.returncode == 0, done.stdout
    assert "libgomp.so.1" in done.stdout
    assert "missing:" not in done.stdout


def test_missing_symbol_is_named_with_its_version(xomp, newer_program, library):
    done = xomp("info", "--lib", library, newer_program)
    assert done.returncode == 1
    assert "GOMP_from_the_future@GOMP_99.0" in done.stdout


def test_right_name_with_the_wrong_version_is_missing(compile_c, tmp_path):
    script = tmp_path / "old.map"
    script.write_text("OMP_1.0 { global: omp_get_num_threads; };\n")
    flags = ["-shared", "-fPIC", f"-Wl,--version-script={script}"]
    text = "int omp_get_num_threads(void) { return 1; } int omp_other(void) { return 1; }"
    old = compile_c("old.so", text, *flags)
    found = needs.look_at(str(compile_c("program", PROGRAM, "-fopenmp")), str(old))
    assert [symbol.name for symbol in found.users[0].missing] == ["GOMP_parallel"]


def test_symbols_of_a_programs_own_libraries_count(compile_c, tmp_path, library):
    text = "int count(void) { int n = 0;\n#pragma omp parallel\nn = 1; return n; }"
    inner = compile_c("libinner.so", text, "-shared", "-fPIC", "-fopenmp")
    outer = compile_c(
        "outer",
        "int count(void); int main(void) { return !count(); }",
        str(inner),
        f"-Wl,-rpath,{tmp_path}",
    )
    found = needs.look_at(str(outer), str(library))
    assert [user.path.name for user in found.users] == ["libinner.so"]
    assert "GOMP_parallel" in {symbol.name for symbol in found.users[0].symbols}


def test_a_version_that_another_library_has_is_not_missing(compile_c, tmp_path, library):
    script = tmp_path / "versions"
    script.write_text("VERS1.0 { global: omp_*; };\n")
    text = "int omp_target_is_present(void) { return 1; }"
    flags = ["-shared", "-fPIC", f"-Wl,--version-script={script}", "-Wl,-soname,libtarget.so"]
    inner = compile_c("libtarget.so", text, *flags)
    text = "int omp_target_is_present(void); int main(void) { return omp_target_is_present(); }"
    outer = compile_c("outer", text, str(inner), f"-Wl,-rpath,{tmp_path}")
    found = needs.look_at(str(outer), str(library))
    assert not any(user.missing for user in found.users)
    inner.unlink()
    found = needs.look_at(str(outer), str(library))
    assert [str(symbol) for symbol in found.users[0].missing] == ["omp_target_is_present@VERS1.0"]


def test_program_without_openmp_says_so(xomp, compile_c, library):
    done = xomp("info", "--lib", library, compile_c("plain", "int main(void) { return 0; }"))
    assert done.returncode == 0
    assert "it loads no OpenMP runtime when it starts" in done.stdout


def test_script_leads_to_its_interpreter(tmp_path, library):
    script = tmp_path / "script"
    script.write_text("#!/usr/bin/env -S bash -e\n")
    found = needs.look_at(str(script), str(library))
    assert found.program.scripts == [str(script)]
    assert Path(found.program.path).name == "bash"


@pytest.mark.parametrize("content", [b"", b"text", b"\x7fELF\x02\x01", b"\x7fELF\x01\x01"])
def test_what_is_no_program_gets_one_line(xomp, tmp_path, content, library):
    path = tmp_path / "file"
    path.write_bytes(content)
    done = xomp("info", "--lib", library, path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("xomp info: ") and done.stderr.count("\n") == 1
    assert str(path) in done.stderr


def test_the_answer_comes_first_and_machine_and_settings_on_request(xomp, compile_c, library):
    program = compile_c("program", PROGRAM, "-fopenmp")
    said = xomp("info", "--lib", library, program).stdout
    assert said.startswith(f"{program} runs on xomp: yes, because it needs libgomp.so.1")
    assert "Machine" not in said and "Settings" not in said
    machine = xomp("info", "--lib", library, "--machine", program).stdout
    assert "Machine" in machine and "Settings" not in machine and "runs on xomp" in machine
    both = xomp("info", "--lib", library, "--settings", "--machine").stdout
    assert "Machine" in both and "Settings in force" in both and "runs on xomp" not in both
    assert "Machine" in (alone := xomp("info", "--lib", library).stdout)
    assert "Settings in force" in alone


def test_no_is_status_1(xomp, compile_c, library):
    plain = compile_c("plain", "int main(void) { return 0; }", "-static")
    done = xomp("info", "--lib", library, plain)
    assert done.returncode == 1
    assert done.stdout.startswith(f"{plain} runs on xomp: no, because it is statically linked")


def test_a_program_that_finds_xomp_by_itself_is_told(xomp, compile_c, library):
    program = compile_c("program", PROGRAM, "-fopenmp")
    said = xomp("info", "--lib", library, program, LD_LIBRARY_PATH=library.parent).stdout
    assert said.startswith(f"{program} runs on xomp: yes, and without `xomp run`")


def test_settings_come_from_the_library(xomp, library):
    done = xomp("info", "--lib", library, OMP_NUM_THREADS=3)
    assert done.returncode == 0
    row = next(line for line in done.stdout.splitlines() if "OMP_NUM_THREADS" in line)
    assert "3" in row
    assert "environment" in row


def test_a_malformed_value_is_not_in_force(xomp, library):
    said = xomp("info", "--settings", "--lib", library, OMP_NUM_THREADS="abc").stdout
    row = next(line for line in said.splitlines() if "│ OMP_NUM_THREADS" in line)
    assert "│ default ('abc' is malformed) │" in row


def test_a_runtime_is_called_by_its_name(xomp, library, tmp_path):
    for name in ("libxomp.so", "libgomp.so.1"):
        done = xomp("info", "--lib", library, library.parent / name)
        assert done.returncode == 0
        assert done.stdout.startswith(f"{library.parent / name} is xomp itself.\n")
    copy = tmp_path / "libxomp.so"
    copy.write_bytes(library.read_bytes())
    assert f"{copy} is xomp, version" in xomp("info", "--lib", library, copy).stdout
    libgomp = next(path for path in system_libraries() if "libgomp" in path)
    done = xomp("info", "--lib", library, libgomp)
    assert done.returncode == 0
    assert done.stdout.startswith(f"{libgomp} is libgomp itself: for programs that need it ")


def test_a_file_that_is_cut_short_is_damaged(xomp, library, compile_c):
    program = compile_c("program", PROGRAM, "-fopenmp")
    whole = program.read_bytes()
    for size in (200, 5000):
        program.write_bytes(whole[:size])
        done = xomp("info", "--lib", library, program)
        assert done.returncode == 2
        assert done.stderr == f"xomp info: {program} is a damaged ELF file, or cut short\n"


def test_nothing_only_fills_a_line_of_what_is_piped(xomp, library):
    for words in (["info", "--lib", library], ["bench", "list"], ["repro", "list"]):
        lines = xomp(*words).stdout.splitlines()
        assert lines and not [line for line in lines if line.endswith(" ")]


def test_the_answer_wraps_between_words_on_a_terminal(root, library):
    """`script` gives the command a terminal."""
    if not shutil.which("script"):
        pytest.skip("there is no script")
    words = f"{root / 'xomp'} info --lib {library} /bin/true"
    command = ["script", "-qec", words, "/dev/null"]
    environment = {**os.environ, "COLUMNS": "40", "TERM": "xterm"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    plain = re.sub(r"\x1b\[[0-9;]*m|\r", "", done.stdout)
    answer = plain.split("\nxomp ")[0].splitlines()
    assert max(map(len, answer)) <= 40
    assert "loads no OpenMP runtime when it" in " ".join(" ".join(answer).split())


@pytest.mark.parametrize("text", ["", "0", "0-3", "0-1,4,8-9"])
def test_kernel_lists_survive_a_round_trip(text):
    assert topology.format_list(topology.parse_list(text)) == text


def test_topology_counts_what_is_shared(tmp_path):
    for number in range(4):
        cpu = tmp_path / f"cpu/cpu{number}"
        (cpu / "topology").mkdir(parents=True)
        (cpu / "topology/core_cpus_list").write_text("0-1" if number < 2 else "2-3")
        (cpu / "topology/physical_package_id").write_text("0\n")
        (cpu / "cache/index3").mkdir(parents=True)
        for name, value in (("level", "3"), ("type", "Unified"), ("size", "8M")):
            (cpu / "cache/index3" / name).write_text(value)
        (cpu / "cache/index3/shared_cpu_list").write_text("0-3")
    (tmp_path / "cpu/online").write_text("0-3\n")
    (tmp_path / "node/node0").mkdir(parents=True)
    (tmp_path / "node/node0/cpulist").write_text("0-3\n")
    machine = topology.read(tmp_path)
    assert (machine.sockets, machine.cores, machine.processors) == (1, 2, [0, 1, 2, 3])
    assert machine.caches == [("L3", "8M", 1)]
    assert machine.nodes == [(0, [0, 1, 2, 3])]


def system_libraries():
    names = ("libc.so.6", "libgomp.so.1", "libm.so.6", "libstdc++.so.6")
    listing = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=False)
    for name in names:
        match = re.search(rf"^\s*{re.escape(name)} .*64.* => (.*)$", listing.stdout, re.MULTILINE)
        if match:
            yield match.group(1)


@pytest.mark.parametrize("path", list(system_libraries()))
def test_elf_reader_agrees_with_readelf(path):
    listing = subprocess.run(
        ["readelf", "--dyn-syms", "-W", path], capture_output=True, text=True, check=True
    ).stdout
    imports, exports = set(), set()
    for line in listing.splitlines():
        columns = line.split()
        # A symbol in section ABS stands for a version, not for something to call.
        if len(columns) < 8 or not columns[0][:-1].isdigit() or columns[6] == "ABS":
            continue
        (imports if columns[6] == "UND" else exports).add(columns[7].replace("@@", "@"))
    read = elf.read(Path(path))
    assert {str(symbol) for symbol in read.imports} == imports
    offered = {str(symbol) for symbol in read.exports if symbol.name != symbol.version}
    assert offered == exports


def test_a_library_that_is_not_there_is_an_error(xomp):
    done = xomp("info", "--lib", "/nowhere/libxomp.so")
    assert done.returncode == 2
    assert done.stderr == "xomp info: no library at '/nowhere/libxomp.so'\n"


@pytest.fixture
def packages(tmp_path, compile_c):
    """A script's folder with three packages: `gnu` and `llvm` need a runtime, `plain` none."""
    text = "int count(void) { int n = 0;\n#pragma omp parallel\nn = 1; return n; }"
    fake = compile_c("libomp.so.5", "", "-shared", "-fPIC", "-Wl,-soname,libomp.so.5")
    for name, flags in (("gnu", ["-fopenmp"]), ("llvm", ["-Wl,--no-as-needed", str(fake)])):
        folder = tmp_path / name / "inner"
        folder.mkdir(parents=True)
        (tmp_path / name / "__init__.py").write_text("raise SystemExit('it was imported')\n")
        compile_c(f"{name}.so", text, "-shared", "-fPIC", *flags).rename(folder / "part.so")
    (tmp_path / "plain.py").write_text("")
    return tmp_path


@pytest.mark.parametrize(
    ("text", "status", "answer"),
    [
        ("import os, plain", 0, "yes, if at all:"),
        (
            "def f():\n  from gnu.inner import x",
            0,
            "yes, because what it imports (gnu) needs libgomp",
        ),
        (
            "import llvm as l",
            0,
            "yes, because what it imports (llvm) needs the runtime of LLVM and Intel",
        ),
        (
            "import gnu, llvm",
            0,
            "yes, because what it imports (gnu, llvm) needs libgomp and the runtime of LLVM",
        ),
        ("import no_such_package, gnu", 0, "yes, because what it imports (gnu)"),
        ("from . import gnu", 0, "yes, if at all:"),
    ],
)
@pytest.mark.parametrize("line", ["", "#!/usr/bin/env python3\n"], ids=["", "#!"])
def test_a_python_script_is_judged_by_what_it_imports(
    xomp, library, packages, line, text, status, answer
):
    script = packages / "script.py"
    script.write_text(line + text + "\nraise SystemExit('it was run')\n")
    done = xomp("info", "--lib", library, script)
    assert (done.returncode, done.stderr) == (status, "")
    assert done.stdout.startswith(f"{script} runs on xomp: {answer}")
    assert "xomp run --stats -- " in done.stdout
    assert ("Not found by this Python: no_such_package.\n" in done.stdout) == ("no_such" in text)


def test_a_script_that_python_cannot_read_is_one_for_its_interpreter(xomp, library, tmp_path):
    script = tmp_path / "script.py"
    script.write_text("#!/bin/sh\nimport x from y\n")
    said = xomp("info", "--lib", library, script).stdout
    assert "It is a script for /bin/sh." in said
    assert f"What it starts is seen when it runs: xomp run --stats -- {script}" in said
