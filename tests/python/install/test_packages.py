# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Debian packages, the wheel and the source distribution: installed, used, removed."""

import os
import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from install_shared import PROGRAM, call, contents, need, succeed
from xomp import __version__, elf
from xomp import library as libraries

NEWEST_GLIBC = (2, 28)
ON_XOMP = f"42 on {__version__}\n"


@pytest.fixture(scope="module")
def make_packages(root, library, tmp_path_factory):
    """Calls tools/package; the result is the folder."""
    if library != root / "build/lib/libxomp.so":
        pytest.skip("packages are made of the release build")
    folder = tmp_path_factory.mktemp("packages")

    def make(kind: str) -> Path:
        succeed(root / "tools/package", kind, OUT=str(folder))
        return folder

    return make


@pytest.fixture(scope="module")
def debs(make_packages):
    need("cpack", "dpkg", "dpkg-deb", "dpkg-shlibdeps")
    return sorted(make_packages("debian").glob("*.deb"))


@pytest.fixture(scope="module")
def python_tools():
    for name in ("build", "scikit_build_core", "auditwheel"):
        if not find_spec(name):
            pytest.skip(f"there is no Python package {name}")


@pytest.fixture(scope="module")
def wheel(make_packages, python_tools):
    (path,) = make_packages("wheel").glob("*.whl")
    return path


@pytest.fixture(scope="module")
def sdist(make_packages, python_tools):
    (path,) = make_packages("sdist").glob("*.tar.gz")
    return path


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    source = tmp_path_factory.mktemp("program") / "program.c"
    source.write_text(PROGRAM)
    succeed("gcc", "-fopenmp", source, "-o", source.with_suffix(""))
    return source.with_suffix("")


def in_package(deb: Path) -> set[str]:
    with (
        subprocess.Popen(["dpkg-deb", "--fsys-tarfile", deb], stdout=subprocess.PIPE) as process,
        tarfile.open(fileobj=process.stdout, mode="r|") as archive,
    ):
        return {member.name.removeprefix("./") for member in archive if not member.isdir()}


def test_there_are_three_debian_packages_of_this_version(debs):
    fields = [succeed("dpkg-deb", "-f", deb, "Package", "Version") for deb in debs]
    assert fields == [
        f"Package: {name}\nVersion: {__version__}-1\n"
        for name in ("libxomp-dev", "libxomp", "xomp")
    ]


def test_each_debian_package_holds_its_part(debs):
    development, runtime, tools = map(in_package, debs)
    libraries_in = {name for name in runtime if ".so" in name}
    folders = {os.path.dirname(name) for name in libraries_in}  # noqa: PTH120
    assert len(libraries_in) == 6 and all(name.endswith("/xomp") for name in folders)
    assert {"usr/include/xomp.h"} <= development
    assert any(name.endswith("pkgconfig/xomp.pc") for name in development)
    assert {"usr/bin/xomp", "usr/share/man/man1/xomp.1.gz"} <= tools
    assert not runtime & tools and not development & tools


def test_debian_packages_are_installed_used_and_removed_without_a_trace(debs, program, tmp_path):
    if os.geteuid() != 0:
        pytest.skip("only root installs packages, even below a folder")
    state = tmp_path / "var/lib/dpkg"
    state.mkdir(parents=True)
    (state / "status").touch()
    # What they depend on is not below this folder; their scripts do nothing there.
    dpkg = ["dpkg", f"--root={tmp_path}", "--force-depends", "--force-script-chrootless"]
    succeed(*dpkg, "--install", *debs)
    command = tmp_path / "usr/bin/xomp"
    assert succeed(command, "run", program) == ON_XOMP
    assert succeed(command, "--version") == f"xomp {__version__}\n"
    succeed(*dpkg, "--purge", "xomp", "libxomp-dev", "libxomp")
    assert {name for name in contents(tmp_path) if not name.startswith("var")} == set()


def test_lintian_finds_neither_error_nor_warning(debs):
    need("lintian")
    done = call("lintian", "--fail-on", "none", *debs)
    assert re.findall(r"^[EW]: .*", done.stdout, re.M) == []


def test_the_wheel_promises_no_newer_glibc_than_the_library_needs(wheel, python_tools):
    tag = "manylinux_2_28_"
    assert wheel.name.startswith(f"xomp-{__version__}-py3-none-{tag}")
    shown = succeed(sys.executable, "-m", "auditwheel", "show", wheel)
    promised = re.search(
        r'consistent with the\s+following platform tag: "manylinux_(\d+)_(\d+)', shown
    )
    assert tuple(map(int, promised.groups())) <= NEWEST_GLIBC


def test_the_wheels_library_loads_what_old_programs_do_not(wheel, tmp_path):
    with zipfile.ZipFile(wheel) as archive:
        archive.extract("xomp/lib/libxomp.so", tmp_path)
        assert "xomp/lib/libgomp.so.1" in archive.namelist()
    path = tmp_path / "xomp/lib/libxomp.so"
    assert {"libpthread.so.0", "libdl.so.2"} <= set(elf.read(path).needed)
    assert libraries.version(str(path)) == __version__
    versions = {symbol.version for symbol in elf.read(path).imports}
    numbers = [tuple(map(int, name[6:].split("."))) for name in versions if name[:6] == "GLIBC_"]
    assert numbers and max(numbers)[:2] <= NEWEST_GLIBC


@pytest.fixture
def environment(tmp_path):
    """A Python environment that has what the wheel depends on, because the tests' own has."""
    folder = tmp_path / "a venv"
    venv.create(folder, with_pip=True)
    inside = next((folder / "lib").glob("python*/site-packages"))
    (inside / "more.pth").write_text(next(path for path in sys.path if "site-packages" in path))
    return folder


def test_the_wheel_is_installed_used_and_removed(wheel, program, environment, tmp_path):
    before = contents(environment)
    pip = [environment / "bin/python", "-m", "pip"]
    succeed(*pip, "install", "-q", "--no-deps", "--no-index", wheel)
    command = environment / "bin/xomp"
    assert succeed(command, "run", "--", program, cwd=tmp_path) == ON_XOMP
    assert succeed(command, "--version", cwd=tmp_path) == f"xomp {__version__}\n"
    as_module = [environment / "bin/python", "-m", "xomp", "run", "--", program]
    assert succeed(*as_module, cwd=tmp_path) == ON_XOMP
    used = "import xomp; xomp.use(); print(xomp.in_use())"
    assert succeed(environment / "bin/python", "-c", used, cwd=tmp_path) == "True\n"
    done = call(command, "bench", "fib", cwd=tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    succeed(*pip, "uninstall", "-q", "-y", "xomp")
    left = {name for name in contents(environment) - before if "__pycache__" not in name}
    assert left == set()


def test_a_wheel_of_another_platform_is_refused_in_one_line(wheel, tmp_path):
    machine = "aarch64" if "x86_64" in wheel.name else "x86_64"
    other = tmp_path / re.sub(r"x86_64|aarch64|ppc64le", machine, wheel.name)
    other.write_bytes(wheel.read_bytes())
    pip = [sys.executable, "-m", "pip", "install", "--no-index", "--target", tmp_path / "there"]
    done = call(*pip, other)
    assert done.returncode == 1
    assert done.stderr == f"ERROR: {other.name} is not a supported wheel on this platform.\n"


def test_the_source_distribution_has_all_that_is_built_of(sdist, root):
    command = ["git", "ls-files", "runtime", "include", "cmake", "tools", "python", "docs"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("no checkout of git")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert set(done.stdout.split()) - names == set()
    assert {"CMakeLists.txt", "pyproject.toml", "LICENSE"} <= names


def test_a_wheel_can_be_built_of_the_source_distribution(sdist, library, tmp_path):
    """With the library that is here: to compile it takes a minute, and every test began so."""
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"]
    prebuilt = f"-Ccmake.define.XOMP_PREBUILT={library}"
    succeed(*command, "-w", tmp_path, prebuilt, sdist, cwd=tmp_path)
    (made,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(made) as archive:
        assert {"xomp/start.py", "xomp/lib/libxomp.so"} <= set(archive.namelist())
