# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What LLVM's and Intel's runtimes export and we do not, each with its reason; what they say."""

import mmap
import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from xomp import elf

# Of libomp and libiomp5. A reason holds for every name that its expression matches whole.
ABSENT = {
    r"_+kmp_\w+": "the insides of their implementation, which debuggers and their own tests use",
    r"kmp_[a-f]_debug|kmp_diag|kmp_mutex_impl_info|kmp_max_mem_\w+": "likewise, variables",
    r"kmp_threadprivate_insert(_private_data)?|kmp_set_thread_affinity_mask_initial": "likewise",
    r"kmp_ext_\w+|kmp_target_\w+_cb|kmpc_\w+_ptr": "pointers by which Intel's own libraries meet",
    r"__kmpc_invoke_task_func|__kmpc_get_current_task": "likewise, functions",
    r"__kmpc_task_get_(depnode|successors)": "their graph of tasks, for their own tests",
    r"__kmpc_(for_collapsed_init|calc_original_ivs_rectang|process_loop_nest_rectang)":
        "loops collapsed at run time: Microsoft's compiler calls them, on Windows; the names do "
        "not occur in the libraries of clang 19 and flang 19",
    r"ompt_start_tool|ompt_libomp_connect": "a tool's, and libomptarget's for tools of devices",
    r"__kmpc___atomic_\w+": "libatomic's, for operands that have an instruction",
    r"__kmpc_get_timestamp|__kmpc_getenv_device|__kmpc_set_device_trait|"
    r"__kmpc_get_(interop_\w+|offload_device_num|ompt_callbacks|uid_from_device)|"
    r"omp_lib_mp_\w+": "undocumented, of Intel's offloading",
    r"omp_get_devices?_\w*(allocator|memspace)_?|omp_get_memspace_num_resources_?|"
    r"omp_get_submemspace_?|omp_target_(host|shared|device)_mem_(alloc|space)|omp_null_mem_space|"
    r"ompx_get_dyn_cgroup_mem": "memory of devices, of which there is none",
    r"omp_get_(device_from_uid_|interop_\w+)":
        "under libgomp's version, with libgomp's arguments",
    r"omp_lib(_kinds)?\._": "the marks of Intel's Fortran modules",
}  # fmt: skip


# Names that compilers have in themselves for what runs on devices, and of `libomptarget`.
OF_DEVICES = re.compile(
    r"__kmpc_(alloc_shared|free_shared|(begin|end)_sharing_variables|get_shared_variables|"
    r"data_sharing_\w+|barrier_simple_\w+|distribute_\w+|for_static_loop_\w+|get_hardware_\w+|"
    r"get_warp_size|warp_active_thread_mask|syncwarp|is_(spmd|generic)_\w+|kernel_\w+|nvptx_\w+|"
    r"parallel_(51|60|level)|reduction_get_fixed_buffer|shuffle_int\d+|target_(de)?init|spmd_\w+|"
    r"global_[cd]tor_|push_target_tripcount_mapper)"
)
# What LLVM 20 to 22 have besides: the names in the libraries of clang 20.1, 21.1 and 22.1 and of
# flang 22.1 were compared as those of the system's are below.
NEWER_THAN_19 = {"__kmpc_taskloop_5": 20, "__kmpc_push_num_threads_strict": 22}


def compilers() -> list[Path]:
    """What has the names that clang and flang write into programs: every version of the system."""
    found = Path("/usr/lib").glob("llvm-*/lib/lib[Lc]*")
    named = [path for path in found if re.match(r"lib(LLVM|clang-cpp)[-.].*so", path.name)]
    flang = [path for path in Path("/usr/lib").glob("llvm-*/bin/flang*") if path.is_file()]
    return sorted({path.resolve() for path in [*named, *flang] if path.exists()})


def entries_named_in(path: Path) -> set[str]:
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return {name.decode() for name in re.findall(rb"\0(__kmpc_\w+)(?=\0)", content)}


def test_every_entry_that_a_compiler_writes_into_programs_is_exported(library):
    exported = {symbol.name for symbol in elf.read(library).exports}
    assert set(NEWER_THAN_19) - exported == set()
    found = compilers()
    if not found:
        pytest.skip("neither clang nor flang with libraries of its own")
    named = set().union(*map(entries_named_in, found))
    assert {"__kmpc_fork_call", "__kmpc_omp_task_alloc", "__kmpc_dispatch_init_4"} <= named
    missing = {name for name in named - exported if not OF_DEVICES.fullmatch(name)}
    assert sorted(missing) == []


def libraries(root: Path) -> list[Path]:
    """LLVM's of the system and Intel's, as far as they are here."""
    found = [Path("/usr/lib/llvm-19/lib/libomp.so.5"), *root.glob("build/peers/libiomp5.so")]
    return [path for path in found if path.exists()]


def absent(theirs: Path, ours: Path) -> list[str]:
    """What only `theirs` has."""
    exported = {str(symbol) for symbol in elf.read(ours).exports}
    return sorted(
        symbol.name
        for symbol in elf.read(theirs).exports
        if str(symbol) not in exported and symbol.version
    )


def test_exports_what_libomp_and_libiomp5_export_but_for_reasons(library, root):
    found = libraries(root)
    if not found:
        pytest.skip("neither libomp nor libiomp5 to compare with")
    missing = {name for path in found for name in absent(path, library)}
    unexplained = {name for name in missing if not any(re.fullmatch(each, name) for each in ABSENT)}
    assert sorted(unexplained) == []


def test_no_reason_is_left_of_what_is_there_by_now(library, root):
    found = libraries(root)
    if len(found) < 2:
        pytest.skip("not both libraries here")
    missing = {name for path in found for name in absent(path, library)}
    idle = [each for each in ABSENT if not any(re.fullmatch(each, name) for name in missing)]
    assert idle == []


@pytest.fixture
def run_by_clang(library, tmp_path):
    """Builds a program with clang and runs it on the library under test."""
    clang = shutil.which("clang-19") or shutil.which("clang")
    if not clang:
        pytest.skip("no clang")

    def run(text: str, **environment: str):
        source = tmp_path / "program.c"
        source.write_text(text)
        program = tmp_path / "program"
        command = [clang, "-fopenmp", "-o", program, source, library]
        built = subprocess.run(command, capture_output=True, text=True, check=False)
        if built.returncode:
            pytest.skip(f"clang has no OpenMP: {built.stderr}")
        own = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith(("XOMP_", "OMP_", "KMP_"))
        }
        changed = {**own, "LD_LIBRARY_PATH": str(library.parent), **environment}
        return subprocess.run(
            [program], capture_output=True, text=True, timeout=300, check=False, env=changed
        )

    return run


def test_the_error_directive_says_what_libomp_says_and_where(run_by_clang):
    result = run_by_clang(
        """int main(void) {
          #pragma omp error at(execution) severity(warning) message("take care")
          #pragma omp error at(execution) severity(fatal) message("enough")
          return 0;
        }
        """
    )
    assert result.returncode == -signal.SIGABRT
    warning, error = result.stderr.splitlines()
    assert re.fullmatch(
        r"OMP: Warning #283: .*program\.c:2:\d+: Encountered user-directed warning: take care\.",
        warning,
    )
    assert re.fullmatch(
        r"OMP: Error #282: .*program\.c:3:\d+: Encountered user-directed error: enough\.", error
    )


STRICT = """
#include <stdio.h>
void __kmpc_push_num_threads_strict(void*, int, int, int, const char*);
void __kmpc_fork_call(void*, int, void (*)(int*, int*, ...), ...);
static void body(int* thread, int* number, ...) { if (*number == 0) puts("ran"); }
int main(void) {
  __kmpc_push_num_threads_strict(0, 0, 4, %d, "four or none");
  __kmpc_fork_call(0, 0, body);
  #pragma omp parallel
  ;
  return 0;
}
"""


def test_strict_numbers_of_threads_end_the_program_or_warn(run_by_clang):
    said = "xomp: a region has 2 threads, of 4 that num_threads(strict) asks for: four or none\n"
    ended = run_by_clang(STRICT % 2, OMP_THREAD_LIMIT="2")
    assert (ended.returncode, ended.stdout, ended.stderr) == (1, "", said)
    warned = run_by_clang(STRICT % 1, OMP_THREAD_LIMIT="2")
    assert (warned.returncode, warned.stdout, warned.stderr) == (0, "ran\n", said)
    granted = run_by_clang(STRICT % 2)
    assert (granted.returncode, granted.stdout, granted.stderr) == (0, "ran\n", "")


USES = """
#include <omp.h>
#include <stdio.h>
int main(void) {
  int threads = 0;
  #pragma omp parallel reduction(+ : threads)
  threads++;
  printf("threads %d\\n", threads);
  return 0;
}
"""

PLACES = """
#include <omp.h>
#include <stdio.h>
int main(void) { printf("%d %d\\n", omp_get_num_places(), omp_get_max_threads()); return 0; }
"""


def test_variables_of_libomp_count_for_its_programs_alone(run_by_clang, compile_c, library):
    variables = {
        "XOMP_TOPOLOGY": "pack:2 core:4 pu:1",
        "KMP_AFFINITY": "compact",
        "KMP_HW_SUBSET": "1s,3c",
        "KMP_LIBRARY": "serial",
    }
    assert run_by_clang(PLACES, **variables).stdout == "3 1\n"
    shown = run_by_clang(PLACES, KMP_SETTINGS="1", **variables)
    assert "OMP_PLACES = '{0},{1},{2}'" in shown.stderr
    wrong = run_by_clang(PLACES, KMP_AFFINITY="near")
    assert wrong.stderr.count("xomp: ") == 1
    assert 'KMP_AFFINITY="near"' in wrong.stderr
    program = compile_c("places", PLACES, "-fopenmp")
    environment = {"LD_LIBRARY_PATH": str(library.parent), "KMP_AFFINITY": "near", **variables}
    result = subprocess.run([program], capture_output=True, text=True, env=environment, check=True)
    assert result.stdout.startswith("0 ")
    assert result.stderr == ""


def test_variables_of_libomp_count_for_what_clang_compiled_and_is_linked_to_xomp(
    compile_by_clang, compile_c, library, tmp_path
):
    variables = {"KMP_LIBRARY": "serial", "OMP_NUM_THREADS": "2"}
    environment = {"LD_LIBRARY_PATH": str(library.parent), **variables}

    def threads(compiled: Path) -> str:
        program = tmp_path / f"{compiled.name}.linked"
        subprocess.run(["gcc", compiled, "-o", program, library, "-lm"], check=True)
        needed = elf.read(program).needed
        assert not any(name.startswith(("libomp", "libiomp5")) for name in needed)
        return subprocess.run(
            [program], capture_output=True, text=True, env=environment, check=True
        ).stdout.split()[1]

    assert threads(compile_by_clang("clangs.o", USES, "-fopenmp", "-c")) == "1"
    assert threads(compile_c("gccs.o", USES, "-fopenmp", "-c")) == "2"


def test_a_program_of_gcc_that_is_linked_to_libomp_runs(library, root, tmp_path):
    theirs = libraries(root)
    if not theirs:
        pytest.skip("neither libomp nor libiomp5 to link to")
    source = tmp_path / "linked.c"
    source.write_text(
        """
        #include <omp.h>
        int main(void) {
          long sum = 0;
          #pragma omp parallel num_threads(3) reduction(+:sum)
          {
            #pragma omp for schedule(dynamic)
            for (int i = 0; i < 100; i++) sum += i;
            #pragma omp single
            #pragma omp task shared(sum)
            sum += 1000 * omp_get_num_threads();
          }
          return sum != 4950 + 3000;
        }
        """
    )
    compiled, program = tmp_path / "linked.o", tmp_path / "linked"
    subprocess.run(["gcc", "-fopenmp", "-c", source, "-o", compiled], check=True)
    subprocess.run(["gcc", compiled, "-o", program, theirs[0]], check=True)
    needed = {str(symbol) for symbol in elf.read(program).imports}
    assert "GOMP_parallel@VERSION" in needed
    environment = {"LD_LIBRARY_PATH": str(library.parent), "XOMP_DISPLAY": "1"}
    result = subprocess.run([program], capture_output=True, text=True, env=environment, check=False)
    assert result.returncode == 0
    assert "version" in result.stderr


DEVICES = """
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
static void show(void) {
  printf("%d %d %d %d\\n", omp_get_num_devices(), omp_get_initial_device(), omp_get_device_num(),
         omp_get_default_device());
}
int main(int count, char** words) {
  (void)count;
  show();
  if (!dlopen(words[1], RTLD_NOW | RTLD_GLOBAL))
    return 1;
  show();
  return 0;
}
"""


def test_devices_are_those_that_libomptarget_tells_of(
    compile_by_clang, compile_c, library, tmp_path
):
    script = tmp_path / "versions"
    script.write_text("VERS1.0 { global: omp_*; };\n")
    text = "".join(
        f"int omp_get_{name}(void) {{ return 3; }}"
        for name in ("num_devices", "initial_device", "device_num")
    )
    theirs = compile_c("target.so", text, "-shared", "-fPIC", f"-Wl,--version-script={script}")
    program = compile_by_clang("program", DEVICES, "-fopenmp")
    changed = {
        **os.environ,
        "LD_LIBRARY_PATH": str(library.parent),
        "OMP_TARGET_OFFLOAD": "mandatory",  # asks for the default one, which exists with them
    }
    said = subprocess.run(
        [program, theirs], capture_output=True, text=True, check=True, env=changed
    )
    assert said.stdout == "0 0 0 0\n3 3 3 0\n"
