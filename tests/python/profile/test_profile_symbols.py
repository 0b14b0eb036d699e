# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Addresses to functions and lines: with debug information, without, stripped, and not mapped."""

import subprocess
import time

import pytest

from perflog_writer import LogWriter
from xomp.profile.reading import files, symbols
from xomp.profile.reading.files import read
from xomp.profile.reading.functions import Functions
from xomp.profile.reading.log import Log

PROGRAM = """\
#include <stdlib.h>
long fib(int n) {
  long a, b;
  if (n < 2) return n;
  #pragma omp task shared(a)
  a = fib(n - 1);
  #pragma omp task shared(b)
  b = fib(n - 2);
  #pragma omp taskwait
  return a + b;
}
int main(int argc, char **argv) {
  #pragma omp parallel
  exit(fib(argc));
}
"""
BASE = 0x7F0000000000


@pytest.fixture
def program(compile_c):
    """A program, its functions' addresses in the file, and a log in which it is mapped."""

    def make(tmp_path, *flags: str) -> tuple[Log, dict[str, int]]:
        path = compile_c("fib", PROGRAM, "-fopenmp", "-fno-ipa-cp", *flags)
        listing = subprocess.run(["nm", path], capture_output=True, text=True, check=True).stdout
        addresses = {}
        for line in listing.splitlines():
            words = line.split()
            if len(words) == 3:
                addresses[words[2]] = int(words[0], 16)
        segments = subprocess.run(
            ["readelf", "-lW", path], capture_output=True, text=True, check=True
        ).stdout
        words = next(line.split() for line in segments.splitlines() if " R E " in line)
        offset, address, length = (int(word, 16) for word in (words[1], words[2], words[4]))
        base = 0 if address >= 0x400000 else BASE
        start = base + address
        writer = LogWriter()
        writer.lines = [line for line in writer.lines if not line.startswith("start ")]
        writer.line(f"start {time.time_ns() + 10**9}")
        writer.line(f"program {path}")
        writer.line(f"module {start:x} {start + length:x} {offset:x} {path}")
        (log,) = read(writer.write(tmp_path))
        return log, {name: base + at for name, at in addresses.items()}

    return make


@pytest.mark.parametrize("kind", ["-pie", "-no-pie"])
def test_task_is_named_after_the_function_around_it_and_its_line(program, tmp_path, kind):
    log, at = program(tmp_path, "-g", "-fPIE" if kind == "-pie" else "-fno-pie", kind)
    found = symbols.Symbols(log)
    assert found.place(at["fib._omp_fn.0"]).text("task") == "task in fib, fib.c:5"
    assert found.place(at["fib._omp_fn.1"]).text("task") == "task in fib, fib.c:7"
    assert found.place(at["main._omp_fn.0"]).text("region") == "region in main, fib.c:13"
    assert found.notes == []


def test_a_body_that_begins_with_inlined_code_is_still_the_body(compile_c, tmp_path):
    text = """\
#include <math.h>
static double work(double x) {
  return cos(x) * x + sin(x);
}
int main(int argc, char **argv) {
  double sum = argc;
  #pragma omp task shared(sum)
  sum = work(argc);
  #pragma omp taskwait
  return sum > 2;
}
"""
    path = compile_c("inlined", text, "-fopenmp", "-g", "-O2", "-lm", "-no-pie")
    listing = subprocess.run(["nm", path], capture_output=True, text=True, check=True).stdout
    body = next(int(line.split()[0], 16) for line in listing.splitlines() if "_omp_fn" in line)
    writer = LogWriter()
    writer.line(f"module 400000 500000 0 {path}")
    (log,) = read(writer.write(tmp_path))
    place = symbols.Symbols(log).place(body)
    assert place.function == "main"
    assert place.source in ("inlined.c:7", "inlined.c:8")


def test_without_debug_information_the_function_and_the_distance_are_named(program, tmp_path):
    log, at = program(tmp_path)
    found = symbols.Symbols(log)
    assert found.place(at["fib._omp_fn.0"]).text("task") == "task in fib._omp_fn.0"
    assert found.place(at["fib"] + 9, returned=True).text() == "fib+0x8"
    assert [note for note in found.notes if "build it with -g" in note]


def test_of_a_stripped_program_the_module_and_the_offset_are_left(program, tmp_path):
    log, at = program(tmp_path)
    (module,) = log.modules
    subprocess.run(["strip", module.path], check=True)
    found = symbols.Symbols(log)
    offset = at["fib._omp_fn.0"] - module.start + module.offset
    assert found.place(at["fib._omp_fn.0"]).text("task") == f"task at fib+{offset:#x}"


def test_a_return_address_means_the_call_before_it(program, tmp_path):
    log, _ = program(tmp_path, "-g")
    (module,) = log.modules
    listing = subprocess.run(
        ["objdump", "-d", "--no-show-raw-insn", module.path],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    index = next(i for i, line in enumerate(listing) if "GOMP_taskwait" in line and "call" in line)
    after = int(listing[index + 1].split(":")[0], 16)
    place = symbols.Symbols(log).place(BASE + after, returned=True)
    assert place.source == "fib.c:9"


def test_a_place_outside_every_module_is_its_address(program, tmp_path):
    log, _ = program(tmp_path)
    found = symbols.Symbols(log)
    assert found.place(0x1234).text("task") == "task at 0x1234"
    assert found.place(0).text() == "an unknown place"


def test_a_program_that_was_removed_or_built_again_is_noted(program, tmp_path):
    log, at = program(tmp_path, "-g")
    log.texts["start"] = "1000000000"
    found = symbols.Symbols(log)
    found.place(at["fib"])
    assert "newer than the log" in found.notes[0]
    (tmp_path / "fib").unlink()
    found = symbols.Symbols(log)
    assert "+0x" in found.place(at["fib"]).text()
    assert "not there any more" in found.notes[0]


def test_a_damaged_file_has_no_functions(tmp_path, program):
    program(tmp_path)
    data = (tmp_path / "fib").read_bytes()
    for length in (0, 3, 40, 70, 5000, len(data) // 2):
        (tmp_path / "cut").write_bytes(data[:length])
        assert Functions(tmp_path / "cut").at(0x2000) == ("", 0)


def test_without_addr2line_functions_are_still_named(program, tmp_path, monkeypatch):
    log, at = program(tmp_path, "-g")
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    found = symbols.Symbols(log)
    assert found.place(at["fib._omp_fn.0"]).text("task") == "task in fib._omp_fn.0"
    assert "no addr2line" in found.notes[0]


def called(log: Log, *lines: str) -> Log:
    """The log, with lines of calls."""
    files._take_texts(log, [("call", line) for line in lines])
    return log


def test_what_the_compiler_says_of_a_call_is_its_place_and_that_of_the_body(program, tmp_path):
    log, at = program(tmp_path)
    (module,) = log.modules
    subprocess.run(["strip", module.path], check=True)
    codeptr, body = at["fib"] + 9, at["fib._omp_fn.0"]
    called(log, f"{codeptr:x} {body:x} ;src/fib.c;fib;5;3;;")
    found = symbols.Symbols(log)
    assert found.place(body).text("task") == "task in fib, fib.c:5"
    place = found.place(codeptr, returned=True)
    assert (place.function, place.file, place.line) == ("fib", "src/fib.c", 5)
    assert found.notes == []


def test_what_the_compiler_says_comes_before_debug_information(program, tmp_path):
    log, at = program(tmp_path, "-g")
    called(log, f"{at['fib'] + 9:x} {at['fib._omp_fn.0']:x} ;fib.c;A::fib;17;3;;")
    place = symbols.Symbols(log).place(at["fib._omp_fn.0"])
    assert (place.function, place.line) == ("A::fib", 17)
    assert place.file == f"{tmp_path}/fib.c"  # which knows the folder


def test_of_a_file_that_is_not_named_the_line_is_left(program, tmp_path):
    log, at = program(tmp_path)
    called(
        log, f"{at['fib'] + 9:x} 0 ;FIRModule;fib;5;3;;", f"{at['main'] + 9:x} 0 ;unknown;f;7;7;;"
    )
    found = symbols.Symbols(log)
    assert found.place(at["fib"] + 9, returned=True).text("loop") == "loop in fib, line 5"
    assert found.place(at["main"] + 9, returned=True).text("loop") == "loop in f, line 7"


def test_an_address_of_two_calls_is_told_apart_by_neither(program, tmp_path):
    log, at = program(tmp_path)
    codeptr = at["fib"] + 9
    called(log, f"{codeptr:x} 0 ;fib.c;fib;5;3;;", f"{codeptr:x} 0 ;fib.c;fib;7;3;;")
    assert symbols.Symbols(log).place(codeptr, returned=True).text() == "fib+0x8"


def test_lines_that_say_nothing_or_are_damaged(program, tmp_path):
    log, at = program(tmp_path)
    lines = ("unknown", ";unknown;unknown;0;0;;", "", ";a.c;f;x;1;;", ";a.c;f;" + "9" * 99, ";a.c")
    called(log, *(f"{at['fib'] + 9:x} 0 {line}" for line in lines))
    assert not [problem for problem in log.problems if "damaged" in problem]
    assert symbols.Symbols(log).place(at["fib"] + 9, returned=True).text() == "fib+0x8"
    called(log, "here 0 ;a.c;f;1;1;;", "12")
    assert log.problems[-1] == "2 lines of text are damaged and left out"


NAMELESS = """\
.globl work, main, outer
.type work, @function
.type outer, @function
.type main, @function
.type .omp_task_entry., @function
.type .omp_task_entry..1, @function
work: nop; nop; nop; nop; ret
.size work, . - work
.omp_task_entry.: nop; nop; nop; nop; ret
.size .omp_task_entry., . - .omp_task_entry.
.omp_task_entry..1: nop; nop; nop; nop; ret
.size .omp_task_entry..1, . - .omp_task_entry..1
outer: nop; nop; nop; nop; ret
.size outer, . - outer
main: xor %eax, %eax; ret
"""


def test_a_body_without_a_name_is_named_after_the_function_whose_call_hands_it_over(tmp_path):
    (tmp_path / "nameless.s").write_text(NAMELESS)
    path = tmp_path / "nameless"
    subprocess.run(["gcc", "-no-pie", tmp_path / "nameless.s", "-o", path], check=True)
    listing = subprocess.run(["nm", path], capture_output=True, text=True, check=True).stdout
    at = {
        words[2]: int(words[0], 16) for words in map(str.split, listing.splitlines()) if words[2:]
    }
    task, inner = at[".omp_task_entry."], at[".omp_task_entry..1"]
    writer = LogWriter()
    writer.line(f"module 400000 500000 0 {path}")
    # The inner task is handed over by itself and by the other task, that by a function; the runtime
    # calls what ends with a call.
    writer.line(f"call {inner + 3:x} {inner:x} ;unknown;unknown;0;0;;")
    writer.line(f"call {task + 3:x} {inner:x} ;unknown;unknown;0;0;;")
    writer.line(f"call {at['work'] + 3:x} {task:x} ;unknown;unknown;0;0;;")
    writer.line(f"call 7f0000000000 {at['outer']:x} ;unknown;unknown;0;0;;")
    (log,) = read(writer.write(tmp_path))
    found = symbols.Symbols(log)
    offset = inner - 0x400000
    assert found.place(inner).text("task") == f"task in work, nameless+{offset:#x}"
    assert found.place(task).function == "work"
    assert found.place(inner + 3, returned=True).function == "work"
    assert found.place(at["outer"]).text() == "outer"
    # As in logs that say nothing of calls.
    log.calls.clear()
    assert symbols.Symbols(log).place(inner).text("task") == "task in .omp_task_entry..1"


@pytest.mark.parametrize(
    ("name", "file", "expected"),
    [
        ("fib._omp_fn.0", "", "fib"),
        ("fib(int) [clone ._omp_fn.0]", "fib.cc", "fib"),
        ("fib._omp_fn.0.constprop.0", "", "fib"),
        ("work.part.0._omp_fn.3", "", "work"),
        ("void sort<int>(int*, long) [clone ._omp_fn.3] [clone .part.0]", "", "sort<int>"),
        ("(anonymous namespace)::run(int)", "", "(anonymous namespace)::run"),
        ("std::vector<int>::push_back(int const&)", "", "std::vector<int>::push_back"),
        ("main::{lambda(int)#1}::operator()(int) const", "", None),
        ("main.omp_outlined", "", "main"),
        ("main.omp_outlined_debug__", "fib.c", "main"),
        ("main.omp_outlined.omp_outlined.3", "", "main"),
        ("void A::sort<int>(int*) [clone .omp_outlined.4]", "", "A::sort<int>"),
        (".omp_task_entry..2", "", None),
        ("_QQmain..omp_par.2", "", "main program"),
        ("_QMmatricesPmultiply..omp_par", "", "multiply"),
        ("_QFsolvePstep_2", "m.f90", "step_2"),
        ("solve_._omp_fn.1", "a.f90", "solve"),
        ("MAIN__._omp_fn.0", "a.F90", "main program"),
        ("__matrices_MOD_multiply", "m.f90", "multiply"),
    ],
)
def test_names_are_those_of_the_source(name, file, expected):
    assert symbols.readable(name, file) == (expected or name)
