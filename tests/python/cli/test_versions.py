# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One version, wherever it is shown; and a warning where a library has another one."""

import re
import subprocess
import sys

import pytest

from install_shared import call, need, succeed
from xomp import __version__
from xomp import library as libraries

ASK = "import ctypes, sys; f = ctypes.CDLL(sys.argv[1]).xomp_version"
ASK += "; f.restype = ctypes.c_char_p; print(f().decode())"


@pytest.fixture
def older(library, tmp_path):
    """The library with another version in its note."""
    data = library.read_bytes()
    assert data[: libraries.FIRST_PAGE].count(libraries.NOTE) == 1
    before, _, rest = data.partition(libraries.NOTE)
    other = ("9" * len(__version__)).encode()
    path = tmp_path / "libxomp.so"
    path.write_bytes(before + libraries.NOTE + other + rest[len(other) :])
    return path


def test_the_library_says_the_version_in_every_way(library):
    assert libraries.version(str(library)) == __version__
    assert succeed(sys.executable, "-c", ASK, library) == f"{__version__}\n"
    loaded = "import ctypes, sys; ctypes.CDLL(sys.argv[1]).omp_get_max_threads()"
    done = call(sys.executable, "-c", loaded, library, XOMP_DISPLAY="1")
    assert f"xomp: version {__version__}: " in done.stderr


def test_the_note_is_one_that_other_tools_read(library):
    need("readelf")
    done = call("readelf", "-nW", library)
    assert re.search(r"^  xomp\s", done.stdout, re.M)
    assert done.stderr == ""


def test_no_other_file_of_the_tree_states_it(root, library):
    """What has a version takes it from the package."""
    generated = library.parent.parent / "generated"
    assert f"Version: {__version__}\n" in (generated / "xomp.pc").read_text()
    stated = f'set(PACKAGE_VERSION "{__version__}")'
    assert stated in (generated / "xompConfigVersion.cmake").read_text()
    listed = subprocess.run(
        ["git", "grep", "-lF", __version__, "--", "*.txt", "*.cmake", "*.in", "*.toml", "*.py"],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode > 1:
        pytest.skip("no checkout of git")
    files = [name for name in listed.stdout.split() if not name.startswith("tests/")]
    assert files == ["python/xomp/__init__.py"]


def test_the_changelog_has_it_or_what_comes_next(root):
    first = re.search(r"^## \[(.*?)\]", (root / "CHANGELOG.md").read_text(), re.M)
    assert first[1] in ("Unreleased", __version__)


@pytest.mark.parametrize(
    "words", [("run",), ("info",), ("profile", "--no-serial", "--output", "x")]
)
def test_a_library_of_another_version_is_named(xomp, older, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = xomp(*words, "--lib", older, "true")
    warning = (
        f"xomp {words[0]}: '{older}' is version 99999, and this command is version {__version__}"
    )
    assert done.stderr.splitlines()[0] == warning


def test_a_library_of_the_same_version_is_not(xomp, library):
    done = xomp("run", "--lib", library, "true")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_library_without_a_version_is_no_libxomp(xomp, tmp_path):
    path = tmp_path / "libxomp.so"
    subprocess.run(["gcc", "-shared", "-x", "c", "/dev/null", "-o", path], check=True)
    assert libraries.version(str(path)) is None
    done = xomp("run", "--lib", path, "true")
    assert (done.returncode, done.stderr) == (2, f"xomp run: '{path}' is not a libxomp.so\n")
