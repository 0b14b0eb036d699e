# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/mpi.md: its example, a detached task that an MPI request completes, and ranks on xomp."""

import os
import re
import shutil
import subprocess

import pytest

RANKS = 3


@pytest.fixture(scope="module")
def ring(root, tmp_path_factory):
    """The example, or nothing where there is no MPI."""
    for command in ("mpicc", "mpirun"):
        if not shutil.which(command):
            pytest.skip(f"there is no {command}")
    program = tmp_path_factory.mktemp("mpi") / "ring"
    source = root / "docs/examples/ring.c"
    subprocess.run(["mpicc", "-O1", "-Wall", "-fopenmp", source, "-o", program], check=True)
    return program


@pytest.fixture
def mpirun(root, library, tmp_path):
    """Runs words as ranks on this machine: more than it has processors, perhaps, and as root."""
    allowed = {
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "OMPI_MCA_hwloc_base_binding_policy": "none",
        "OMPI_MCA_mpi_yield_when_idle": "1",
        "TMPDIR": "/tmp",  # Open MPI's sockets have paths, which may not be long
    }

    def run(*words, **variables):
        return subprocess.run(
            [*words],
            env={**os.environ, **allowed, **variables},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=250,
            check=False,
        )

    return run


@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("barrier", ["tree", "central"])
def test_messages_complete_detached_tasks(root, library, ring, mpirun, threads, barrier):
    xomp = [root / "xomp", "run", "--lib", library, "--"]
    variables = {"OMP_NUM_THREADS": str(threads), "XOMP_BARRIER": barrier}
    done = mpirun("mpirun", "-n", str(RANKS), *xomp, ring, **variables)
    assert done.returncode == 0, done.stderr
    right = [f"rank {rank} of {RANKS}: right" for rank in range(RANKS)]
    assert sorted(done.stdout.splitlines()) == right


def test_ranks_inherit_xomp_from_mpirun(root, library, ring, mpirun):
    xomp = [root / "xomp", "run", "--lib", library, "--display", "--"]
    done = mpirun(*xomp, "mpirun", "-n", "2", ring, OMP_NUM_THREADS="2")
    assert done.returncode == 0, done.stderr
    assert len(re.findall(r"xomp: version .*\bring\b", done.stderr)) == 2


def test_the_page_shows_what_the_example_has(root):
    page, source = (root / "docs/mpi.md").read_text(), (root / "docs/examples/ring.c").read_text()
    for line in re.findall(r"#pragma omp task .*", page):
        assert line in source
