# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`xomp.use()` and `python -m xomp run`: a Python program runs on xomp, or is told why not."""

import os
import shutil
import subprocess
import sys

import pytest

from in_python import python, write_module
from xomp import __version__

SAID = f"xomp.use(): starts this program again, on xomp {__version__}\n"
SCRIPT = """\
print("begins")
import sys
import xomp
xomp.use()
from places import place
print(place(), xomp.in_use(), sys.argv[1:])
"""


@pytest.fixture
def script(tmp_path, compile_c, library):
    write_module(tmp_path, compile_c)
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    return path


def test_the_program_is_started_again_once_and_says_so(root, script):
    done = python(root, script, "a b", "--stats")
    again = "begins\nxomp 3 True ['a b', '--stats']\n"
    assert (done.returncode, done.stdout, done.stderr) == (0, "begins\n" + again, SAID)


def test_the_process_stays_the_same(root, tmp_path, library):
    script = tmp_path / "script.py"
    script.write_text("import os, xomp\nprint(os.getpid())\nxomp.use()\n")
    first, second = python(root, script).stdout.split()
    assert first == second


@pytest.mark.parametrize("where", [["-c", SCRIPT], ["-m", "script"]], ids=["-c", "-m"])
def test_every_way_to_name_a_program_is_known(root, script, where):
    done = python(root, *where, PYTHONPATH=f"{root / 'python'}:{script.parent}")
    assert done.stdout.endswith("xomp 3 True []\n")
    assert done.stderr == SAID


def test_nothing_happens_on_xomp(root, script, xomp, library):
    words = ["run", "--lib", library, sys.executable, script]
    done = xomp(*words, PYTHONPATH=root / "python", OMP_NUM_THREADS=3)
    assert (done.stdout, done.stderr) == ("begins\nxomp 3 True []\n", "")


def test_a_script_runs_in_the_python_that_was_asked(root, script):
    script.chmod(0o644)
    done = python(root, "-m", "xomp", "run", "--barrier=tree", script, "--stats")
    assert (done.stdout, done.stderr) == ("begins\nxomp 3 True ['--stats']\n", "")


def test_the_command_says_how_a_script_is_run(xomp, script, library):
    script.chmod(0o644)
    done = xomp("run", "--lib", library, script)
    assert done.returncode == 126
    assert f"`xomp run -- python {script}`" in done.stderr


TOO_LATE = {
    "another runtime is loaded": ("from places import place; place()", "is loaded"),
    "another thread runs": (
        "import threading; e = threading.Event(); t = threading.Thread(target=e.wait, daemon=True);"
        "t.start()",
        "other threads are running",
    ),
    "a notebook": ("import sys; sys.modules['ipykernel'] = None", "xomp kernel install"),
    "an interactive session": ("import sys; sys.ps1 = '> '", "`xomp run -- python`"),
    "a part of another program": ("import sys; sys.orig_argv = []", "part of another program"),
    "the loader ignored it": (
        "import os; os.environ['XOMP_RUN'] = str(os.getpid())",
        "the loader ignored LD_PRELOAD",
    ),
}


@pytest.mark.parametrize("case", TOO_LATE)
def test_what_is_too_late_or_impossible_is_an_error(root, script, case):
    before, why = TOO_LATE[case]
    path = f"{root / 'python'}:{script.parent}"
    done = python(root, "-c", f"{before}\nimport xomp\nxomp.use()", PYTHONPATH=path)
    last = done.stderr.splitlines()[-1]
    assert done.returncode == 1
    assert last.startswith("RuntimeError: xomp.use(): ") and why in last
    assert "starts this program again" not in done.stderr


def test_a_child_of_fork_is_not_started_again(root, library):
    text = "import os, xomp\nif os.fork():\n  os.wait()\nelse:\n  xomp.use()"
    done = python(root, "-c", text)
    assert "child of fork" in done.stderr.splitlines()[-1]


def test_a_program_on_standard_input_is_not_started_again(root, library):
    done = subprocess.run(
        [sys.executable, "-"],
        input="import xomp; xomp.use()",
        env={**os.environ, "PYTHONPATH": str(root / "python"), "LD_PRELOAD": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "standard input" in done.stderr.splitlines()[-1]


def test_without_a_library_the_error_says_so(root, tmp_path):
    shutil.copytree(root / "python/xomp", tmp_path / "xomp")
    done = python(root, "-c", "import xomp; xomp.use()", PYTHONPATH=str(tmp_path))
    assert "RuntimeError: xomp.use(): this installation lacks libxomp.so" in done.stderr


def test_the_package_alone_imports_nothing(root):
    words = ["-c", "import sys; old = set(sys.modules); import xomp; print(set(sys.modules) - old)"]
    assert python(root, *words).stdout == "{'xomp'}\n"
