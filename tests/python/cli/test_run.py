# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`xomp run`: what it hands to the program, what it refuses, and how little it needs to start."""

import os
import shutil
import subprocess
import sys

import pytest

from run_shared import PROGRAM
from xomp import __version__
from xomp.run import BARRIERS, SCHEDULERS

START = "import sys; sys.path.insert(0, sys.argv.pop(1)); from xomp.start import main; main()"


@pytest.fixture
def fake_library(empty_library, tmp_path):
    """A library that the loader and the command take, but that holds nothing."""
    folder = tmp_path / "lib"
    folder.mkdir()
    path = empty_library.rename(folder / "libxomp.so")
    (folder / "libgomp.so.1").hardlink_to(path)
    return path


def variables(text: str) -> dict:
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)


def test_program_gets_the_library_and_the_settings(xomp, fake_library):
    options = ["--scheduler", "slb", "--barrier=tree", "--stats", "--display", "--threads=3"]
    options += ["--lib", fake_library]
    done = xomp("run", *options, "--", "env", LD_LIBRARY_PATH="/a:/b", LD_PRELOAD="")
    shown = variables(done.stdout)
    assert done.returncode == 0
    assert shown["XOMP_SCHEDULER"] == "slb"
    assert shown["XOMP_BARRIER"] == "tree"
    assert shown["XOMP_STATS"] == "1"
    assert shown["XOMP_DISPLAY"] == "1"
    assert shown["OMP_NUM_THREADS"] == "3"
    assert shown["LD_PRELOAD"] == str(fake_library.parent / "libgomp.so.1")
    assert shown["LD_LIBRARY_PATH"] == f"{fake_library.parent}:/a:/b"


def test_environment_is_otherwise_unchanged(xomp, fake_library):
    before = {"PATH": os.environ["PATH"], "PYTHONPATH": "/somewhere", "OMP_NUM_THREADS": "3"}
    shown = variables(xomp("run", "--lib", fake_library, "env", **before).stdout)
    assert {name: shown.get(name) for name in before} == before
    ours = [name for name in shown if name.startswith("XOMP_") and name not in os.environ]
    assert ours == ["XOMP_RUN"]


def test_other_preloaded_libraries_stay_and_another_xomp_goes(xomp, fake_library, tmp_path):
    other = tmp_path / "other.so"
    other.write_bytes(fake_library.read_bytes())
    older = [tmp_path / "libxomp.so", tmp_path / "libgomp.so.1"]
    for path in older:
        path.write_bytes(fake_library.read_bytes())
    before = f"{older[0]} {other}:{older[1]}"
    done = xomp("run", "--lib", fake_library, "env", LD_PRELOAD=before)
    beside = fake_library.parent / "libgomp.so.1"
    assert variables(done.stdout)["LD_PRELOAD"] == f"{other}:{beside}"


def test_library_alone_in_its_folder_is_preloaded(xomp, fake_library):
    (fake_library.parent / "libgomp.so.1").unlink()
    done = xomp("run", "--lib", fake_library, "env", LD_PRELOAD="", LD_LIBRARY_PATH="/a")
    assert variables(done.stdout)["LD_PRELOAD"] == str(fake_library)
    assert variables(done.stdout)["LD_LIBRARY_PATH"] == "/a"


def test_library_alone_in_a_folder_with_a_space_is_found(xomp, library, compile_c, tmp_path):
    folder = tmp_path / "with space"
    folder.mkdir()
    (folder / "libxomp.so").write_bytes(library.read_bytes())
    program = compile_c("program", PROGRAM, "-fopenmp")
    done = xomp("run", "--lib", folder, program, LD_PRELOAD="", LD_LIBRARY_PATH="")
    assert (done.stdout, done.stderr) == ("xomp\n", "")


def test_no_preload_sets_the_library_path_only(xomp, fake_library):
    done = xomp("run", "--no-preload", "--lib", fake_library.parent, "env", LD_PRELOAD="")
    assert "LD_PRELOAD" not in variables(done.stdout)
    assert variables(done.stdout)["LD_LIBRARY_PATH"].startswith(str(fake_library.parent))


def test_folder_with_a_space_is_served(xomp, fake_library, tmp_path):
    folder = tmp_path / "with space"
    fake_library.parent.rename(folder)
    done = xomp("run", "--lib", folder, "env", LD_PRELOAD="", LD_LIBRARY_PATH="")
    assert done.stderr == ""
    assert variables(done.stdout)["LD_PRELOAD"] == "libgomp.so.1"


def test_a_wrong_variable_is_told_by_programs_that_use_openmp_alone(xomp, library, compile_c):
    program = compile_c("program", PROGRAM, "-fopenmp")
    words = ["run", "--lib", library, "sh", "-c", f"true; {program}; /bin/true"]
    clean = {name: "" for name in os.environ if name.startswith("XOMP_")}
    done = xomp(*words, **{**clean, "XOMP_SHEDULER": "slb", "OMP_NUM_THREADS": "many"})
    malformed = "not a list of integers from 1 to 4194304; using the default"
    unknown = "is ignored: there is no such variable; did you mean XOMP_SCHEDULER?"
    assert sorted(done.stderr.splitlines()) == [
        f'xomp: OMP_NUM_THREADS="many" is {malformed}',
        f'xomp: XOMP_SHEDULER="slb" {unknown}',
    ]


def test_a_script_may_set_variables_before_it_loads_a_package(xomp, library):
    # By the package's own runtime they are read when it is loaded; ours is there from the start.
    script = "import ctypes, os; os.environ['OMP_NUM_THREADS'] = '3'; "
    script += "print(ctypes.CDLL('libgomp.so.1').omp_get_max_threads())"
    words = ["run", "--lib", library, "--", sys.executable, "-c", script]
    done = xomp(*words, OMP_NUM_THREADS="many")
    assert (done.stdout, done.stderr) == ("3\n", "")
    shown = xomp(*words, OMP_NUM_THREADS="5", OMP_DISPLAY_ENV="true", XOMP_DISPLAY="1")
    assert "OMP_NUM_THREADS = '3'" in shown.stderr
    assert "threads 3, " in shown.stderr


def test_arguments_and_exit_status_pass_through(xomp, fake_library):
    script = 'printf "%s|" "$@"; exit 7'
    words = ["a b", "", "--stats", "--", "*"]
    done = xomp("run", "--lib", fake_library, "--", "sh", "-c", script, "sh", *words)
    assert done.stdout == "a b||--stats|--|*|"
    assert done.returncode == 7


@pytest.mark.parametrize(
    ("arguments", "status", "word"),
    [
        (["--scheduler", "fastest", "true"], 2, "fastest"),
        (["--barrier=none", "true"], 2, "none"),
        (["--barrier"], 2, "requires an argument"),
        (["--wrong", "true"], 2, "no option '--wrong'"),
        (["--lib", "/nowhere/libxomp.so", "true"], 2, "/nowhere"),
        ([], 2, "PROGRAM is missing"),
        (["--"], 2, "PROGRAM is missing"),
        (["--", "no-such-program"], 127, "no-such-program"),
        (["--", "/"], 126, "'/'"),
        (["--threads", "65537", "true"], 2, "--threads: expected a number from 1 to 65536, not"),
        (["--threads", "9" * 5000, "true"], 2, "--threads: expected a number from 1 to 65536, not"),
    ],
)
def test_mistakes_get_one_line_and_a_status(xomp, fake_library, arguments, status, word):
    if "--lib" not in arguments:
        arguments = ["--lib", fake_library, *arguments]
    done = xomp("run", *arguments)
    assert done.returncode == status
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert word in done.stderr


@pytest.fixture
def programs_here(tmp_path, monkeypatch):
    """In the current folder a program, a Python script, a script whose interpreter is gone."""
    for name, text, mode in (
        ("program", "#!/bin/sh\n", 0o755),
        ("script.py", "", 0o644),
        ("orphan", "#!/nonexist/sh\n", 0o755),
    ):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(mode)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("command", ["run", "profile"])
@pytest.mark.parametrize(
    ("program", "status", "told"),
    [
        ("program", 127, "no program 'program'; did you mean './program'?"),
        (
            "script.py",
            127,
            "no program 'script.py'; `xomp {} -- python script.py` runs a Python script",
        ),
        ("./orphan", 126, "'./orphan' asks for the interpreter '/nonexist/sh', which is not there"),
    ],
)
def test_what_was_probably_meant_is_said(
    xomp, fake_library, programs_here, command, program, status, told
):
    done = xomp(command, "--lib", fake_library, program)
    assert done.returncode == status
    assert done.stderr.splitlines()[-1] == f"xomp {command}: {told.format(command)}"


def test_a_program_whose_loader_is_gone_is_told(xomp, fake_library, compile_c):
    flags = ["-Wl,--dynamic-linker=/nonexist/ld.so"]
    program = compile_c("program", "int main(void) { return 0; }", *flags)
    done = xomp("run", "--lib", fake_library, program)
    assert done.returncode == 126
    needed = "the loader '/nonexist/ld.so', which is not there"
    assert done.stderr == f"xomp run: '{program}' asks for {needed}\n"


def test_help_names_every_choice(xomp):
    done = xomp("run", "--help")
    assert done.returncode == 0
    for name in (*SCHEDULERS, *BARRIERS):
        assert name in done.stdout


def modules_of(*arguments) -> set[str]:
    """What Python imports for a command line; with -IS, as the launcher has it for `xomp run`."""
    command = [sys.executable, "-IS", "-X", "importtime", "-c", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}


def test_run_loads_hardly_more_than_python_itself(root, fake_library):
    """So it starts the program within milliseconds; the time itself depends on the machine."""
    loaded = modules_of(START, root / "python", "run", "--lib", fake_library, "true")
    loaded -= modules_of("0")
    own = {name for name in loaded if name.partition(".")[0] == "xomp"}
    lean = {"choices", "elf_head", "errors", "library", "reach", "run", "start"}
    assert own == {"xomp", *(f"xomp.{name}" for name in lean)}
    heavy = {"typer", "rich", "click", "argparse", "subprocess", "pathlib", "shutil", "re"}
    assert not {name.partition(".")[0] for name in loaded} & heavy
    assert len(loaded - own) <= 15  # os, and what that needs


@pytest.mark.parametrize(("command", "flags"), [("run", "-IS"), ("info", "-I")])
def test_the_launcher_leaves_packages_out_for_run(root, tmp_path, command, flags):
    launcher = tmp_path / "xomp"
    shutil.copy(root / "xomp", launcher)
    python = tmp_path / "build/venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\necho "$1"\n')
    python.chmod(0o755)
    done = subprocess.run([launcher, command], capture_output=True, text=True, check=True)
    assert done.stdout == f"{flags}\n"


def test_version_is_the_packages(xomp):
    assert xomp("--version").stdout == f"xomp {__version__}\n"
