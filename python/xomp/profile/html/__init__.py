# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A run as one HTML file: why it lost time, timeline, threads, task sizes, graph, tables."""

from __future__ import annotations

from pathlib import Path

from xomp.profile.html.build import page
from xomp.profile.html.content import collect
from xomp.profile.log import LogError
from xomp.profile.summary import Profile


def write_html(profile: Profile, path: Path) -> None:
    text = page(collect(profile))
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise LogError(f"cannot write '{path}': {error.strerror}") from error
