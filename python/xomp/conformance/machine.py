# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What holds on this machine: the target triplet and DejaGnu's effective targets.

Only the names that the libgomp suite uses are known; an unknown name does not hold and is
reported, so that a newer suite cannot lose tests in silence.
"""

from __future__ import annotations

import os
import platform
import subprocess
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from xomp.shared import topology
from xomp.shared.machine import processors

# True on every glibc system that gcc, g++ and gfortran are packaged for.
_ALWAYS = frozenset({"fd_truncate", "fpic", "lto", "shared", "sync_int_long", "tls", "tls_runtime"})

# These ask for an accelerator (or its compiler); xomp runs target regions on the host.
OFFLOAD = frozenset(
    {
        "offload_device",
        "offload_device_any_intel_mic",
        "offload_device_intel_mic",
        "offload_device_nonshared_as",
        "offload_device_nvptx",
        "offload_target_amdgcn",
        "offload_target_nvptx",
    }
)

_X86 = frozenset({"x86_64", "i386", "i486", "i586", "i686"})


def canonical_triplet(dumped: str) -> str:
    """``x86_64-linux-gnu`` as gcc prints it on Debian, in the four parts that patterns expect."""
    parts = dumped.split("-")
    if len(parts) == 3 and parts[1] in ("linux", "kfreebsd", "gnu"):
        parts.insert(1, "pc" if parts[0] in _X86 else "unknown")
    return "-".join(parts)


@dataclass
class Machine:
    """Answers selectors; ``language`` (c, c++, fortran) is asked of per test."""

    triplet: str
    cpu_flags: frozenset[str]
    unknown: set[str] = field(default_factory=set)

    def holds(self, name: str, language: str) -> bool:
        if name in ("c", "c++"):
            return name == language
        if "*" in name or name.count("-") >= 2:
            return fnmatchcase(self.triplet, name)
        if name in OFFLOAD:
            return False
        if name in _ALWAYS:
            return True
        if name in self._facts:
            return self._facts[name]
        self.unknown.add(name)
        return False

    @property
    def _facts(self) -> dict[str, bool]:
        x86 = self.triplet.split("-")[0] in _X86
        wide = self.triplet.split("-")[0] not in _X86 - {"x86_64"}
        return {
            "lp64": wide,
            "ia32": x86 and not wide,
            "size32plus": True,
            "large_long_double": x86,
            # libgomp's probe maps a variable "to", changes it in a target region and looks at it
            # afterwards: host fallback, which shares everything with itself, satisfies it.
            "offload_device_shared_as": True,
            "__float128": x86,
            "vect_simd_clones": x86,  # the assembler knows AVX-512; which clone runs is the CPU's
            "sse2_runtime": "sse2" in self.cpu_flags,
            "avx_runtime": "avx" in self.cpu_flags,
            "aarch64_tiny": False,
            "run_expensive_tests": bool(os.environ.get("GCC_TEST_RUN_EXPENSIVE")),
            "skip-all-targets": False,
        }


def describe(cc: str) -> Machine:
    """The machine that the compiler builds for, which is the one that runs the tests."""
    dumped = subprocess.run([cc, "-dumpmachine"], capture_output=True, text=True, check=True)
    return Machine(
        canonical_triplet(dumped.stdout.strip()),
        frozenset(topology.cpuinfo("flags", "Features").split()),
    )


def summary() -> dict[str, object]:
    """Facts for the result file."""
    return {
        "machine": platform.machine(),
        "kernel": platform.release(),
        "processors": processors(),
    }
