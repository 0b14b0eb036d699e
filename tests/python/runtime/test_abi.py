# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The exported symbols and their versions, and the messages that programs' users know."""

import os
import re
import subprocess
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from xomp import elf


def with_default(path: Path) -> set[str]:
    """name@@version for what a linker would choose, name@version for the others."""
    command = ["readelf", "-W", "--dyn-syms", str(path)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = (line.split() for line in text.splitlines() if re.match(r"\s*\d+:", line))
    return {row[7] for row in rows if len(row) > 7 and row[3] == "FUNC" and row[6] != "UND"}


def stock_libgomp() -> Path:
    command = ["gcc", "-print-file-name=libgomp.so.1"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    path = Path(text)
    if not path.is_absolute():
        path = Path("/usr/lib/x86_64-linux-gnu/libgomp.so.1")
    if not path.exists():
        pytest.skip("no libgomp to compare with")
    return path


def test_exports_all_that_the_systems_libgomp_exports(library):
    assert sorted(with_default(stock_libgomp()) - with_default(library)) == []


def test_loads_on_the_oldest_glibc_that_is_promised(library):
    """docs/platforms.md. A function that is younger needs another way, one with a younger version a
    line in runtime/sys/old_glibc.h."""
    oldest = (2, 28)
    asked = {str(symbol) for symbol in elf.read(library).imports if "GLIBC_" in symbol.version}
    younger = [
        name for name in asked if tuple(map(int, name.split("GLIBC_")[1].split("."))) > oldest
    ]
    assert asked
    assert sorted(younger) == []


def test_has_gccs_entries_under_the_version_that_libomp_gives_them(library):
    """Objects of gcc that were linked to libomp ask for GOMP_*@VERSION."""
    found = sorted(Path("/usr/lib").glob("llvm-*/lib/libomp.so"))
    if not found:
        pytest.skip("no libomp to compare with")
    theirs = {
        symbol.name
        for symbol in elf.read(found[-1]).exports
        if symbol.name.startswith("GOMP_") and symbol.version == "VERSION"
    }
    assert len(theirs) > 100
    ours = {symbol.name for symbol in elf.read(library).exports if symbol.version == "VERSION"}
    assert sorted(theirs - ours) == []


def test_exports_all_that_the_map_names(library, root):
    text = (root / "runtime/abi/libxomp.map").read_text()
    node = re.compile(r"^(\S+) \{\n  global:\n(.*?)\n(?:  local|\})", re.M | re.S)
    named = set()
    for version, body in node.findall(text):
        named |= {f"{name}@{version}" for name in re.findall(r"(\w+);", body)}
    assert len(named) > 500
    exported = {str(symbol) for symbol in elf.read(library).exports}
    assert sorted(named - exported) == []


@pytest.fixture
def run_on_xomp(library, compile_c):
    """Compiles a program with the stock compiler and runs it on the library under test."""

    def run(name: str, text: str, *flags: str, **environment: str):
        program = compile_c(name, text, "-fopenmp", *flags)
        own = {key: value for key, value in os.environ.items() if not key.startswith("XOMP_")}
        changed = {**own, "LD_LIBRARY_PATH": str(library.parent), **environment}
        return subprocess.run(
            [program], capture_output=True, text=True, timeout=300, check=False, env=changed
        )

    return run


def test_error_directive_says_what_libgomp_says(run_on_xomp):
    result = run_on_xomp(
        "error",
        """
        int main(void) {
          #pragma omp error at(execution) severity(warning)
          #pragma omp error at(execution) severity(warning) message("take care")
          #pragma omp error at(execution) severity(fatal) message("enough")
          return 0;
        }
        """,
    )
    assert result.returncode == 1
    assert result.stderr == (
        "\nlibgomp: error directive encountered\n"
        "\nlibgomp: error directive encountered: take care\n"
        "\nlibgomp: fatal error: error directive encountered: enough\n"
    )


TARGET = """
#include <omp.h>
int main(void) {
  int device = omp_get_initial_device();
  #pragma omp target if(0)
  ;
  #pragma omp target device(device)
  ;
  %s
  #pragma omp target
  ;
  return 0;
}
"""


def test_mandatory_offload_ends_at_the_first_region_for_a_device(run_on_xomp):
    result = run_on_xomp("mandatory", TARGET % "", OMP_TARGET_OFFLOAD="mandatory")
    assert result.returncode == 1
    assert "OMP_TARGET_OFFLOAD is set to MANDATORY" in result.stderr
    assert run_on_xomp("default", TARGET % "").returncode == 0


def test_mandatory_offload_allows_the_host_when_the_program_asks_for_it(run_on_xomp):
    asked = TARGET % "omp_set_default_device(device);"
    assert run_on_xomp("asked", asked, OMP_TARGET_OFFLOAD="mandatory").returncode == 0


def test_openacc_ends_with_its_name(run_on_xomp):
    text = "void acc_init(int); int main(void) { acc_init(0); return 0; }"
    result = run_on_xomp("openacc", text)
    assert result.returncode == 1
    assert result.stderr == "xomp: acc_init: OpenACC and offload plugins are not supported\n"


def test_lock_hints_link_and_work(run_on_xomp, library):
    """libgomp declares these and exports them nowhere, so only linking to xomp can work."""
    result = run_on_xomp(
        "hints",
        """
        #include <omp.h>
        int main(void) {
          omp_lock_t lock;
          omp_nest_lock_t nest_lock;
          omp_init_lock_with_hint(&lock, omp_sync_hint_contended);
          omp_init_nest_lock_with_hint(&nest_lock, omp_sync_hint_speculative);
          omp_set_lock(&lock);
          omp_set_nest_lock(&nest_lock);
          return omp_test_lock(&lock) || omp_test_nest_lock(&nest_lock) != 2;
        }
        """,
        str(library),
    )
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize(
    ("text", "alignment"),
    [("omp_default_mem_space:alignment=256", 256), ("omp_large_cap_mem_alloc", 8)],
)
def test_the_environment_can_describe_the_default_allocator(run_on_xomp, text, alignment):
    program = """
    #include <omp.h>
    #include <stdint.h>
    int main(void) {
      for (int i = 0; i < 20; i++)
        if ((uintptr_t)omp_alloc(24, omp_null_allocator) %% %d) return 1;
      return omp_get_default_allocator() == omp_default_mem_alloc;
    }
    """
    assert run_on_xomp("allocator", program % alignment, OMP_ALLOCATOR=text).returncode == 0


# OpenMP 5.2, chapter 18. Fortran names: "_" and "_8_" as gfortran's omp_lib calls them; it binds
# the routines without one to the C name.
WITHOUT_ARGUMENTS = """
get_num_threads get_max_threads get_thread_num in_parallel get_dynamic get_cancellation get_nested
get_thread_limit get_supported_active_levels get_max_active_levels get_level get_active_level
get_proc_bind get_num_places get_place_num get_partition_num_places get_num_teams get_team_num
get_max_teams get_teams_thread_limit get_max_task_priority in_explicit_task in_final get_num_procs
get_default_device get_num_devices get_device_num is_initial_device get_initial_device get_wtime
get_wtick get_default_allocator
"""
WITH_INTEGERS = """
set_num_threads set_dynamic set_nested set_schedule get_schedule set_max_active_levels
get_ancestor_thread_num get_team_size get_place_num_procs get_place_proc_ids
get_partition_place_nums set_num_teams set_teams_thread_limit set_default_device init_allocator
display_env control_tool
"""
WITHOUT_WIDE_INTEGERS = """
set_affinity_format get_affinity_format display_affinity capture_affinity pause_resource
pause_resource_all init_lock init_lock_with_hint destroy_lock set_lock unset_lock test_lock
init_nest_lock init_nest_lock_with_hint destroy_nest_lock set_nest_lock unset_nest_lock
test_nest_lock fulfill_event destroy_allocator set_default_allocator get_interop_str
get_interop_name get_interop_type_desc get_interop_rc_desc
"""
BOUND_TO_C = """
target_alloc target_free target_is_present target_is_accessible target_memcpy target_memcpy_rect
target_memcpy_async target_memcpy_rect_async target_associate_ptr target_disassociate_ptr
get_mapped_ptr get_num_interop_properties get_interop_int get_interop_ptr alloc aligned_alloc free
calloc aligned_calloc realloc
"""


def test_has_every_routine_of_openmp_5_2(library):
    exported = {symbol.name for symbol in elf.read(library).exports}
    plain = WITHOUT_ARGUMENTS.split() + WITH_INTEGERS.split() + WITHOUT_WIDE_INTEGERS.split()
    wanted = {f"omp_{name}" for name in plain + BOUND_TO_C.split()}
    wanted |= {f"omp_{name}_" for name in plain}
    wanted |= {f"omp_{name}_8_" for name in WITH_INTEGERS.split()}
    assert sorted(wanted - exported) == []


def test_has_the_locality_routines_of_its_own_headers(library):
    exported = {symbol.name for symbol in elf.read(library).exports}
    routines = ["get_num_locality_domains", "get_locality_domain_num", "child_task_affinity"]
    wanted = {f"omp_{name}{end}" for name in routines for end in ("", "_")}
    assert sorted((wanted | {"omp_child_task_affinity_8_"}) - exported) == []


def expanded(pattern: str) -> list[str]:
    """As a shell does it: a{,_b}c is ac and a_bc; the braces may lie in each other."""
    inner = re.search(r"\{([^{}]*)\}", pattern)
    if not inner:
        return [pattern]
    before, after = pattern[: inner.start()], pattern[inner.end() :]
    if pattern.count("{", 0, inner.start()) > pattern.count("}", 0, inner.start()):
        # Within others, whose alternatives this multiplies.
        start = max(before.rfind(","), before.rfind("{")) + 1
        end = min(at for at in (after.find(","), after.find("}")) if at >= 0)
        many = (before[start:] + part + after[:end] for part in inner[1].split(","))
        return expanded(before[:start] + ",".join(many) + after[end:])
    return [each for part in inner[1].split(",") for each in expanded(before + part + after)]


@pytest.mark.parametrize("prefix", ["GOMP_", "__kmpc_"])
def test_the_page_tells_of_every_entry_once_and_of_no_other(library, root, prefix):
    page = (root / "docs/abi.md").read_text()
    table = page.partition(f"<!-- {prefix} -->")[2].partition("<!--")[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    told = [each for row in rows for name in re.findall("`(.*?)`", row) for each in expanded(name)]
    exported = {symbol.name for symbol in elf.read(library).exports if symbol.version}
    exported = {name for name in exported if not re.fullmatch(r"GOMP_(\d.*|PLUGIN_.*)", name)}
    entries = {name.removeprefix(prefix) for name in exported if name.startswith(prefix)}
    count = {name: sum(fnmatchcase(name, each) for each in told) for name in entries}
    assert {name: number for name, number in count.items() if number != 1} == {}
    assert [each for each in told if not any(fnmatchcase(name, each) for name in entries)] == []
