# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parts that threads x elapsed time is divided into (paper 3, section 2): one name and one
colour each, for every report, page, table and plot."""

from __future__ import annotations

from dataclasses import dataclass

from xomp.shared.colours import GREEN, SKY


@dataclass(frozen=True)
class Category:
    name: str
    colour: str
    dark: str = ""  # on a dark ground, where it differs


IDLE = ("#C5CCD6", "#3B434F")

PARTS = {
    "work": Category("work", GREEN),
    "serial_work": Category("work as on one thread", GREEN),
    "inflation": Category("work time inflation", "#99BC2E"),
    "overhead": Category("overhead", "#8A94A3", "#5D6878"),
    "idle": Category("idle", *IDLE),
    "kept_off": Category("kept off the processors", SKY),
}
