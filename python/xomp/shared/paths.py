# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the harness finds its sources and leaves its files."""

from __future__ import annotations

from pathlib import Path

from xomp.errors import BadInputError

ROOT = Path(__file__).resolve().parents[3]
SOURCES = ROOT / "bench"
BUILD = ROOT / "build"
BENCH = BUILD / "bench"  # compiled programs, the floor, results
PEERS = BUILD / "peers"  # runtimes fetched from elsewhere
DEMO = BUILD / "demo"  # the demo's plot and results


def need_sources() -> None:
    """What is installed has neither the benchmarks nor a folder to build them in."""
    if not SOURCES.is_dir():
        raise BadInputError("needs the source tree of xomp: call ./xomp in a checkout of it")
