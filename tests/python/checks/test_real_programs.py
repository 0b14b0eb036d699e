# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tools/real_programs.py` refuses what would measure nothing, before it does anything."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("name", "why"),
    [
        (".", "is a folder: --lib names the libxomp.so in it"),
        ("text", "is not an ELF file"),
        ("nothing", "cannot read '"),
    ],
)
def test_what_is_no_library_is_one_line(root, tmp_path, name, why):
    (tmp_path / "text").write_text("text")
    work = tmp_path / "work"
    command = [sys.executable, root / "tools/real_programs.py", "--folder", work]
    command += ["--lib", tmp_path / name]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("real_programs.py: ") and done.stderr.count("\n") == 1
    assert why in done.stderr
    assert not work.exists()
