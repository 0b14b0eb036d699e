# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`xomp kernel install`: what it writes, what it refuses, and a notebook that runs on it."""

import json
import sys
from importlib.util import find_spec

import pytest

from in_python import python, write_module

CELLS = ["from places import place\nplace()", "import xomp\nxomp.use()\nxomp.in_use()"]
NOTEBOOK = """
import nbclient, nbformat, sys
cells = [nbformat.v4.new_code_cell(text) for text in {cells!r}]
notebook = nbformat.v4.new_notebook(cells=cells)
nbclient.NotebookClient(notebook, timeout=300, kernel_name="xomp").execute()
for cell in notebook.cells:
    print(cell.outputs[-1]["data"]["text/plain"])
"""


@pytest.fixture
def pythons(tmp_path):
    """A folder with an interpreter that has ipykernel, and one that has not."""
    for name, text in (("with", "echo 3.12"), ("without", "exit 1")):
        path = tmp_path / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
    return tmp_path


def test_the_kernel_has_the_library_in_front_and_nothing_else(xomp, library, pythons, tmp_path):
    words = ["kernel", "install", "--lib", library, "--python", pythons / "with"]
    done = xomp(*words, JUPYTER_DATA_DIR=tmp_path / "data", LD_PRELOAD="", LD_LIBRARY_PATH="/a")
    folder = tmp_path / "data/kernels/xomp"
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == f"Python 3.12 (xomp): {folder}"
    written = json.loads((folder / "kernel.json").read_text())
    assert written["argv"][0] == str(pythons / "with")
    assert written["env"] == {"LD_PRELOAD": str(library.parent.resolve() / "libgomp.so.1")}


def test_an_environment_of_its_own_is_for_its_jupyter(xomp, library, pythons, tmp_path):
    words = ["kernel", "install", "--lib", library, "--python", pythons / "with"]
    done = xomp(*words, "--prefix", tmp_path / "prefix")
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "prefix/share/jupyter/kernels/xomp"
    assert (folder / "kernel.json").is_file()
    assert done.stdout.splitlines()[1] == f"`rm -r {folder}` removes it."


def test_the_help_calls_it_as_it_is_called(xomp):
    assert "`Python 3.X (xomp)`" in xomp("kernel", "install", "--help").stdout


def test_a_python_that_is_not_there_is_named(xomp, library):
    done = xomp("kernel", "install", "--lib", library, "--python", "/nonexist")
    assert done.returncode == 2
    assert done.stderr == "xomp kernel install: no Python '/nonexist'\n"


def test_a_python_without_ipykernel_is_refused(xomp, library, pythons, tmp_path):
    words = ["kernel", "install", "--lib", library, "--python", pythons / "without"]
    done = xomp(*words, JUPYTER_DATA_DIR=tmp_path / "data")
    assert done.returncode == 2
    assert "no Python with the package ipykernel" in done.stderr
    assert not (tmp_path / "data").exists()


def test_a_library_that_the_loader_cannot_name_is_refused(xomp, library, pythons, tmp_path):
    folder = tmp_path / "with space"
    folder.mkdir()
    (folder / "libxomp.so").write_bytes(library.read_bytes())
    words = ["kernel", "install", "--lib", folder, "--python", pythons / "with"]
    done = xomp(*words, JUPYTER_DATA_DIR=tmp_path / "data")
    assert done.returncode == 2
    assert "splits LD_PRELOAD at spaces" in done.stderr


def test_a_folder_that_cannot_be_written_is_one_line(xomp, library, pythons, tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    words = ["kernel", "install", "--lib", library, "--python", pythons / "with"]
    done = xomp(*words, "--prefix", file)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1 and f"cannot write '{file}/" in done.stderr


def test_a_notebook_runs_on_xomp(root, library, tmp_path, compile_c):
    for name in ("ipykernel", "nbclient"):
        if not find_spec(name):
            pytest.skip(f"there is no Python package {name}")
    write_module(tmp_path, compile_c)
    data = {
        "JUPYTER_DATA_DIR": str(tmp_path / "data"),
        "JUPYTER_RUNTIME_DIR": str(tmp_path / "run"),
    }
    installed = python(root, "-m", "xomp", "kernel", "install", "--python", sys.executable, **data)
    assert installed.returncode == 0, installed.stderr
    path = f"{root / 'python'}:{tmp_path}"
    done = python(root, "-c", NOTEBOOK.format(cells=CELLS), PYTHONPATH=path, **data)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["'xomp 3'", "True"]
