# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Text as people read it: numbers in sentences and in tables of measurements, and lines."""

from __future__ import annotations

import math
import re
import textwrap

ROUNDING = 1e-7  # percents of a sum of parts that a computer lost
_BEFORE_UNIT = re.compile(r"(?<=\d) (?=(?:s|ms|us|ns|%)(?!\w))")
_NO_BREAK = "\N{NO-BREAK SPACE}"


def wrapped(text: str, width: int, indent: str = "") -> str:
    """In lines of that width, none of which ends between a number and its unit, or at a hyphen."""
    wrapper = textwrap.TextWrapper(max(1, width), indent, indent, break_on_hyphens=False)
    return wrapper.fill(_BEFORE_UNIT.sub(_NO_BREAK, text)).replace(_NO_BREAK, " ")


def digits(value: float) -> str:
    """Three significant digits, without exponents."""
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else str(value)
    places = max(0, 2 - math.floor(math.log10(abs(value))))
    text = f"{value:,.{min(places, 6)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def seconds(value: float) -> str:
    """12.3 ms; the unit that leaves one to three digits before the point."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if abs(value) >= size:
            return f"{digits(value / size)} {unit}"
    return f"{digits(value / 1e-9)} ns" if value else "0 s"


def percent(share: float) -> str:
    """Whole percents where there are several; little more than nothing is said to be so, and little
    less than all, as its rest may stand beside it."""
    value = 100 * share
    if 0 < value < 0.1:
        return "<0.1 %"
    if 99.5 <= value < 100 - ROUNDING:
        return f"{value:.1f} %" if value < 99.9 else ">99.9 %"
    return f"{value:.0f} %" if abs(value) >= 10 or value == 0 else f"{value:.1f} %"


def count(number: float) -> str:
    return f"{number:,.0f}"


def several(number: int, one: str, many: str | None = None) -> str:
    """1 task, 1,200 tasks."""
    return f"{count(number)} {one if number == 1 else many or one + 's'}"


def rounded(value: float) -> str:
    """As columns want it: zeros at the end stay, and little more than nothing is said to be so."""
    if 0 < value < 0.01:
        return "<0.01"
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def seconds_text(value: float) -> str:
    """Seconds to the microsecond where they are few."""
    return f"{value:.3f}" if value >= 0.1 else f"{value:.6f}".rstrip("0").ljust(5, "0")


def factor(value: float) -> str:
    """As `rounded`, but small factors keep two digits: a hundred times faster is not a thousand."""
    return f"{value:.2g}" if 1e-4 <= value < 0.1 else rounded(value)
