# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`xomp run`: starts a program on xomp.

A command line without a mistake is parsed by hand, because to load a library for command lines
takes longer than many a program runs. `OPTIONS` is the one definition of the options: `parse` reads
it here, and xomp.cli.run makes the help and the messages about mistakes of it.
"""

from __future__ import annotations

import os
from _signal import SIG_DFL, SIGPIPE, SIGXFSZ, signal  # `signal` itself imports much more

from xomp.choices import BARRIERS, SCHEDULERS
from xomp.errors import BadInputError, CommandError, tell
from xomp.library import compare_versions, environment, find
from xomp.reach import IGNORED, check_start, lacking, search

STARTED = "XOMP_RUN"  # lets the library say at the end that it was not used
NOT_EXECUTABLE, NOT_FOUND = 126, 127
MOST_THREADS = 65536  # no machine has as many processors


class Option:
    """One option. With a metavar or choices it takes a value, else it is a flag.

    `variable` is what the option sets in the program's environment: its value, or 1 for a flag.
    `default` says in words what holds without it.
    """

    def __init__(
        self,
        name: str,
        help: str,
        metavar: str = "",
        choices: tuple[str, ...] = (),
        variable: str = "",
        default: str = "",
    ) -> None:
        self.name = name
        self.help = help
        self.metavar = metavar
        self.choices = choices
        self.variable = variable
        self.default = default

    @property
    def is_flag(self) -> bool:
        return not self.metavar and not self.choices


LIBRARY = Option(
    "--lib",
    "The libxomp.so to run on, or the folder that holds it.",
    "PATH",
    default="that of this command",
)
STATS = Option(
    "--stats", "Say who ran the tasks when the program ends (XOMP_STATS).", variable="XOMP_STATS"
)
NO_PRELOAD = Option(
    "--no-preload", "Set LD_LIBRARY_PATH only, for programs that must not be preloaded."
)
RACES = Option(
    "--races",
    "Find data races: LLVM's Archer tells the thread sanitizer what OpenMP orders. "
    "The program must be built with -fsanitize=thread.",
)
ARCHER = Option(
    "--archer",
    "The libarcher.so of --races, or the folder that holds it.",
    "PATH",
    default="XOMP_ARCHER, or the newest LLVM's",
)
REPEAT = Option("--repeat", "How many times --races runs the program.", "N", default="1")
THREADS = Option(
    "--threads",
    "The number of threads (OMP_NUM_THREADS).",
    "N",
    variable="OMP_NUM_THREADS",
    default="as many as processors",
)
OPTIONS = (
    THREADS,
    Option(
        "--scheduler",
        "Where tasks go (XOMP_SCHEDULER).",
        choices=SCHEDULERS,
        variable="XOMP_SCHEDULER",
        default="auto",
    ),
    Option(
        "--barrier",
        "How barriers end (XOMP_BARRIER).",
        choices=BARRIERS,
        variable="XOMP_BARRIER",
        default="tree",
    ),
    Option(
        "--display",
        "Show what is in force when the program starts, and what became of its tasks "
        "and regions when it ends (XOMP_DISPLAY).",
        variable="XOMP_DISPLAY",
    ),
    STATS,
    RACES,
    ARCHER,
    REPEAT,
    LIBRARY,
    NO_PRELOAD,
)

Values = dict  # the name of each option that was given, with its value; True for a flag


def parse(arguments: list[str]) -> tuple[Values, list[str]] | None:
    """The options before the program, and the program with its arguments; None for a command line
    that is anything but plainly right."""
    options = {option.name: option for option in OPTIONS}
    values: Values = {}
    rest = list(arguments)
    while rest and rest[0].startswith("-") and rest[0] != "-":
        name, equals, value = rest.pop(0).partition("=")
        if name == "--" and not equals:
            break
        option = options.get(name)
        if option is None or (option.is_flag and equals):
            return None
        if not option.is_flag and not equals:
            if not rest:
                return None
            value = rest.pop(0)
        if option.choices and value not in option.choices:
            return None
        values[name] = True if option.is_flag else value
    return (values, rest) if rest else None


def start(values: Values, command: list[str], python: str | None = None) -> int:
    """Replaces this process by the program, and raises where that is not possible. What is looked
    at until it ends (--races) is a child: the result is the exit status.

    `python` runs a Python script, whether or not that could be executed."""
    script = command[0].endswith(".py") and os.path.isfile(command[0])
    if script and python:
        command = [python, *command]
    if THREADS.name in values:
        read_threads(values[THREADS.name])
    library = find(values.get(LIBRARY.name))
    compare_versions("xomp run", library)
    changes = environment(library, NO_PRELOAD.name not in values)
    obstacle = check_start(command[0], library, changes)
    if not obstacle:
        changes[STARTED] = str(os.getpid())
    else:
        silent = "; so there are no statistics" if STATS.name in values else ""
        tell("xomp run", f"xomp is not in use: {obstacle}{silent}")
        if obstacle.endswith(IGNORED):  # nor does it hand them on; it would complain of a bare name
            changes = {}
    for option in OPTIONS:
        if option.variable and option.name in values:
            changes[option.variable] = "1" if option.is_flag else values[option.name]
    if RACES.name in values:
        from xomp import races  # imports much

        changes |= races.environment(command, values.get(ARCHER.name))
    for option in (ARCHER, REPEAT):
        if option.name in values and RACES.name not in values:
            raise BadInputError(f"{option.name} is for {RACES.name}")
    keep_statistics = STATS.name in values or STATS.variable in os.environ
    os.environ.update(changes)
    # Python ignores these, and a program would inherit that: `xomp run yes | head` must end.
    signal(SIGPIPE, SIG_DFL)
    signal(SIGXFSZ, SIG_DFL)
    try:
        if RACES.name in values:
            return races.watch(command, values.get(REPEAT.name), keep_statistics)
        os.execvp(command[0], command)
    except OSError as error:
        raise not_started("xomp run", command[0], error) from None


def not_started(ours: str, program: str, error: OSError) -> CommandError:
    """Why the system did not start a program for our command, and what was probably meant."""
    here = os.path.isfile(program)
    way = ""
    if here and program.endswith(".py"):
        way = f"; `{ours} -- python {program}` runs a Python script"
    if not isinstance(error, FileNotFoundError):
        return CommandError(f"cannot run '{program}': {error.strerror}{way}", NOT_EXECUTABLE)
    path = search(program)
    if path is not None:
        return CommandError(lacking(path), NOT_EXECUTABLE)
    if here and not way and os.access(program, os.X_OK):
        way = f"; did you mean './{program}'?"
    return CommandError(f"no program '{program}'{way}", NOT_FOUND)


def read_threads(text: str) -> int:
    """A number of threads, as an option has it."""
    digits = text.isascii() and text.isdecimal() and len(text.lstrip("0")) <= len(str(MOST_THREADS))
    number = int(text) if digits else 0
    if 1 <= number <= MOST_THREADS:
        return number
    limits = f"from 1 to {MOST_THREADS}"
    raise BadInputError(f"{THREADS.name}: expected a number {limits}, not '{text}'")
