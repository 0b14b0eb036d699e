# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A run as one HTML file: why it lost time, timeline, threads, task sizes, graph, tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from xomp.profile.html.build import page
from xomp.profile.html.content import Finding, collect
from xomp.profile.summary import Profile

__all__ = ["Finding", "write_html"]


def write_html(profile: Profile, path: Path, findings: Sequence[Finding] = ()) -> None:
    """Writes the page; `findings` come first on it. An OSError is the caller's to tell."""
    path.write_text(page(collect(profile, findings)), encoding="utf-8")
