# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How a tool is found, starts and ends (OMPT; OpenMP 5.2, sections 19.2 and 21.3)."""

import os
import re
import subprocess
from pathlib import Path

import pytest

PROGRAM = """
#include <stdio.h>
int main(void) {
  int n = 0;
  #pragma omp parallel num_threads(2) reduction(+ : n)
  n += 1;
  printf("sum %d\\n", n);
  return 0;
}
"""

# NAME is what it calls itself, ANSWER what initialize returns, RESULT what ompt_start_tool does.
TOOL = """
#include <omp-tools.h>
#include <stdio.h>
static int regions;
static void on_parallel(ompt_data_t* t, const ompt_frame_t* f, ompt_data_t* p, unsigned n, int g,
                        const void* code) {
  regions++;
}
static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t* data) {
  printf(NAME " initialize %d %d\\n", device, (int)data->value);
  ((ompt_set_callback_t)lookup("ompt_set_callback"))(ompt_callback_parallel_begin,
                                                     (ompt_callback_t)on_parallel);
  return ANSWER;
}
static void finalize(ompt_data_t* data) {
  printf(NAME " finalize %d, regions %d\\n", (int)data->value, regions);
}
static ompt_start_tool_result_t result = {initialize, finalize, {7}};
ompt_start_tool_result_t* ompt_start_tool(unsigned version, const char* runtime) {
  printf(NAME " start %u %.5s\\n", version, runtime);
  fflush(stdout);
  return RESULT;
}
"""


@pytest.fixture
def run(library):
    """Runs a program on the library, in an environment without a tool but for what is given."""

    def start(program, **environment):
        clean = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith(("OMP_TOOL", "XOMP_"))
        }
        clean |= {"LD_LIBRARY_PATH": str(library.parent), **environment}
        return subprocess.run(
            [str(program)], env=clean, capture_output=True, text=True, timeout=300, check=False
        )

    return start


@pytest.fixture
def program(compile_c):
    return compile_c("program", PROGRAM, "-fopenmp")


@pytest.fixture
def tool(compile_c, root):
    def build(name: str, answer: int = 1, result: str = "&result", text: str = TOOL) -> Path:
        values = [f'-DNAME="{name}"', f"-DANSWER={answer}", f"-DRESULT={result}"]
        include = f"-I{root / 'include'}"
        return compile_c(f"{name}.so", text, "-shared", "-fPIC", include, *values)

    return build


def of_tool(done, name: str) -> list[str]:
    lines = done.stdout.splitlines()
    return [line.removeprefix(f"{name} ") for line in lines if line.startswith(f"{name} ")]


WHOLE_LIFE = ["start 202111 xomp ", "initialize 0 7", "finalize 7, regions 1"]


def test_a_named_tool_lives_through_the_program(run, program, tool):
    done = run(program, OMP_TOOL_LIBRARIES=str(tool("first")))
    assert (done.returncode, done.stderr) == (0, "")
    assert "sum 2" in done.stdout
    assert of_tool(done, "first") == WHOLE_LIFE


def test_a_preloaded_tool_goes_before_a_named_one(run, program, tool):
    done = run(program, LD_PRELOAD=str(tool("first")), OMP_TOOL_LIBRARIES=str(tool("second")))
    assert of_tool(done, "first") == WHOLE_LIFE
    assert of_tool(done, "second") == []


def test_a_tool_in_the_program_is_found(run, compile_c, root):
    values = ['-DNAME="own"', "-DANSWER=1", "-DRESULT=&result", f"-I{root / 'include'}"]
    flags = ["-fopenmp", "-Wl,--export-dynamic-symbol=ompt_start_tool", *values]
    done = run(compile_c("with_tool", TOOL + PROGRAM, *flags))
    assert of_tool(done, "own") == WHOLE_LIFE


def test_who_says_no_leaves_the_place_to_the_next(run, program, tool):
    libraries = f"{tool('first', result='0')}:{tool('second')}:{tool('third')}"
    done = run(program, OMP_TOOL_LIBRARIES=libraries)
    assert done.stderr == ""
    assert of_tool(done, "first") == ["start 202111 xomp "]
    assert of_tool(done, "second") == WHOLE_LIFE
    assert of_tool(done, "third") == []


def test_who_says_no_when_initialized_is_the_last(run, program, tool):
    libraries = f"{tool('first', answer=0)}:{tool('second')}"
    done = run(program, OMP_TOOL_LIBRARIES=libraries)
    assert (done.returncode, done.stderr) == (0, "")
    assert "sum 2" in done.stdout
    assert of_tool(done, "first") == ["start 202111 xomp ", "initialize 0 7"]
    assert of_tool(done, "second") == []


def test_a_library_that_is_not_there_is_named_once(run, program, tool):
    done = run(program, OMP_TOOL_LIBRARIES=f"/nowhere/libtool.so:{tool('second')}")
    assert done.returncode == 0
    assert of_tool(done, "second") == WHOLE_LIFE
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("xomp: OMP_TOOL_LIBRARIES: /nowhere/libtool.so cannot be loaded")


def test_a_library_that_is_no_tool_is_named_once(run, program, compile_c):
    other = compile_c("other.so", "int other;", "-shared", "-fPIC")
    done = run(program, OMP_TOOL_LIBRARIES=str(other))
    assert (done.returncode, done.stdout) == (0, "sum 2\n")
    assert (
        done.stderr == f"xomp: OMP_TOOL_LIBRARIES: {other} is no tool: it has no ompt_start_tool\n"
    )


def test_no_tool_is_looked_for_when_that_is_disabled(run, program, tool):
    done = run(program, OMP_TOOL="disabled", OMP_TOOL_LIBRARIES=str(tool("first")))
    assert (done.returncode, done.stdout, done.stderr) == (0, "sum 2\n", "")


def test_a_malformed_switch_gives_one_warning(run, program, tool):
    done = run(program, OMP_TOOL="yes", OMP_TOOL_LIBRARIES=str(tool("first")))
    assert done.stderr == (
        'xomp: OMP_TOOL="yes" is neither enabled nor disabled; using the default\n'
    )
    assert of_tool(done, "first") == WHOLE_LIFE


@pytest.mark.parametrize("where", ["stdout", "stderr", "file"])
def test_the_search_is_told_where_it_is_wanted(run, program, tool, tmp_path, where):
    named = tmp_path / "search.txt" if where == "file" else where
    path = tool("first")
    done = run(program, OMP_TOOL_VERBOSE_INIT=str(named), OMP_TOOL_LIBRARIES=f"/nowhere:{path}")
    told = named.read_text() if where == "file" else getattr(done, where)
    assert re.search(r"^xomp \S+ looks for a tool$", told, re.MULTILINE)
    assert "  the program and its libraries: no ompt_start_tool\n" in told
    assert "  /nowhere: cannot be loaded: " in told
    assert f"  {path}: the tool is in use\n" in told


def test_nothing_is_told_when_verbose_is_disabled(run, program):
    done = run(program, OMP_TOOL_VERBOSE_INIT="disabled")
    assert (done.returncode, done.stdout, done.stderr) == (0, "sum 2\n", "")


def test_the_runtime_itself_is_no_tool(run, program):
    done = run(program, OMP_TOOL_VERBOSE_INIT="stderr")
    assert "  the program and its libraries: no ompt_start_tool\n" in done.stderr


CONTROL = """
#include <omp-tools.h>
#include <stdio.h>
int omp_control_tool(int command, int modifier, void* argument);
static ompt_get_task_info_t task_info;
static int in_runtime(void) {
  ompt_frame_t* frame = NULL;
  return task_info(0, NULL, NULL, &frame, NULL, NULL) && frame->enter_frame.ptr;
}
static int on_control(uint64_t command, uint64_t modifier, void* argument, const void* code) {
  return argument && code && in_runtime() ? (int)(command * 10 + modifier) : -9;
}
static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t* data) {
  task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
  if (data->value)
    ((ompt_set_callback_t)lookup("ompt_set_callback"))(ompt_callback_control_tool,
                                                       (ompt_callback_t)on_control);
  return 1;
}
static ompt_start_tool_result_t result = {initialize, 0, {HEARS}};
ompt_start_tool_result_t* ompt_start_tool(unsigned version, const char* runtime) { return &result; }
int main(void) {
  int x;
  printf("%d\\n", omp_control_tool(4, 2, &x));
  return task_info && in_runtime();
}
"""


@pytest.mark.parametrize(
    "hears, tool, answer", [(1, "enabled", 42), (0, "enabled", -1), (1, "disabled", -2)]
)
def test_the_program_talks_to_its_tool(run, compile_c, root, library, hears, tool, answer):
    flags = [f"-DHEARS={hears}", f"-I{root / 'include'}", str(library.parent / "libgomp.so.1")]
    flags.append("-Wl,--export-dynamic-symbol=ompt_start_tool")
    done = run(compile_c("control", CONTROL, *flags), OMP_TOOL=tool)
    assert done.stdout == f"{answer}\n"


FORK = PROGRAM.replace(
    "int main(void) {",
    """
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static int region(void) {
  int n = 0;
  #pragma omp parallel num_threads(2) reduction(+ : n)
  n += 1;
  return n;
}
int main(void) {
  if (BEFORE) region();
  fflush(stdout);
  if (fork() == 0) {
    int sum = region();
    printf("child %d\\n", sum);
    exit(0);
  }
  wait(0);
""",
)


@pytest.mark.parametrize("before", [0, 1])
def test_a_child_of_fork_tells_a_running_tool_nothing(run, compile_c, tool, before):
    forks = compile_c("forks", FORK, "-fopenmp", f"-DBEFORE={before}")
    done = run(forks, OMP_TOOL_LIBRARIES=str(tool("first")))
    assert (done.returncode, done.stderr) == (0, "")
    assert "child 2" in done.stdout and "sum 2" in done.stdout
    finals = [line for line in of_tool(done, "first") if line.startswith("finalize")]
    # A tool that has not started yet starts in each of the two processes.
    own = "finalize 7, regions 1"
    assert finals == (["finalize 7, regions 2"] if before else [own, own])


INSIDE = PROGRAM.replace(
    "n += 1;",
    """{
    n += 1;
    #pragma omp master
    exit(3);
  }""",
).replace("#include", "#include <stdlib.h>\n#include", 1)


def test_a_program_that_ends_inside_a_region_ends_its_tool(run, compile_c, tool):
    done = run(compile_c("inside", INSIDE, "-fopenmp"), OMP_TOOL_LIBRARIES=str(tool("first")))
    assert done.returncode == 3
    assert of_tool(done, "first") == WHOLE_LIFE


# Another thread is in a callback, which takes its time, when the tool is finalized.
FINALIZED = """
#include <omp-tools.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int omp_control_tool(int command, int modifier, void* argument);
static int inside, over, regions; /* atomic */
static ompt_finalize_tool_t finalize_tool;
static void on_parallel(ompt_data_t* t, const ompt_frame_t* f, ompt_data_t* p, unsigned n, int g,
                        const void* code) {
  __atomic_store_n(&inside, 1, __ATOMIC_RELEASE);
  usleep(20000);
  if (__atomic_load_n(&over, __ATOMIC_ACQUIRE))
    puts("told after the end");
}
static int on_control(uint64_t command, uint64_t modifier, void* argument, const void* code) {
  finalize_tool();
  return 5;
}
static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t* data) {
  ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
  finalize_tool = (ompt_finalize_tool_t)lookup("ompt_finalize_tool");
  set(ompt_callback_parallel_begin, (ompt_callback_t)on_parallel);
  set(ompt_callback_control_tool, (ompt_callback_t)on_control);
  return 1;
}
static void finalize(ompt_data_t* data) {
  __atomic_store_n(&over, 1, __ATOMIC_RELEASE);
  usleep(100000); /* long enough for who comes late */
  puts("finalize");
}
static ompt_start_tool_result_t result = {initialize, finalize, {0}};
ompt_start_tool_result_t* ompt_start_tool(unsigned version, const char* runtime) { return &result; }
static void* other(void* unused) {
  for (;;) {
#pragma omp parallel num_threads(2)
    __atomic_fetch_add(&regions, 1, __ATOMIC_RELAXED);
  }
  return unused;
}
int main(int count, char** arguments) {
  pthread_t thread;
  pthread_create(&thread, NULL, other, NULL);
  while (!__atomic_load_n(&inside, __ATOMIC_ACQUIRE))
    usleep(100);
  if (END == 0)
    return 0;
  if (END == 1)
    return omp_control_tool(1, 0, NULL) == 5 ? 0 : 1;
  finalize_tool();
  return 0;
}
"""


@pytest.mark.parametrize("end", ["at exit", "in a callback", "by itself"])
def test_no_callback_runs_when_the_tool_is_finalized(run, compile_c, root, library, end):
    which = ["at exit", "in a callback", "by itself"].index(end)
    flags = [
        "-fopenmp",
        f"-DEND={which}",
        f"-I{root / 'include'}",
        str(library.parent / "libgomp.so.1"),
    ]
    flags.append("-Wl,--export-dynamic-symbol=ompt_start_tool")
    done = run(compile_c("finalized", FINALIZED, *flags))
    assert (done.returncode, done.stdout, done.stderr) == (0, "finalize\n", "")


def test_a_tool_costs_no_memory_that_grows_with_the_tasks(run, compile_c, tool, root):
    programs = root / "tests/programs"
    source = (programs / "tasks/bounded_memory.c").read_text()
    bounded = compile_c("bounded_memory", source, "-fopenmp", "-O1", f"-I{programs}")
    done = run(bounded, OMP_TOOL_LIBRARIES=str(tool("first")), OMP_NUM_THREADS="4")
    assert done.returncode == 0, done.stderr
    assert of_tool(done, "first")[-1].startswith("finalize 7")


def test_info_says_which_tool_is_in_use(xomp, library, tool):
    path = tool("first")
    done = xomp("info", "--lib", library, OMP_TOOL_LIBRARIES=f"/nowhere:{path}")
    assert done.returncode == 0
    assert re.search(rf"{re.escape(str(path))}.*in use", done.stdout)
    assert re.search(r"/nowhere.*cannot be loaded", done.stdout)


def test_info_says_that_no_tool_is_in_use(xomp, library):
    done = xomp("info", "--lib", library, OMP_TOOL_LIBRARIES="")
    assert "No tool is in use." in done.stdout
