# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What processes that never use OpenMP see of the library: nothing but that it is loaded.

`xomp run -- ./job.sh` loads it into the shell, and into every program that the shell starts.
"""

import os
import subprocess
import time

import pytest

# Of the shell, of what it starts, and through wrappers, each in its own words.
SCRIPT = """
state() { grep -E "^(Cpus_allowed_list|Sig($1)|Threads|NoNewPrivs)" /proc/$2/status; }
trap '' USR2
state 'Ign|Cgt' $$ # it blocks signals while it starts a program
(cd /proc/$$/fd && echo *) # no pipe: the shell may hold an end of it while the other looks
umask
ulimit -a
state 'Blk|Ign|Cgt' self
env timeout 20 sh -c 'grep Cpus_allowed_list /proc/self/status'
printf 'all:\\n\\t@grep Cpus_allowed_list /proc/self/status\\n' | make -s -f -
env | grep -v -E '^(LD_|XOMP_|OMP_|GOMP_|_=)' | sort
"""

VARIABLES = [
    {},
    {"OMP_PROC_BIND": "true"},
    {"OMP_PLACES": "cores"},
    {"OMP_PLACES": "{0}"},
    {"GOMP_CPU_AFFINITY": "0"},
    {"XOMP_WATCHDOG": "1"},
    {"XOMP_PERFLOG": "logs"},
    {"OMP_NUM_THREADS": "many", "OMP_PLACES": "nowhere"},
    {"OMP_TOOL_LIBRARIES": "/nowhere/libtool.so", "OMP_DISPLAY_AFFINITY": "true"},
]


@pytest.fixture
def shell(library, tmp_path):
    """Runs a shell script, with the library preloaded or without."""

    def run(text, variables, preloaded=True):
        ours = ("LD_", "OMP_", "GOMP_", "XOMP_")
        clean = {key: value for key, value in os.environ.items() if not key.startswith(ours)}
        clean |= variables
        if preloaded:
            clean["LD_PRELOAD"] = str(library)
        return subprocess.run(
            ["sh", "-c", text],
            env=clean,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    return run


@pytest.mark.parametrize("variables", VARIABLES, ids=lambda each: ",".join(each) or "none")
def test_a_shell_and_its_children_are_as_without_the_library(shell, variables, tmp_path):
    alone, preloaded = shell(SCRIPT, variables, preloaded=False), shell(SCRIPT, variables)
    assert preloaded.stdout == alone.stdout
    assert (preloaded.returncode, preloaded.stderr) == (alone.returncode, "")
    assert list(tmp_path.iterdir()) == []


KILOBYTES = "grep VmData /proc/$$/status | tr -dc 0-9"


@pytest.mark.parametrize("variables", VARIABLES, ids=lambda each: ",".join(each) or "none")
def test_it_takes_little_memory(shell, variables):
    alone = int(shell(KILOBYTES, variables, preloaded=False).stdout)
    preloaded = int(shell(KILOBYTES, variables).stdout)
    assert preloaded - alone < 256


@pytest.mark.parametrize("variables", VARIABLES, ids=lambda each: ",".join(each) or "none")
def test_a_program_starts_as_fast_as_with_any_library(library, variables):
    """A library that is loaded costs a tenth of a millisecond; one that asks hwloc, a whole one."""
    ours = ("LD_", "OMP_", "GOMP_", "XOMP_")
    clean = {key: value for key, value in os.environ.items() if not key.startswith(ours)}

    def seconds(environment):
        before = time.monotonic()
        os.waitpid(os.posix_spawn("/bin/true", ["true"], environment), 0)
        return time.monotonic() - before

    alone, preloaded = [], []
    for _ in range(100):
        alone.append(seconds(clean))
        preloaded.append(seconds({**clean, **variables, "LD_PRELOAD": str(library)}))
    assert min(preloaded) < 1.6 * min(alone)


HANDLED = """
#include <omp.h>
#include <signal.h>
#include <stdio.h>
static volatile sig_atomic_t heard;
static void on_signal(int number) { heard++; }
int main(void) {
  signal(SIGUSR1, on_signal);
  omp_get_max_threads();
  raise(SIGUSR1);
  printf("%d\\n", heard);
  return 0;
}
"""


def test_the_watchdog_leaves_the_signal_to_a_program_that_handles_it(library, compile_c):
    program = compile_c("handled", HANDLED, "-fopenmp")
    environment = {**os.environ, "XOMP_WATCHDOG": "1", "LD_LIBRARY_PATH": str(library.parent)}
    done = subprocess.run(
        [program], env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "1\n", "")
