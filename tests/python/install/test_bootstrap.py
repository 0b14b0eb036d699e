# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The bootstrap installs what is missing or says what to install; else it only looks."""

import os
import pty
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

    def run(*groups, **more):
        command = [commands / "bash", tmp_path / "tools/bootstrap", *groups]
        environment = {"PATH": str(commands), **more}
        return subprocess.run(
            command, capture_output=True, text=True, check=False, env=environment, timeout=300
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


@pytest.fixture
def with_apt(bare_machine):
    """The bare machine for root, with an apt-get that notes what it is asked for."""
    log = bare_machine.commands.parent / "log"
    script(bare_machine.commands / "id", "echo 0")
    script(bare_machine.commands / "apt-get", f'echo "$@" >> {log}')

    def installed() -> str:
        return log.read_text() if log.exists() else ""

    bare_machine.installed = installed
    return bare_machine


def at_terminal(machine, answer: str, *groups, **more):
    """What the bootstrap shows on a terminal on which somebody types; and its status."""
    ours, theirs = pty.openpty()
    os.write(ours, answer.encode())
    process = subprocess.Popen(
        [machine.commands / "bash", machine.commands.parent / "tools/bootstrap", *groups],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={"PATH": str(machine.commands), **more},
    )
    os.close(theirs)
    shown = b""
    try:
        while part := os.read(ours, 4096):
            shown += part
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    return process.wait(timeout=300), " ".join(shown.decode().split())


@pytest.mark.parametrize(("answer", "yes"), [("\n", True), ("y\n", True), ("n\n", False)])
def test_on_a_terminal_it_counts_and_asks(with_apt, answer, yes):
    status, shown = at_terminal(with_apt, answer, "check")
    named = shown.partition("needed: ")[2].partition(" Install them?")[0].split()
    assert {"cmake", "clang-tidy-19"} <= set(named)
    assert f"{len(named)} packages would be installed on this system" in shown
    assert ("clang-tidy-19" in with_apt.installed()) == yes
    assert ("nothing was installed; without" in shown) == (not yes)
    assert yes or status == 1


def test_yes_is_an_answer_and_no_question_is_asked(with_apt):
    shown = at_terminal(with_apt, "n\n", "check", YES="1")[1]
    assert "Install them?" not in shown
    assert "clang-tidy-19" in with_apt.installed()


def test_without_a_terminal_it_installs(with_apt):
    assert "Install them?" not in with_apt("check").stdout
    assert "clang-tidy-19" in with_apt.installed()


def test_nothing_is_installed_where_that_is_asked_for(with_apt):
    done = with_apt("check", NO_INSTALL="1")
    assert done.returncode == 1
    assert with_apt.installed() == ""
    assert "nothing was installed; without" in done.stderr and "clang-tidy-19" in done.stderr


def test_what_only_adds_something_may_be_left_out(with_apt):
    for name in (*BUILDS, "ninja", "valgrind", "gfortran"):
        script(with_apt.commands / name, "exit 0")
    for name in ("numpy", "matplotlib", "scipy", "parsl"):
        (with_apt.commands.parent / f"build/venv/.has-{name}").touch()
    (with_apt.commands.parent / "build/.bootstrap-tried").write_text("libiomp5\nblake3\n")
    done = with_apt("peers", NO_INSTALL="1")
    assert (done.returncode, with_apt.installed()) == (0, "")
    assert "left out, with what they are for: " in done.stdout


def test_the_tests_install_nothing_for_other_architectures(bare_machine):
    told = bare_machine("test").stderr + bare_machine("test").stdout
    assert "gfortran" in told and "aarch64" not in told and "qemu" not in told
    assert "gcc-aarch64-linux-gnu" in bare_machine("aarch64").stderr
