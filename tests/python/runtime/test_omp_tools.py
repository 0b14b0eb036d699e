# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""include/omp-tools.h says what LLVM's header says, to the last value and argument: one tool serves
every runtime. Both are compiled, and what each makes of every name is compared."""

import re
import subprocess
from pathlib import Path

import pytest

PEERS = sorted(Path("/usr/lib").glob("llvm-*/lib/clang/*/include/omp-tools.h"))
# Of tracing on devices, and of OMPD: not what the host side of OMPT has.
LEFT_OUT = re.compile(
    r"ompd_|ompt_record_|ompt_native_|ompt_buffer_|ompt_callback_buffer_"
    r"|ompt_(start|pause|flush|stop)_trace_t"
    r"|ompt_get_device_|ompt_translate_time_t|ompt_set_trace_|ompt_advance_buffer_|ompt_get_record_"
)

PROGRAM = r"""
#include HEADER
#include <cstddef>
#include <cstdio>

// The type as the compiler spells it, with the types of the arguments; of a structure its name.
template <class T> const char* spelled() { return __PRETTY_FUNCTION__; }
#define VALUE(name) std::printf("%s = %lld\n", #name, (long long)(name));
#define TYPE(name) std::printf("%s: %zu %s\n", #name, sizeof(name), spelled<name>());
#define FIELD(type, field) \
  std::printf("%s.%s: %zu %s\n", #type, #field, offsetof(type, field), \
              spelled<decltype(type::field)>());

int main() {
NAMES
}
"""


def without_comments(header: Path) -> str:
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", header.read_text(), flags=re.S)


def enumerators(header: Path) -> list[str]:
    bodies = re.findall(r"typedef enum (\w+) \{(.*?)\}", without_comments(header), re.S)
    return [
        name
        for enum, body in bodies
        if not LEFT_OUT.match(enum)
        for name in re.findall(r"(?:^|,)\s*(ompt_\w+)", body)
    ]


def types(header: Path) -> list[str]:
    text = without_comments(header)
    closed = re.findall(r"\}\s*(ompt_\w+);", text)
    pointers = re.findall(r"\(\*\s*(ompt_\w+)\)\s*\(", text)
    plain = re.findall(r"typedef \w+ (ompt_\w+)(?: DEPRECATED_51)?;", text)
    return [name for name in closed + pointers + plain if not LEFT_OUT.match(name)]


def fields(header: Path) -> list[tuple[str, str]]:
    bodies = re.findall(r"typedef (?:struct|union) (\w+) \{(.*?)\}", without_comments(header), re.S)
    return [
        (name, field)
        for name, body in bodies
        if not LEFT_OUT.match(name)
        for field in re.findall(r"(\w+);", body)
    ]


def meanings(header: Path, names, tmp_path: Path) -> list[str]:
    """A line for each of our names: what this header makes of it."""
    values, kinds, members = names
    lines = [f"VALUE({name})" for name in values]
    lines += [f"TYPE({name})" for name in kinds if name != "ompt_device_t"]
    lines += [f"FIELD({kind}, {field})" for kind, field in members]
    source = tmp_path / "names.cc"
    source.write_text(PROGRAM.replace("NAMES", "\n".join(lines)))
    compiled = [f'-DHEADER="{header}"', source, "-o", tmp_path / "names"]
    subprocess.run(["g++", "-std=c++17", "-w", *compiled], check=True)
    return subprocess.check_output([tmp_path / "names"], text=True).splitlines()


@pytest.fixture
def peer() -> Path:
    """LLVM's header of 5.2: from version 19 on."""
    found = [header for header in PEERS if "ompt_dispatch_ws_loop_chunk" in header.read_text()]
    if not found:
        pytest.skip("no LLVM with an omp-tools.h (libomp-19-dev)")
    return found[-1]


@pytest.fixture
def ours(root) -> Path:
    return root / "include/omp-tools.h"


def test_each_name_means_what_it_means_to_llvm(ours, peer, tmp_path):
    names = (enumerators(ours), types(ours), fields(ours))
    assert len(names[0]) > 150
    assert len(names[1]) > 70
    assert len(names[2]) > 10
    assert meanings(ours, names, tmp_path) == meanings(peer, names, tmp_path)


def test_no_name_of_the_host_is_missing(ours, peer):
    assert set(enumerators(peer)) - set(enumerators(ours)) == set()
    assert set(types(peer)) - set(types(ours)) == set()


def test_a_changed_value_or_argument_is_noticed(ours, tmp_path):
    names = (enumerators(ours), types(ours), fields(ours))
    right = meanings(ours, names, tmp_path)
    changed = tmp_path / "omp-tools.h"
    text = ours.read_text()
    for old, new in (
        ("ompt_task_switch = 7", "ompt_task_switch = 8"),
        ("(*ompt_callback_flush_t)(ompt_data_t*", "(*ompt_callback_flush_t)(const ompt_data_t*"),
        ("ompt_data_t exit_frame;", "int exit_frame;"),
    ):
        assert old in text
        changed.write_text(text.replace(old, new))
        assert meanings(changed, names, tmp_path) != right


@pytest.mark.parametrize("compiler", [["gcc", "-std=c99"], ["g++", "-std=c++11", "-xc++"]])
def test_it_compiles_without_a_warning(ours, compiler):
    flags = ["-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
    subprocess.run([*compiler, *flags, "-include", ours, "/dev/null"], check=True)
