# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the harness finds its sources and leaves its files."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SOURCES = ROOT / "bench"
BUILD = ROOT / "build"
BENCH = BUILD / "bench"  # compiled programs, the floor, results
PEERS = BUILD / "peers"  # runtimes fetched from elsewhere
DEMO = BUILD / "demo"  # the demo's plot and results
