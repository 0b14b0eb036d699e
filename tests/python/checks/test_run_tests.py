# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tools/run_tests: how a run of all tests ends."""

import os
import shutil
import subprocess

import pytest

LINE = "{n:>2}/12 Test {number:>5}: program/test_{n}_c ...   {result}   {seconds:.2f} sec"


@pytest.fixture
def closes(root, tmp_path):
    """What the script says at its end, and its status, where ctest says this."""
    (tmp_path / "tools").mkdir()
    shutil.copy(root / "tools/run_tests", tmp_path / "tools")
    commands = tmp_path / "bin"
    commands.mkdir()
    for name, text in (("cmake", "true"), ("ctest", f"cat {tmp_path}/said")):
        (commands / name).write_text(f"#!/bin/sh\n{text}\n")
        (commands / name).chmod(0o755)

    def run(*lines: str):
        (tmp_path / "said").write_text("\n".join(lines) + "\n")
        done = subprocess.run(
            [tmp_path / "tools/run_tests"],
            env={**os.environ, "PATH": f"{commands}:{os.environ['PATH']}"},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout.rpartition("The slowest, in seconds:\n")[2].splitlines()

    return run


def test_the_ten_slowest_are_named_and_all_are_counted(closes):
    results = {3: "***Failed  ", 5: "***Timeout "}
    lines = [
        LINE.format(n=n, number=f"#{n}", result=results.get(n, "Passed"), seconds=10.5 * n)
        for n in range(1, 13)
    ]
    status, end = closes(*lines, "83% tests passed, 2 tests failed out of 12")
    slowest = [line.split() for line in end[:10]]
    assert slowest == [[f"{10.5 * n:.1f}", f"program/test_{n}_c"] for n in range(12, 2, -1)]
    assert (status, end[-1]) == (1, "10 passed, 2 failed")


def test_a_skipped_test_neither_passes_nor_fails(closes):
    lines = [LINE.format(n=1, number="#1", result="Passed", seconds=1)]
    lines += ["The following tests did not run:", "\t  2 - install/empty_system (Skipped)"]
    status, end = closes(*lines, "100% tests passed, 0 tests failed out of 2")
    assert (status, end[-1]) == (0, "1 passed, 0 failed")
