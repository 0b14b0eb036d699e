# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The bootstrap installs what is missing or says what to install; else it only looks."""

import os
import shutil
import subprocess

import pytest

HARMLESS = ("bash", "dirname", "mkdir", "grep", "env", "touch", "rm", "tail", "cut")
BUILDS = ("make", "cmake", "ninja", "gcc", "g++")


def script(path, text):
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


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
    script(commands / "id", "echo 1000")
    script(commands / "uname", "echo Linux x86_64")

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


@pytest.fixture
def without_network(bare_machine):
    """A machine with the compilers, for root, on which neither apt-get nor pip gets anything."""
    for name in BUILDS:
        script(bare_machine.commands / name, "exit 0")
    script(bare_machine.commands / "id", "echo 0")
    script(bare_machine.commands / "apt-get", "echo 'E: Unable to fetch some archives'; exit 100")
    python = bare_machine.commands.parent / "build/venv/bin/python"
    python.unlink()
    fails = "echo 'ERROR: No matching distribution found for numpy'; exit 1"
    script(python, f'case "$*" in *install*) {fails} ;; esac')
    return bare_machine


def test_without_a_network_the_library_is_built_all_the_same(without_network):
    done = without_network("build")
    assert done.returncode == 0
    assert "the library is built, and `./xomp run` starts programs on it" in done.stderr
    assert "wait until `make` finds a network" in done.stderr
    assert "pip install" not in done.stderr and done.stderr.count("\n") == 2


def test_what_needs_the_command_is_not_begun_without_it(without_network):
    done = without_network("check")
    assert done.returncode == 1
    assert "Unable to fetch some archives" in done.stderr


def test_advice_is_never_the_command_that_failed(without_network):
    (without_network.commands / "cmake").unlink()
    done = without_network("build")
    assert done.returncode == 1
    assert "apt-get cannot install cmake: Unable to fetch some archives" in done.stderr
    assert "sudo" not in done.stderr and "apt-get install" not in done.stderr


@pytest.mark.parametrize("machine", ["Linux armv7l", "Darwin arm64"])
def test_an_unsupported_machine_is_one_line(bare_machine, machine):
    script(bare_machine.commands / "uname", f"echo {machine}")
    done = bare_machine("build")
    supported = "Linux on x86_64, aarch64 and ppc64le"
    assert done.returncode == 1
    assert done.stderr == f"bootstrap: xomp runs on {supported}, not on {machine}\n"


def test_unknown_group_is_refused(bare_machine):
    done = bare_machine("everything")
    assert done.returncode == 1
    assert "everything" in done.stderr


def test_only_looks_and_is_silent_when_nothing_is_missing(root, tmp_path):
    """It is the first step of every `make`: nothing that takes time is started."""
    command = [root / "tools/bootstrap", "test"]
    subprocess.run(command, check=True)
    started = tmp_path / "started"
    for name in ("apt-get", "sudo", "python3", "pip", "curl", "wget", "git", "gcc", "make"):
        script(tmp_path / name, f'echo "{name} $*" >> {started}')
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert done.stdout + done.stderr == ""
    assert not started.exists(), started.read_text()
