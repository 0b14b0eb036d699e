# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`xomp run` never pretends: where a program does not run on xomp it says so, and why; `xomp info`
says it before. With real programs, which tell themselves what they run on."""

import os
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from run_shared import PROGRAM
from xomp import elf_head, needs, reach
from xomp.errors import BadInputError
from xomp.library import check

COUNT = """
int count(void) {
  int n = 0;
  #pragma omp parallel num_threads(2) reduction(+ : n)
  n++;
  return n;
}
"""
CALLER = "int count(void); int main(void) { return count() != 2; }"
OPENER = """
#include <dlfcn.h>
int main(int count, char** words) {
  void* library = dlopen(words[1], RTLD_NOW);
  int (*call)(void) = library ? (int (*)(void))dlsym(library, words[2]) : 0;
  return count == 4 ? !call : !call || call() != 2;
}
"""
NOT_IN_USE = "xomp run: xomp is not in use: "


@pytest.fixture
def run(xomp, library):
    """What a program says that it ran on, and what was told about it."""

    def started(*words, **environment):
        clean = {name: "" for name in os.environ if name.startswith(("XOMP_", "LD_"))}
        done = xomp("run", "--lib", library, *words, **{**clean, **environment})
        assert done.returncode == 0, done.stderr
        return done.stdout.strip(), done.stderr

    return started


@pytest.fixture
def verdict(library):
    def look(path):
        found = needs.look_at(str(path), str(library))
        return found.verdict, found.because

    return look


@pytest.fixture
def clang(tmp_path):
    """Compiles with clang for LLVM's runtime."""
    found = [f"/usr/lib/llvm-{version}/bin/clang" for version in range(30, 13, -1)]
    compiler = next((path for path in found if Path(path).exists()), shutil.which("clang"))
    if not compiler:
        pytest.skip("there is no clang")

    def build(name, text, *flags):
        source = tmp_path / f"{name}.c"
        source.write_text(text)
        command = [compiler, "-O1", "-fopenmp", source, "-o", tmp_path / name, *flags]
        if subprocess.run(command, capture_output=True, check=False).returncode:
            pytest.skip("clang has no OpenMP runtime here")
        return tmp_path / name

    return build


def static(compile_c, kind):
    try:
        return compile_c("program", PROGRAM, "-fopenmp", kind, "-w")
    except subprocess.CalledProcessError:
        pytest.skip(f"gcc cannot link with {kind} here")


@pytest.mark.parametrize("kind", ["-static", "-static-pie"])
def test_a_statically_linked_program_is_told(run, verdict, compile_c, kind):
    program = static(compile_c, kind)
    why = "is statically linked: what it needs is in itself"
    assert run(program) == ("another runtime", f"{NOT_IN_USE}'{program}' {why}\n")
    assert run("--stats", program)[1].endswith("; so there are no statistics\n")
    assert verdict(program) == (needs.NO, f"it {why}")


def test_a_dynamic_program_runs_on_xomp_without_a_word(run, verdict, compile_c):
    program = compile_c("program", PROGRAM, "-fopenmp")
    assert run(program) == ("xomp", "")
    assert verdict(program)[0] == needs.YES


def test_a_runtime_linked_into_the_program_is_found(verdict, compile_c):
    flags = ["-fopenmp", "-Wl,-Bstatic", "-lgomp", "-Wl,-Bdynamic", "-ldl", "-w"]
    try:
        program = compile_c("program", PROGRAM, *flags)
    except subprocess.CalledProcessError:
        pytest.skip("there is no libgomp.a")
    assert verdict(program) == (needs.NO, "it has a libgomp inside, statically linked")


def need_root():
    if os.getuid() != 0:
        pytest.skip("needs to be root")


def set_user_id(compile_c):
    """A program that runs as somebody else."""
    need_root()
    program = compile_c("program", PROGRAM, "-fopenmp")
    os.chown(program, 65534, -1)
    program.chmod(0o4755)
    if reach.gained_privileges(str(program)) is None:
        pytest.skip("the bit is without effect here")
    return program


def test_a_set_user_id_program_is_told(run, verdict, compile_c):
    program = set_user_id(compile_c)
    why = "is a set-user-id program: the loader ignores LD_PRELOAD and LD_LIBRARY_PATH"
    assert run(program) == ("another runtime", f"{NOT_IN_USE}'{program}' {why}\n")
    assert verdict(program) == (needs.NO, f"it {why}")


def test_a_set_user_id_program_is_told_in_one_line_from_a_folder_with_a_space(
    xomp, library, compile_c, tmp_path
):
    program = set_user_id(compile_c)
    folder = tmp_path / "with a space"
    folder.mkdir()
    for name in ("libxomp.so", "libgomp.so.1"):
        (folder / name).write_bytes(library.read_bytes())
    done = xomp("run", "--lib", folder, program)
    assert (done.returncode, done.stdout) == (0, "another runtime\n")
    assert done.stderr.count("\n") == 1 and done.stderr.startswith(NOT_IN_USE)


def test_what_privileges_are_gained_depends_on_the_user(compile_c, monkeypatch):
    program = compile_c("program", "int main(void) { return 0; }")
    monkeypatch.setattr(reach, "_keeps_rights", lambda: False)
    if os.statvfs(program).f_flag & os.ST_NOSUID:
        pytest.skip("the bits are without effect here")
    assert reach.gained_privileges(str(program)) is None
    program.chmod(0o4755)
    assert reach.gained_privileges(str(program)) is None  # its owner's already
    assert reach.gained_privileges(str(program), for_anybody=True) == "is a set-user-id program"
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    assert reach.gained_privileges(str(program)) == "is a set-user-id program"
    program.chmod(0o2755)
    monkeypatch.setattr(os, "getgid", lambda: 12345)
    assert reach.gained_privileges(str(program)) == "is a set-group-id program"
    monkeypatch.setattr(reach, "_keeps_rights", lambda: True)
    assert reach.gained_privileges(str(program)) is None


def test_a_program_with_file_capabilities_is_told(root, library, compile_c, tmp_path):
    need_root()
    setcap = shutil.which("setcap") or shutil.which("setcap", path="/sbin:/usr/sbin")
    if not setcap or not shutil.which("setpriv"):
        pytest.skip("there is no setcap or no setpriv")
    program = compile_c("program", PROGRAM, "-fopenmp")
    if subprocess.run([setcap, "cap_net_raw+ep", program], check=False).returncode:
        pytest.skip("this file system has no capabilities")
    assert reach.gained_privileges(str(program)) is None  # root has them
    why = "has file capabilities"
    assert reach.gained_privileges(str(program), for_anybody=True) == why
    for folder in (tmp_path, *tmp_path.parents[:3]):
        if folder.stat().st_uid == 0 and folder.name != "tmp":
            folder.chmod(0o755)
    user = ["setpriv", "--reuid=65534", "--clear-groups"]
    command = [*user, root / "xomp", "run", "--lib", library, program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if "ermission denied" in done.stderr or "not found" in done.stderr:
        pytest.skip("another user cannot read the checkout")
    assert done.stdout == "another runtime\n"
    told = f"'{program}' {why}: the loader ignores LD_PRELOAD and LD_LIBRARY_PATH"
    assert done.stderr == f"{NOT_IN_USE}{told}\n"


def test_a_program_of_clang_runs_on_xomp(run, verdict, clang, library):
    program = clang("program", PROGRAM)
    assert run(program)[1] == ""
    assert verdict(program)[0] == needs.YES
    ((name, _, on_xomp),) = needs.look_at(str(program), str(library)).runtimes
    assert (name, on_xomp) == ("libomp.so.5", str(library))


def test_a_library_of_clang_runs_on_xomp(run, verdict, clang, compile_c, tmp_path):
    inner = clang("libinner.so", COUNT, "-shared", "-fPIC")
    outer = compile_c("outer", CALLER, str(inner), f"-Wl,-rpath,{tmp_path}")
    told = run("--stats", outer)[1]
    assert "statistics of" in told.splitlines()[0]
    assert verdict(outer)[0] == needs.YES


def test_an_entry_that_is_not_there_is_named(verdict, clang):
    entry = "void __kmpc_no_such_entry(void)"
    newer = clang("newer.so", f"{entry} {{}}", "-shared", "-fPIC", "-Wl,-soname,libomp.so.5")
    text = f"{entry}; int main(void) {{\n#pragma omp parallel\n{{}}\n__kmpc_no_such_entry(); }}"
    program = clang("program", text, str(newer))
    found, because = verdict(program)
    assert found == needs.NO
    assert because.startswith("it needs a symbol that ")


def test_libraries_of_gcc_and_clang_run_on_one_runtime(run, verdict, clang, compile_c, tmp_path):
    inner = compile_c("libinner.so", COUNT, "-shared", "-fPIC", "-fopenmp")
    text = CALLER.replace("return", "\n#pragma omp parallel\n{}\nreturn")
    outer = clang("outer", text, str(inner), f"-Wl,-rpath,{tmp_path}")
    assert run(outer)[1] == ""
    told = run("--stats", outer)[1].splitlines()
    assert "statistics of" in told[0]
    assert verdict(outer)[0] == needs.YES


def test_a_library_of_clang_that_is_opened_later_runs_on_xomp(run, clang, compile_c):
    plugin = clang("plugin.so", COUNT, "-shared", "-fPIC")
    opener = compile_c("opener", OPENER, "-ldl")
    assert run(opener, plugin, "count")[1] == ""
    assert "statistics of" in run("--stats", opener, plugin, "count")[1]


def test_a_library_of_gcc_that_is_opened_later_runs_on_xomp(run, verdict, compile_c):
    plugin = compile_c("plugin.so", COUNT, "-shared", "-fPIC", "-fopenmp")
    opener = compile_c("opener", OPENER, "-ldl")
    assert run(opener, plugin, "count")[1] == ""
    assert "statistics of" in run("--stats", opener, plugin, "count")[1]
    assert verdict(opener)[0] == verdict(plugin)[0] == needs.YES


@pytest.fixture
def path_of_libgomp():
    where = subprocess.run(
        ["gcc", "-print-file-name=libgomp.so.1"], capture_output=True, text=True, check=True
    ).stdout.strip()
    return os.path.realpath(where)


def test_a_libgomp_that_is_opened_by_its_path_is_named_under_stats(run, compile_c, path_of_libgomp):
    opener = compile_c("opener", OPENER, "-ldl")
    told = run("--stats", opener, path_of_libgomp, "GOMP_parallel", "only look")[1]
    assert "not in use by opener" in told and "libgomp.so.1" in told


def test_a_program_without_openmp_has_a_line_under_stats_and_else_none(run, compile_c):
    plain = compile_c("plain", "int main(void) { return 0; }")
    assert run(plain) == ("", "")
    told = run("--stats", plain)[1]
    assert told.endswith(": nothing in it called an OpenMP runtime\n") and told.count("\n") == 1
    text = f'int system(const char*); int main(void) {{ return system("{plain}; {plain}"); }}'
    starter = compile_c("starter", text)
    told = run("--stats", starter)[1]
    assert told.startswith("xomp: not in use by starter") and told.count("\n") == 1


@pytest.fixture
def another_libgomp(compile_c, tmp_path):
    """A folder with a libgomp of its own, for an RPATH."""
    where = subprocess.run(
        ["gcc", "-print-file-name=libgomp.so.1"], capture_output=True, text=True, check=True
    ).stdout.strip()
    folder = tmp_path / "another"
    folder.mkdir()
    shutil.copy(where, folder / "libgomp.so.1")
    return folder


@pytest.mark.parametrize("tags", ["--enable-new-dtags", "--disable-new-dtags"])
def test_what_is_preloaded_wins_over_a_path_in_the_program(
    run, verdict, compile_c, another_libgomp, tags
):
    flags = ["-fopenmp", f"-Wl,{tags}", f"-Wl,-rpath,{another_libgomp}"]
    program = compile_c("program", PROGRAM, *flags)
    assert run(program) == ("xomp", "")
    assert verdict(program)[0] == needs.YES
    said, told = run("--no-preload", program)
    if tags == "--enable-new-dtags":
        assert (said, told) == ("xomp", "")
    else:
        assert said == "another runtime"
        where = f"'{another_libgomp}/libgomp.so.1' by its RPATH; leave out --no-preload"
        assert told == f"{NOT_IN_USE}'{program}' finds {where}\n"


def foreign(program: Path, tmp_path, machine=None, bits=None) -> Path:
    """The program as if it were for another machine."""
    data = bytearray(program.read_bytes())
    data[4] = bits or data[4]
    if machine:
        data[18:20] = machine.to_bytes(2, "little")
    path = tmp_path / "foreign"
    path.write_bytes(data)
    path.chmod(0o755)
    return path


def test_a_program_for_another_machine_is_told(verdict, compile_c, tmp_path):
    program = compile_c("program", PROGRAM, "-fopenmp")
    answer, why = verdict(foreign(program, tmp_path, machine=243))
    assert answer == needs.NO and why.startswith("it is for riscv, and libxomp.so for ")
    answer, why = verdict(foreign(program, tmp_path, machine=3, bits=1))
    assert answer == needs.NO and why.endswith("is a 32-bit program (x86)")


def test_a_library_that_is_none_is_refused(xomp, library, compile_c, tmp_path):
    program = compile_c("program", PROGRAM, "-fopenmp")
    text = tmp_path / "text.so"
    text.write_text("no library")
    bad = {
        program: "is not a libxomp.so",
        text: "is not an ELF file",
        foreign(library, tmp_path, machine=243): "is for riscv, and this machine is ",
    }
    for path, why in bad.items():
        for words in (["run", "--lib", path, program], ["info", "--lib", path, program]):
            done = xomp(*words)
            assert done.returncode == 2 and done.stdout == ""
            assert done.stderr.count("\n") == 1 and why in done.stderr


@pytest.mark.parametrize("mark", [":", ";", "$"])
def test_a_library_in_a_place_that_the_loader_cannot_name_is_refused(xomp, library, tmp_path, mark):
    folder = tmp_path / f"a{mark}b"
    folder.mkdir()
    (folder / "libxomp.so").write_bytes(library.read_bytes())
    done = xomp("run", "--lib", folder, "true")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1 and f"at '{mark}'" in done.stderr


def test_damaged_files_are_never_a_traceback(library, tmp_path):
    path = tmp_path / "damaged.so"
    data = bytearray(library.read_bytes()[:4096])
    for at in range(0, len(data), 7):
        changed = data.copy()
        changed[at] ^= 0xFF
        path.write_bytes(changed)
        with suppress(BadInputError):
            check(str(path))
        with suppress(elf_head.ElfError):
            elf_head.read_head(str(path))


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("libgomp.so.1", reach.GNU),
        ("libgomp-a34b3233.so.1.0.0", reach.GNU),
        ("libxomp.so", reach.GNU),
        ("libomp.so.5", reach.LLVM),
        ("libomp-19.so", reach.LLVM),
        ("libiomp5.so", reach.LLVM),
        ("libgomp-plugin-nvptx.so.1", ""),
        ("libompd.so", ""),
        ("libomptarget.so.19", ""),
        ("libxomp_ompt_check.so", ""),
        ("libgomp", ""),
        ("libc.so.6", ""),
    ],
)
def test_runtimes_are_known_by_their_names(name, family):
    assert reach.family(name) == family
