# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The bootstrap installs what is missing or says what to install; else it is quick."""

import shutil
import subprocess
import time

import pytest

HARMLESS = ("bash", "dirname", "mkdir", "grep", "env", "uname", "touch", "rm")


@pytest.fixture
def bare_machine(root, tmp_path):
    """A checkout on a machine with hardly a command, for a user who is not root."""
    (tmp_path / "tools").mkdir()
    shutil.copy(root / "tools/bootstrap", tmp_path / "tools/bootstrap")
    python = tmp_path / "build/venv/bin/python"
    python.parent.mkdir(parents=True)
    python.symlink_to("/bin/true")
    for name in ("typer", "rich", "ruff"):
        (tmp_path / f"build/venv/.has-{name}").touch()
    commands = tmp_path / "bin"
    commands.mkdir()
    for name in HARMLESS:
        (commands / name).symlink_to(shutil.which(name))
    user = commands / "id"
    user.write_text("#!/bin/sh\necho 1000\n")
    user.chmod(0o755)

    def run(*groups):
        command = [commands / "bash", tmp_path / "tools/bootstrap", *groups]
        environment = {"PATH": str(commands)}
        return subprocess.run(
            command, capture_output=True, text=True, check=False, env=environment, timeout=30
        )

    run.commands = commands
    return run


def test_says_what_to_install_where_it_may_not(bare_machine):
    done = bare_machine("build")
    assert done.returncode == 1
    line = next(line for line in done.stderr.splitlines() if "apt-get install" in line)
    for package in ("cmake", "ninja-build", "g++", "python3"):
        assert package in line.split()


def test_each_group_asks_for_its_own_packages_only(bare_machine):
    assert "spin" not in bare_machine("build").stderr
    assert "clang-tidy-19" in bare_machine("check").stderr


def test_uses_sudo_where_it_needs_no_password(bare_machine):
    log = bare_machine.commands.parent / "log"
    sudo = bare_machine.commands / "sudo"
    sudo.write_text(f'#!/bin/sh\necho "$@" >> {log}\n')
    sudo.chmod(0o755)
    (bare_machine.commands / "apt-get").write_text("")
    (bare_machine.commands / "apt-get").chmod(0o755)
    bare_machine("build")
    assert "DEBIAN_FRONTEND=noninteractive apt-get" in log.read_text()
    assert "cmake" in log.read_text()


def test_unknown_group_is_refused(bare_machine):
    done = bare_machine("everything")
    assert done.returncode == 1
    assert "everything" in done.stderr


def test_is_quick_and_silent_when_nothing_is_missing(root):
    command = [root / "tools/bootstrap", "test"]
    subprocess.run(command, check=True)
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert time.perf_counter() - start < 0.5
    assert done.stdout + done.stderr == ""
