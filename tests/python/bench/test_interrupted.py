# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ctrl-C while a program is measured: one line, status 130, and nothing goes on."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from xomp.conformance import source
from xomp.shared import processes

SECONDS = 120  # on a busy machine, with applications to compile


def children(process: int) -> list[int]:
    """The processes that it started, and theirs."""
    try:
        tasks = list(Path(f"/proc/{process}/task").iterdir())
        own = [int(word) for task in tasks for word in (task / "children").read_text().split()]
    except OSError:
        return []
    return own + [each for child in own for each in children(child)]


def name_of(process: int) -> str:
    """The program that it runs, if it still does."""
    try:
        name, _, state = (
            Path(f"/proc/{process}/stat").read_text().partition("(")[2].rpartition(") ")
        )
    except OSError:
        return ""
    return "" if state.startswith(("Z", "X")) else name


def interrupt(command, ready, **environment):
    """Starts the command, presses Ctrl-C once its children are `ready`, and tells how it ended:
    status, lines on standard error, and the names of the children that are left."""
    process = subprocess.Popen(
        command,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        deadline = time.monotonic() + SECONDS
        while not ready(started := children(process.pid)):
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=SECONDS)
    finally:
        process.kill()
    told = [line for line in errors.splitlines() if not line.startswith("  run ")]
    deadline = time.monotonic() + 10  # to die of SIGKILL takes its time
    while (left := list(filter(None, map(name_of, started)))) and time.monotonic() < deadline:
        time.sleep(0.02)
    return process.returncode, told, left


@pytest.mark.parametrize(
    ("arguments", "program", "line"),
    [
        (
            "bench run fib --set n=42 --runtimes libgomp --threads 1 --output {tmp}/runs.jsonl",
            "fib",
            "xomp bench run: interrupted; "
            "the same command with --resume goes on in {tmp}/runs.jsonl",
        ),
        (
            "bench uts-efficiency --tree T3S --runtimes libgomp --output {tmp}/runs.jsonl",
            "uts",
            "xomp bench uts-efficiency: interrupted; "
            "the same command with --resume goes on in {tmp}/runs.jsonl",
        ),
        (
            "repro p2-table1 --size paper --runtimes GCC --threads 1 --out {tmp}",
            "uts",
            "xomp repro: interrupted; the same command goes on from here",
        ),
        ("demo --size paper", "uts", "xomp demo: interrupted"),
    ],
)
def test_ctrl_c_is_one_line_and_leaves_nothing(root, library, tmp_path, arguments, program, line):
    command = [str(root / "xomp"), *arguments.format(tmp=tmp_path).split()]
    output = [Path(word) for word in command if word.endswith(".jsonl")]
    status, told, left = interrupt(
        command,
        # A program that was just built is asked what it can do, before the file is there.
        lambda started: all(map(Path.exists, output)) and program in map(name_of, started),
        BENCH_XOMP_LIBRARY=str(library),
    )
    assert (status, told, left) == (130, [line.format(tmp=tmp_path)], [])


def test_an_interrupted_conformance_run_records_no_failure(root, library, tmp_path):
    """Neither the compiler that was ended nor the test says anything of the runtime."""
    try:
        archive = source.find_archive(None)
    except source.SourceError as error:
        pytest.skip(str(error))
    kept = root / "build/conformance"  # where the run that is not interrupted looks for it as well
    source.prepare(archive, kept)
    (tmp_path / "source").symlink_to(kept / "source")
    command = [str(root / "xomp"), "conformance", "--subset", "quick", "--quiet"]
    command += ["--lib", str(library.parent), "--work", str(tmp_path)]
    building = tmp_path / "bin"
    status, told, left = interrupt(command, lambda started: list(building.glob("*.part")))
    assert (status, left) == (130, [])
    assert told == ["xomp conformance: interrupted; --resume goes on from here"]
    for record in tmp_path.glob("bin/*/build.json"):
        assert '"built": true' in record.read_text()


def test_a_program_that_is_gone_can_be_ended():
    process = processes.start(["true"])
    process.wait()
    processes.end(process)
    assert process.returncode == 0
