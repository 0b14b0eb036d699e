# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of real_programs.py: packages, commands, compared outputs, and inputs.

Inputs are generated from a fixed seed, so that every machine runs the same.
"""

from __future__ import annotations

import random
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import real_programs_mpi as mpi
from real_programs_job import Job

PACKAGES = (
    *("graphicsmagick", "imagemagick-6.q16", "kalign", "mmseqs2", "clustalo", "fasttree", "xtb"),
    *("primecount-bin", "par2", "gettext", "python3-numpy", "libopenblas0-openmp"),
    *("python3-torch", "r-base-core", "r-cran-data.table"),
    *mpi.PACKAGES,
)
# Of LLVM 14, which excludes newer versions' runtimes: only unpacked, in the work folder.
UNPACKED = ("libeztrace0", "libomp5-14", "libopen-trace-format2-10", "otf2-tools")
WHEELS = (
    *("lightgbm==4.7.0", "scikit-learn==1.9.1", "torch==2.15.0", "faiss-cpu==1.15.1"),
    *("xgboost==3.2.0", "networkit==11.3", "qiskit==2.6.2", "qiskit-aer==0.18.2"),
    *("mkl==2026.2.0", "intel-openmp==2026.2.0", "paddlepaddle==3.3.1"),
)
SCRIPT = Path(__file__).resolve().with_name("real_programs_python.py")
TABLES = SCRIPT.with_name("real_programs_data_table.R")
EZTRACE = SCRIPT.with_name("real_programs_eztrace.sh")
# Each with the words for it in real_programs_python.py.
PYTHON = (
    ("PyTorch, training", "torch_training"),
    ("PyTorch, inference", "torch_inference"),
    ("PyTorch, torch.compile", "torch_compiled"),
    ("FAISS", "faiss"),
    ("XGBoost", "xgboost"),
    ("NetworKit", "networkit"),
    ("Qiskit Aer", "aer"),
)


def venv_python(folder: Path) -> str:
    return str(folder / "venv" / "bin" / "python")


def gm(name: str, *operators: str) -> Job:
    words = ("gm", "convert", "{inputs}/picture.ppm", *operators, "out.ppm")
    return Job(f"gm convert {name}", words, ("out.ppm",))


def debian() -> Iterator[Job]:
    yield gm("-blur", "-blur", "0x4")
    yield gm("-despeckle", "-despeckle")
    yield gm("-motion-blur", "-motion-blur", "0x5+30")
    yield gm("-edge -wave -resize", "-edge", "3", "-wave", "5x50", "-resize", "45%")
    words = ("-iterations", "4", "convert", "{inputs}/picture.ppm", "-blur", "0x2", "out.ppm")
    yield Job("gm benchmark -blur", ("gm", "benchmark", *words), ("out.ppm",))
    words = ("{inputs}/picture.ppm", "-blur", "0x2", "-resize", "45%", "out.ppm")
    yield Job("convert (ImageMagick 6)", ("convert-im6.q16", *words), ("out.ppm",))
    many, few = "{inputs}/many.fa", "{inputs}/few.fa"
    yield Job("kalign (tasks)", ("kalign", "-n", "2", "-i", many, "-o", "out.fa"), ("out.fa",))
    words = ("easy-search", few, many, "out.m8", "tmp", "-s", "1", "--threads", "2")
    yield Job("mmseqs easy-search (tasks)", ("mmseqs", *words), ("out.m8",), sort=True)
    words = ("clustalo", "-i", few, "--threads=2", "-o", "out.fa")
    yield Job("clustalo", words, ("out.fa",))
    yield Job("fasttreeMP", ("fasttreeMP", "-quiet", "{inputs}/aligned.fa"))
    molecule = ("xtb", "{inputs}/chain.xyz", "--gfn", "2", "--opt")
    energy = "TOTAL ENERGY|GRADIENT NORM|HOMO-LUMO GAP"
    yield Job("xtb (Fortran)", molecule, ("stdout",), keep=energy)
    yield Job("primecount", ("primecount", "1e14"))
    words = ("create", "-q", "-q", "-r10", "-b400", "-B", "{inputs}", "p.par2", "{inputs}/data.bin")
    yield Job("par2 create", ("par2", *words), ("*.par2",))
    words = ("-q", "{inputs}/old.po", "{inputs}/new.pot", "-o", "out.po")
    yield Job("msgmerge", ("msgmerge", *words), ("out.po",))
    yield Job("numpy on OpenBLAS", ("/usr/bin/python3", str(SCRIPT), "blas"))
    yield Job("Debian's PyTorch, inference", ("/usr/bin/python3", str(SCRIPT), "torch_inference"))
    yield Job("R, data.table", ("Rscript", str(TABLES)))


def unpacked(folder: Path) -> str:
    return str(folder / "unpacked")


def of_llvm(folder: Path) -> Iterator[Job]:
    words = (str(EZTRACE), unpacked(folder), "/usr/lib/kalign/kalign-plain", "-n", "2")
    words += ("-i", "{inputs}/many.fa", "-o", "out.fa")
    yield Job("EZTrace (libomp5) of kalign", words, ("out.fa", "stdout"))


def wheels(folder: Path) -> Iterator[Job]:
    python = venv_python(folder)
    yield Job("lightgbm", (python, str(SCRIPT), "lightgbm"))
    yield Job("scikit-learn, boosting", (python, str(SCRIPT), "boosting"))
    yield Job("scikit-learn, KMeans", (python, str(SCRIPT), "kmeans"))
    yield Job("scikit-learn, threadpool_limits", (python, str(SCRIPT), "limits"))
    # Of OpenMP's threads alone, and as many as are asked for.
    mkl = {"OPENBLAS_NUM_THREADS": "1", "MKL_DYNAMIC": "FALSE"}
    yield Job("MKL (libiomp5)", (python, str(SCRIPT), "mkl"), variables=mkl)
    words = (python, str(SCRIPT), "mkl_beside_lightgbm")
    yield Job("MKL (libiomp5) beside LightGBM (libgomp)", words, variables=mkl)
    two = {"OMP_NUM_THREADS": "2"}  # it takes one else
    yield Job("PaddlePaddle (libiomp5)", (python, str(SCRIPT), "paddle"), variables=two, limit=300)
    words = (python, str(SCRIPT), "paddle_beside_torch")
    yield Job("PaddlePaddle beside PyTorch (libgomp)", words, variables=two, limit=300)
    for name, what in PYTHON:
        yield Job(name, (python, str(SCRIPT), what), limit=300)
    for what in ("lightgbm", "boosting", "kmeans"):
        words = (python, str(SCRIPT), what, "fork")
        yield Job(f"{what}, then multiprocessing by fork", words, hangs=True, limit=20)
    for name, what in PYTHON:
        if what not in ("torch_training", "torch_compiled"):  # PyTorch refuses these in a child
            words = (python, str(SCRIPT), what, "fork")
            yield Job(f"{name}, then fork", words, hangs=True, limit=60)
    words = ("/usr/bin/python3", str(SCRIPT), "blas", "fork")
    yield Job("numpy on OpenBLAS, then fork", words, hangs=True, limit=20)
    words = ("/usr/bin/python3", str(SCRIPT), "torch_inference", "fork")
    yield Job("Debian's PyTorch, then fork", words, hangs=True, limit=60)
    yield Job("R, data.table, then fork", ("Rscript", str(TABLES), "fork"), hangs=True, limit=60)


def jobs(folder: Path) -> Iterator[Job]:
    yield from debian()
    yield from of_llvm(folder)
    yield from wheels(folder)
    yield from mpi.jobs()


ACIDS = "ACDEFGHIKLMNPQRSTVWY"


def mutant(draw: random.Random, sequence: str, rate: float, gaps: bool) -> str:
    """A child of a protein: some letters changed and, if asked, some lost and some put in."""
    made = []
    for letter in sequence:
        fate = draw.random() / rate
        if gaps and fate < 0.1:
            continue
        if gaps and fate < 0.2:
            made.append(draw.choice(ACIDS))
        made.append(draw.choice(ACIDS) if fate < 1 else letter)
    return "".join(made)


def family(draw: random.Random, number: int, length: int, gaps: bool) -> str:
    """FASTA text of proteins that descend from one ancestor."""
    pool = ["".join(draw.choices(ACIDS, k=length))]
    for _ in range(number):
        pool.append(mutant(draw, draw.choice(pool), 0.12, gaps))
    return "".join(f">s{i}\n{sequence}\n" for i, sequence in enumerate(pool[1:]))


def picture(draw: random.Random, width: int, height: int) -> bytes:
    noise = draw.randbytes(width * height * 3)
    pixels = bytearray()
    for y in range(height):
        for x in range(width):
            at = 3 * (y * width + x)
            colours = x * y >> 6, 3 * x ^ 5 * y, x + y
            pixels += bytes(
                (c + (n & 63)) & 255 for c, n in zip(colours, noise[at : at + 3], strict=True)
            )
    return b"P6\n%d %d\n255\n" % (width, height) + bytes(pixels)


def alkane(carbons: int) -> str:
    """A zigzag chain of carbon and hydrogen, roughly in place; xtb does the rest."""
    atoms = []
    for i in range(carbons):
        side, z = (1 if i % 2 else -1), 1.27 * i
        atoms.append(("C", 0.42 * side, 0.0, z))
        atoms += [("H", 1.05 * side, y, z) for y in (0.89, -0.89)]
    last = 0.42 if carbons % 2 else -0.42
    atoms += [("H", 0.42, 0.0, -0.9), ("H", last, 0.0, 1.27 * (carbons - 1) + 0.9)]
    lines = (f"{name} {x:.4f} {y:.4f} {z:.4f}\n" for name, x, y, z in atoms)
    return f"{len(atoms)}\nalkane\n" + "".join(lines)


def catalogue(draw: random.Random, number: int, translated: bool) -> str:
    """A gettext catalogue; the untranslated one asks for slightly other messages."""
    text = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n'
    for i in range(number):
        words = ["".join(draw.choices("abcdefghij", k=6)) for _ in range(12)]
        answer = f"answer {i}" if translated else ""
        if not translated:
            words[i % 12] = "changed"
        text += f'msgid "{" ".join(words)}"\nmsgstr "{answer}"\n\n'
    return text


def make_inputs(folder: Path) -> None:
    """Makes the input files that are missing."""
    folder.mkdir(parents=True, exist_ok=True)
    makers = {
        "picture.ppm": lambda d: picture(d, 1600, 1200),
        "many.fa": lambda d: family(d, 400, 300, True).encode(),
        "few.fa": lambda d: family(d, 24, 300, True).encode(),
        "aligned.fa": lambda d: family(d, 32, 250, False).encode(),
        "chain.xyz": lambda d: alkane(12).encode(),
        "data.bin": lambda d: d.randbytes(20_000_000),
        "old.po": lambda d: catalogue(d, 700, True).encode(),
        "new.pot": lambda d: catalogue(d, 700, False).encode(),
    }
    for name, make in makers.items():
        if not (folder / name).exists():
            print(f"making {name}", file=sys.stderr)
            (folder / name).write_bytes(make(random.Random(7)))
    for name, (program, make) in mpi.INPUTS.items():
        if shutil.which(program) and not (folder / name).exists():
            (folder / name).write_bytes(make())
