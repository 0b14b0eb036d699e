# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The recorder where it cannot write: one warning at most, and the program runs."""

import os
import resource
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from test_perflog import FIB, fib_tasks

import perflog_reader as reader


@pytest.fixture
def fib(compile_c):
    return compile_c("fib", FIB, "-fopenmp")


def run(command, library, folder, **options):
    return subprocess.run(
        [*map(str, command)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env=reader.environment(library, folder, 2),
        **options,
    )


def test_a_folder_that_cannot_be_made(fib, library, tmp_path):
    (tmp_path / "file").write_text("")
    done = run([fib, 15], library, tmp_path / "file" / "log")
    assert done.returncode == 0
    (line,) = done.stderr.splitlines()
    assert line == (
        f'xomp: cannot write a log into "{tmp_path}/file/log" (Not a directory); '
        "the program is not recorded"
    )


def test_a_program_without_openmp_leaves_nothing(compile_c, library, tmp_path):
    program = compile_c("empty", "int main(void) { return 0; }", "-fopenmp")
    done = run([program], library, tmp_path / "log")
    assert (done.returncode, done.stderr) == (0, "")
    assert not (tmp_path / "log").exists()


def test_a_file_that_may_not_grow(fib, library, tmp_path):
    """SIGXFSZ would kill the program."""

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, resource.RLIM_INFINITY))

    done = run([fib, 22], library, tmp_path / "log", preexec_fn=limit)
    assert done.returncode == 0
    (line,) = done.stderr.splitlines()
    assert "cannot grow (File too large): from now on it gets only sums" in line
    log = reader.read_only(tmp_path / "log")
    assert log.count("TASK") == fib_tasks(22)
    assert log.text["full"] and log.text["end"]


def test_a_full_disk(fib, library, tmp_path):
    """SIGBUS would kill the program."""
    disk = tmp_path / "disk"
    disk.mkdir()
    copy = tmp_path / "copy"
    script = (
        f"mount -t tmpfs -o size=1m tmpfs {disk} || exit 77\n"
        f'"$@"\nstatus=$?\ncp -r {disk}/log {copy}\nexit $status\n'
    )
    if not shutil.which("unshare"):
        pytest.skip("unshare is not installed")
    command = ["unshare", "--mount", "sh", "-c", script, "sh", fib, 22]
    done = run(command, library, disk / "log")
    if any(f"{tool}: " in done.stderr for tool in ("mount", "unshare")):
        pytest.skip("this process may not mount anything")
    assert done.returncode == 0, done.stderr
    (line,) = done.stderr.splitlines()
    assert "cannot grow (No space left on device): from now on it gets only sums" in line
    log = reader.read_only(copy)
    assert log.count("TASK") == fib_tasks(22)


@pytest.fixture
def open_folder():
    """One that every user can reach, unlike pytest's."""
    with tempfile.TemporaryDirectory(prefix="xomp-") as name:
        folder = Path(name)
        folder.chmod(0o777)
        yield folder


def test_a_program_with_more_rights_than_its_user(library, open_folder):
    if os.geteuid() != 0:
        pytest.skip("only root can make such a program")
    nobody = 65534
    (open_folder / "libgomp.so.1").write_bytes(library.read_bytes())
    source = open_folder / "fib.c"
    source.write_text(FIB)
    program = open_folder / "fib"
    command = ["gcc", "-fopenmp", source, "-o", program, f"-Wl,-rpath,{open_folder}"]
    subprocess.run(command, check=True)
    log = open_folder / "log"
    done = run([program, 10], library, log, user=nobody)
    if done.returncode != 0 or not log.exists():
        pytest.skip("others cannot run it")
    shutil.rmtree(log)
    program.chmod(0o4755)
    done = run([program, 10], library, log, user=nobody)
    assert (done.returncode, done.stderr) == (0, "")
    assert not log.exists()
