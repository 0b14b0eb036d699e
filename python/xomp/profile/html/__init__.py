# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A run as one HTML file: why it lost time, timeline, threads, task sizes, graph, tables."""

from __future__ import annotations

from pathlib import Path

from xomp.profile.html.build import page
from xomp.profile.html.content import collect
from xomp.profile.summary import Profile


def write_html(profile: Profile, path: Path) -> None:
    """Writes the page. An OSError is the caller's to tell."""
    path.write_text(page(collect(profile)), encoding="utf-8")
