# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`xomp profile`: the program runs as it would without it, twice, in a folder that is checked."""

import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

import perflog_scenarios as scenarios
from processes import started
from xomp.start import main

# Stands for a program on xomp: leaves a log, says which threads it has, reads its input.
PROGRAM = """\
#!{python}
import os, pathlib, shutil, sys
folder = pathlib.Path(os.environ["XOMP_PERFLOG"])
threads = os.environ.get("OMP_NUM_THREADS", "4")
log = "{serial}" if threads == "1" else "{parallel}"
shutil.copy(log, folder / f"{{os.getpid()}}.xomplog")
print("threads", threads, "scheduler", os.environ.get("XOMP_SCHEDULER"), "arguments", sys.argv[1:])
print("preload", os.environ["LD_PRELOAD"])
print("input", sys.stdin.read(), flush=True)
sys.exit(int(os.environ.get("STATUS", 0)))
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def library(here, empty_library):
    return empty_library


@pytest.fixture
def program(here):
    parallel = scenarios.busy_tasks(4, 50).write(here / "parallel")
    serial = scenarios.busy_tasks(1, 30).write(here / "serial")
    path = here / "program"
    path.write_text(PROGRAM.format(python=sys.executable, serial=serial, parallel=parallel))
    path.chmod(0o755)
    return path


@pytest.fixture
def profile(root, library):
    """Runs `xomp profile` as a process of its own: the result, and standard output and error."""

    def run(*arguments, text="", **environment):
        command = [root / "xomp", "profile", "--lib", library, *arguments]
        return subprocess.run(
            list(map(str, command)),
            input=text,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
            env={**os.environ, **environment},
        )

    return run


def test_a_program_runs_on_one_thread_and_as_it_is_with_the_same_input(here, program, profile):
    done = profile("--", program, "-x", "--serial", text="some input")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "threads 4 scheduler None arguments ['-x', '--serial']"
    assert str(here / "libxomp.so") in lines[1]
    assert lines[2] == "input some input"
    serial = (here / "program.profile/serial/output").read_text().splitlines()
    assert serial[0] == "threads 1 scheduler None arguments ['-x', '--serial']"
    assert serial[2] == "input some input"
    assert "work time inflation" in done.stdout
    told = done.stderr.splitlines()
    assert "first on one thread" in told[0]
    assert told[1] == "xomp profile: now as it is, recording into program.profile"


def test_input_that_never_ends_holds_nobody_up_who_does_not_read_it(here, library, root):
    command = [root / "xomp", "profile", "--lib", library, "sh", "-c", "echo done"]
    reading, writing = os.pipe()
    done = subprocess.run(command, stdin=reading, capture_output=True, timeout=300, check=False)
    os.close(writing)
    os.close(reading)
    assert (done.returncode, done.stdout) == (2, b"done\n")  # it leaves no log


def test_input_larger_than_a_pipe_is_read_twice(here, profile):
    text = "".join(f"{number}\n" for number in range(50_000))
    done = profile("--", "sh", "-c", "cksum", text=text)
    assert done.stdout == (here / "sh.profile/serial/output").read_text()
    assert done.stdout.split()[1] == str(len(text))


def test_ctrl_c_ends_the_program_and_not_the_report(here, program, library, root):
    """As a terminal sends it: to all that run in the foreground."""
    program.write_text(program.read_text().replace("sys.exit(", "signal.pause(); sys.exit("))
    program.write_text(program.read_text().replace("import os", "import signal, os"))
    command = [root / "xomp", "profile", "--no-serial", "--lib", library, program]
    with started(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        first = process.stdout.readline()
        process.stdout.readline(), process.stdout.readline()
        os.killpg(process.pid, signal.SIGINT)
        rest = process.stdout.read()
    assert first.startswith("threads 4")
    assert "Where the time went" in rest
    assert process.returncode in (1, 130)  # Python's own way to end


def test_ctrl_c_in_the_run_on_one_thread_ends_the_whole(here, root, library):
    command = [root / "xomp", "profile", "--lib", library, "sleep", "30"]
    with started(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert "first on one thread" in process.stderr.readline()
        children = f"/proc/{process.pid}/task/{process.pid}/children"
        while not any(
            pathlib.Path(f"/proc/{child}/comm").read_text() == "sleep\n"
            for child in pathlib.Path(children).read_text().split()
        ):
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGINT)
        shown = process.communicate(timeout=300)
    line = "xomp profile: interrupted; --no-serial leaves the run on one thread out\n"
    assert (process.returncode, *shown) == (130, "", line)


def test_without_a_serial_run_the_program_runs_once(here, program, profile):
    done = profile("--no-serial", "--scheduler", "ws", "--threads", "3", program)
    assert done.stdout.startswith("threads 3 scheduler ws")
    assert not (here / "program.profile/serial").exists()
    assert "no run on one thread" in done.stdout


def test_the_exit_status_is_the_programs(program, profile):
    done = profile(program, STATUS="7")
    assert done.returncode == 7
    assert "on one thread it ended with status 7" in done.stderr
    assert "Where the time went" in done.stdout


def test_a_program_that_a_signal_ends_has_the_status_of_a_shell(profile):
    assert profile("--no-serial", "sh", "-c", "kill -SEGV $$").returncode == 139


def test_each_run_gets_a_folder_of_its_own(here, program, profile):
    for name in ("program.profile", "program.profile-2", "program.profile-3"):
        done = profile("--no-serial", program)
        assert f"recording into {name}\n" in done.stderr
        assert (here / name).is_dir()


def test_a_folder_may_be_named_if_it_is_empty(here, program, profile):
    assert profile("--no-serial", "-o", "logs/first", program).returncode == 0
    assert list((here / "logs/first").glob("*.xomplog"))
    done = profile("--no-serial", "-o", "logs/first", program)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "xomp profile: 'logs/first' is not empty\n"


@pytest.mark.parametrize("folder", ["/proc/logs", "file", "file/logs"])
def test_a_folder_that_cannot_be_written_is_told_before_the_program_starts(
    here, program, profile, folder
):
    (here / "file").touch()
    done = profile("-o", folder, program)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert f"'{folder}'" in done.stderr


def test_the_page_for_a_browser_lies_with_the_logs_or_where_it_is_wanted(here, program, profile):
    done = profile("--no-serial", program)
    page = here / "program.profile/report.html"
    assert "Wrote program.profile/report.html." in done.stdout
    assert "./program" in page.read_text()
    done = profile("--no-serial", "--html", "wanted.html", program)
    assert "Wrote wanted.html." in done.stdout
    assert (here / "wanted.html").is_file()
    assert not (here / "program.profile-2/report.html").exists()


@pytest.mark.parametrize("file", ["/proc/page.html", ".", "missing/page.html"])
def test_a_page_that_cannot_be_written_is_told_before_the_program_starts(
    here, program, profile, file
):
    done = profile("--html", file, program)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"'{file}'" in done.stderr
    assert not (here / "program.profile").exists()


def test_a_program_that_is_not_there_makes_no_folder(here, profile):
    done = profile("missing-program")
    assert done.returncode == 127
    assert done.stderr == "xomp profile: no program 'missing-program'\n"
    assert not list(here.glob("*.profile"))
    (here / "text").touch()
    assert profile("./text").returncode == 126


def test_a_program_without_a_log_is_said_to_have_none(profile):
    done = profile("--no-serial", "sh", "-c", "echo hello; exit 4")
    assert (done.returncode, done.stdout) == (4, "hello\n")
    assert "the program left no log" in done.stderr
    assert profile("true").returncode == 2, "it ended well, but what was asked for is not there"


def test_a_program_that_cannot_be_recorded_is_refused(profile, compile_c, here):
    text = '#include <unistd.h>\nint main(void) { return write(2, "run\\n", 4) != 4; }\n'
    try:
        program = compile_c("static", text, "-static")
    except subprocess.CalledProcessError:
        pytest.skip("gcc cannot link with -static here")
    done = profile(program)
    why = f"'{program}' is statically linked: what it needs is in itself"
    said = f"xomp profile: nothing can be recorded, so it is not run: {why}\n"
    assert (done.returncode, done.stderr) == (2, said)
    assert not (here / "static.profile").exists()


def test_no_library_is_one_line(here, capsys):
    assert main(["profile", "--lib", str(here / "nothing"), "true"]) == 2
    assert "no library at" in capsys.readouterr().err


def test_a_program_that_records_nothing_leaves_nothing_behind(here, profile):
    assert profile("true").returncode == 2
    assert not (here / "true.profile").exists()
    (here / "mine").mkdir()
    profile("-o", here / "mine", "true")
    assert list((here / "mine").iterdir()) == [], "it is the user's, and stays"
    profile("sh", "-c", "echo why; exit 3")
    assert (here / "sh.profile/serial/output").read_text() == "why\n"


def test_other_processes_are_told_of_by_the_command_that_shows_them(here, profile, program):
    other = scenarios.busy_tasks(1, 30, pid=7).write(here / "other")
    text = program.read_text()
    program.write_text(
        text.replace('print("threads"', f'shutil.copy("{other}", folder)\nprint("threads"', 1)
    )
    done = profile("--no-serial", program)
    told = "Other processes, of which `xomp report program.profile --process PID` tells:\n  7  "
    assert told in done.stdout
