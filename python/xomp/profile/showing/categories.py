# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the threads' time is divided into: one name and one colour each, for the terminal, the page,
tables and plots."""

from __future__ import annotations

from xomp.profile.analysing.spans import State
from xomp.shared.colours import BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILION
from xomp.shared.parts import IDLE, PARTS, Category

# Overhead and idle time in more detail.
STATES = {
    State.WORK: PARTS["work"],
    State.CREATE: Category("creation of tasks", BLUE),
    State.SCHEDULE: Category("looking for tasks, entering and leaving waits", ORANGE),
    State.FORK: Category("begin and end of regions", PURPLE),
    State.MUTEX: Category("waiting for locks", VERMILION),
    State.STALL: Category("waiting, and nothing to run", *IDLE),
    State.ORDER: Category("waiting for a turn (ordered, doacross)", "#9AA5B4", "#5A6472"),
    State.OUTSIDE: Category("outside of parallel regions", "#E8EBF0", "#232932"),
    State.KEPT_OFF: PARTS["kept_off"],
}
# Of data, by where it lies: the first four as in paper 3, Fig. 18; a yellow that shows on white.
DOMAINS = ("#E3B505", BLUE, GREEN, VERMILION, PURPLE, SKY, "#8C6D46", "#7A62B5")


def for_page() -> dict[str, dict[str, list[str]] | list[str]]:
    """Name, colour on a light and on a dark ground; colours of domains."""

    def listed(each: Category) -> list[str]:
        return [each.name, each.colour.lower(), (each.dark or each.colour).lower()]

    return {
        "parts": {key: listed(each) for key, each in PARTS.items()},
        "states": {state.name.lower(): listed(each) for state, each in STATES.items()},
        "domains": [colour.lower() for colour in DOMAINS],
    }
