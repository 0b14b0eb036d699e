# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How libxomp.so is linked: what it needs, what it exports, its thread-local data."""

import re
import subprocess
from pathlib import Path

import pytest

from xomp import elf


@pytest.fixture(scope="module")
def plain(library):
    """The library, unless a sanitizer is built into it."""
    if any("san.so" in name for name in elf.read(library).needed):
        pytest.skip("a sanitizer's library needs more, by design")
    return library


def readelf(option: str, path: Path) -> str:
    command = ["readelf", "-W", option, str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_needs_nothing_but_libc(plain):
    loader = re.compile(r"^ld-linux|^ld64")
    assert [name for name in elf.read(plain).needed if not loader.match(name)] == ["libc.so.6"]


def test_is_libgomp_to_the_loader(library):
    assert elf.read(library).soname == "libgomp.so.1"
    beside = library.parent / "libgomp.so.1"
    assert beside.samefile(library)
    # threadpoolctl resolves links and then asks whether the name begins with libgomp.
    assert not beside.is_symlink()


def test_stays_loaded_after_dlclose(library):
    assert "NODELETE" in readelf("-d", library)


def test_binds_all_functions_when_it_is_loaded(library):
    """Later, the first call of each would take some kB of its thread's stack."""
    assert "BIND_NOW" in readelf("-d", library)


def test_a_workers_stack_begins_in_a_function_with_the_librarys_name(library):
    """Sanitizers and debuggers show it at the end of each stack of the program's functions."""
    assert re.search(r" FUNC .* xomp_worker$", readelf("--syms", library), re.MULTILINE)
    assert "xomp_worker" not in readelf("--dyn-syms", library)


def test_thread_local_data_is_initial_exec(plain):
    assert "STATIC_TLS" in readelf("-d", plain)
    assert not re.search(r"DTPMOD|DTPOFF|TLSDESC", readelf("-r", plain))
    assert "__tls_get_addr" not in readelf("--dyn-syms", plain)


def test_exports_only_versioned_openmp_names(plain):
    versions = {symbol.version for symbol in elf.read(plain).exports}
    # Intel's compilers make sure of their runtime by the marks, and have it lend the others.
    marks = ("_You_must_link_with_", "__atomic_")
    exports = [
        symbol
        for symbol in elf.read(plain).exports
        if symbol.name not in versions and not symbol.name.startswith(marks)
    ]
    assert exports
    foreign = [
        str(symbol)
        for symbol in exports
        if not symbol.version
        or not re.match(r"(GOMP|GOACC|omp|ompc|ompx|acc|xomp|kmp|kmpc|__kmpc|__kmp)_", symbol.name)
    ]
    assert foreign == []


def test_own_entry_points_are_not_called_through_the_plt(plain):
    own = {symbol.name for symbol in elf.read(plain).exports}
    called = re.findall(r"JUMP_SL\S*\s+\S+\s+([^\s@]+)", readelf("-r", plain))
    assert called
    assert [name for name in called if name in own] == []
