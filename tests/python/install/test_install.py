# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`make install` into a prefix, all that is found there, and `make uninstall`."""

import gzip
import os
import re
import shutil
import sys

import pytest

from install_shared import PROGRAM, call, clean_environment, contents, need, succeed
from xomp import __version__
from xomp.cli.commands import root as commands

ON_XOMP = f"42 on {__version__}\n"
BEGINNING = (
    "import sys; sys.path[:0] = sys.argv[1:3]; del sys.argv[1:3]; from xomp.start import main"
)


@pytest.fixture(scope="module")
def build(library):
    """The build folder, with the pages made."""
    succeed("cmake", "--build", library.parent.parent, "--target", "pages")
    return library.parent.parent


@pytest.fixture(scope="module")
def prefix(root, build, tmp_path_factory):
    """An installation that was moved after it was made, into a folder with a space."""
    made = tmp_path_factory.mktemp("install") / "the folder of this test"
    succeed(root / "tools/install", build, made)
    moved = made.with_name("moved there")
    made.rename(moved)
    return moved


@pytest.fixture(scope="module")
def has_pages(root):
    if not (root / "build/carried").is_dir():
        pytest.skip("typer could not be fetched for the installed command")


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "program.c"
    path.write_text(PROGRAM)
    return path


@pytest.fixture
def program(source):
    output = source.with_suffix("")
    succeed("gcc", "-fopenmp", source, "-o", output)
    return output


@pytest.fixture
def no_byte_code(tmp_path_factory):
    """An install for which `python3` does nothing: to compile takes most of an install's time."""
    folder = tmp_path_factory.mktemp("commands")
    (folder / "python3").symlink_to(shutil.which("true"))
    return {"PATH": f"{folder}:{clean_environment()['PATH']}"}


def test_what_to_try_next_can_be_copied_from_a_folder_with_a_space(
    root, build, tmp_path, no_byte_code
):
    said = succeed(root / "tools/install", build, tmp_path / "with a space", **no_byte_code)
    words = re.search(r"Try: (.*) run -- PROGRAM", said)[1]
    assert succeed("sh", "-c", f"{words} --version") == f"xomp {__version__}\n"


OTHER_NAMES = ("libgomp.so.1", "libomp.so.5", "libomp.so", "libiomp5.so")
LIBRARIES = ("libxomp.so", *OTHER_NAMES, "libxomp_ompt_check.so")


def test_the_library_is_in_a_folder_of_its_own(prefix):
    libraries = {name for name in contents(prefix) if re.search(r"\.so\b", name)}
    assert libraries == {f"lib/xomp/{name}" for name in LIBRARIES}
    for name in OTHER_NAMES:
        assert (prefix / "lib/xomp/libxomp.so").samefile(prefix / "lib/xomp" / name)
        assert not (prefix / "lib/xomp" / name).is_symlink()


def test_no_file_names_the_checkout_or_the_prefix(prefix, root):
    for path in prefix.rglob("*"):
        if path.is_file() and path.name not in LIBRARIES:
            data = path.read_bytes()
            data = gzip.decompress(data) if path.suffix == ".gz" else data
            assert str(root).encode() not in data, path
            assert b"the folder of this test" not in data or path.suffix == ".pyc", path


def test_the_installed_command_runs_a_program_on_xomp(prefix, program):
    assert succeed(program) == "42 on another runtime\n"
    assert succeed(prefix / "bin/xomp", "run", "--", program) == ON_XOMP
    done = call(prefix / "bin/xomp", "run", "--display", "--", program)
    assert f"version {__version__}" in done.stderr


def test_the_command_can_be_called_through_a_link(prefix, program, tmp_path):
    link = tmp_path / "linked"
    link.symlink_to(prefix / "bin/xomp")
    assert succeed(link, "run", program) == ON_XOMP


def test_the_command_carries_what_it_imports(prefix, program, has_pages):
    shown = succeed(prefix / "bin/xomp", "info", program)
    assert str(prefix / "lib/xomp/libxomp.so") in shown
    start = f"{BEGINNING}; main(['--help']); import typer; print(typer.__file__)"
    paths = [prefix / "share/xomp/python", prefix / "share/xomp/carried"]
    assert str(paths[1]) in succeed("python3", "-IB", "-c", start, *paths)


def test_outside_a_checkout_the_command_says_what_it_lacks_and_writes_nothing(
    prefix, tmp_path, has_pages
):
    before = contents(prefix)
    for words in (["bench", "fib"], ["bench", "list"], ["demo"], ["conformance"], ["repro", "p1"]):
        done = call(prefix / "bin/xomp", *words, cwd=tmp_path)
        assert done.returncode == 2
        if words[0] != "repro":
            needs = "needs the source tree of xomp: call ./xomp in a checkout of it"
            name = " ".join(["xomp", *words])
            assert done.stderr == f"{name}: {needs}\n"
    assert call(prefix / "bin/xomp", "report", tmp_path, cwd=tmp_path).stderr.count("\n") == 1
    assert call(prefix / "bin/xomp", "bench", "fib", "--help", cwd=tmp_path).returncode == 0
    assert contents(tmp_path) == set()
    assert contents(prefix) == before


def test_an_older_python_is_named(prefix, tmp_path):
    old = tmp_path / "python3"
    old.write_text('#!/bin/sh\nexec %s -c "import sys; sys.version_info = (3, 8, 1)\n$3"\n')
    old.write_text(old.read_text().replace("%s", shutil.which("python3")))
    old.chmod(0o755)
    path = f"{tmp_path}:{clean_environment()['PATH']}"
    done = call(prefix / "bin/xomp", "--version", PATH=path)
    assert done.returncode == 1
    assert done.stderr == "xomp: needs Python 3.10 or newer, and python3 is 3.8\n"


LISTS = """
cmake_minimum_required(VERSION 3.21)
project(app LANGUAGES C)
find_package(xomp {version} REQUIRED)
add_executable(app program.c)
target_link_libraries(app PRIVATE xomp::xomp)
install(TARGETS app)
"""


def configure(folder, prefix, version="0.1", **changes):
    (folder / "CMakeLists.txt").write_text(LISTS.format(version=version))
    options = [f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_INSTALL_PREFIX={folder}/installed app"]
    return call("cmake", "-S", folder, "-B", folder / "a build", *options, **changes)


def test_cmake_finds_it_and_programs_run_on_it_once_installed(prefix, source):
    folder = source.parent
    done = configure(folder, prefix)
    assert done.returncode == 0, done.stderr
    succeed("cmake", "--build", folder / "a build")
    assert succeed(folder / "a build/app") == ON_XOMP
    succeed("cmake", "--install", folder / "a build")
    assert succeed(folder / "installed app/bin/app") == ON_XOMP


def test_cmake_refuses_another_version(prefix, source):
    done = configure(source.parent, prefix, version="7.1")
    assert done.returncode != 0
    assert f"version: {__version__}" in done.stderr


def test_cmake_links_programs_of_clang_with_it(prefix, source):
    clang = shutil.which("clang") or shutil.which("clang-19")
    if not clang:
        pytest.skip("there is no clang")
    folder = source.parent
    done = configure(folder, prefix, CC=clang)
    assert done.returncode == 0, done.stderr
    succeed("cmake", "--build", folder / "a build")
    assert succeed(folder / "a build/app") == ON_XOMP
    loads = succeed("ldd", folder / "a build/app")
    assert str(prefix / "lib/xomp/libgomp.so.1") in loads
    assert "libomp" not in loads


@pytest.mark.parametrize("compiler", ["gcc", "clang-19"])
def test_pkg_config_finds_it(prefix, source, compiler):
    need("pkg-config")
    need(compiler)
    where = {"PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig")}
    assert succeed("pkg-config", "--modversion", "xomp", **where) == f"{__version__}\n"
    output = source.with_suffix("")
    line = 'eval "$1" "$2" -o "$3" $(pkg-config --cflags --libs xomp)'
    succeed("sh", "-c", line, "sh", compiler, source, output, **where)
    assert succeed(output) == ON_XOMP
    assert "libomp.so" not in succeed("ldd", output)


def test_the_environment_module_puts_programs_on_xomp_until_it_is_unloaded(prefix, program):
    need("modulecmd")
    modules = str(prefix / "share/modulefiles")
    script = """
      eval "$(modulecmd bash load xomp)"; "$1"; command -v xomp
      eval "$(modulecmd bash unload xomp)"; "$1"
    """
    said = succeed("bash", "-c", script, "bash", program, MODULEPATH=modules)
    assert said == f"{ON_XOMP}{prefix}/bin/xomp\n42 on another runtime\n"


COMPLETE = {
    "bash": """
      source "$1/share/bash-completion/completions/xomp"
      COMP_WORDS=(xomp run --barrier "") COMP_CWORD=3 COMP_LINE="xomp run --barrier "
      COMP_POINT=${#COMP_LINE}
      function=$(complete -p xomp | sed 's/.*-F \\([^ ]*\\).*/\\1/')
      "$function" xomp
      printf '%s\\n' "${COMPREPLY[@]}"
    """,
    "zsh": """
      fpath=("$1/share/zsh/site-functions" $fpath)
      autoload -Uz compinit; compinit -u -D
      print $_comps[xomp]
      export _TYPER_COMPLETE_ARGS="xomp run --barrier " _XOMP_COMPLETE=complete_zsh
      xomp
    """,
    "fish": """
      set -p fish_complete_path "$argv[1]/share/fish/vendor_completions.d"
      complete -C "xomp run --barrier "
    """,
}


@pytest.mark.parametrize("shell", COMPLETE)
def test_shells_complete(prefix, shell, has_pages, tmp_path):
    need(shell)
    path = f"{prefix}/bin:{clean_environment()['PATH']}"
    command = [shell, "-c", COMPLETE[shell]] + ([] if shell == "fish" else [shell])
    said = succeed(*command, prefix, PATH=path, HOME=str(tmp_path))
    assert "central" in said and "tree" in said


def every_command(group, path=("xomp",)):
    yield path
    for name, each in getattr(group, "commands", {}).items():
        yield from every_command(each.entry.load(), (*path, name))


def test_every_command_has_a_manual_page(prefix, has_pages):
    pages = {path.name for path in (prefix / "share/man/man1").iterdir()}
    assert pages == {f"{'-'.join(path)}.1.gz" for path in every_command(commands())}


def test_manual_pages_can_be_read_without_a_complaint(prefix, has_pages):
    need("groff")
    for path in (prefix / "share/man").rglob("*.gz"):
        text = gzip.decompress(path.read_bytes()).decode()
        plain = path.with_suffix("")
        plain.write_text(text)
        done = call("groff", "-man", "-ww", "-Tutf8", "-P-cbou", plain)
        plain.unlink()
        assert done.returncode == 0 and done.stderr == "", path.name
        for title in ("NAME", "SYNOPSIS" if path.name.endswith(".1.gz") else "DESCRIPTION"):
            assert title in done.stdout.splitlines()


def test_uninstall_leaves_what_was_there_and_nothing_else(root, build, tmp_path):
    prefix = tmp_path / "with space"
    (prefix / "bin").mkdir(parents=True)
    (prefix / "bin/other").touch()
    (prefix / "share").mkdir()
    before = contents(prefix)
    succeed(root / "tools/install", build, prefix)
    assert (prefix / "bin/xomp").exists()
    (prefix / "include/of_another").touch()
    said = succeed(root / "tools/install", "--remove", prefix)
    assert said == f"removed xomp {__version__} from {prefix}\n"
    assert contents(prefix) == {*before, "include", "include/of_another"}


def test_uninstall_removes_a_prefix_that_was_made(root, build, tmp_path, no_byte_code):
    prefix = tmp_path / "prefix"
    succeed(root / "tools/install", build, prefix, **no_byte_code)
    succeed(root / "tools/install", "--remove", prefix)
    assert not prefix.exists()
    done = call(root / "tools/install", "--remove", prefix)
    assert done.returncode == 2
    assert done.stderr.startswith(f"install: xomp is not installed in {prefix}")
    assert done.stderr.count("\n") == 1


def test_a_stage_folder_is_heeded(root, build, tmp_path, no_byte_code):
    stage = {"DESTDIR": str(tmp_path / "stage"), **no_byte_code}
    succeed(root / "tools/install", build, "/opt/a xomp", **stage)
    assert (tmp_path / "stage/opt/a xomp/lib/xomp/libxomp.so").is_file()
    succeed(root / "tools/install", "--remove", "/opt/a xomp", **stage)
    assert not (tmp_path / "stage/opt/a xomp").exists()


def test_a_second_install_takes_the_place_of_an_older_one(root, build, tmp_path, no_byte_code):
    succeed(root / "tools/install", build, tmp_path, **no_byte_code)
    record = tmp_path / "share/xomp/installed"
    first = contents(tmp_path)
    record.write_text(
        record.read_text().replace(f"xomp {__version__}\n", "xomp 0.0.9\nlib/xomp/x/old.so\n", 1)
    )
    (tmp_path / "lib/xomp/x").mkdir()
    (tmp_path / "lib/xomp/x/old.so").touch()
    said = succeed(root / "tools/install", build, tmp_path, **no_byte_code).splitlines()
    assert said[0] == f"xomp {__version__} takes the place of xomp 0.0.9 in {tmp_path}"
    assert contents(tmp_path) == first
    assert "takes the place" not in succeed(root / "tools/install", build, tmp_path, **no_byte_code)


@pytest.mark.parametrize(
    ("prefix", "why"),
    [
        ("/proc/xomp", "/proc/xomp cannot be written"),
        ("/proc/xomp", "install: /proc/xomp cannot be written; choose another PREFIX"),
        ("/dev/null/xomp", "/dev/null/xomp cannot be written; choose another PREFIX"),
        ("here", "PREFIX must be a whole path, not 'here'"),
    ],
)
def test_a_prefix_that_cannot_be_written_is_one_line(root, build, prefix, why):
    done = call(root / "tools/install", build, prefix)
    assert done.returncode == 2
    assert done.stdout == ""
    assert why in done.stderr and done.stderr.count("\n") == 1


def test_cmakes_own_install_says_in_one_sentence_that_it_cannot(build):
    done = call("cmake", "--install", build, "--prefix", "/proc/xomp")
    assert done.returncode != 0
    said = " ".join(done.stderr.split())
    assert "/proc/xomp cannot be written; choose another --prefix" in said
    assert "Call Stack" not in said


def test_the_manual_pages_are_the_same_on_a_smaller_machine(root, tmp_path):
    need("taskset")
    python = sys.executable
    processors = sorted(os.sched_getaffinity(0))
    if len(processors) == 1:
        pytest.skip("there is one processor")
    succeed(python, "-I", "-B", root / "tools/pages.py", tmp_path / "all")
    small = ["taskset", "-c", str(processors[0])]
    succeed(*small, python, "-I", "-B", root / "tools/pages.py", tmp_path / "one")
    for page in (tmp_path / "all/man").rglob("*.gz"):
        other = tmp_path / "one" / page.relative_to(tmp_path / "all")
        assert gzip.decompress(page.read_bytes()) == gzip.decompress(other.read_bytes()), page.name


def test_an_unsupported_architecture_is_named(root, tmp_path):
    system = ["-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SYSTEM_PROCESSOR=armv7l"]
    done = call("cmake", "-S", root, "-B", tmp_path, *system)
    assert done.returncode != 0
    said = " ".join(done.stderr.split())
    assert "xomp runs on Linux on x86_64, aarch64 and ppc64le, not on Linux on armv7l" in said
