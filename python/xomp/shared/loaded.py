# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which library a program gets in an environment, asked of the dynamic loader itself."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path


def loaded_library(program: Path, environment: Mapping[str, str], name: str) -> Path | None:
    """The library NAME.so that the loader takes for the program, which does not run; None if it
    finds none. Its folder may have spaces."""
    told = subprocess.run(
        [program],
        env={**environment, "LD_TRACE_LOADED_OBJECTS": "1"},
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    found = re.search(rf"^\s*{re.escape(name)}\.so\S* => (/.+) \(0x", told, re.MULTILINE)
    return Path(found[1]).resolve() if found else None
