# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hybrid programs of real_programs.py: ranks of MPI with threads of OpenMP each.

Numbers of ranks and threads are fixed, the same on every machine, so that a sum has one order.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from real_programs_job import Job

PACKAGES = ("openmpi-bin", "gromacs", "cp2k", "cp2k-data", "libomp5-19")
# Ranks, threads for each, words for mpirun. Ranks that are more than the processors yield anyhow.
NOT_BOUND = ("--bind-to", "none")
SHAPES = {
    "2 x 2, each rank on a core": (2, 2, ("--bind-to", "core")),
    "2 x 2, not bound": (2, 2, NOT_BOUND),
    "2 x 2, not bound, yielding": (2, 2, (*NOT_BOUND, "--mca", "mpi_yield_when_idle", "1")),
    "4 x 2, each rank on a core": (4, 2, ("--bind-to", "core:overload-allowed")),
    "4 x 2, not bound": (4, 2, NOT_BOUND),
}

WATER = """\
#include "oplsaa.ff/forcefield.itp"
#include "oplsaa.ff/spce.itp"
[ system ]
water
[ molecules ]
SOL 1728
"""

# Molecular dynamics at constant energy, with long-range electrostatics on a grid.
WATER_STEPS = """\
integrator = md
dt = 0.001
nsteps = 40
nstenergy = 20
nstlog = 20
coulombtype = PME
rcoulomb = 0.9
rvdw = 0.9
gen-vel = yes
gen-temp = 300
gen-seed = 7
"""

WATERS = """\
&GLOBAL
  PROJECT waters
  RUN_TYPE ENERGY_FORCE
  PRINT_LEVEL LOW
&END GLOBAL
&FORCE_EVAL
  METHOD Quickstep
  &DFT
    BASIS_SET_FILE_NAME GTH_BASIS_SETS
    POTENTIAL_FILE_NAME GTH_POTENTIALS
    &MGRID
      CUTOFF 100
    &END MGRID
    &SCF
      SCF_GUESS ATOMIC
      EPS_SCF 1.0E-5
      MAX_SCF 5
      &OT
        PRECONDITIONER FULL_ALL
        MINIMIZER DIIS
      &END OT
    &END SCF
    &XC
      &XC_FUNCTIONAL PADE
      &END XC_FUNCTIONAL
    &END XC
  &END DFT
  &SUBSYS
    &CELL
      ABC 6.2 6.2 6.2
    &END CELL
    &COORD
{atoms}    &END COORD
    &KIND H
      BASIS_SET DZVP-GTH
      POTENTIAL GTH-PADE-q1
    &END KIND
    &KIND O
      BASIS_SET DZVP-GTH
      POTENTIAL GTH-PADE-q6
    &END KIND
  &END SUBSYS
&END FORCE_EVAL
"""


def water() -> bytes:
    """The input of GROMACS's `mdrun`, which its own programs make of a box of water."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "water.top").write_text(WATER)
        (Path(folder) / "water.mdp").write_text(WATER_STEPS)
        box = "genconf -f /usr/share/gromacs/top/spc216.gro -nbox 2 -o water.gro"
        made = "grompp -f water.mdp -c water.gro -p water.top -o water.tpr"
        for words in (box, made):
            subprocess.run(("gmx", *words.split()), cwd=folder, check=True, capture_output=True)
        return (Path(folder) / "water.tpr").read_bytes()


def waters() -> bytes:
    """Four molecules in a box, turned in four ways."""
    atoms = ""
    for i in range(4):
        centre = [3.1 * (i >> axis & 1) + 0.8 for axis in range(3)]
        sign = 1 if i & 1 else -1
        for name, *offset in (("O", 0, 0, 0), ("H", 0.76, 0.59, 0), ("H", -0.76, 0.59, 0)):
            turned = offset if i & 2 else [offset[2], offset[0], offset[1]]
            place = (c + sign * o for c, o in zip(centre, turned, strict=True))
            atoms += f"      {name} " + " ".join(f"{x:.3f}" for x in place) + "\n"
    return WATERS.format(atoms=atoms).encode()


INPUTS = {  # each with the program that makes or reads it
    "water.tpr": ("gmx", water),
    "waters.inp": ("cp2k.psmp", waters),
}


def programs(threads: int) -> Iterator[tuple[str, tuple[str, ...], dict[str, str]]]:
    """Name, command, and what of its output is compared."""
    words = ("-s", "{inputs}/water.tpr", "-ntomp", str(threads), "-npme", "0", "-pin", "off")
    number = r" +-?\d\.\d+e[-+]\d+"
    energies = {"outputs": ("md.log",), "keep": f"^(?:{number})+$"}
    yield "GROMACS", ("gmx_mpi", "mdrun", *words, "-reprod", "-nobackup"), energies
    # Its threads add to one sum in the order in which they come: the last digits vary.
    energies = {"keep": r"(?:Total energy|energy \[a\.u\.\]): +(-?\d+\.\d{9})"}
    yield "CP2K (Fortran)", ("cp2k.psmp", "-i", "{inputs}/waters.inp"), energies


def jobs() -> Iterator[Job]:
    for shape, (ranks, threads, words) in SHAPES.items():
        start = ("mpirun", "--oversubscribe", "-np", str(ranks), *words)
        root = ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM")
        variables = dict.fromkeys(root, "1") | {"OMP_NUM_THREADS": str(threads)}
        for name, command, energies in programs(threads):
            yield Job(f"{name}, MPI {shape}", start + command, variables=variables, **energies)
