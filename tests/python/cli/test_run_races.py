# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`xomp run --races`: what it sets, what it finds, what it refuses. test_races.py shows that races
are found."""

import subprocess

import pytest

from xomp import races

NOTHING = "xomp run --races: nothing in it called OpenMP in this run: there was nothing to see\n"


@pytest.fixture
def script(tmp_path):
    """No ELF file: it may start an instrumented program, so it is run."""
    path = tmp_path / "script"
    path.write_text("#!/bin/sh\nenv\nexit $1\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def archer(tmp_path):
    path = tmp_path / "libarcher.so"
    path.write_bytes(b"")
    return path


@pytest.fixture
def run(xomp, library, archer):
    def run_races(*arguments, **environment):
        given = {
            "XOMP_ARCHER": archer,
            "TSAN_OPTIONS": "",
            "OMP_TOOL_LIBRARIES": "",
            **environment,
        }
        return xomp("run", "--lib", library, "--races", *arguments, **given)

    return run_races


def variables(text: str) -> dict:
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)


def test_the_sanitizer_and_the_tool_are_set(run, script, archer):
    done = run(script, "0")
    shown = variables(done.stdout)
    assert done.stderr == NOTHING
    assert shown["OMP_TOOL"] == "enabled"
    assert shown["OMP_TOOL_LIBRARIES"] == str(archer)
    assert shown["TSAN_OPTIONS"] == "ignore_noninstrumented_modules=1"


def test_the_status_is_the_programs(run, script):
    assert run(script, "66").returncode == 66


def test_the_users_options_and_tools_stay(run, script, archer):
    done = run(
        script,
        "0",
        TSAN_OPTIONS="exitcode=3 history_size=5",
        OMP_TOOL_LIBRARIES="/a.so",
    )
    shown = variables(done.stdout)
    assert shown["TSAN_OPTIONS"] == "ignore_noninstrumented_modules=1:exitcode=3 history_size=5"
    assert shown["OMP_TOOL_LIBRARIES"] == f"{archer}:/a.so"


@pytest.mark.parametrize(
    "given", ["ignore_noninstrumented_modules=0", "a=1:{}", "a=1 {}", "a=1,{}"]
)
def test_the_users_word_on_the_needed_option_counts(given):
    given = given.format("ignore_noninstrumented_modules=0")
    assert races.sanitizer_options(given) == given


def test_the_option_names_archer_before_the_variable(run, script, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "libarcher.so").write_bytes(b"")
    done = run("--archer", other, script, "0")
    assert variables(done.stdout)["OMP_TOOL_LIBRARIES"] == str(other / "libarcher.so")


def test_archer_is_found_in_a_usual_place(monkeypatch, tmp_path):
    monkeypatch.delenv("XOMP_ARCHER", raising=False)
    for version in ("15", "19"):
        (tmp_path / version).mkdir()
        (tmp_path / version / "libarcher.so").write_bytes(b"")
    folders = [f"{tmp_path}/{version}" for version in ("21", "19", "15")]
    monkeypatch.setattr(races, "FOLDERS", folders)
    assert races.find_archer(None) == f"{tmp_path}/19/libarcher.so"
    monkeypatch.setattr(races, "FOLDERS", folders[:1])
    with pytest.raises(races.BadInputError, match="apt install libomp-dev"):
        races.find_archer(None)


def test_newer_versions_are_looked_at_first():
    places = [folder for folder in races.FOLDERS if folder.startswith("/usr/lib/llvm-")]
    assert places.index("/usr/lib/llvm-21/lib") < places.index("/usr/lib/llvm-14/lib")


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--races", "--archer", "/nowhere", "{script}"], "no libarcher.so at '/nowhere'"),
        (
            ["--races", "ls"],
            "'ls' is not instrumented: build it with -g -fopenmp -fsanitize=thread",
        ),
        (["--archer", "{archer}", "{script}"], "--archer is for --races"),
    ],
)
def test_mistakes_get_one_line(xomp, library, script, archer, arguments, word):
    arguments = [word.format(script=script, archer=archer) for word in arguments]
    done = xomp("run", "--lib", library, *arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert word in done.stderr


def test_a_missing_program_is_reported_as_without_races(run):
    done = run("no-such-program")
    assert done.returncode == 127
    assert "no program 'no-such-program'" in done.stderr


def test_an_instrumented_program_is_known(compile_c):
    text = "int main(void) { return 0; }"
    races.check_program([str(compile_c("instrumented", text, "-fsanitize=thread"))])
    # Archer asks the loader for the sanitizer, and would not find this one.
    hidden = compile_c("hidden", text, "-fsanitize=thread", "-static-libtsan")
    with pytest.raises(races.BadInputError, match="is not instrumented"):
        races.check_program([str(hidden)])


def test_addresses_are_kept_where_they_are_too_random(monkeypatch):
    asked = []

    class Libc:
        def personality(self, value):
            asked.append(value)
            return 0x100

    monkeypatch.setattr(races.ctypes, "CDLL", lambda _: Libc())
    monkeypatch.setattr(races, "random_bits", lambda: 28)
    races.keep_addresses()
    assert asked == []
    monkeypatch.setattr(races, "random_bits", lambda: 32)
    races.keep_addresses()
    assert asked == [0xFFFFFFFF, 0x100 | races.ADDR_NO_RANDOMIZE]


SAID = """\
xomp: statistics of program, process 7, {threads} threads, 2 parallel regions
xomp:   tasks created                                     1500  NTASKS_CREATED
xomp:   run by the worker that created them               1500  NTASKS_SELF
"""
REPORT = """\
==================
WARNING: ThreadSanitizer: data race (pid=7)
SUMMARY: ThreadSanitizer: data race {place}
==================
"""


@pytest.fixture
def says(tmp_path):
    """A program that says these things on standard error, the next one in each run."""

    def make(*texts: str, status: int = 0):
        for number, text in enumerate(texts):
            (tmp_path / f"said{number}").write_text(text)
        path = tmp_path / "program"
        path.write_text(
            "#!/bin/sh\n"
            f"cd {tmp_path}\n"
            "n=$(cat number 2> /dev/null || echo 0)\n"
            "cat said$n >&2\n"
            "echo $((n + 1)) > number\n"
            f"exit {status}\n"
        )
        path.chmod(0o755)
        return path

    return make


def test_it_ends_with_what_it_did_not_see(run, says):
    done = run(says("before\n" + SAID.format(threads=2) + "after\n"))
    told = "no race seen in this run (2 threads, 2 parallel regions, 1,500 tasks)"
    assert done.stderr == f"before\nafter\nxomp run --races: {told}; others may differ\n"


def test_it_ends_with_the_places_of_races_in_all_runs(run, says):
    texts = [SAID.format(threads=2), REPORT.format(place="a.c:1 in f") * 2]
    texts += [SAID.format(threads=4) + REPORT.format(place="b.c:2 in g")]
    done = run("--repeat", "3", says(*texts, status=66))
    assert done.returncode == 66
    assert done.stderr.count("WARNING: ThreadSanitizer") == 3
    assert done.stderr.splitlines()[-3:] == [
        "xomp run --races: 2 data races reported in 3 runs"
        " (4 threads, 4 parallel regions, 3,000 tasks):",
        "  a.c:1 in f, in 1 of 3 runs",
        "  b.c:2 in g, in 1 of 3 runs",
    ]


def test_a_race_at_one_place_is_one_in_however_many_runs_it_is_seen(run, says):
    text = SAID.format(threads=2) + REPORT.format(place="a.c:1 in f")
    done = run("--repeat", "2", says(text, text))
    counts = "(2 threads, 4 parallel regions, 3,000 tasks)"
    assert done.stderr.splitlines()[-2:] == [
        f"xomp run --races: 1 data race reported in 2 runs {counts}:",
        "  a.c:1 in f, in 2 of 2 runs",
    ]


def test_statistics_that_were_asked_for_are_shown(run, says):
    text = SAID.format(threads=1)
    assert run("--stats", says(text)).stderr.startswith(text)


@pytest.mark.parametrize("number", ["0", "-1", "many", "1.5"])
def test_a_wrong_number_of_runs_is_refused(run, script, number):
    done = run(f"--repeat={number}", script, "0")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == f"xomp run: --repeat: expected a number from 1, not '{number}'\n"


def test_more_runs_are_for_races(xomp, library, script):
    done = xomp("run", "--lib", library, "--repeat", "2", script, "0")
    assert done.returncode == 2
    assert done.stderr == "xomp run: --repeat is for --races\n"


LATE_READ = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

ssize_t read(int file, void *to, size_t bytes) {
  ssize_t (*const next)(int, void *, size_t) = dlsym(RTLD_NEXT, "read");
  struct stat status;
  struct timespec left = {0, 600 * 1000 * 1000};
  if (!fstat(file, &status) && S_ISFIFO(status.st_mode))
    while (nanosleep(&left, &left)) continue;  // also where a signal interrupts it
  return next(file, to, bytes);
}
"""


@pytest.mark.parametrize("reads_late", [False, True])
def test_who_ends_the_command_ends_the_program(
    root, library, archer, tmp_path, compile_c, monkeypatch, reads_late
):
    """Also where the signal comes just before the command waits for what the program says."""
    program = tmp_path / "program"
    program.write_text(
        "#!/bin/sh\nunset LD_PRELOAD\ntrap 'echo ended; exit 5' TERM\n"
        "sleep 0.9\necho ready\nwhile kill -0 $PPID; do sleep 0.1; done\n"
    )
    program.chmod(0o755)
    if reads_late:
        shim = compile_c("late_read", LATE_READ, "-shared", "-fPIC")
        monkeypatch.setenv("LD_PRELOAD", str(shim))
    words = [root / "xomp", "run", "--lib", library, "--races", "--archer", archer, program]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        process.terminate()
        try:
            assert process.communicate(timeout=60)[0] == "ended\n"
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    assert process.returncode == 5
