# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`xomp kernel`: a Jupyter kernel whose Python runs on xomp."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from xomp.cli.tree import Entry, group
from xomp.errors import BadInputError
from xomp.library import environment, find
from xomp.reach import check_start

NAME = "xomp"  # of the kernel's folder, and for `jupyter kernelspec remove`
VERSION = 'import sys, ipykernel; print("%d.%d" % sys.version_info[:2])'

kernel = group(
    "kernel",
    "Make Jupyter notebooks run on xomp.",
    (
        Entry(
            "install",
            "xomp.kernel:install",
            "Install a Jupyter kernel, `Python 3.X (xomp)`, whose notebooks run on xomp.\n\n"
            "What removes it is printed.",
        ),
    ),
)


def install(
    python: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help="The Python of the notebooks, which needs the package ipykernel.",
            show_default="this command's own, else python3",
        ),
    ] = None,
    prefix: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="For the Jupyter of this environment alone.",
            show_default="for every Jupyter of this user",
        ),
    ] = None,
    lib: Annotated[
        str | None,
        typer.Option(metavar="PATH", help="The libxomp.so to run on, or the folder that holds it."),
    ] = None,
) -> int:
    chosen, version = find_python(python)
    library = find(lib)
    if " " in library:
        raise BadInputError(f"the loader splits LD_PRELOAD at spaces: it cannot find '{library}'")
    # Nothing else is set: a kernel keeps the rest of Jupyter's environment.
    changes = {"LD_PRELOAD": environment(library)["LD_PRELOAD"]}
    obstacle = check_start(chosen, library, changes)
    if obstacle:
        raise BadInputError(obstacle)
    folder = jupyter_data(prefix) / "kernels" / NAME
    described = {
        "argv": [chosen, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "display_name": f"Python {version} (xomp)",
        "language": "python",
        "metadata": {"debugger": True},
        "env": changes,
    }
    write(folder, json.dumps(described, indent=1) + "\n")
    print(f"{described['display_name']}: {folder}")
    print(f"`{removal(folder, prefix)}` removes it.")
    return 0


def write(folder: Path, description: str) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "kernel.json").write_text(description)
    except OSError as error:
        raise BadInputError(f"cannot write '{folder}': {error.strerror}") from None


def removal(folder: Path, prefix: Path | None) -> str:
    """The command that removes the kernel: Jupyter does not look into other environments."""
    if prefix is None:
        return f"jupyter kernelspec remove {NAME}"
    return f"rm -r {shlex.quote(str(folder))}"


def find_python(given: str | None) -> tuple[str, str]:
    """The path and the version of a Python that has ipykernel."""
    if given and shutil.which(given) is None:
        raise BadInputError(f"no Python '{given}'")
    names = [given] if given else [sys.executable, "python3"]
    for name in names:
        path = shutil.which(name)
        if path is None:
            continue
        path = os.path.abspath(path)  # noqa: PTH100 (a link in an environment is what makes it one)
        done = subprocess.run([path, "-c", VERSION], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return path, done.stdout.strip()
    named = " or ".join(f"'{name}'" for name in names)
    raise BadInputError(
        f"no Python with the package ipykernel: looked at {named}; --python names another one"
    )


def jupyter_data(prefix: Path | None) -> Path:
    """Where Jupyter looks for what belongs to an environment, or to the user."""
    if prefix is not None:
        return prefix.absolute() / "share" / "jupyter"
    given = os.environ.get("JUPYTER_DATA_DIR")
    if given:
        return Path(given)
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "jupyter"
